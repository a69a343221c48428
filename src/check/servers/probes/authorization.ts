// Authorization over HTTP, for servers that ask for it: the refusal, and the way it shows to a token.

import { isLoopbackUrl } from '../../../text/loopback.ts';
import { settledWithin } from '../../../text/timeouts.ts';
import { isModern, traitsOf } from '../../model/revision.ts';
import type { Exchange } from '../../model/trace.ts';
import { parseJson } from '../../model/trace.ts';
import { asList, asRecord, brief, isRecord, type Json } from '../../model/value.ts';
import { parameterOf } from '../../wire/challenge.ts';
import { type HttpPeer, isHttpPeer } from '../peer/http.ts';
import type { Probe, ProbeContext } from '../probe.ts';
import { olderAuthorization } from './authorization-older.ts';

const judges = [
  'http/authentication',
  'authorization/http',
  'authorization/challenge/401',
  'authorization/status',
  'authorization/token/validated',
  'authorization/token/invalid',
  'authorization/token/error',
  'authorization/token/audience',
  'authorization/refresh/not-demanded',
  'authorization/https',
  'authorization/resource-metadata/served',
  'authorization/resource-metadata/servers',
  'authorization/resource-metadata/challenge',
  'authorization/resource-metadata/found',
  'authorization/metadata/served',
  'authorization/metadata/default-paths-served',
  'authorization/metadata/base-url',
  'authorization/scope/challenge',
  'authorization/insufficient/403',
  'authorization/insufficient/challenge',
  'authorization/insufficient/scopes',
  'authorization/registration/dynamic-served',
  'authorization/resource/case',
  'authorization/resource/no-trailing-slash',
  'authorization/redirect/validated',
  'security/session/verified',
  'security/session/not-authentication',
  'security/session/bound',
  'security/local/http-restricted',
] as const;

/** What is demanded of those who have it as the specification does. */
const framework = judges.filter((id) =>
  /^authorization\/(?:resource-metadata|metadata|scope|registration|refresh|resource|redirect|https)\b/.test(id),
);

export const authorizationProbes: readonly Probe[] = [
  { name: 'authorization', judges, transports: ['http'], apart: true, beforeAuthorization: true, run: authorization },
];

async function authorization(context: ProbeContext): Promise<void> {
  const { judge, begin, revision } = context;
  const peer = begin('authorization');
  if (!isHttpPeer(peer)) return;
  const refused = await ask(peer, undefined);
  const status = refused.response?.status ?? 0;
  if (status !== 401) return otherwise(peer, refused, context);
  judge.kept('http/authentication', [refused]);
  const challenge = refused.response?.headers['www-authenticate'] ?? '';
  judge.kept('authorization/challenge/401', [refused]);
  judge.kept('security/local/http-restricted');
  judge.verdict('authorization/http', /^bearer\b/i.test(challenge), `WWW-Authenticate is ${brief(challenge)}`, [refused]);
  await wrongToken(peer, context);
  await foreignToken(peer, context);
  await inSession(context);
  // Authorization is optional, and who has it should have it as the specification does: only then the rest is demanded.
  const isTold = ['resource_metadata', 'scope'].some((name) => parameterOf(challenge, name) !== undefined);
  const isFollowed =
    traitsOf(revision).authorizationMetadata === 'server'
      ? await olderAuthorization(peer, isTold, context)
      : await metadata(peer, refused, isTold, context);
  if (!isFollowed) {
    const why = 'the server asks for a token in a way of its own: nothing leads to an authorization server';
    judge.broken('authorization/http', why, [refused]);
    for (const id of framework) judge.inapplicable(id, why);
  }
  judge.unsure('authorization/resource/case', 'a token for the address in another spelling would be needed');
}

