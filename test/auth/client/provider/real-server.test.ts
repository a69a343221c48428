// A real authorization server: registration, login, consent, resource indicators, rotation, and tokens that a real server checks.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { clientCredentials, jwt, oauth, type Redirect } from 'vivarium/auth';
import { coded } from '../../client-fixture.ts';
import { admit, principalOf } from '../../fixture.ts';

let server: Server;
let issuer: string;
let resource: string;
let grants = 0;

beforeAll(async () => {
  for (const method of ['info', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  issuer = origin;
  resource = `${origin}/mcp`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'k1' }] },
    clients: [
      {
        client_id: 'robot',
        client_secret: 'robot secret: +/%',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
      },
    ],
    scopes: ['openid', 'offline_access', 'notes:read', 'notes:write'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      dPoP: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, indicator) => ({
          scope: 'notes:read notes:write',
          audience: indicator,
          accessTokenTTL: 60,
          accessTokenFormat: 'jwt',
        }),
      },
    },
  });
  provider.on('grant.success', () => void grants++);
  const callback = provider.callback();
  server.on('request', async (request, response) => {
    const { pathname } = new URL(request.url ?? '', origin);
    if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      const metadata = { resource, authorization_servers: [issuer], scopes_supported: ['notes:read'] };
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
    }
    if (!pathname.startsWith('/interaction/')) return callback(request, response);
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: 'alice' } });
    const grant =
      (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
      new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params['client_id']) });
    grant.addOIDCScope(String(params['scope'] ?? ''));
    grant.addResourceScope(String(params['resource']), 'notes:read notes:write');
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
  });
});

afterEach(() => {
  vi.useRealTimers();
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  vi.restoreAllMocks();
});

/** A browser in which everything is agreed to. */
function browser(uri = 'http://127.0.0.1:33333/callback'): Redirect {
  return {
    uri,
    async open(url) {
      const cookies = new Map<string, string>();
      let next = url;
      while (!next.href.startsWith(uri)) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
        for (const line of response.headers.getSetCookie()) {
          const [pair = ''] = line.split(';');
          cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
        }
        const location = response.headers.get('location');
        if (location === null) throw new Error(`no way on from ${next.pathname}: ${response.status} ${await response.text()}`);
        next = new URL(location, next);
      }
      return next;
    },
  };
}

function textOf(token: unknown): string {
  return (token as { readonly value: string }).value;
}

describe('a person', () => {
  it('logs in, and gets tokens that are for this resource and are refreshed by rotation', async () => {
    const auth = oauth({ redirect: browser() });
    const first = textOf(await auth.token({ resource, status: 401 }));
    expect(await principalOf(jwt({ issuer }), first, resource)).toMatchObject({
      id: 'alice',
      scopes: ['notes:read'],
      claims: { aud: resource },
    });
    expect(await admit(jwt({ issuer }), first, `${resource}/other`)).toHaveProperty('refused');
    for (const round of [1, 2, 3]) {
      const before = grants;
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 55_000 });
      const renewed = await Promise.all(Array.from({ length: 5 }, async () => textOf(await auth.token({ resource }))));
      expect(new Set(renewed).size).toBe(1);
      expect([round, grants - before]).toEqual([round, 1]);
      expect(await principalOf(jwt({ issuer }), renewed[0] as string, resource)).toMatchObject({ id: 'alice', scopes: ['notes:read'] });
    }
  });

  it('grants more when more is needed', async () => {
    const auth = oauth({ redirect: browser() });
    const stale = textOf(await auth.token({ resource, status: 401, challenge: 'Bearer scope="notes:read"' }));
    const challenge = 'Bearer error="insufficient_scope", scope="notes:write"';
    const next = textOf(await auth.token({ resource, status: 403, challenge, stale }));
    expect(await principalOf(jwt({ issuer }), next, resource)).toMatchObject({ scopes: ['notes:read', 'notes:write'] });
  });

  it('gets tokens that are bound to a key', async () => {
    const auth = oauth({ redirect: browser(), dpop: true });
    expect(await auth.token({ resource, status: 401 })).toMatchObject({ scheme: 'DPoP' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 55_000 });
    expect(await auth.token({ resource })).toMatchObject({ scheme: 'DPoP' });
  });
});

describe('a program', () => {
  it('gets a token with its own secret', async () => {
    const auth = clientCredentials({ clientId: 'robot', clientSecret: 'robot secret: +/%', issuer });
    const token = textOf(await auth.token({ resource, status: 401 }));
    expect(await principalOf(jwt({ issuer }), token, resource)).toMatchObject({ id: 'robot', scopes: ['notes:read'] });
  });

  it('is told when its secret is wrong', async () => {
    const auth = clientCredentials({ clientId: 'robot', clientSecret: 'wrong', issuer });
    await expect(auth.token({ resource, status: 401 })).rejects.toEqual(coded('ERR_AUTH_FAILED', 'does not know this client'));
  });
});
