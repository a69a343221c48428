// A request that passed the door: its era, its row in the method table, its feature, its one answer.
import { type ErrorObject, faults, RpcError } from '../jsonrpc/error.ts';
import { isRequestId, type Params, type ParsedRequest } from '../jsonrpc/message.ts';
import { type MethodInfo, methods, shapeFault } from '../protocol/methods.ts';
import { metaKeys, traitsOf } from '../protocol/revision.ts';
import type { ClientCapabilities, Implementation, ServerCapabilities } from '../protocol/types.ts';
import { type Answer, forEra, type Outcome, type Reply, toAnswer } from './answer.ts';
import { CallContext, type ClientIdentity, type Outlet } from './context.ts';
import type { Core } from './core.ts';
import { discover, initialize, perRequestVersions } from './lifecycle.ts';
import type { Handshake, Session } from './session.ts';
import { callTool, listTools } from './tools.ts';

type Feature = (core: Core, ctx: CallContext, params: Params | undefined) => Reply | Promise<Reply>;

const features: ReadonlyMap<string, Feature> = new Map<string, Feature>([
  ['ping', () => ({ result: {} })],
  ['server/discover', discover],
  ['tools/list', listTools],
  ['tools/call', callTool],
]);

const stillRunning = faults.invalidRequest('A request with this id is still running');

export function serve(core: Core, session: Session, message: ParsedRequest, outlet: Outlet): Outcome {
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
  const feature = features.get(method);
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
  if (method === 'initialize') return toAnswer(id, initialize(core, session, params));
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
