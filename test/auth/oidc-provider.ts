// A real authorization server on this machine, and a caller it knows.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { afterAll, vi } from 'vitest';

export interface RealProvider {
  readonly issuer: string;
  /** What an MCP server needs to ask it about tokens. */
  readonly asking: { readonly endpoint: string; readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
  /** As the caller. */
  ask(path: string, form: Readonly<Record<string, string>>): Promise<Response>;
  /** A token of the caller: opaque for a resource at `/opaque`, signed for every other. */
  grant(resource: string, scope?: string): Promise<string>;
}

export const caller = { clientId: 'caller', clientSecret: 'caller-secret' };
const mcp = { clientId: 'mcp', clientSecret: 'mcp secret: +/%' };

/** Until the tests of the file are done. */
export async function openProvider(): Promise<RealProvider> {
  const server = createServer();
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    vi.restoreAllMocks();
  });
  for (const method of ['info', 'warn'] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const grants = { redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'k1' }] },
    clients: [caller, mcp].map(({ clientId, clientSecret }) => ({ client_id: clientId, client_secret: clientSecret, ...grants })),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: (_, client) => client.clientId === mcp.clientId },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, indicator) => ({
          scope: 'notes:read notes:write',
          audience: indicator,
          accessTokenTTL: 60,
          accessTokenFormat: indicator.endsWith('/opaque') ? 'opaque' : 'jwt',
        }),
      },
    },
  });
  server.on('request', provider.callback());
  const ask: RealProvider['ask'] = (path, form) => {
    const authorization = `Basic ${btoa(`${caller.clientId}:${caller.clientSecret}`)}`;
    return fetch(`${issuer}${path}`, { method: 'POST', body: new URLSearchParams(form), headers: { authorization } });
  };
  return {
    issuer,
    asking: { endpoint: `${issuer}/token/introspection`, issuer, ...mcp },
    ask,
    async grant(resource, scope = 'notes:read') {
      const response = await ask('/token', { grant_type: 'client_credentials', resource, scope });
      const { access_token: token } = (await response.json()) as { readonly access_token?: string };
      if (token === undefined) throw new Error(`no token: ${response.status}`);
      return token;
    },
  };
}
