// Mutants of servers that ask for authorization: the refusal, and what it leads to.
import type { RequirementId } from '../../../../src/check/model/requirement-id.ts';
import { type Arrival, type HttpMutant, json, methodOf, paramsOf } from './http-mutant.ts';

const good = 'a-token-that-was-issued';
const withToken = { authorization: `Bearer ${good}` };
const tokens = { foreign: 'a-token-for-another-server', other: 'a-token-of-another-user' };

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
  /** The refusal of a request whose token has too few scopes. */
  scarce?(url: string): Response;
  /** Where the metadata of the authorization server are. */
  readonly issuerPath?: string;
  /** Where the authorization endpoint leads. */
  authorize?(redirect: string): Response;
  /** Lets everybody with a token into every session. */
  readonly unbound?: boolean;
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
  return () => {
    const owners = new Map<string, string>();
    return async (arrival, next) => {
      const origin = `http://${arrival.headers.get('host')}`;
      const { path, headers } = arrival;
      if (path.startsWith('/.well-known/oauth-protected-resource')) {
        const document = (guard.metadata ?? metadata)(`${origin}/mcp`);
        return document === undefined ? new Response(null, { status: 404 }) : json(document);
      }
      if (path.startsWith('/authorize?')) {
        const redirect = new URL(path, origin).searchParams.get('redirect_uri') ?? '';
        return guard.authorize?.(redirect) ?? new Response('Who are you?', { status: 400 });
      }
      if (path === (guard.issuerPath ?? '/.well-known/oauth-authorization-server')) {
        const document = (guard.issuer ?? issuer)(origin);
        return document === undefined ? new Response(null, { status: 404 }) : json(document);
      }
      if (path !== '/mcp') return new Response(null, { status: 404 });
      const token = headers.get('authorization');
      if (token === `Bearer ${good}` || token === `Bearer ${tokens.other}` || guard.admits?.(arrival) === true) {
        const session = headers.get('mcp-session-id') ?? '';
        const owner = owners.get(session);
        if (owner !== undefined && token !== null && owner !== token && guard.unbound !== true) return new Response(null, { status: 404 });
        headers.delete('authorization');
        if (guard.scarce !== undefined && methodOf(arrival) === 'tools/call' && paramsOf(arrival)['name'] === 'measure') {
          return guard.scarce(`${origin}/.well-known/oauth-protected-resource/mcp`);
        }
        const response = await next();
        const made = response.headers.get('mcp-session-id');
        if (made !== null && token !== null) owners.set(made, token);
        return response;
      }
      const told = (guard.challenge ?? challenge)(`${origin}/.well-known/oauth-protected-resource/mcp`, token !== null);
      const status = guard.status?.(token !== null) ?? 401;
      return new Response(null, { status, headers: told === '' ? {} : { 'www-authenticate': told } });
    };
  };
}

const protectedMutant = (
  id: RequirementId,
  does: string,
  guard: Guard,
  more: Partial<Pick<HttpMutant, 'revision' | 'twins' | 'also' | 'headers'>> = {},
): HttpMutant => ({ id, does, revision: '2025-11-25', headers: withToken, tokens, around: guarded(guard), ...more });

const scarce = (status: number, challenge: string) => (): Response =>
  new Response(null, { status, headers: { 'www-authenticate': challenge } });
const insufficient = 'Bearer error="insufficient_scope", scope="notes measures"';

export const honestGuard: HttpMutant['around'] = guarded({
  scarce: (url) => scarce(403, `${insufficient}, resource_metadata="${url}"`)(),
});
export const guardHeaders: Readonly<Record<string, string>> = withToken;
export const guardTokens: HttpMutant['tokens'] = tokens;

export const authorizationMutants: readonly HttpMutant[] = [
  protectedMutant(
    'authorization/token/validated',
    'takes every token',
    { admits: ({ headers }) => headers.has('authorization') },
    { twins: ['authorization/token/invalid', 'authorization/status'], also: ['authorization/token/error', 'authorization/token/audience'] },
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
  protectedMutant('authorization/insufficient/403', 'refuses a token with too few scopes by 401', { scarce: scarce(401, insufficient) }),
  protectedMutant('authorization/insufficient/challenge', 'does not say that scopes are missing', {
    scarce: scarce(403, 'Bearer error="invalid_token", scope="notes measures"'),
  }),
  protectedMutant('authorization/insufficient/scopes', 'does not say which scopes are missing', {
    scarce: scarce(403, 'Bearer error="insufficient_scope"'),
  }),
  protectedMutant(
    'authorization/challenge/401',
    'asks for a token by 403',
    { status: (hasToken) => (hasToken ? 401 : 403) },
    { revision: '2025-03-26', twins: ['authorization/status'] },
  ),
  protectedMutant('authorization/token/audience', 'takes tokens for others', {
    admits: ({ headers }) => headers.get('authorization') === `Bearer ${tokens.foreign}`,
  }),
  protectedMutant('security/session/bound', 'lets everybody into every session', { unbound: true }),
  protectedMutant(
    'authorization/https',
    'has an endpoint without encryption',
    { issuer: (origin) => ({ ...issuer(origin), token_endpoint: 'http://auth.example.com/token' }) },
    { revision: '2025-03-26' },
  ),
  protectedMutant(
    'authorization/metadata/base-url',
    'has its metadata below its path',
    { issuerPath: '/mcp/.well-known/oauth-authorization-server' },
    { revision: '2025-03-26' },
  ),
  protectedMutant(
    'authorization/redirect/validated',
    'leads everybody anywhere',
    { authorize: (redirect) => new Response(null, { status: 302, headers: { location: `${redirect}?error=unauthorized_client` } }) },
    { revision: '2025-03-26' },
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
