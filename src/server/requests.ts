// A request that passed the door: its era, its row in the method table, its feature, its one answer.
import { type ErrorObject, faults, RpcError, type RpcReason, VivariumError } from '../jsonrpc/error.ts';
import type { Params, ParsedRequest } from '../jsonrpc/message.ts';
import { logLevels, type MethodInfo, methods, shapeFault } from '../protocol/methods.ts';
import { metaKeys, type Revision, traitsOf } from '../protocol/revision.ts';
import type { ClientCapabilities, Implementation, LoggingLevel, ServerCapabilities } from '../protocol/types.ts';
import { required } from './access.ts';
import { type Answer, type DispatchOutcome, forEra, type Reply, toAnswer } from './answer.ts';
import { LacksFeature } from './asking.ts';
import { Call } from './call.ts';
import { complete } from './completion.ts';
import type { ClientIdentity, Outlet } from './context.ts';
import type { Core, Feature } from './core.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { hiddenFrom, listResources, listTemplates, readResource, subscribe, unsubscribe } from './resources.ts';
import { conclude, unseal } from './sealing.ts';
import { type Handshake, initialize, type Session } from './session.ts';
import { listen } from './subscriptions.ts';
import { ToolError } from './tool.ts';
import { callTool, failedCall, listTools } from './tools.ts';

const features: ReadonlyMap<string, Feature> = new Map<string, Feature>([
  ['ping', () => ({ result: {} })],
  ['server/discover', discover],
  ['tools/list', listTools],
  ['tools/call', callTool],
  ['resources/list', listResources],
  ['resources/templates/list', listTemplates],
  ['resources/read', readResource],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
  ['prompts/list', listPrompts],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
  ['logging/setLevel', setLevel],
  ['subscriptions/listen', listen],
]);

/** Whose handlers may ask the client. */
const askable: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

const maxTokenLength = 1_024;
const stillRunning = faults.invalidRequest('A request with this id is still running');

/** Gives a definition what is otherwise loaded after its first answer. */
export function equip(core: Core): void {
  core.serve ??= serve;
  core.hides ??= hiddenFrom;
}

export function serve(session: Session, message: ParsedRequest, outlet: Outlet): DispatchOutcome {
  const { core } = session;
  const { id, method, params } = message;
  const meta = params?.['_meta'] as Params | undefined;
  const fault = metaFault(meta);
  if (fault !== undefined) return { id, error: faults.invalidParams(fault) };
  if (session.running.has(id)) return { id, error: stillRunning };
  // The era belongs to the message: both may share a connection, and neither sees the other's state.
  const caller = core.modern && modernMeta(meta) ? modernCaller(core, session, meta as Params) : legacyCaller(core, session, message);
  if ('id' in caller) return caller;
  if ('code' in caller) return { id, error: caller };
  const { traits, client } = caller;
  const extension = core.extensionMethods.get(method);
  const row = extension ?? methods.get(method);
  const feature = extension?.feature ?? features.get(method);
  if (row === undefined || feature === undefined || !row.revisions.has(traits.revision) || !offered(core, row, caller.capabilities)) {
    return { id, error: faults.methodNotFound(method) };
  }
  const bad = shapeFault(row.params, params);
  if (bad !== undefined) return { id, error: faults.invalidParams(bad) };
  return answer(new Call(session, id, method, traits, client, meta, outlet), feature, params);
}

/** What was agreed in a handshake stays, also when the last of its kind is removed. */
function offered(core: Core, { capability }: MethodInfo, agreed: ServerCapabilities | undefined): boolean {
  return capability === undefined || core.has(capability) || agreed?.[capability] !== undefined;
}

function answer(call: Call, feature: Feature, params: Params | undefined): DispatchOutcome {
  call.about = params?.[call.method.startsWith('resources/') ? 'uri' : 'name'] as string | undefined;
  let reply: Reply | Promise<Reply>;
  try {
    reply = call.core.arounds.length === 0 ? run(call, feature, params) : around(call, feature, params);
  } catch (error) {
    reply = { error: asRpcError(call, error) };
  }
  if (reply instanceof Promise) return track(call, reply);
  call.finish();
  return settled(call, reply);
}

/** Outermost first; each may look, wait, refuse, or go on. */
function around(call: Call, feature: Feature, params: Params | undefined): Promise<Reply> {
  const { arounds } = call.core;
  const { about: name } = call;
  const info = { method: call.method, params: params ?? {}, ctx: call, ...(name !== undefined && { name }) };
  const step = async (at: number): Promise<Reply> => {
    const wrapper = arounds[at];
    if (wrapper === undefined) return run(call, feature, params);
    let given: object | undefined;
    const next = (): Promise<object> => {
      const rest = step(at + 1).then((inner) => {
        if ('error' in inner) throw thrown(inner.error, inner.reason);
        // A list that is kept for everyone must not be changed by a wrapper: it gets a copy.
        given = inner.json === undefined ? inner.result : (JSON.parse(inner.json) as object);
        return given;
      });
      // A wrapper may answer before the rest has ended, and then nobody waits for it.
      rest.catch(() => undefined);
      return rest;
    };
    const result = await wrapper(info, next);
    return { result: given !== undefined && result === given ? given : permitted(call, result) };
  };
  return step(0);
}

function thrown({ code, message, data }: ErrorObject, reason: RpcReason | undefined): RpcError {
  return new RpcError(code, message, { data, reason });
}

/** A result type of an extension goes only to clients that declared it. */
function permitted(call: Call, result: unknown): object {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    throw new VivariumError('ERR_CONFIG', 'A wrapper gave back something that is no result: return what next() gave');
  }
  const { resultType } = result as { resultType?: string };
  if (resultType === undefined || resultType === 'complete' || resultType === 'input_required') return call.finished({ ...result });
  const extension = call.core.resultTypes.get(resultType);
  if (extension !== undefined && call.declares(extension) !== undefined) return call.finished({ ...result });
  throw new VivariumError(
    'ERR_CONFIG',
    `A result of type "${resultType}" is not permitted here: host.resultType() it, and check host.declared(ctx)`,
  );
}

