// The rules of the endpoint, in their order: who may knock, where, who it is, what was sent, and in which era.
import type { Decoded, Params } from '../jsonrpc/message.ts';
import type { Admission, Principal } from '../protocol/authorization.ts';
import { headerNames } from '../protocol/headers.ts';
import { isStateless, metaKeys } from '../protocol/revision.ts';
import { readMessage } from './body.ts';
import { toPrometheus } from './counters.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import type { HttpCall } from './http-call.ts';
import { endSession, legacy, listen } from './legacy.ts';
import { overloaded } from './limits/overload.ts';
import { acceptsAll, acceptsEvents, isJson } from './media.ts';
import { modern } from './modern.ts';
import { closing, fault, spoken } from './status.ts';

/** What is served beside the endpoint itself, where it owns the whole server. */
export interface Surroundings {
  readonly metrics: boolean;
}

/** Who calls when nobody is asked who they are: nothing is granted. */
const anonymous: Principal = Object.freeze({ id: 'anonymous', scopes: Object.freeze([]) });

const wellKnown = '/.well-known/oauth-protected-resource';

export function handle(endpoint: Endpoint, exchange: Exchange, around?: Surroundings): void {
  endpoint.counters.requests++;
  try {
    route(endpoint, exchange, around);
  } catch (error) {
    endpoint.failed(exchange, error);
  }
}

function route(endpoint: Endpoint, exchange: Exchange, around: Surroundings | undefined): void {
  // Of two names a proxy may have believed the other one.
  if (exchange.count('host') > 1) return endpoint.refuse(exchange, 400, fault(400, 'There is more than one Host'), { close: true });
  const stranger = endpoint.gate.refuses(exchange);
  if (stranger !== undefined) return endpoint.refuse(exchange, 403, fault(403, stranger));
  const query = exchange.target.indexOf('?');
  const path = query === -1 ? exchange.target : exchange.target.slice(0, query);
  // Two slashes, or a whole URL, could name another server.
  if (path !== endpoint.path && !/^\/(?!\/)/.test(path)) return endpoint.refuse(exchange, 404, fault(404, 'There is nothing here'));
  const preflight = exchange.method === 'OPTIONS' ? endpoint.gate.preflight(exchange) : undefined;
  if (preflight !== undefined) {
    endpoint.counters.answered(204);
    return exchange.answer(204, preflight, '');
  }
  if (path !== endpoint.path && elsewhere(endpoint, exchange, path, around)) return;
  const allowed = methodsOf(endpoint, exchange);
  if (!allowed.includes(exchange.method)) return notAllowed(endpoint, exchange, allowed);
  admit(endpoint, exchange, path, (principal) => {
    const call: HttpCall<Endpoint> = { endpoint, exchange, principal, path };
    if (exchange.method === 'POST') post(call);
    else if (exchange.method === 'GET') {
      if (acceptsEvents(exchange.header('accept'))) listen(call);
      else refuseAccept(endpoint, exchange, 'text/event-stream');
    } else endSession(call);
  });
}

/** Everything but the endpoint's own path. The rule is one: paths are compared as they are written. */
function elsewhere(endpoint: Endpoint, exchange: Exchange, path: string, around: Surroundings | undefined): boolean {
  const { method } = exchange;
  if (path.startsWith(wellKnown) && endpoint.settings.auth?.document !== undefined) {
    const own = path.slice(wellKnown.length) || endpoint.path || '/';
    const found = endpoint.settings.auth.document(path, endpoint.resource(exchange, own, endpoint.settings.sse && own === '/sse'));
    if (found === undefined) endpoint.refuse(exchange, 404, fault(404, 'There is no such document'));
    else if (method !== 'GET') notAllowed(endpoint, exchange, ['GET']);
    else endpoint.answer(exchange, 200, ['content-type', 'application/json', 'cache-control', 'max-age=3600'], JSON.stringify(found));
    return true;
  }
  if (endpoint.settings.sse) {
    const events = endpoint.path === undefined ? path.endsWith('/sse') : path === '/sse';
    if (events || (endpoint.path === undefined ? path.endsWith('/messages') : path === '/messages')) {
      const wanted = events ? 'GET' : 'POST';
      if (method !== wanted) notAllowed(endpoint, exchange, [wanted]);
      else if (events && !acceptsEvents(exchange.header('accept') ?? '*/*')) refuseAccept(endpoint, exchange, 'text/event-stream');
      else
        admit(
          endpoint,
          exchange,
          // Both are one resource, under the name its clients connect to.
          events ? path : `${path.slice(0, -'/messages'.length)}/sse`,
          (principal) => {
            const call: HttpCall<Endpoint> = { endpoint, exchange, principal, path };
            if (!events) postMessage(call);
            else if (endpoint.draining) closing(endpoint, exchange);
            else endpoint.sse.open(call);
          },
          true,
        );
      return true;
    }
  }
  if (endpoint.path === undefined) return false;
  const text = around === undefined ? undefined : surrounding(endpoint, path, around);
  if (text === undefined) endpoint.refuse(exchange, 404, fault(404, `There is nothing here: the endpoint is at ${endpoint.path}`));
  else if (method !== 'GET' && method !== 'HEAD') notAllowed(endpoint, exchange, ['GET', 'HEAD']);
  else endpoint.answer(exchange, text[0], ['content-type', 'text/plain; charset=utf-8', 'cache-control', 'no-store'], text[1]);
  return true;
}

function surrounding(endpoint: Endpoint, path: string, { metrics }: Surroundings): readonly [status: number, text: string] | undefined {
  if (path === '/healthz') return [200, 'ok\n'];
  if (path === '/readyz') return endpoint.draining ? [503, 'closing\n'] : [200, 'ready\n'];
  return path === '/metrics' && metrics ? [200, toPrometheus(endpoint.stats)] : undefined;
}

