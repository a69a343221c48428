// From an issuer to its keys: which documents are asked for, and which are believed.
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { jwt } from 'vivarium/auth';
import { metadataUrls } from '../../../src/auth/server/issuer-discovery.ts';
import { createSigner, json, listen, listenForErrors, principalOf, refusalOf, type Signer } from '../fixture.ts';

let signer: Signer;

beforeAll(async () => {
  signer = await createSigner();
});

const oauth = '/.well-known/oauth-authorization-server';
const openid = '/.well-known/openid-configuration';

describe('the metadata of an issuer', () => {
  it.each([
    ['https://as.example', [oauth, openid]],
    ['https://as.example/', [oauth, openid]],
    ['https://as.example/tenant', [`${oauth}/tenant`, `${openid}/tenant`, `/tenant${openid}`]],
    ['https://as.example/a/b/', [`${oauth}/a/b`, `${openid}/a/b`, `/a/b${openid}`]],
  ])('of %s is looked for at %j', (issuer, places) => {
    expect(metadataUrls(issuer).map(String)).toEqual(places.map((place) => `https://as.example${place}`));
  });

  it.each([
    ['', oauth],
    ['', openid],
    ['/tenant', `${oauth}/tenant`],
    ['/tenant', `${openid}/tenant`],
    ['/tenant', `/tenant${openid}`],
  ])('of an issuer at %j is found at %s', async (path, place) => {
    const asked: string[] = [];
    const server = await listen(({ url = '' }, response) => {
      asked.push(url);
      if (url === place) json(response, { issuer: `${server.url}${path}`, jwks_uri: `${server.url}/keys` });
      else if (url === '/keys') json(response, signer.jwks);
      else response.writeHead(404).end('<html>');
    });
    const issuer = `${server.url}${path}`;
    expect(await principalOf(jwt({ issuer }), await signer.sign({ iss: issuer }))).toMatchObject({ id: 'alice' });
    expect(asked.slice(-2)).toEqual([place, '/keys']);
  });

  it('is passed over where another issuer speaks', async () => {
    const server = await listen(({ url }, response) => {
      if (url === oauth) json(response, { issuer: 'https://evil.example', jwks_uri: `${server.url}/evil` });
      else if (url === openid) json(response, { issuer: server.url, jwks_uri: `${server.url}/keys` });
      else json(response, url === '/keys' ? signer.jwks : { keys: [] });
    });
    expect(await principalOf(jwt({ issuer: server.url }), await signer.sign({ iss: server.url }))).toMatchObject({ id: 'alice' });
  });

  it.each([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['no issuer', { issuer: undefined }],
    ['a slash more', { slash: true }],
    ['no keys', { jwks_uri: undefined }],
    ['keys over plain HTTP elsewhere', { jwks_uri: 'http://169.254.169.254/latest' }],
    ['keys in a file', { jwks_uri: 'file:///etc/passwd' }],
    ['keys in itself', { jwks_uri: 'data:application/json,{"keys":[]}' }],
    ['a password', { jwks_uri: 'https://a:b@as.example/keys' }],
  ])('is not believed with %s', async (_, changes) => {
    const { told, onError } = listenForErrors();
    const server = await listen(({ url }, response) => {
      if (url === '/keys') return json(response, signer.jwks);
      const own = 'slash' in changes ? `${server.url}/` : server.url;
      json(response, { issuer: own, jwks_uri: `${server.url}/keys`, ...changes });
    });
    const refused = await refusalOf(jwt({ issuer: server.url, onError }), await signer.sign({ iss: server.url }));
    expect(refused).toMatchObject({ status: 503, error: 'temporarily_unavailable' });
    expect(told).toMatchObject([{ message: expect.stringContaining('No metadata of http://127.0.0.1') }]);
    expect(server.count).toBe(2);
  });

  it('is not waited for longer than keys are', async () => {
    const { told, onError } = listenForErrors();
    const server = await listen(() => undefined);
    const auth = jwt({ issuer: server.url, onError, timeoutMs: 50 });
    expect(await refusalOf(auth, await signer.sign({ iss: server.url }))).toMatchObject({ status: 503 });
    expect(told).toHaveLength(1);
    expect(server.count).toBe(1);
  });

  it.each([
    'http://127.0.0.1/keys',
    'https://127.0.0.1/keys',
    'http://0x7f.1/keys',
    'http://2130706433/keys',
    'http://[::1]/keys',
    'http://x.localhost/',
  ])('from elsewhere cannot lead to this machine: %s', async (jwks_uri) => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: URL) => {
      asked.push(url.hostname);
      return Response.json({ issuer: 'https://as.example', jwks_uri });
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const auth = jwt({ issuer: 'https://as.example', onError: () => undefined });
    expect(await refusalOf(auth, await signer.sign())).toMatchObject({ status: 503 });
    expect(asked).toEqual(['as.example', 'as.example']);
  });
});
