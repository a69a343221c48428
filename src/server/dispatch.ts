// The door: every message comes through here, and every request leaves with exactly one answer or none.
import { type ErrorObject, faults, VivariumError } from '../jsonrpc/error.ts';
import {
  type Batch,
  isRequestId,
  type ParsedMessage,
  type ParsedNotification,
  type ParsedRequest,
  parseMessage,
} from '../jsonrpc/message.ts';
import { metaKeys, type RevisionTraits } from '../protocol/revision.ts';
import { type Answer, type BatchOutcome, type DispatchOutcome, rewordedOutcome, toAnswer, toErrorAnswer } from './answer.ts';
import type { Outlet } from './context.ts';
import { type Core, soon } from './core.ts';
import { initialize, type Session } from './session.ts';

export function dispatch(session: Session, message: ParsedMessage, outlet: Outlet): DispatchOutcome {
  const { errorDetails } = session.core;
  const outcome = enter(session, message, outlet);
  return errorDetails === undefined ? outcome : rewordedOutcome(outcome, errorDetails);
}

function enter(session: Session, message: ParsedMessage, outlet: Outlet): DispatchOutcome {
  switch (message.kind) {
    case 'request':
      return request(session, message, outlet);
    case 'notification':
      notification(session, message);
      return undefined;
    case 'response':
      if (!session.answered(message)) dropped(session, 'an answer to nothing that was asked');
      return undefined;
    case 'refused':
      if (message.answer) return toErrorAnswer(message.id, message.error, session.spoken);
      dropped(session, String(message.error.data));
      return undefined;
  }
}

/** What may not be answered is told to the author, once: a client that goes on like this must not fill the log. */
function dropped(session: Session, what: string): void {
  if (session.warned) return;
  session.warned = true;
  session.core.report(new VivariumError('ERR_PROTOCOL', `The client sent a message that was dropped: ${what}`), 'message');
}

const maxBatch = 1_000;

/** How many calls a batch would start; one that will be refused as a whole starts none. */
export function callsIn({ members }: Batch, traits: RevisionTraits): number {
  if (!traits.batches || members.length > maxBatch) return 0;
  return members.filter((member) => typeof member === 'object' && member !== null && 'method' in member && 'id' in member).length;
}

/** Arrays exist only where 2025-03-26 was negotiated. The answers keep the order of their requests; none at all is nothing to send. */
export function dispatchBatch(session: Session, batch: Batch, outlet: Outlet): BatchOutcome {
  const { errorDetails } = session.core;
  const outcome = enterAll(session, batch, outlet);
  return errorDetails === undefined ? outcome : rewordedOutcome(outcome, errorDetails);
}

function enterAll(session: Session, { members }: Batch, outlet: Outlet): BatchOutcome {
  const refuse = (details: string): Answer => toErrorAnswer(undefined, faults.invalidRequest(details), session.spoken);
  // Its members are answered in the revision that has batches, whatever was spoken last.
  if (session.handshake?.traits.batches === true) session.spoken = session.handshake.traits;
  else return refuse('A message must be an object; batches exist only in 2025-03-26');
  if (members.length === 0) return refuse('A batch must not be empty');
  if (members.length > maxBatch) return refuse(`A batch holds at most ${maxBatch} messages`);
  const outcomes = members.map((member) => dispatchMember(session, parseMessage(member), outlet));
  if (!outcomes.some((outcome) => outcome instanceof Promise)) return present(outcomes as (Answer | undefined)[]);
  return Promise.all(outcomes).then(present);
}

function dispatchMember(session: Session, message: ParsedMessage, outlet: Outlet): DispatchOutcome {
  const fault = message.kind === 'request' ? notInBatch(message) : undefined;
  if (fault !== undefined) return toErrorAnswer((message as ParsedRequest).id, fault, session.spoken);
  return enter(session, message, outlet);
}

function present(answers: readonly (Answer | undefined)[]): Answer[] {
  return answers.filter((answer) => answer !== undefined);
}

function notInBatch({ method, params }: ParsedRequest): ErrorObject | undefined {
  if (method === 'initialize') return faults.invalidRequest('initialize must not be part of a batch');
  const meta = params?.['_meta'];
  if (typeof meta === 'object' && meta !== null && Object.hasOwn(meta, metaKeys.protocolVersion))
    return faults.invalidRequest('A request of 2026-07-28 must not be part of a batch');
  return undefined;
}

