// The revisions with a handshake over HTTP: sessions, the streams of GET, and the same without sessions.
import { faults, VivariumError } from '../jsonrpc/error.ts';
import { type Batch, type Decoded, type ParsedRequest, parseMessage, type Refusal, type RequestId } from '../jsonrpc/message.ts';
import { headerNames } from '../protocol/headers.ts';
import { assumedRevision, type Revision, type RevisionTraits, traitsOf } from '../protocol/revision.ts';
import type { Answer, BatchOutcome } from '../server/answer.ts';
import type { Core } from '../server/core.ts';
import { callsIn, dispatch, dispatchBatch } from '../server/dispatch.ts';
import { type Agreement, Session } from '../server/session.ts';
import { breakOff, conclude } from './conclude.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import type { HttpCall } from './http-call.ts';
import { maxSessionStreams, overloaded } from './limits/overload.ts';
import { HttpReply, type KeptStream } from './reply.ts';
import type { Held } from './sessions.ts';
import { closing, fault, jsonFields, spoken, statusOf } from './status.ts';

type Legible = Exclude<Decoded, Refusal>;

/** It is kept as long as the session: what a client says of itself must not fill the memory. */
const maxIntroduction = 64 * 1024;
const wellFormed = /^[\x21-\x7e]{1,256}$/;

export function legacy(call: HttpCall<Endpoint>, message: Decoded): void {
  const { endpoint, exchange } = call;
  if (message.kind === 'refused') return unreadable(endpoint, exchange, message);
  const begins = message.kind === 'request' && message.method === 'initialize';
  if (!knowsVersion(endpoint, exchange, begins ? endpoint.core.revisions : undefined)) return;
  if (begins) return initialize(call, message);
  const { sessions, lenient } = endpoint.settings;
  const id = exchange.header(headerNames.session);
  if (sessions === undefined || (lenient && id === undefined)) return alone(call, message);
  if (id === undefined) return homeless(endpoint, exchange, message);
  withSession(call, id, message, (held) => receive(call, held, message));
}

/** GET: a stream for what the server says by itself, or one that was cut and goes on. */
export function listen(call: HttpCall<Endpoint>): void {
  const { endpoint, exchange } = call;
  if (!knowsVersion(endpoint, exchange)) return;
  const id = exchange.header(headerNames.session);
  if (id === undefined) return endpoint.refuse(exchange, 400, fault(400, 'Mcp-Session-Id is missing'), { traits: spoken(exchange) });
  withSession(call, id, undefined, (held) => {
    const limit = held.standalone.open >= maxSessionStreams ? 'session_streams' : held.account.refusesStream();
    if (limit !== undefined) return overloaded(endpoint, exchange, limit, { traits: held.session.spoken });
    const last = exchange.header(headerNames.lastEvent);
    // What a call still has to say may be fetched to the end; a new stream would have none.
    if (endpoint.draining && last?.startsWith('p') !== true) return closing(endpoint, exchange);
    if (last === undefined) {
      endpoint.sessions.listen(held);
      held.standalone.begin(exchange, (held.session.handshake as Agreement).traits);
    } else void resume(endpoint, exchange, held, last);
  });
}

export function endSession(call: HttpCall<Endpoint>): void {
  const { endpoint, exchange } = call;
  if (!knowsVersion(endpoint, exchange)) return;
  const id = exchange.header(headerNames.session);
  if (id === undefined) return endpoint.refuse(exchange, 400, fault(400, 'Mcp-Session-Id is missing'), { traits: spoken(exchange) });
  withSession(call, id, undefined, (held) => {
    const ended = endpoint.sessions.end(held);
    const done = (): void => endpoint.answer(exchange, 204, [], '');
    if (ended instanceof Promise) ended.then(done).catch((error: unknown) => unavailable(endpoint, exchange, error));
    else done();
  });
}