/** Without credentials it is served, or refused in another way than by 401. */
async function otherwise(peer: HttpPeer, bare: Exchange, { judge, url }: ProbeContext): Promise<void> {
  const status = bare.response?.status ?? 0;
  const rest = judges.filter((id) => id !== 'http/authentication');
  if (isServed(bare)) {
    judge.broken('http/authentication', 'requests without credentials are served', [bare]);
    const isHere = isLoopbackUrl(url);
    if (isHere) judge.broken('security/local/http-restricted', 'every program on this machine is served', [bare]);
    for (const id of rest) {
      if (!isHere || id !== 'security/local/http-restricted') judge.inapplicable(id, 'the server asks for no authorization');
    }
    return;
  }
  const [, own] = /^bearer (.+)$/i.exec(peer.headers()['authorization'] ?? '') ?? [];
  const served = own === undefined ? undefined : await ask(peer, own);
  // Nothing but the token tells the two apart.
  const isAsked = served !== undefined && isServed(served) && status >= 400 && status < 500 && status !== 429;
  if (!isAsked) return judge.unsure('http/authentication', `a request without credentials gets HTTP ${status}`);
  judge.kept('http/authentication', [bare]);
  judge.kept('security/local/http-restricted', [bare]);
  const what = `a request without a token gets HTTP ${status}, and is served with one`;
  for (const id of ['authorization/challenge/401', 'authorization/status'] as const) judge.broken(id, what, [bare, served]);
}