function request(session: Session, message: ParsedRequest, outlet: Outlet): DispatchOutcome {
  const { queue, core } = session;
  const early = queue === undefined || message.method === 'ping' ? answerEarly(session, message) : undefined;
  if (early !== undefined) return early;
  const loading = queue === undefined ? loadingFor(core, message) : undefined;
  if (core.serve !== undefined && queue === undefined && loading === undefined && !occupied(session))
    return serveNow(session, message, outlet);
  return wait(session, message, outlet, loading);
}

/** Something runs, and this server does one thing at a time. Listening goes on beside everything. */
function occupied({ core, running }: Session): boolean {
  if (!core.sequential) return false;
  for (const { method } of running.values()) if (method !== 'subscriptions/listen') return true;
  return false;
}

/** The handshake, and a ping: what a client waits for first needs nothing that is loaded later. */
function answerEarly(session: Session, { id, method, params }: ParsedRequest): Answer | undefined {
  if (params?.['_meta'] !== undefined || session.running.has(id) || session.queue?.has(id)) return undefined;
  if (method === 'initialize') return toAnswer(id, initialize(session, params));
  if (method !== 'ping') return undefined;
  // Answered at any time, also before a handshake.
  session.spoken = session.handshake?.traits ?? session.spoken;
  return { id, result: {} };
}

/** What a request must wait for before it can be served. */
function loadingFor(core: Core, { method, params }: ParsedRequest): Promise<void> | undefined {
  const loading = core.loading();
  if (loading !== undefined) return loading;
  const name = params?.['name'] as string;
  if (method === 'tools/call') return core.tools.get(name)?.unready();
  return method === 'prompts/get' ? core.prompts.get(name)?.unready() : undefined;
}

/** Until it is loaded, the connection's later requests line up behind the one that needs it: answers keep their order. */
function wait(session: Session, message: ParsedRequest, outlet: Outlet, loading: Promise<void> | undefined): DispatchOutcome {
  const { id } = message;
  session.queue ??= new Map();
  const { queue } = session;
  if (queue.has(id)) return { id, error: faults.invalidRequest('A request with this id is still running') };
  return new Promise((resolve) => {
    queue.set(id, { id, message, loaded: false, run: () => resolve(serveNow(session, message, outlet)), drop: () => resolve(undefined) });
    if (loading !== undefined) resumeAfter(session, loading);
  });
}

/** Loading has failed when there is nothing to serve with: that is told to the author, and the client gets its answer. */
function serveNow(session: Session, message: ParsedRequest, outlet: Outlet): DispatchOutcome {
  const { serve, sequential } = session.core;
  if (serve === undefined) return { id: message.id, error: faults.internal() };
  const outcome = serve(session, message, outlet);
  // What lined up behind it goes on when it is over, and its answer has left.
  if (sequential && outcome instanceof Promise)
    resumeAfter(
      session,
      outcome.then(() => new Promise<void>(soon)),
    );
  return outcome;
}

function resumeAfter(session: Session, loading: Promise<void>): void {
  const resume = (): void => {
    for (const waiting of session.queue?.values() ?? []) {
      if (occupied(session)) return;
      const more = waiting.loaded || session.core.serve === undefined ? undefined : loadingFor(session.core, waiting.message);
      if (more !== undefined) {
        // Once only: what does not load at the first attempt is found out by running.
        waiting.loaded = true;
        resumeAfter(session, more);
        return;
      }
      session.queue?.delete(waiting.id);
      waiting.run();
    }
    session.queue = undefined;
  };
  loading.then(resume, resume);
}

/** Unknown and malformed notifications are dropped: there is no one to tell. */
function notification(session: Session, { method, params }: ParsedNotification): void {
  if (method === 'notifications/initialized') {
    if (session.handshake !== undefined) {
      session.initialized = true;
      session.onState?.();
    } else if (session.queue !== undefined) session.confirmed = true;
  } else if (method === 'notifications/cancelled') {
    const id = params?.['requestId'];
    const reason = params?.['reason'];
    if (isRequestId(id)) session.cancel(id, typeof reason === 'string' ? reason : undefined);
  }
}
