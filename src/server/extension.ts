// Extensions: methods, result types, notifications and traits that the core does not know.
import { faults, VivariumError } from '../jsonrpc/error.ts';
import { isReserved, type MethodInfo, type ParamShape } from '../protocol/methods.ts';
import { type Revision, statelessRevisions } from '../protocol/revision.ts';
import { lackingScopes } from './access.ts';
import type { Reply } from './answer.ts';
import type { Call } from './call.ts';
import type { BaseContext, Context } from './context.ts';
import type { AroundCall, Core, Feature } from './core.ts';
import type { Server } from './server.ts';

export interface Extension {
  /** `prefix/name`; the key under `capabilities.extensions`. */
  readonly id: string;
  /** What the server declares under that key. Default: an empty object. */
  readonly settings?: object;
  /** Runs once, when the server is told to use it. */
  install(host: ExtensionHost): void;
}

/** Settings of one tool, prompt or resource for the extension that made them; given with `with`. */
export interface Trait {
  readonly extension: string;
  readonly settings: unknown;
  /** `_meta` in lists, for clients that declared the extension. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface ExtensionMethodOptions {
  readonly params?: ParamShape;
  /** Default: 2026-07-28. */
  readonly revisions?: readonly Revision[];
  /** The parameter that the header `Mcp-Name` must repeat over HTTP. */
  readonly mcpName?: string;
  /** All of these must have been granted to the caller. */
  readonly scopes?: readonly string[];
}

export interface ExtensionCall extends Omit<AroundCall, 'ctx'> {
  readonly ctx: Context;
  /** Of the thing that is called, by this extension. */
  readonly traits: readonly Trait[];
}

export interface ExtensionHost {
  /** A method of its own; one that exists already cannot be replaced. A client that did not declare the extension is refused. */
  method(
    name: string,
    options: ExtensionMethodOptions,
    handler: (params: Readonly<Record<string, unknown>>, ctx: BaseContext) => object | Promise<object>,
  ): void;
  /** Permits results of this type, to clients that declared the extension. */
  resultType(name: string): void;
  /** A notification; `listen` names the member of the listen filter whose values say who is told. With `all`, `true` there means everything. */
  notification(method: string, options: { readonly listen: string; readonly all?: boolean }): (value: unknown, params?: object) => void;
  /** Wraps `tools/call`, `prompts/get` or `resources/read`. */
  around(
    method: 'tools/call' | 'prompts/get' | 'resources/read',
    wrapper: (call: ExtensionCall, next: () => Promise<object>) => Promise<object>,
  ): void;
  readonly tool: Server['tool'];
  readonly resource: Server['resource'];
  readonly prompt: Server['prompt'];
  /** The client's settings for this extension, or undefined when it did not declare it. */
  declared(ctx: BaseContext): object | undefined;
}

export interface ExtensionMethod extends MethodInfo {
  readonly mcpName: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly feature: Feature;
}

const coreMembers: ReadonlySet<string> = new Set([
  'toolsListChanged',
  'promptsListChanged',
  'resourcesListChanged',
  'resourceSubscriptions',
]);

export function install(server: Server, core: Core, extension: Extension): void {
  const { id } = extension;
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?\/[\w.-]+$/i.test(id)) {
    throw new VivariumError('ERR_CONFIG', `${JSON.stringify(id)} cannot name an extension: write prefix/name`);
  }
  if (core.extensions.has(id)) throw new VivariumError('ERR_DUPLICATE', `The extension "${id}" is in use already: use it once`);
  const host: ExtensionHost = {
    method(name, options, handler) {
      if (isReserved(name) || core.extensionMethods.has(name)) {
        throw new VivariumError('ERR_DUPLICATE', `The method "${name}" exists already: an extension adds methods, it replaces none`);
      }
      core.extensionMethods.set(name, {
        method: name,
        kind: 'request',
        sender: 'client',
        revisions: new Set(options.revisions ?? statelessRevisions),
        params: options.params ?? [],
        mcpName: options.mcpName,
        scopes: options.scopes,
        feature: (call, params) => serveMethod(call, id, options, () => handler(params ?? {}, call)),
      });
    },
    resultType(name) {
      if (name === 'complete' || name === 'input_required' || (core.resultTypes.get(name) ?? id) !== id) {
        throw new VivariumError('ERR_DUPLICATE', `The result type "${name}" is taken: choose another name`);
      }
      core.resultTypes.set(name, id);
    },
    notification(method, { listen, all = false }) {
      if (coreMembers.has(listen) || (core.listenMembers.get(listen) ?? id) !== id) {
        throw new VivariumError('ERR_DUPLICATE', `The listen filter has a member "${listen}" already: choose another name`);
      }
      core.listenMembers.set(listen, id);
      if (all) core.listenAll.add(listen);
      return (value, params) => core.changed({ kind: 'extension', member: listen, value, method, ...(params !== undefined && { params }) });
    },
    around(method, wrapper) {
      core.arounds.push(async (call, next) => {
        if (call.method !== method) return next();
        const traits = (await traitsFor(core, call)).filter((trait) => trait.extension === id);
        return wrapper({ ...call, ctx: call.ctx as Context, traits }, next);
      });
    },
    tool: server.tool.bind(server),
    resource: server.resource.bind(server),
    prompt: server.prompt.bind(server),
    declared: (ctx) => (ctx as Call).declares(id),
  };
  const undo = snapshot(core);
  try {
    extension.install(host);
  } catch (error) {
    undo();
    throw error;
  }
  // Declared only when all of it is there.
  core.extensions.set(id, extension.settings ?? {});
}

/** An extension that fails half-way leaves nothing behind of what it hooked in. */
function snapshot(core: Core): () => void {
  const maps = [core.extensionMethods, core.listenMembers, core.resultTypes] as Map<string, unknown>[];
  const before = maps.map((map) => new Set(map.keys()));
  const wrappers = core.arounds.length;
  return () => {
    core.arounds.length = wrappers;
    maps.forEach((map, at) => {
      for (const key of map.keys()) if (!before[at]?.has(key)) map.delete(key);
    });
  };
}

/** Of the tool, prompt or resource that a call is about, if the caller can see it. */
async function traitsFor(core: Core, { method, params, ctx }: AroundCall): Promise<readonly Trait[]> {
  const name = params['name'] as string;
  // Loaded by now, because a call is under way; a static import would load it before the first answer.
  const { findResource } = await import('./resources.ts');
  const found =
    method === 'tools/call' ? core.tools.get(name) : method === 'prompts/get' ? core.prompts.get(name) : findResource(ctx as Call, params);
  return (found?.visibleTo?.(ctx.principal) === false ? undefined : found?.details.with) ?? [];
}

async function serveMethod(
  call: Call,
  id: string,
  options: ExtensionMethodOptions,
  handler: () => object | Promise<object>,
): Promise<Reply> {
  const forbidden = lackingScopes(call, options);
  if (forbidden !== undefined) return { error: forbidden };
  if (call.declares(id) === undefined) return { error: faults.missingCapability({ extensions: { [id]: {} } }) };
  return { result: call.finished({ ...(await handler()) }) };
}
