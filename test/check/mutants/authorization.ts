// Mutants of servers that ask for authorization: the refusal, and what it leads to.
import { type Arrival, type HttpMutant, json } from './http-mutant.ts';

const good = 'a-token-that-was-issued';
const withToken = { authorization: `Bearer ${good}` };

interface Guard {
  /** The challenge to a request with or without a token, in `WWW-Authenticate`. */
  challenge?(url: string, hasToken: boolean): string;
  /** The status of a refusal. */
  status?(hasToken: boolean): number;
  /** What the metadata of the resource say; undefined where there are none. */
  metadata?(url: string): object | undefined;
  /** What the metadata of the authorization server say, in 2025-03-26. */
  issuer?(origin: string): object | undefined;
  admits?(arrival: Arrival): boolean;
}

const challenge = (url: string, hasToken: boolean): string =>
  `Bearer resource_metadata="${url}", scope="notes"${hasToken ? ', error="invalid_token"' : ''}`;
const metadata = (resource: string): object => ({
  resource,
  authorization_servers: ['https://auth.example.com'],
  scopes_supported: ['notes'],
});
const issuer = (origin: string): object => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
});

/** Honest, but for what is given. */
function guarded(guard: Guard = {}): HttpMutant['around'] {
  return () => (arrival, next) => {
    const origin = `http://${arrival.headers.get('host')}`;
    const { path, headers } = arrival;
    if (path.startsWith('/.well-known/oauth-protected-resource')) {
      const document = (guard.metadata ?? metadata)(`${origin}/mcp`);
      return document === undefined ? new Response(null, { status: 404 }) : json(document);
    }
    if (path === '/.well-known/oauth-authorization-server') {
      const document = (guard.issuer ?? issuer)(origin);
      return document === undefined ? new Response(null, { status: 404 }) : json(document);
    }
    if (path !== '/mcp') return new Response(null, { status: 404 });
    const token = headers.get('authorization');
    if (token === `Bearer ${good}` || guard.admits?.(arrival) === true) {
      headers.delete('authorization');
      return next();
    }
    const told = (guard.challenge ?? challenge)(`${origin}/.well-known/oauth-protected-resource/mcp`, token !== null);
    const status = guard.status?.(token !== null) ?? 401;
    return new Response(null, { status, headers: told === '' ? {} : { 'www-authenticate': told } });
  };
}

const protectedMutant = (
  id: string,
  does: string,
  guard: Guard,
  more: Partial<Pick<HttpMutant, 'revision' | 'twins' | 'also' | 'headers'>> = {},
): HttpMutant => ({ id, does, revision: '2025-11-25', headers: withToken, around: guarded(guard), ...more });

export const honestGuard: HttpMutant['around'] = guarded();
export const guardHeaders: Readonly<Record<string, string>> = withToken;

export const authorizationMutants: readonly HttpMutant[] = [
  protectedMutant(
    'authorization/token/validated',
    'takes every token',
    { admits: ({ headers }) => headers.has('authorization') },
    { twins: ['authorization/token/invalid', 'authorization/status'], also: ['authorization/token/error'] },
  ),
  protectedMutant(
    'authorization/token/invalid',
    'refuses a wrong token with 403',
    { status: (hasToken) => (hasToken ? 403 : 401) },
    { twins: ['authorization/status'] },
  ),
  protectedMutant('authorization/token/error', 'does not say that a token is invalid', { challenge: (url) => challenge(url, false) }),
  protectedMutant('authorization/http', 'challenges to another scheme', {
    challenge: (url, hasToken) => challenge(url, hasToken).replace('Bearer ', 'Basic '),
  }),
  protectedMutant('authorization/scope/challenge', 'does not name scopes', {
    challenge: (url, hasToken) => challenge(url, hasToken).replace(', scope="notes"', ''),
  }),
  protectedMutant(
    'authorization/resource-metadata/challenge',
    'does not tell where its metadata are',
    { challenge: (url, hasToken) => challenge(url, hasToken).replace(/resource_metadata="[^"]*", /, '') },
    { revision: '2025-06-18' },
  ),
  protectedMutant(
    'authorization/resource-metadata/found',
    'has no metadata',
    { metadata: () => undefined },
    { twins: ['authorization/resource-metadata/served'] },
  ),
  protectedMutant('authorization/resource-metadata/served', 'has metadata of nothing', {
    metadata: () => ({ authorization_servers: ['https://auth.example.com'] }),
  }),
  protectedMutant('authorization/resource-metadata/servers', 'names no authorization server', {
    metadata: (resource) => ({ resource, authorization_servers: [] }),
  }),
  protectedMutant('authorization/resource/no-trailing-slash', 'has a slash at the end', {
    metadata: (resource) => metadata(`${resource}/`),
  }),
  protectedMutant(
    'authorization/refresh/not-demanded',
    'asks for offline_access',
    { metadata: (resource) => ({ ...metadata(resource), scopes_supported: ['notes', 'offline_access'] }) },
    { revision: '2026-07-28' },
  ),
  protectedMutant(
    'security/session/verified',
    'takes a session for a token',
    { admits: ({ headers }) => headers.has('mcp-session-id') && !headers.has('authorization') },
    { twins: ['security/session/not-authentication'] },
  ),
  protectedMutant(
    'authorization/metadata/served',
    'has no metadata as an authorization server',
    { issuer: () => undefined },
    { revision: '2025-03-26', twins: ['authorization/metadata/default-paths-served'] },
  ),
  protectedMutant(
    'authorization/registration/dynamic-served',
    'registers nobody',
    { issuer: (origin) => ({ ...issuer(origin), registration_endpoint: undefined }) },
    { revision: '2025-03-26' },
  ),
];