/** Sessions and their streams are what the other methods are for: 2026-07-28 has neither. */
function methodsOf({ core, settings }: Endpoint, exchange: Exchange): readonly string[] {
  const none = settings.sessions === undefined || core.legacy.length === 0;
  return none || (core.modern && isStateless(exchange.header(headerNames.version))) ? postOnly : all;
}

const all = ['POST', 'GET', 'DELETE'];
const postOnly = ['POST'];

function notAllowed(endpoint: Endpoint, exchange: Exchange, allowed: readonly string[]): void {
  endpoint.refuse(exchange, 405, fault(405, `${allowed.join(', ')} only`), { fields: ['allow', allowed.join(', ')] });
}

function admit(endpoint: Endpoint, exchange: Exchange, path: string, then: (principal: Principal) => void, exact = false): void {
  const { auth } = endpoint.settings;
  if (auth === undefined) {
    exchange.account = endpoint.callers.of(anonymous, exchange);
    return then(anonymous);
  }
  const judge = (admission: Admission): void => {
    if ('principal' in admission) {
      exchange.account = endpoint.callers.of(admission.principal, exchange);
      return then(admission.principal);
    }
    const { status, error, description, challenge, retryAfterSeconds } = admission.refused;
    const fields = [
      ...(challenge === undefined ? [] : ['www-authenticate', challenge]),
      ...(retryAfterSeconds === undefined ? [] : ['retry-after', String(retryAfterSeconds)]),
    ];
    endpoint.refuse(exchange, status, fault(status, description, { error }), { fields, traits: spoken(exchange) });
  };
  const failed = (error: unknown): void => {
    endpoint.core.report(error, 'authorization');
    endpoint.refuse(exchange, 503, fault(503, 'Authorization is not possible just now'), { fields: ['retry-after', '5'] });
  };
  let admission: Admission | Promise<Admission>;
  try {
    admission = auth.admit(exchange, endpoint.resource(exchange, path, exact));
  } catch (error) {
    return failed(error);
  }
  if (!(admission instanceof Promise)) return judge(admission);
  // Nobody knows yet whose request this is: until then its connection pays.
  const account = endpoint.callers.ofConnection(exchange.connection);
  if (account.refuses(1, 0) !== undefined) {
    admission.catch(() => undefined);
    return overloaded(endpoint, exchange, 'admissions', { traits: spoken(exchange) });
  }
  account.run(1);
  const admitted = (): void => account.run(-1);
  admission
    .finally(admitted)
    .then(judge, failed)
    .catch((error: unknown) => endpoint.failed(exchange, error));
}

function post(call: HttpCall<Endpoint>): void {
  const { endpoint, exchange } = call;
  if (!isJson(exchange.header('content-type'))) {
    return endpoint.refuse(exchange, 415, fault(415, 'Content-Type must be application/json'), { traits: spoken(exchange) });
  }
  if (isEncoded(endpoint, exchange)) return;
  if (!acceptsAll(exchange.header('accept'))) return refuseAccept(endpoint, exchange, 'application/json, text/event-stream');
  readMessage(endpoint, exchange, (message) => {
    if (isModern(endpoint, exchange, message)) modern(call, message);
    else legacy(call, message);
  });
}

/** Unpacking what a stranger packed is a way to fill the memory; nobody needs it for messages. */
function isEncoded(endpoint: Endpoint, exchange: Exchange): boolean {
  const transfer = exchange.header('transfer-encoding') ?? 'chunked';
  if (transfer.toLowerCase() !== 'chunked' && !exchange.isRead) {
    // RFC 9112, 6.1: what is coded in a way that is not known here would be read as if it were plain.
    endpoint.refuse(exchange, 501, fault(501, 'Transfer-Encoding must be chunked'), { traits: spoken(exchange), close: true });
    return true;
  }
  const coding = exchange.header('content-encoding') ?? 'identity';
  if (coding.toLowerCase() === 'identity' || exchange.isRead) return false;
  const more = { traits: spoken(exchange), fields: ['accept-encoding', 'identity'] };
  endpoint.refuse(exchange, 415, fault(415, 'The body must not be compressed'), more);
  return true;
}

function postMessage(call: HttpCall<Endpoint>): void {
  const { endpoint, exchange } = call;
  if (!isJson(exchange.header('content-type'))) return endpoint.refuse(exchange, 415, fault(415, 'Content-Type must be application/json'));
  if (isEncoded(endpoint, exchange)) return;
  readMessage(endpoint, exchange, (message, text) => endpoint.sse.receive(call, message, text));
}

/**
 * The body decides, because gateways add headers of another era: a request that names its revision needs no handshake, and an
 * `initialize` that names none begins one. Only where the body does not tell does the version in the headers.
 */
function isModern({ core }: Endpoint, exchange: Exchange, message: Decoded): boolean {
  if (!core.modern) return false;
  if (message.kind === 'request' || message.kind === 'notification') {
    const meta = message.params?.['_meta'];
    if (typeof meta === 'object' && meta !== null && Object.hasOwn(meta as Params, metaKeys.protocolVersion)) return true;
    if (message.method === 'initialize' && core.legacy.length > 0) return false;
  }
  return isStateless(exchange.header(headerNames.version));
}

function refuseAccept(endpoint: Endpoint, exchange: Exchange, types: string): void {
  endpoint.refuse(exchange, 406, fault(406, `Accept must include ${types}`), { traits: spoken(exchange) });
}