/** A handshake agrees on the revision in its body: there any that this server speaks may stand in the header. */
function knowsVersion(endpoint: Endpoint, exchange: Exchange, known: readonly string[] = endpoint.core.legacy): boolean {
  const version = exchange.header(headerNames.version);
  if (version === undefined || known.includes(version)) return true;
  const supported = endpoint.core.revisions.join(', ');
  endpoint.refuse(exchange, 400, fault(400, `Unsupported MCP-Protocol-Version: this server speaks ${supported}`));
  return false;
}

function withSession(call: HttpCall<Endpoint>, id: string, message: Legible | undefined, then: (held: Held) => void): void {
  const { endpoint, exchange, principal } = call;
  const about = { id: idOf(message), traits: spoken(exchange) };
  if (!wellFormed.test(id)) return endpoint.refuse(exchange, 400, fault(400, 'Mcp-Session-Id is malformed'), about);
  const found = endpoint.sessions.find(id, principal);
  const go = (held: Held | undefined): void => {
    if (held === undefined) return endpoint.refuse(exchange, 404, fault(404, 'Session not found: initialize again'), about);
    exchange.account = held.account;
    then(held);
  };
  if (!(found instanceof Promise)) return go(found);
  found.then(go).catch((error: unknown) => unavailable(endpoint, exchange, error));
}

const unreachable = fault(503, 'Sessions cannot be reached just now');

function unavailable(endpoint: Endpoint, exchange: Exchange, error: unknown): void {
  endpoint.core.report(error, 'store');
  endpoint.refuse(exchange, 503, unreachable, { fields: ['retry-after', '1'] });
}

function initialize(call: HttpCall<Endpoint>, message: ParsedRequest): void {
  const { endpoint, exchange, principal } = call;
  if (JSON.stringify(message.params ?? {}).length > maxIntroduction) {
    const error = faults.invalidParams(`clientInfo and capabilities may take ${maxIntroduction} characters`);
    return endpoint.refuse(exchange, 400, error, { id: message.id, traits: spoken(exchange) });
  }
  const account = exchange.account ?? endpoint.callers.all;
  const limit = account.refuses(0, exchange.weight) ?? (endpoint.settings.sessions === undefined ? undefined : account.refusesSession());
  if (limit !== undefined) return overloaded(endpoint, exchange, limit, { id: message.id, traits: spoken(exchange) });
  const session = endpoint.sessions.fresh(principal);
  session.deaf = endpoint.settings.sessions === undefined;
  const settle = (answer: Answer | undefined): void => {
    const finish = (kept: boolean): void => {
      if (!kept) return overloaded(endpoint, exchange, 'sessions', { id: message.id, traits: session.spoken });
      const named = answer?.error === undefined && endpoint.settings.sessions !== undefined;
      const fields = named ? [headerNames.session, session.sessionId as string] : undefined;
      const reply = new HttpReply(call, 0, fields);
      conclude(call, reply, answer, statusOf(answer?.error, false));
    };
    if (answer?.error !== undefined || endpoint.settings.sessions === undefined) return finish(true);
    const kept = endpoint.sessions.keep(session, principal, account);
    if (kept instanceof Promise) kept.then(finish).catch((error: unknown) => unavailable(endpoint, exchange, error));
    else finish(kept);
  };
  const outcome = dispatch(session, message, silent);
  if (outcome instanceof Promise) outcome.then(settle).catch((error: unknown) => endpoint.failed(exchange, error));
  else settle(outcome);
}

