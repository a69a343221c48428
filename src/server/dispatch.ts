// From one message to one answer: is it ours to answer, now, in this revision? Then the feature runs.
import { type ErrorObject, faults, RpcError } from '../jsonrpc/error.ts';
import type { Batch, Params, ParsedMessage, ParsedNotification, ParsedRequest } from '../jsonrpc/message.ts';
import { isRequestId, parseMessage } from '../jsonrpc/message.ts';
import { type MethodInfo, methods, shapeFault } from '../protocol/methods.ts';
import { metaKeys, traitsOf } from '../protocol/revision.ts';
import type { ClientCapabilities, Implementation } from '../protocol/types.ts';
import { type Answer, forEra, type Reply, toAnswer, toErrorAnswer } from './answer.ts';
import { CallContext, type ClientIdentity, type Outlet } from './context.ts';
import type { Core, Feature } from './core.ts';
import { initialize, perRequestVersions } from './lifecycle.ts';
import type { Handshake, Session } from './session.ts';
import type { Tool } from './tools.ts';

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
      // Nothing was asked: an answer to no question is dropped, never answered.
      return undefined;
    case 'refused':
      return message.answer ? toErrorAnswer(message.id, message.error, session.spoken) : undefined;
  }
}

export type BatchOutcome = Answer | readonly Answer[] | undefined | Promise<Answer | readonly Answer[] | undefined>;

const maxBatch = 1_000;

/** Arrays exist only where 2025-03-26 was negotiated. The answers keep the order of their requests; none at all is nothing to send. */
export function dispatchBatch(core: Core, session: Session, { members }: Batch, outlet: Outlet): BatchOutcome {
  const refuse = (details: string): Answer => toErrorAnswer(undefined, faults.invalidRequest(details), session.spoken);
  if (session.handshake?.traits.batches !== true) return refuse('A message must be an object; batches exist only in 2025-03-26');
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
  if (row === undefined || feature === undefined || !row.revisions.has(traits.revision) || !offered(core, row)) {
    return { id, error: faults.methodNotFound(method) };
  }
  const bad = shapeFault(row.params, params);
  if (bad !== undefined) return { id, error: faults.invalidParams(bad) };
  if (session.running.has(id)) return { id, error: faults.invalidRequest('A request with this id is still running') };
  const ctx = new CallContext(id, traits, client, meta, session, outlet);
  const loading = session.loading ?? (method === 'tools/call' ? prepare(core.tools.get(params?.['name'] as string), session) : undefined);
  if (loading === undefined || method === 'ping') return answer(core, session, ctx, feature, params, method);
  const later = loading.then(() => (ctx.cancelled ? { result: {} } : feature(core, ctx, params)));
  return track(core, session, ctx, later, method);
}

function offered(core: Core, { capability }: MethodInfo): boolean {
  return capability === undefined || core.has(capability);
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

/** Loading a validator happens once; until then later requests line up behind the call that needs it. */
function prepare(tool: Tool | undefined, session: Session): Promise<void> | undefined {
  if (tool === undefined || tool.ready) return undefined;
  const loading = tool.prepare();
  if (loading === undefined) return undefined;
  session.loading = loading;
  const clear = (): void => {
    if (session.loading === loading) session.loading = undefined;
  };
  loading.then(clear, clear);
  return loading;
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
  return faults.invalidParams(
    `Not initialized: send initialize first, or send ${metaKeys.protocolVersion} and ${metaKeys.clientCapabilities} in params._meta of each request`,
  );
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
