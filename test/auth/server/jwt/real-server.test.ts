// A real authorization server, a real client and a real endpoint, from discovery to the answer of a tool; and issuers that fail.
import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ClientCredentialsProvider as CredentialsV1 } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as StreamableV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Authorizer, introspection, jwt } from 'vivarium/auth';
import { type HttpServing, serveHttp } from 'vivarium/serve/node';
import { type Answer, modern, nodeDoor, type Sent } from '../../../serve/http.ts';
import { createServer } from '../../../server/fixture.ts';
import { createSigner, json, listen, listenForErrors, seconds } from '../../fixture.ts';
import { caller, openProvider } from '../../oidc-provider.ts';

const { issuer, asking, ask, grant } = await openProvider();

afterEach(() => {
  vi.useRealTimers();
});

async function serve(auth: Authorizer, path = '/mcp', sse = false): Promise<HttpServing> {
  const { server } = createServer();
  server.tool('whoami', {}, (_, { principal }) => `${principal?.id} ${principal?.scopes.join()}`);
  server.tool('save', { scopes: ['notes:read', 'notes:write'] }, () => 'saved');
  const http = await serveHttp(server, { port: 0, path, sse, signals: false, drainMs: 0, auth });
  onTestFinished(() => http.close());
  return http;
}

async function post(url: string, token: string, name = 'whoami'): Promise<Response> {
  const { headers, body } = modern('tools/call', { name }, { authorization: `Bearer ${token}` });
  const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return fetch(url, { method: 'POST', headers: { ...usual, ...(headers as Record<string, string>) }, body: JSON.stringify(body) });
}

const textOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { result: { content: { text: string }[] } }).result.content[0]?.text ?? '';

describe('a token of a real issuer', () => {
  it('calls a tool through HTTP when it was granted for this very URL', async () => {
    const { url } = await serve(jwt({ issuer }));
    expect(await textOf(await post(url, await grant(url)))).toBe('caller notes:read');
  });

  it('A02: is refused when it was granted for another', async () => {
    const { url } = await serve(jwt({ issuer }));
    for (const other of ['https://other.example/mcp', `${url}2`, url.replace('127.0.0.1', 'localhost'), url.replace('/mcp', '')]) {
      const refused = await post(url, await grant(other));
      expect([other, refused.status]).toEqual([other, 401]);
      expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });

  it('A06: is sent for more, and with more the same call succeeds', async () => {
    const { url } = await serve(jwt({ issuer, scopes: ['notes:read'] }));
    const refused = await post(url, await grant(url), 'save');
    expect(refused.status).toBe(403);
    const [, scope = ''] = /\bscope="([^"]*)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    expect(scope).toBe('notes:read notes:write');
    expect(await textOf(await post(url, await grant(url, scope), 'save'))).toBe('saved');
  });

  it('A07: is refused at the next request after it was revoked, where the issuer is asked each time', async () => {
    const { url } = await serve(introspection({ ...asking, cacheMs: 0 }), '/opaque');
    const token = await grant(url);
    expect((await post(url, token)).status).toBe(200);
    expect((await ask('/token/revocation', { token })).status).toBe(200);
    expect((await post(url, token)).status).toBe(401);
  });
});

describe('the official clients', () => {
  const pinned = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;
  it.each([
    ['2026-07-28', pinned],
    ['2025-11-25', { supportedProtocolVersions: ['2025-11-25'] }],
  ] as const)('finds the issuer by the challenge, gets a token for this URL and calls a tool in %s', async (_revision, how) => {
    const { url } = await serve(jwt({ issuer, scopes: ['notes:read', 'notes:write'] }));
    const authProvider = new ClientCredentialsProvider({ ...caller, scope: 'notes:read' });
    const client = new Client({ name: 'peer', version: '1.0.0' }, how as object);
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
    const { content } = await client.callTool({ name: 'whoami', arguments: {} });
    expect(content).toMatchObject([{ text: expect.stringMatching(/^caller notes:read/) }]);
  });

  it.each([
    ['its only URL', '/mcp', (url: URL, authProvider: CredentialsV1) => new StreamableV1(url, { authProvider })],
    ['the stream of 2024-11-05', '/sse', (url: URL, authProvider: CredentialsV1) => new SSEClientTransport(url, { authProvider })],
  ] as const)('of version 1 do the same at %s', async (_what, path, connect) => {
    const { url } = await serve(jwt({ issuer, scopes: ['notes:read', 'notes:write'] }), '/mcp', true);
    const client = new ClientV1({ name: 'peer', version: '1.0.0' });
    onTestFinished(() => client.close());
    const credentials = new CredentialsV1(caller);
    await client.connect(connect(new URL(path, url), credentials) as Parameters<typeof client.connect>[0]);
    const { content } = await client.callTool({ name: 'whoami', arguments: {} });
    expect(content).toMatchObject([{ text: expect.stringMatching(/^caller /) }]);
  });
});

