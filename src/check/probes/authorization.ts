// Authorization over HTTP, for servers that ask for it: the refusal, and the way it shows to a token.
import { within } from '../peer/connection.ts';
import { type HttpPeer, isHttpPeer } from '../peer/http.ts';

import type { Context, Probe } from '../probe.ts';
import type { Exchange } from '../trace.ts';
import { parseJson } from '../trace.ts';
import { asList, asRecord, brief, isRecord, type Json } from '../value.ts';
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
];

export const authorizationProbes: readonly Probe[] = [
  { name: 'authorization', judges, transports: ['http'], apart: true, beforeAuthorization: true, run: authorization },
];

async function authorization(context: Context): Promise<void> {
  const { judge, begin, revision } = context;
  const peer = begin('authorization');
  if (!isHttpPeer(peer)) return;
  const refused = await ask(peer, undefined);
  const status = refused.response?.status;
  judge.verdict('http/authentication', status === 401, 'requests without credentials are served', [refused]);
  if (status !== 401) {
    for (const id of judges) if (id !== 'http/authentication') judge.inapplicable(id, 'the server asks for no authorization');
    return;
  }
  const challenge = refused.response?.headers['www-authenticate'] ?? '';
  judge.kept('authorization/challenge/401', [refused]);
  judge.kept('security/local/http-restricted');
  judge.verdict('authorization/http', /^bearer\b/i.test(challenge), `WWW-Authenticate is ${brief(challenge)}`, [refused]);
  await wrongToken(peer, context);
  await inSession(context);
  if (revision === '2025-03-26') await olderAuthorization(peer, context);
  else await metadata(peer, challenge, refused, context);
  for (const [id, why] of [
    ['authorization/token/audience', 'a valid token for another server would be needed'],
    ['authorization/insufficient/403', 'a token with too few scopes would be needed'],
    ['authorization/insufficient/challenge', 'a token with too few scopes would be needed'],
    ['authorization/insufficient/scopes', 'a token with too few scopes would be needed'],
    ['authorization/resource/case', 'a token for the address in another spelling would be needed'],
    ['security/session/bound', 'the tokens of two users would be needed'],
  ] as const) {
    judge.unsure(id, why);
  }
}

/** A proper request with these credentials, or with none. */
async function ask(peer: HttpPeer, token: string | undefined, session?: string): Promise<Exchange> {
  const isModern = peer.revision >= '2026-07-28';
  const params = isModern
    ? { _meta: { 'io.modelcontextprotocol/protocolVersion': peer.revision, 'io.modelcontextprotocol/clientCapabilities': {} } }
    : { protocolVersion: peer.revision, capabilities: {}, clientInfo: { name: 'vivarium-check', version: '1.0.0' } };
  const method = isModern ? 'server/discover' : session === undefined ? 'initialize' : 'ping';
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
  await within(flow.end, 5_000);
  return flow.exchange;
}

async function wrongToken(peer: HttpPeer, { judge }: Context): Promise<void> {
  const exchange = await ask(peer, 'vivarium-no-such-token');
  const status = exchange.response?.status;
  const what = `a token that nobody issued gets HTTP ${status}`;
  judge.verdict('authorization/token/validated', status !== 200, what, [exchange]);
  judge.verdict('authorization/token/invalid', status === 401, what, [exchange]);
  judge.verdict('authorization/status', status === 401, what, [exchange]);
  const challenge = exchange.response?.headers['www-authenticate'] ?? '';
  const error = parameter(challenge, 'error');
  judge.verdict('authorization/token/error', error === 'invalid_token', `WWW-Authenticate is ${brief(challenge)}`, [exchange]);
}

/** Only with a token that works: then a session without it must be worth nothing. */
async function inSession({ connect, judge }: Context): Promise<void> {
  const ids = ['security/session/verified', 'security/session/not-authentication'];
  const peer = await connect('with the token');
  const session = peer !== undefined && isHttpPeer(peer) ? peer.session : undefined;
  if (peer === undefined || session === undefined || !isHttpPeer(peer)) {
    const why = peer === undefined ? 'give a token with --token or --token-env' : 'the server gives no session id';
    for (const id of ids) judge.unsure(id, why);
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
}

async function metadata(peer: HttpPeer, challenge: string, refused: Exchange, { judge, url = '' }: Context): Promise<void> {
  const named = parameter(challenge, 'resource_metadata');
  judge.verdict('authorization/resource-metadata/challenge', named !== undefined, `WWW-Authenticate is ${brief(challenge)}`, [refused]);
  judge.verdict('authorization/scope/challenge', parameter(challenge, 'scope') !== undefined, `WWW-Authenticate is ${brief(challenge)}`, [
    refused,
  ]);
  const { origin, pathname } = new URL(url);
  const known = [
    `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`,
    `${origin}/.well-known/oauth-protected-resource`,
  ];
  const tried: Exchange[] = [];
  let document: Json | undefined;
  for (const address of [...(named === undefined ? [] : [named]), ...known]) {
    if (!URL.canParse(address)) continue;
    const exchange = await get(peer, address);
    tried.push(exchange);
    const value = parseJson(exchange.response?.body.toString('utf8') ?? '');
    if (exchange.response?.status !== 200 || !isRecord(value)) continue;
    document = value;
    break;
  }
  const found = document !== undefined;
  judge.verdict(
    'authorization/resource-metadata/found',
    found,
    'neither WWW-Authenticate nor a well-known address leads to metadata',
    tried,
  );
  const isComplete = found && typeof document?.['resource'] === 'string';
  judge.verdict('authorization/resource-metadata/served', isComplete, `the metadata are ${brief(document)}`, tried.slice(-1));
  if (document === undefined) return;
  const servers = asList(document['authorization_servers']);
  judge.verdict(
    'authorization/resource-metadata/servers',
    servers.length > 0,
    `authorization_servers is ${brief(document['authorization_servers'])}`,
    tried.slice(-1),
  );
  const scopes = [parameter(challenge, 'scope') ?? '', ...asList(document['scopes_supported']).map(String)].join(' ');
  judge.verdict('authorization/refresh/not-demanded', !/\boffline_access\b/.test(scopes), `the scopes are ${scopes}`, tried.slice(-1));
  const resource = String(asRecord(document)['resource'] ?? '');
  judge.verdict(
    'authorization/resource/no-trailing-slash',
    !resource.endsWith('/') || url.endsWith('/'),
    `resource is ${resource}`,
    tried.slice(-1),
  );
}

async function get(peer: HttpPeer, url: string): Promise<Exchange> {
  const flow = peer.call('GET', { url, headers: { accept: 'application/json' }, wild: true });
  await flow.head;
  await within(flow.end, 5_000);
  return flow.exchange;
}

/** One parameter of a challenge. */
function parameter(challenge: string, name: string): string | undefined {
  const [, quoted, bare] = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"([^"]*)"|([^\\s,"]+))`, 'i').exec(challenge) ?? [];
  return quoted ?? bare;
}