/** A message of a session. */
function receive(call: HttpCall<Endpoint>, held: Held, message: Legible): void {
  const { endpoint, exchange } = call;
  const { session } = held;
  const { traits } = session.handshake as Agreement;
  if (message.kind === 'notification' || message.kind === 'response') {
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') endpoint.sessions.cancel(held, message.params);
    const limit = message.kind === 'response' ? held.account.refuses(0, exchange.weight) : undefined;
    if (limit !== undefined) return overloaded(endpoint, exchange, limit, { traits });
    if (message.kind !== 'response' || !endpoint.sessions.answered(held, message, exchange.weight)) void dispatch(session, message, silent);
    return saved(
      held,
      () => endpoint.answer(exchange, 202, [], ''),
      (error) => unavailable(endpoint, exchange, error),
    );
  }
  const calls = message.kind === 'batch' ? callsIn(message, traits) : 1;
  const full = session.running.size + calls > endpoint.settings.maxRunning;
  const limit = full ? 'session_running' : held.account.refuses(calls, exchange.weight);
  if (limit !== undefined) return overloaded(endpoint, exchange, limit, { id: idOf(message), traits });
  const rest = message.kind === 'batch' && traits.batches ? passOn(endpoint, held, message) : message;
  // Nothing but answers, which have arrived where they belong: there is nothing to say.
  if (rest === undefined) return endpoint.answer(exchange, 202, [], '');
  run(call, session, rest, { kept: { session: held.id, traits }, held, calls });
}

/** Members that concern calls at other endpoints go there, as they would alone. Undefined when no member is left. */
function passOn(endpoint: Endpoint, held: Held, { members }: Batch): Batch | undefined {
  const left = members.filter((member) => {
    const message = parseMessage(member);
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') endpoint.sessions.cancel(held, message.params);
    return message.kind !== 'response' || !endpoint.sessions.answered(held, message, 0);
  });
  return left.length === 0 && members.length > 0 ? undefined : { kind: 'batch', members: left };
}

/** Without a session nothing is remembered: what a client can do is not known, and it cannot be asked. */
function alone(call: HttpCall<Endpoint>, message: Legible): void {
  const { endpoint, exchange, principal } = call;
  if (message.kind === 'notification' || message.kind === 'response') {
    if (message.kind === 'notification') endpoint.hearStray(principal, message);
    return endpoint.answer(exchange, 202, [], '');
  }
  const session = new Session(endpoint.core, principal);
  session.streams = true;
  session.deaf = true;
  session.handshake = assumed(endpoint.core, exchange.header(headerNames.version));
  session.spoken = session.handshake.traits;
  session.initialized = true;
  const calls = message.kind === 'batch' ? callsIn(message, session.handshake.traits) : 1;
  const limit = (exchange.account ?? endpoint.callers.all).refuses(calls, exchange.weight);
  if (limit !== undefined) return overloaded(endpoint, exchange, limit, { id: idOf(message), traits: session.spoken });
  run(call, session, message, { calls });
}

interface RunOptions {
  readonly kept?: KeptStream;
  readonly held?: Held;
  readonly calls: number;
}

function run(call: HttpCall<Endpoint>, session: Session, message: ParsedRequest | Batch, { kept, held, calls }: RunOptions): void {
  const { endpoint, principal } = call;
  const reply = new HttpReply(call, calls, undefined, kept);
  const finish = (answer: Answer | readonly Answer[] | undefined): void => {
    const status = answer === undefined || 'length' in answer ? 200 : statusOf(answer.error, false);
    const done = (): void => conclude(call, reply, answer, status);
    if (held === undefined) done();
    else
      saved(held, done, (error) => {
        // What the call changed could not be kept: it must not look as if it had been.
        endpoint.core.report(error, 'store');
        breakOff(reply, idOf(message), 503, unreachable, ['retry-after', '1']);
      });
  };
  const outcome: BatchOutcome = message.kind === 'batch' ? dispatchBatch(session, message, reply) : dispatch(session, message, reply);
  if (!(outcome instanceof Promise)) return finish(outcome);
  // Hanging up is no cancellation here: the call goes on, and its stream can be resumed.
  reply.wait();
  const untrack = held === undefined ? endpoint.track(session, principal, idOf(message)) : undefined;
  if (held !== undefined) held.busy++;
  const ended = (answer: Answer | readonly Answer[] | undefined): void => {
    untrack?.();
    if (held !== undefined) {
      held.busy--;
      endpoint.sessions.touch(held);
    }
    // Without a session there is nothing to resume: an empty answer would look like one.
    if (answer === undefined && held === undefined && endpoint.draining) {
      breakOff(reply, idOf(message), 503, fault(503, 'The server is closing'), ['retry-after', '1']);
    } else finish(answer);
  };
  outcome.then(ended).catch((error: unknown) => {
    endpoint.core.report(error, 'http');
    breakOff(reply, idOf(message), 500, faults.internal());
  });
}

