// From one message to one answer: is it ours to answer, now, in this revision? Then the feature runs.
import { type ErrorObject, faults, RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { Batch, Params, ParsedMessage, ParsedNotification, ParsedRequest } from '../jsonrpc/message.ts';
import { isRequestId, parseMessage } from '../jsonrpc/message.ts';
import { type MethodInfo, methods, shapeFault } from '../protocol/methods.ts';
import { metaKeys, traitsOf } from '../protocol/revision.ts';
import type { ClientCapabilities, Implementation, ServerCapabilities } from '../protocol/types.ts';
import { type Answer, forEra, type Reply, toAnswer, toErrorAnswer } from './answer.ts';
import { CallContext, type ClientIdentity, type Outlet } from './context.ts';
import type { Core, Feature } from './core.ts';
import { initialize, perRequestVersions } from './lifecycle.ts';
import type { Handshake, Session } from './session.ts';

/** Undefined: nothing is to be sent. A promise only when the handler needs time, so that everything else keeps its order. */
export type Outcome = Answer | undefined | Promise<Answer | undefined>;

export function dispatch(core: Core, session: Session, message: ParsedMessage, outlet: Outlet): Outcome {
  switch (message.kind) {
    case 'request':
      return request(core, session, message, outlet);
    case 'notification':
      notification(session, message);
      return undefined;
    case 'response':
      dropped(core, session, 'an answer to nothing that was asked');
      return undefined;
    case 'refused':
      if (message.answer) return toErrorAnswer(message.id, message.error, session.spoken);
      dropped(core, session, String(message.error.data));
      return undefined;
  }
}

export type BatchOutcome = Answer | readonly Answer[] | undefined | Promise<Answer | readonly Answer[] | undefined>;

/** What may not be answered is told to the author, once: a client that goes on like this must not fill the log. */
function dropped(core: Core, session: Session, what: string): void {
  if (session.warned) return;
  session.warned = true;
  core.report(new VivariumError('ERR_PROTOCOL', `The client sent a message that was dropped: ${what}`), 'message');
}

const maxBatch = 1_000;

/** Arrays exist only where 2025-03-26 was negotiated. The answers keep the order of their requests; none at all is nothing to send. */
export function dispatchBatch(core: Core, session: Session, { members }: Batch, outlet: Outlet): BatchOutcome {
  const refuse = (details: string): Answer => toErrorAnswer(undefined, faults.invalidRequest(details), session.spoken);
  // Its members are answered in the revision that has batches, whatever was spoken last.
  if (session.handshake?.traits.batches === true) session.spoken = session.handshake.traits;
  else return refuse('A message must be an object; batches exist only in 2025-03-26');
  if (members.length === 0) return refuse('A batch must not be empty');
  if (members.length > maxBatch) return refuse(`A batch holds at most ${maxBatch} messages`);
  const outcomes = members.map((member) => dispatchMember(core, session, parseMessage(member), outlet));
  if (!outcomes.some((outcome) => outcome instanceof Promise)) return present(outcomes as (Answer | undefined)[]);
  return Promise.all(outcomes).then(present);
}

function dispatchMember(core: Core, session: Session, message: ParsedMessage, outlet: Outlet): Outcome {
  const fault = message.kind === 'request' ? notInBatch(message) : undefined;
  if (fault !== undefined) return toErrorAnswer((message as ParsedRequest).id, fault, session.spoken);
  return dispatch(core, session, message, outlet);
}

function present(answers: readonly (Answer | undefined)[]): Answer[] {
  return answers.filter((answer) => answer !== undefined);
}

function notInBatch({ method, params }: ParsedRequest): ErrorObject | undefined {
  if (method === 'initialize') return faults.invalidRequest('initialize must not be part of a batch');
  if (modernMeta(params?.['_meta'] as Params | undefined))
    return faults.invalidRequest('A request of 2026-07-28 must not be part of a batch');
  return undefined;
}

function request(core: Core, session: Session, message: ParsedRequest, outlet: Outlet): Outcome {
  const { queue } = session;
  const loading = queue === undefined ? loadingFor(core, message) : undefined;
  if (queue === undefined && loading === undefined) return serve(core, session, message, outlet);
  // A ping tells that the server is alive, and passes those who wait.
  if (message.method === 'ping') return serve(core, session, message, outlet);
  return wait(core, session, message, outlet, loading);
}

/** What a call must load before it can run. */
function loadingFor(core: Core, { method, params }: ParsedRequest): Promise<void> | undefined {
  return method === 'tools/call' ? core.tools.get(params?.['name'] as string)?.unready() : undefined;
}

/** A validator loads once; until then the connection's later requests line up behind the call that needs it. */
function wait(core: Core, session: Session, message: ParsedRequest, outlet: Outlet, loading: Promise<void> | undefined): Outcome {
  const { id } = message;
  session.queue ??= new Set();
  const { queue } = session;
  for (const waiting of queue) if (waiting.id === id) return { id, error: stillRunning };
  return new Promise((resolve) => {
    queue.add({ id, message, loaded: false, run: () => resolve(serve(core, session, message, outlet)), drop: () => resolve(undefined) });
    if (loading !== undefined) resumeAfter(core, session, loading);
  });
}

function resumeAfter(core: Core, session: Session, loading: Promise<void>): void {
  const resume = (): void => {
    for (const waiting of session.queue ?? []) {
      const more = waiting.loaded ? undefined : loadingFor(core, waiting.message);
      if (more !== undefined) {
        waiting.loaded = true;
        resumeAfter(core, session, more);
        return;
      }
      session.queue?.delete(waiting);
      waiting.run();
    }
    session.queue = undefined;
  };
  loading.then(resume, resume);
}

const stillRunning = faults.invalidRequest('A request with this id is still running');

function serve(core: Core, session: Session, message: ParsedRequest, outlet: Outlet): Outcome {
  const { id, method, params } = message;
  const meta = params?.['_meta'] as Params | undefined;
  const fault = metaFault(meta);
  if (fault !== undefined) return { id, error: faults.invalidParams(fault) };
  // The era belongs to the message: both may share a connection, and neither sees the other's state.
  const caller = core.modern && modernMeta(meta) ? modernCaller(core, session, meta as Params) : legacyCaller(core, session, message);
  if ('id' in caller) return caller;
  if ('code' in caller) return { id, error: caller };
  const { traits, client } = caller;
  const row = methods.get(method);
  const feature = core.features.get(method);
  if (row === undefined || feature === undefined || !row.revisions.has(traits.revision) || !offered(core, row, caller.capabilities)) {
    return { id, error: faults.methodNotFound(method) };
  }
  const bad = shapeFault(row.params, params);
  if (bad !== undefined) return { id, error: faults.invalidParams(bad) };
  if (session.running.has(id)) return { id, error: stillRunning };
  return answer(core, session, new CallContext(id, traits, client, meta, session, outlet), feature, params, method);
}

/** What was agreed in a handshake stays, also when the last of its kind is removed. */
function offered(core: Core, { capability }: MethodInfo, agreed: ServerCapabilities | undefined): boolean {
  return capability === undefined || core.has(capability) || agreed?.[capability] !== undefined;
}

function answer(core: Core, session: Session, ctx: CallContext, feature: Feature, params: Params | undefined, method: string): Outcome {
  let reply: Reply | Promise<Reply>;
  try {
    reply = feature(core, ctx, params);
  } catch (error) {
    reply = { error: asRpcError(core, error, method) };
  }
  if (reply instanceof Promise) return track(core, session, ctx, reply, method);
  ctx.finish();
  return settled(ctx, reply);
}

/** Keeps a running call findable, so that it can be cancelled; a cancelled call is answered by nothing, at once. */
function track(core: Core, session: Session, ctx: CallContext, work: Promise<Reply>, method: string): Promise<Answer | undefined> {
  session.running.set(ctx.requestId, ctx);
  return new Promise((resolve) => {
    const end = (reply: Reply): void => {
      if (ctx.cancelled) return;
      session.running.delete(ctx.requestId);
      ctx.finish();
      resolve(settled(ctx, reply));
    };
    ctx.release = () => resolve(undefined);
    work.then(end, (error: unknown) => end({ error: asRpcError(core, error, method) }));
  });
}

function settled(ctx: CallContext, reply: Reply): Answer {
  return toAnswer(ctx.requestId, 'error' in reply ? { error: forEra(reply.error, ctx.traits) } : reply);
}

/** The one place where an unknown throw becomes a wire error. */
function asRpcError(core: Core, error: unknown, method: string): ErrorObject {
  if (error instanceof RpcError && Number.isInteger(error.code)) return error.toObject();
  core.report(error, method);
  return faults.internal();
}

function modernMeta(meta: Params | undefined): boolean {
  return meta !== undefined && Object.hasOwn(meta, metaKeys.protocolVersion);
}

function modernCaller(core: Core, session: Session, meta: Params): Handshake | ErrorObject {
  const version = meta[metaKeys.protocolVersion];
  if (typeof version !== 'string') return faults.invalidParams(`${metaKeys.protocolVersion} must be a string`);
  const supported = perRequestVersions(core);
  if (!(supported as readonly string[]).includes(version)) {
    const error = faults.unsupportedVersion(supported, version);
    return core.legacy.length === 0 ? error : { ...error, message: `${error.message}; with initialize: ${core.legacy.join(', ')}` };
  }
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isObject(capabilities)) return faults.invalidParams(`${metaKeys.clientCapabilities} must be an object`);
  const traits = traitsOf('2026-07-28');
  session.spoken = traits;
  return { traits, client: new ModernClient(meta, capabilities as ClientCapabilities) };
}

