// A real authorization server: its tokens, its discovery, its keys, its introspection and its revocation.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { introspection, jwt } from 'vivarium/auth';
import { admit, principalOf, refusalOf, resource, withToken } from './fixture.ts';

const other = 'https://other.example/mcp';
const opaque = 'https://opaque.example/mcp';

let server: Server;
let issuer: string;

beforeAll(async () => {
  for (const method of ['info', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const grants = { redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'k1' }] },
    clients: [
      { client_id: 'caller', client_secret: 'caller-secret', ...grants },
      { client_id: 'mcp', client_secret: 'mcp secret: +/%', ...grants },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: (_, client) => client.clientId === 'mcp' },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, indicator) => ({
          scope: 'notes:read notes:write',
          audience: indicator,
          accessTokenTTL: 60,
          accessTokenFormat: indicator === opaque ? 'opaque' : 'jwt',
        }),
      },
    },
  });
  server.on('request', provider.callback());
});

afterEach(() => {
  vi.useRealTimers();
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  vi.restoreAllMocks();
});

async function post(path: string, form: Record<string, string>): Promise<Response> {
  const authorization = `Basic ${btoa('caller:caller-secret')}`;
  return fetch(`${issuer}${path}`, { method: 'POST', body: new URLSearchParams(form), headers: { authorization } });
}

async function grant(to: string, scope = 'notes:read'): Promise<string> {
  const response = await post('/token', { grant_type: 'client_credentials', resource: to, scope });
  const { access_token: token } = (await response.json()) as { readonly access_token?: string };
  if (token === undefined) throw new Error(`no token: ${response.status}`);
  return token;
}

describe('a signed token', () => {
  it('is admitted after real discovery, and then at once', async () => {
    const auth = jwt({ issuer });
    const token = await grant(resource, 'notes:read notes:write');
    expect(await principalOf(auth, token)).toMatchObject({
      id: 'caller',
      scopes: ['notes:read', 'notes:write'],
      claims: { iss: issuer, aud: resource, client_id: 'caller' },
    });
    expect(auth.admit(withToken(token), resource)).toMatchObject({ principal: { id: 'caller' } });
  });

  it('is admitted for the audience that the author names', async () => {
    expect(await admit(jwt({ issuer, audience: other }), await grant(other))).toHaveProperty('principal');
  });

  it('is refused if it was granted for another resource', async () => {
    const refused = await refusalOf(jwt({ issuer }), await grant(other));
    expect(refused).toMatchObject({ status: 401, error: 'invalid_token', description: 'The access token is for another resource' });
  });

  it('is refused if it reaches less far than needed', async () => {
    const refused = await refusalOf(jwt({ issuer, required: ['notes:write'] }), await grant(resource));
    expect(refused).toMatchObject({ status: 403, error: 'insufficient_scope', challenge: expect.stringContaining('scope="notes:write"') });
  });

  it('is refused under the name of another issuer', async () => {
    const auth = jwt({ issuer: issuer.replace('127.0.0.1', 'localhost'), jwksUri: `${issuer}/jwks` });
    expect(await refusalOf(auth, await grant(resource))).toMatchObject({ description: 'The access token is from another issuer' });
  });

  it('is refused if it is no signed one', async () => {
    expect(await refusalOf(jwt({ issuer }), await grant(opaque))).toMatchObject({ status: 401, error: 'invalid_token' });
  });
});

describe('an opaque token', () => {
  const asking = (options: object = {}) =>
    introspection({ endpoint: `${issuer}/token/introspection`, issuer, clientId: 'mcp', clientSecret: 'mcp secret: +/%', ...options });

  it('is admitted as its issuer says', async () => {
    expect(await principalOf(asking(), await grant(opaque), opaque)).toMatchObject({ id: 'caller', scopes: ['notes:read'] });
  });

  it('is refused for another resource', async () => {
    expect(await refusalOf(asking(), await grant(opaque))).toMatchObject({ description: 'The access token is for another resource' });
  });

  it('is refused at the next request after it was revoked, where nothing is remembered', async () => {
    const auth = asking({ cacheMs: 0 });
    const token = await grant(opaque);
    await principalOf(auth, token, opaque);
    expect((await post('/token/revocation', { token })).status).toBe(200);
    expect(await refusalOf(auth, token, opaque)).toMatchObject({ status: 401, error: 'invalid_token' });
  });

  it('is refused after it was revoked, once what is remembered has passed', async () => {
    const auth = asking();
    const token = await grant(opaque);
    await principalOf(auth, token, opaque);
    await post('/token/revocation', { token });
    expect(auth.admit(withToken(token), opaque)).toHaveProperty('principal');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_001 });
    expect(await refusalOf(auth, token, opaque)).toMatchObject({ status: 401 });
  });

  it('is refused if it was made up', async () => {
    expect(await refusalOf(asking(), 'made-up-token', opaque)).toMatchObject({ status: 401 });
  });

  it('is nobody’s if this server may not ask', async () => {
    const onError = vi.fn();
    expect(await refusalOf(asking({ clientSecret: 'wrong', onError }), await grant(opaque), opaque)).toMatchObject({ status: 503 });
    expect(onError.mock.calls).toMatchObject([[{ message: expect.stringContaining('/token/introspection answers with status 401') }]]);
  });
});