function unreadable(endpoint: Endpoint, exchange: Exchange, { id, error, answer }: Refusal): void {
  if (!answer)
    endpoint.core.report(new VivariumError('ERR_PROTOCOL', `The client sent a message that was dropped: ${error.data}`), 'message');
  endpoint.refuse(exchange, 400, error, { id, traits: spoken(exchange) });
}

/** An answer says that it is done: so it waits until the store has it. */
function saved(held: Held, then: () => void, otherwise: (error: unknown) => void): void {
  if (held.saving === undefined) then();
  else held.saving.then(then).catch(otherwise);
}

const silent = { send: (): void => undefined };

async function resume(endpoint: Endpoint, exchange: Exchange, held: Held, last: string): Promise<void> {
  const [, name, number] = /^([gp][0-9a-z]{1,64})-(\d{1,15})$/.exec(last) ?? [];
  const { traits } = held.session.handshake as Agreement;
  const refuse = (message: string, reason: string): void => endpoint.refuse(exchange, 400, fault(400, message, { reason }), { traits });
  if (name === undefined || endpoint.settings.events === undefined) return refuse('There is no such event', 'unknown_event');
  try {
    const resumed = await held.standalone.resume(exchange, name, Number(number), traits);
    if (resumed === true && name.startsWith('g')) endpoint.sessions.listen(held);
    if (resumed === 'trimmed') refuse('Events after this one are gone: the stream cannot be resumed', 'events_trimmed');
    else if (!resumed) refuse('There is no such event, or it is too long ago', 'unknown_event');
  } catch (error) {
    unavailable(endpoint, exchange, error);
  }
}

/** A bare request belongs to no revision; it is told both ways in. A ping is always answered. */
function homeless(endpoint: Endpoint, exchange: Exchange, message: Legible): void {
  const traits = spoken(exchange);
  if (message.kind === 'batch') {
    return endpoint.refuse(exchange, 400, faults.invalidRequest('A batch needs a session of 2025-03-26'), { traits });
  }
  if (message.kind === 'request' && message.method === 'ping') {
    return endpoint.answer(exchange, 200, jsonFields, JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }));
  }
  const ways = [
    ...(endpoint.core.legacy.length > 0 ? ['initialize first and send the Mcp-Session-Id that was given'] : []),
    ...(endpoint.core.modern ? ['send MCP-Protocol-Version: 2026-07-28 with its _meta'] : []),
  ];
  const error = faults.invalidParams(`This message belongs to no session: ${ways.join(', or ')}`);
  endpoint.refuse(exchange, 400, error, { id: idOf(message), traits });
}

function idOf(message: Legible | undefined): RequestId | undefined {
  return message !== undefined && 'id' in message ? message.id : undefined;
}

const agreements = new Map<Revision, Agreement>();

function assumed({ legacy: supported }: Core, version: string | undefined): Agreement {
  const wanted = (version ?? assumedRevision) as Revision;
  const revision = supported.includes(wanted) ? wanted : (supported.at(-1) as Revision);
  let agreement = agreements.get(revision);
  if (agreement === undefined) {
    const traits: RevisionTraits = traitsOf(revision);
    agreement = { traits, capabilities: {}, since: Number.POSITIVE_INFINITY, client: { info: undefined, capabilities: {} } };
    agreements.set(revision, agreement);
  }
  return agreement;
}