function isServed({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300;
}

/** A proper request with these credentials, or with none. */
async function ask(peer: HttpPeer, token: string | undefined, session?: string): Promise<Exchange> {
  const isStateless = isModern(peer.revision);
  const params = isStateless
    ? { _meta: { 'io.modelcontextprotocol/protocolVersion': peer.revision, 'io.modelcontextprotocol/clientCapabilities': {} } }
    : { protocolVersion: peer.revision, capabilities: {}, clientInfo: { name: 'vivarium-check', version: '1.0.0' } };
  const method = isStateless ? 'server/discover' : session === undefined ? 'initialize' : 'ping';
  const message = { jsonrpc: '2.0', id: 1, method, ...(session === undefined && { params }) };
  const { authorization: _, ...headers } = peer.headers(message);
  const flow = peer.call('POST', {
    headers: {
      ...headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(session !== undefined && { 'mcp-session-id': session }),
    },
    body: JSON.stringify(message),
    wild: true,
  });
  await flow.head;
  await settledWithin(5_000, flow.end);
  return flow.exchange;
}

async function wrongToken(peer: HttpPeer, { judge }: ProbeContext): Promise<void> {
  const exchange = await ask(peer, 'vivarium-no-such-token');
  const status = exchange.response?.status;
  const what = `a token that nobody issued gets HTTP ${status}`;
  judge.verdict('authorization/token/validated', status !== 200, what, [exchange]);
  judge.verdict('authorization/token/invalid', status === 401, what, [exchange]);
  judge.verdict('authorization/status', status === 401, what, [exchange]);
  const challenge = exchange.response?.headers['www-authenticate'] ?? '';
  const error = parameterOf(challenge, 'error');
  judge.verdict('authorization/token/error', error === 'invalid_token', `WWW-Authenticate is ${brief(challenge)}`, [exchange]);
}

/** One that is good, but for another server. */
async function foreignToken(peer: HttpPeer, { judge, tokens }: ProbeContext): Promise<void> {
  const id = 'authorization/token/audience';
  if (tokens.foreign === undefined) return judge.unsure(id, 'a valid token for another server is needed: --foreign-token-env');
  const exchange = await ask(peer, tokens.foreign);
  const status = exchange.response?.status;
  judge.verdict(id, !isServed(exchange), `a token for another server gets HTTP ${status}`, [exchange]);
}

/** Only with a token that works: then a session without it must be worth nothing, and with the token of another user neither. */
async function inSession({ connect, judge, tokens }: ProbeContext): Promise<void> {
  const ids = ['security/session/verified', 'security/session/not-authentication'] as const;
  const bound = 'security/session/bound';
  const peer = await connect('with the token');
  const session = peer !== undefined && isHttpPeer(peer) ? peer.session : undefined;
  if (peer === undefined || session === undefined || !isHttpPeer(peer)) {
    const why = peer === undefined ? 'give a token with --token or --token-env' : 'the server gives no session id';
    for (const id of [...ids, bound] as const) judge.unsure(id, why);
    return;
  }
  const exchange = await ask(peer, undefined, session);
  for (const id of ids) {
    judge.verdict(
      id,
      exchange.response?.status === 401,
      `a request in the session without a token gets HTTP ${exchange.response?.status}`,
      [exchange],
    );
  }
  if (tokens.other === undefined) return judge.unsure(bound, 'the token of another user is needed: --other-token-env');
  const stolen = await ask(peer, tokens.other, session);
  const what = `a request in the session of another user gets HTTP ${stolen.response?.status}`;
  judge.verdict(bound, !isServed(stolen), what, [stolen]);
}

/** False where there is no trace of the way that the specification has. */
async function metadata(peer: HttpPeer, refused: Exchange, isTold: boolean, { judge, url = '' }: ProbeContext): Promise<boolean> {
  const challenge = refused.response?.headers['www-authenticate'] ?? '';
  const { document, tried } = await findMetadata(peer, parameterOf(challenge, 'resource_metadata'), url);
  if (document === undefined && !isTold) return false;
  const told = `WWW-Authenticate is ${brief(challenge)}`;
  for (const [id, name] of [
    ['authorization/resource-metadata/challenge', 'resource_metadata'],
    ['authorization/scope/challenge', 'scope'],
  ] as const) {
    judge.verdict(id, parameterOf(challenge, name) !== undefined, told, [refused]);
  }
  const found = 'authorization/resource-metadata/found';
  judge.verdict(found, document !== undefined, 'neither WWW-Authenticate nor a well-known address leads to metadata', tried);
  const isComplete = typeof document?.['resource'] === 'string';
  judge.verdict('authorization/resource-metadata/served', isComplete, `the metadata are ${brief(document)}`, tried.slice(-1));
  if (document === undefined) return true;
  const servers = asList(document['authorization_servers']);
  judge.verdict(
    'authorization/resource-metadata/servers',
    servers.length > 0,
    `authorization_servers is ${brief(document['authorization_servers'])}`,
    tried.slice(-1),
  );
  const scopes = [parameterOf(challenge, 'scope') ?? '', ...asList(document['scopes_supported']).map(String)].join(' ');
  judge.verdict('authorization/refresh/not-demanded', !/\boffline_access\b/.test(scopes), `the scopes are ${scopes}`, tried.slice(-1));
  const resource = String(asRecord(document)['resource'] ?? '');
  judge.verdict(
    'authorization/resource/no-trailing-slash',
    !resource.endsWith('/') || url.endsWith('/'),
    `resource is ${resource}`,
    tried.slice(-1),
  );
  return true;
}

interface Found {
  readonly document: Json | undefined;
  readonly tried: readonly Exchange[];
}

/** Where the challenge says, or at the addresses that are known. */
async function findMetadata(peer: HttpPeer, named: string | undefined, url: string): Promise<Found> {
  const { origin, pathname } = new URL(url);
  const known = `${origin}/.well-known/oauth-protected-resource`;
  const tried: Exchange[] = [];
  for (const address of [...(named === undefined ? [] : [named]), `${known}${pathname === '/' ? '' : pathname}`, known]) {
    if (!URL.canParse(address)) continue;
    const exchange = await get(peer, address);
    tried.push(exchange);
    const value = parseJson(exchange.response?.body.toString('utf8') ?? '');
    if (exchange.response?.status === 200 && isRecord(value)) return { document: value, tried };
  }
  return { document: undefined, tried };
}

async function get(peer: HttpPeer, url: string): Promise<Exchange> {
  const flow = peer.call('GET', { url, headers: { accept: 'application/json' }, wild: true });
  await flow.head;
  await settledWithin(5_000, flow.end);
  return flow.exchange;
}