class ModernClient implements ClientIdentity {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;

  constructor(meta: Params, capabilities: ClientCapabilities) {
    const info = meta[metaKeys.clientInfo];
    this.info = isObject(info) ? (info as unknown as Implementation) : undefined;
    this.capabilities = capabilities;
  }
}

/** The handshake itself and a ping before it are answered here: no capability has been agreed yet. */
function legacyCaller(core: Core, session: Session, message: ParsedRequest): Handshake | ErrorObject | Answer {
  const { id, method, params } = message;
  if (method === 'initialize') {
    const bad = shapeFault(methods.get('initialize')?.params ?? [], params);
    if (bad !== undefined) return faults.invalidParams(bad);
    return toAnswer(id, initialize(core, session, params as Params));
  }
  if (session.handshake !== undefined) {
    session.spoken = session.handshake.traits;
    return session.handshake;
  }
  if (method === 'ping') return { id, result: {} };
  return faults.invalidParams(`This request belongs to no revision: ${waysIn(core)}`);
}

function waysIn(core: Core): string {
  const each = `send ${metaKeys.protocolVersion} and ${metaKeys.clientCapabilities} in params._meta of each request`;
  if (core.legacy.length === 0) return each;
  return core.modern ? `send initialize first, or ${each}` : 'send initialize first';
}

function metaFault(meta: unknown): string | undefined {
  if (meta === undefined) return undefined;
  if (!isObject(meta)) return '_meta must be an object';
  const token = (meta as Params)['progressToken'];
  return token === undefined || isRequestId(token) ? undefined : '_meta.progressToken must be a string or an integer';
}

function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Unknown and malformed notifications are dropped: there is no one to tell. */
function notification(session: Session, { method, params }: ParsedNotification): void {
  if (method === 'notifications/initialized') {
    if (session.handshake !== undefined) session.initialized = true;
  } else if (method === 'notifications/cancelled') {
    const id = params?.['requestId'];
    const reason = params?.['reason'];
    if (isRequestId(id)) session.cancel(id, typeof reason === 'string' ? reason : undefined);
  }
}
