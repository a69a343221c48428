// A small authorization server beside the server that we are: it hands out tokens to whoever asks, and writes down how.
import type { Scenario, Visit } from './scenario.ts';

/** How it differs from one without fault. */
export interface Grant {
  /** Behind the origin. */
  readonly issuer: string;
  /** What the challenge says beside Bearer. */
  readonly challenge: { readonly metadata: boolean; readonly scope?: string };
  /** At the address with the path of the server, at the root, or nowhere. */
  readonly protectedAt: 'path' | 'root' | 'nowhere';
  /** Which of the addresses in their order has the metadata of the authorization server; none with -1. */
  readonly metadataAt: number;
  /** Members of these metadata; undefined takes one away. */
  readonly metadata?: (origin: string) => Readonly<Record<string, unknown>>;
  /** What the server calls itself in its metadata. */
  readonly resource?: (origin: string) => string;
  /** What whoever registers gets in place of a client id. */
  readonly registered?: (visit: Visit) => ReturnType<NonNullable<Scenario['visit']>>;
  /** The query of the redirect back to the client. */
  readonly redirect?: (answer: Record<string, string>) => Record<string, string | undefined>;
  /** What a request with a token gets. */
  readonly admitted?: (visit: Visit, token: string) => ReturnType<NonNullable<Scenario['visit']>>;
}

export interface Event {
  readonly what: 'well-known' | 'register' | 'authorize' | 'token' | 'server' | 'other';
  readonly number: number;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  readonly json: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
}

export function eventsOf(notes: ReadonlyMap<string, unknown>): readonly Event[] {
  return (notes.get('events') as Event[] | undefined) ?? [];
}

/** Where a client looks for the metadata of an issuer, in the order it has to. */
export function metadataPaths(issuer: string): readonly string[] {
  const [oauth, oidc] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  return issuer === '' ? [oauth, oidc] : [`${oauth}${issuer}`, `${oidc}${issuer}`, `${issuer}${oidc}`];
}

export function guarded(grantFor: (visit: Visit) => Grant): NonNullable<Scenario['visit']> {
  return (visit) => {
    const { notes, url, body, headers, number } = visit;
    const said = answer(visit, grantFor(visit));
    const events = (notes.get('events') as Event[] | undefined) ?? [];
    notes.set('events', events);
    const isJson = headers['content-type']?.includes('json') === true;
    events.push({
      what: kindOf(url.pathname),
      number,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      form: isJson ? {} : Object.fromEntries(new URLSearchParams(body)),
      json: isJson ? asJson(body) : {},
      headers,
      status: said?.status ?? 200,
    });
    return said;
  };
}

function kindOf(path: string): Event['what'] {
  if (path.includes('/.well-known/')) return 'well-known';
  if (path === '/mcp') return 'server';
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last === 'register' || last === 'authorize' || last === 'token' ? last : 'other';
}

type Reply = ReturnType<NonNullable<Scenario['visit']>>;

function answer(visit: Visit, grant: Grant): Reply {
  const { url, notes, headers } = visit;
  const origin = String(notes.get('origin'));
  const { pathname } = url;
  const { issuer, challenge } = grant;
  if (pathname === '/mcp') {
    const token = /^Bearer (granted-\d+)$/.exec(headers['authorization'] ?? '')?.[1];
    if (token !== undefined) return grant.admitted?.(visit, token);
    const parts = [
      ...(challenge.metadata ? [`resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp?from=challenge"`] : []),
      ...(challenge.scope === undefined ? [] : [`scope="${challenge.scope}"`]),
    ];
    return { status: 401, headers: { 'www-authenticate': `Bearer ${parts.join(', ')}`.trim() } };
  }
  const isProtected = { path: '/.well-known/oauth-protected-resource/mcp', root: '/.well-known/oauth-protected-resource', nowhere: '' }[
    grant.protectedAt
  ];
  if (pathname === isProtected) {
    const resource = grant.resource?.(origin) ?? `${origin}/mcp`;
    return json(200, { resource, authorization_servers: [`${origin}${issuer}`], scopes_supported: ['read', 'write'] });
  }
  if (pathname === metadataPaths(issuer)[grant.metadataAt]) return json(200, metadata(origin, issuer, grant));
  const [register, authorize, token] = ['register', 'authorize', 'token'].map((name) => `${issuer}/${name}`);
  if (pathname === register)
    return (
      grant.registered?.(visit) ??
      json(201, { ...asJson(visit.body), client_id: `client-of${issuer.replaceAll('/', '-')}`, client_id_issued_at: 1 })
    );
  if (pathname === authorize) notes.set('scope', url.searchParams.get('scope'));
  if (pathname === authorize) return redirected(url, `${origin}${issuer}`, grant);
  if (pathname === token) {
    const count = Number(notes.get('tokens') ?? 0) + 1;
    notes.set('tokens', count);
    const scope = notes.get('scope');
    return json(200, {
      access_token: `granted-${count}`,
      token_type: 'Bearer',
      expires_in: 3600,
      ...(typeof scope === 'string' && { scope }),
    });
  }
  return { status: 404 };
}

function metadata(origin: string, issuer: string, grant: Grant): object {
  const base = `${origin}${issuer}`;
  return {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    registration_endpoint: `${base}/register`,
    jwks_uri: `${base}/keys`,
    scopes_supported: ['read', 'write', 'offline_access'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...grant.metadata?.(origin),
  };
}

/** Nobody has to log in. */
function redirected(url: URL, issuer: string, { redirect = (given) => given }: Grant): Reply {
  const back = url.searchParams.get('redirect_uri') ?? '';
  if (!URL.canParse(back)) return { status: 400 };
  const target = new URL(back);
  const state = url.searchParams.get('state');
  for (const [name, value] of Object.entries(redirect({ code: 'a-code', iss: issuer, ...(state !== null && { state }) }))) {
    if (value !== undefined) target.searchParams.set(name, value);
  }
  return { status: 302, headers: { location: target.href } };
}

export function json(status: number, value: object): Exclude<Reply, undefined> {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function asJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