/** A modern call that asks ends in rounds; everything else in one. */
function run(call: Call, feature: Feature, params: Params | undefined): Reply | Promise<Reply> {
  if (call.era === 'legacy' || !askable.has(call.method)) return feature(call, params);
  if (params?.['requestState'] !== undefined) {
    return unseal(call, params).then((refused) => refused ?? rounds(call, params, () => feature(call, params)));
  }
  return rounds(call, params ?? {}, () => feature(call, params));
}

function rounds(call: Call, params: Params, attempt: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
  const reply = attempt();
  const fail = (error: unknown): Reply | Promise<Reply> => {
    if (call.method === 'tools/call') return failedCall(call, params, error);
    throw error;
  };
  if (!(reply instanceof Promise)) return call.asked === undefined ? reply : conclude(call, params, reply, fail);
  return reply.then(
    (done) => (call.asked === undefined ? done : conclude(call, params, done, fail)),
    (error: unknown) => {
      // Whatever it made of the suspension, the questions are open.
      if (call.asked === undefined || call.asked.open.size === 0) throw error;
      return conclude(call, params, undefined, fail);
    },
  );
}

/** Keeps a running call findable, so that it can be cancelled; a cancelled call is answered by nothing, at once. */
function track(call: Call, work: Promise<Reply>): Promise<Answer | undefined> {
  const { running } = call.session;
  running.set(call.requestId, call);
  const outlet = call.begin();
  return new Promise((resolve) => {
    const end = (reply: Reply): void => {
      outlet?.ended?.();
      if (call.cancelled) return;
      running.delete(call.requestId);
      call.finish();
      resolve(settled(call, reply));
    };
    call.release = () => resolve(undefined);
    work.then(end, (error: unknown) => end({ error: asRpcError(call, error) }));
  });
}

function settled({ requestId, traits }: Call, reply: Reply): Answer {
  return toAnswer(requestId, 'error' in reply ? { error: forEra(reply.error, traits) } : reply);
}

/** The one place where an unknown throw becomes a wire error. */
function asRpcError(call: Call, error: unknown): ErrorObject {
  try {
    if (error instanceof LacksFeature) {
      if (call.era === 'modern') return faults.missingCapability(required([error.feature]));
      return faults.invalidParams(`This needs a client that supports ${error.feature}`);
    }
    if (error instanceof RpcError && Number.isInteger(error.code)) {
      // An internal error says nothing to the client; its cause is for the author.
      if (error.cause !== undefined && error.code === faults.internal().code) call.core.report(error.cause, call.method, call.about);
      return error.toObject();
    }
    if (error instanceof ToolError) return { ...faults.internal(), message: error.message };
  } catch {
    // An error that refuses to be looked at is still an error.
  }
  call.core.report(error, call.method, call.about);
  return faults.internal();
}

function setLevel({ session }: Call, params: Params | undefined): Reply {
  session.logLevel = params?.['level'] as LoggingLevel;
  session.onState?.();
  return { result: {} };
}

function modernMeta(meta: Params | undefined): boolean {
  return meta !== undefined && Object.hasOwn(meta, metaKeys.protocolVersion);
}

/** What is wrong with what every modern request brings along; undefined when it can be served. */
export function envelopeFault(core: Core, meta: Params): ErrorObject | undefined {
  const version = meta[metaKeys.protocolVersion];
  if (typeof version !== 'string') return faults.invalidParams(`${metaKeys.protocolVersion} must be a string`);
  const supported = core.perRequest;
  if (!(supported as readonly string[]).includes(version)) {
    const error = faults.unsupportedVersion(supported, version);
    return core.legacy.length === 0 ? error : { ...error, message: `${error.message}; with initialize: ${core.legacy.join(', ')}` };
  }
  return isObject(meta[metaKeys.clientCapabilities]) ? undefined : faults.invalidParams(`${metaKeys.clientCapabilities} must be an object`);
}

function modernCaller(core: Core, session: Session, meta: Params): Handshake | ErrorObject {
  const fault = envelopeFault(core, meta);
  if (fault !== undefined) return fault;
  const traits = traitsOf(meta[metaKeys.protocolVersion] as Revision);
  session.spoken = traits;
  return { traits, client: new ModernClient(meta, meta[metaKeys.clientCapabilities] as ClientCapabilities) };
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
  if (method === 'initialize') return toAnswer(id, initialize(session, params));
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
  const { progressToken, [metaKeys.logLevel]: level } = meta as Params;
  if (progressToken !== undefined && typeof progressToken !== 'string' && !Number.isSafeInteger(progressToken))
    return '_meta.progressToken must be a string or an integer';
  // It comes back with every notification.
  if (typeof progressToken === 'string' && progressToken.length > maxTokenLength)
    return `_meta.progressToken must have at most ${maxTokenLength} characters`;
  // Means something in a modern request only.
  if (level === undefined || !modernMeta(meta as Params)) return undefined;
  return (logLevels as readonly unknown[]).includes(level) ? undefined : `${metaKeys.logLevel} must be one of ${logLevels.join(', ')}`;
}

function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lists only versions a client may name in `_meta`: one that took a legacy date from here would be refused. */
function discover({ core }: Call): Reply {
  return {
    result: core.stamp({
      supportedVersions: core.perRequest,
      capabilities: core.capabilities(),
      ...(core.options.instructions !== undefined && { instructions: core.options.instructions }),
      ...core.caching(true),
    }),
  };
}
