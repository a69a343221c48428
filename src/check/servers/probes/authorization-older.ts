// Authorization of 2025-03-26, where the server is its own authorization server.
import { isLoopbackUrl } from '../../../text/loopback.ts';
import { settledWithin } from '../../../text/timeouts.ts';
import { type Exchange, parseJson } from '../../model/trace.ts';
import { brief, isRecord, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import type { HttpPeer } from '../peer/http.ts';
import type { ProbeContext } from '../probe.ts';

const wellKnown = '/.well-known/oauth-authorization-server';

/** False where there is no trace of it. */
export async function olderAuthorization(peer: HttpPeer, isTold: boolean, { judge, url = '' }: ProbeContext): Promise<boolean> {
  const { origin } = new URL(url);
  const exchange = await reach(peer, 'GET', origin + wellKnown);
  const document = documentIn(exchange);
  if (document === undefined && !isTold && (await isNowhere(peer, url))) return false;
  const status = exchange.response?.status;
  judge.verdict('authorization/metadata/served', document !== undefined, `the well-known address gets HTTP ${status}`, [exchange]);
  if (document !== undefined) {
    judge.kept('authorization/metadata/base-url', [exchange]);
    judge.inapplicable('authorization/metadata/default-paths-served', 'the server has metadata');
    const hasRegistration = typeof document['registration_endpoint'] === 'string';
    judge.verdict('authorization/registration/dynamic-served', hasRegistration, `the metadata are ${brief(document)}`, [exchange]);
    encrypted(document, exchange, judge);
    await redirected(peer, String(document['authorization_endpoint'] ?? ''), origin, judge);
    return true;
  }
  await elsewhere(peer, exchange, url, judge);
  for (const id of ['authorization/registration/dynamic-served', 'authorization/https'] as const) judge.unsure(id, 'there are no metadata');
  await redirected(peer, `${origin}/authorize`, origin, judge);
  return true;
}

async function isNowhere(peer: HttpPeer, url: string): Promise<boolean> {
  const { origin } = new URL(url);
  const documents = await Promise.all(belowPath(url).map((address) => reach(peer, 'GET', address)));
  const paths = await defaultPaths(peer, origin);
  return documents.every((one) => documentIn(one) === undefined) && paths.every(isMissing);
}

/** Where the metadata may be, and where no client looks. */
function belowPath(url: string): readonly string[] {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/$/, '');
  return path === '' ? [] : [`${origin}${path}${wellKnown}`, `${origin}${wellKnown}${path}`];
}

function defaultPaths(peer: HttpPeer, origin: string): Promise<Exchange[]> {
  return Promise.all(['/authorize', '/token', '/register'].map((one) => reach(peer, one === '/authorize' ? 'GET' : 'POST', origin + one)));
}

const isMissing = ({ response }: Exchange): boolean => response === undefined || response.status === 404;

/** Metadata below the path of the server, where no client looks; or none at all, and then the default paths. */
async function elsewhere(peer: HttpPeer, missing: Exchange, url: string, judge: Judge): Promise<void> {
  for (const address of belowPath(url)) {
    const found = await reach(peer, 'GET', address);
    if (documentIn(found) === undefined) continue;
    judge.broken('authorization/metadata/base-url', `the metadata are at ${new URL(address).pathname}`, [missing, found]);
    return judge.inapplicable('authorization/metadata/default-paths-served', 'the server has metadata');
  }
  judge.unsure('authorization/metadata/base-url', 'there are no metadata');
  const gone = (await defaultPaths(peer, new URL(url).origin)).filter(isMissing);
  judge.verdict('authorization/metadata/default-paths-served', gone.length === 0, 'neither metadata nor the default paths', gone);
}

function encrypted(document: Json, exchange: Exchange, judge: Judge): void {
  const id = 'authorization/https';
  const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint']
    .map((name) => document[name])
    .filter((one) => typeof one === 'string' && URL.canParse(one)) as string[];
  const open = endpoints.filter((one) => new URL(one).protocol !== 'https:');
  // On this machine a server is tried out before it has a certificate.
  if (open.length > 0 && open.every(isLoopbackUrl)) return judge.unsure(id, 'the endpoints are on this machine');
  judge.verdict(id, open.length === 0, `the endpoints are ${brief(endpoints)}`, [exchange]);
}

/** Nobody has registered this address: who is led there is led anywhere. */
async function redirected(peer: HttpPeer, endpoint: string, origin: string, judge: Judge): Promise<void> {
  const id = 'authorization/redirect/validated';
  if (!URL.canParse(endpoint)) return judge.unsure(id, 'there is no authorization endpoint');
  if (new URL(endpoint).origin !== origin) return judge.unsure(id, 'the authorization server is another server');
  const address = new URL(endpoint);
  const asked = {
    response_type: 'code',
    client_id: 'vivarium-no-such-client',
    redirect_uri: 'https://vivarium-check.invalid/callback',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state: 'vivarium',
  };
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  const exchange = await reach(peer, 'GET', address.href);
  const { status = 0, headers = {} } = exchange.response ?? {};
  const to = headers['location'] ?? '';
  const isLed = status >= 300 && status < 400 && URL.canParse(to, origin) && new URL(to, origin).hostname === 'vivarium-check.invalid';
  if (status === 404 || status === 0) return judge.unsure(id, 'nothing is served at the authorization endpoint');
  judge.verdict(id, !isLed, `an address that nobody registered is led to: ${brief(to)}`, [exchange]);
}

function documentIn({ response }: Exchange): Json | undefined {
  const document = response?.status === 200 ? parseJson(response.body.toString('utf8')) : undefined;
  return isRecord(document) ? document : undefined;
}

async function reach(peer: HttpPeer, method: string, url: string): Promise<Exchange> {
  const flow = peer.call(method, { url, headers: { accept: 'application/json' }, wild: true });
  await flow.head;
  await settledWithin(5_000, flow.end);
  return flow.exchange;
}