describe('A09: an issuer', () => {
  const call = (token: string): Sent => modern('tools/call', { name: 'hello' }, { authorization: `Bearer ${token}` });

  async function behind(answer: Parameters<typeof listen>[0], options: object = {}) {
    const keys = await listen(answer);
    const { told, onError } = listenForErrors();
    const { server } = createServer();
    server.tool('hello', {}, () => 'Hello');
    const auth = jwt({ issuer: keys.url, jwksUri: `${keys.url}/jwks`, audience: 'notes', onError, ...options });
    const door = await nodeDoor(server, { auth });
    const signer = await createSigner();
    const token = await signer.sign({ iss: keys.url, aud: 'notes', exp: seconds(3_600) });
    return { door, keys, told, signer, token };
  }

  const expectClosed = (answer: Answer): void => {
    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers).not.toHaveProperty('www-authenticate');
    expect(answer.json.error.data).toEqual({ error: 'temporarily_unavailable' });
  };

  it.each<[string, Parameters<typeof listen>[0], object?]>([
    ['is down', (request) => void request.socket.destroy()],
    ['fails', (_request, response) => json(response, {}, 500)],
    ['never answers', () => undefined, { timeoutMs: 100 }],
    ['answers with nonsense', (_request, response) => void response.end('<html>')],
    ['sends elsewhere', (_request, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end()],
    [
      'never ends its answer',
      (_request, response) => {
        const more = (): void => void (response.write(Buffer.alloc(65_536, 32)) ? setImmediate(more) : response.once('drain', more));
        response.on('error', () => undefined).writeHead(200, { 'content-type': 'application/json' });
        more();
      },
    ],
  ])('that %s lets nobody in and is not asked by every request', async (_what, answer, options = {}) => {
    // Time stands still: no pause passes.
    vi.useFakeTimers({ toFake: ['Date'] });
    const { door, keys, told, token } = await behind(answer, options);
    expectClosed(await door.send(call(token)));
    for (const _again of [1, 2, 3]) expectClosed(await door.send(call(token)));
    expect(keys.count).toBeLessThanOrEqual(1);
    // Whoever runs the server is told, once and not the caller.
    expect(told).toHaveLength(1);
    expect(await door.send(modern('ping'))).toMatchObject({ status: 401 });
  });

  it('that goes down is not missed while its keys count, and then nobody is let in', async () => {
    let up = true;
    let jwks: unknown;
    const made = await behind((request, response) => (up ? json(response, jwks) : void request.socket.destroy()));
    jwks = made.signer.jwks;
    const { door, token } = made;
    vi.useFakeTimers({ toFake: ['Date'] });
    expect(await door.send(call(token))).toMatchObject({ status: 200 });
    up = false;
    vi.setSystemTime(Date.now() + 500_000);
    expect(await door.send(call(token))).toMatchObject({ status: 200 });
    vi.setSystemTime(Date.now() + 200_000);
    expectClosed(await door.send(call(token)));
    up = true;
    vi.setSystemTime(Date.now() + 6_000);
    expect(await door.send(call(token))).toMatchObject({ status: 200 });
  });

  it('A03: is asked for new keys once for a thousand tokens with unknown ones', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let jwks: unknown;
    const made = await behind((_request, response) => json(response, jwks));
    jwks = made.signer.jwks;
    const { door, keys, token, signer } = made;
    expect(await door.send(call(token))).toMatchObject({ status: 200 });
    const before = keys.count;
    const unknown = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => signer.sign({ iss: keys.url, aud: 'notes' }, { kid: `unknown-${at}` })),
    );
    for (const one of unknown) expect((await door.send(call(one))).status).toBe(401);
    expect(keys.count - before).toBeLessThanOrEqual(1);
    expect(await door.send(call(token))).toMatchObject({ status: 200 });
  });
});
