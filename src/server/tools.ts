// tools/list and tools/call: tools described per revision, found by name, run, and their outcome told.
import { cut, type ErrorObject, errorCodes, faults, RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import { loadToon, type TextFormat, toonLoaded } from '../protocol/text.ts';
import type { JsonSchema } from '../schema/infer.ts';
import { type Verdict, wrapSchema } from '../schema/schema.ts';
import type { Reply } from './answer.ts';
import type { CallContext, ClientFeature } from './context.ts';
import type { Core } from './core.ts';
import { type ResultOptions, StructuredResult, ToolError } from './result.ts';
import type { Tool } from './tool.ts';
import { errorResult, fromFree, fromValue, project, type ToolResult, textResult } from './tool-result.ts';

export function listTools(core: Core, ctx: CallContext, params: Params | undefined): Reply {
  const { traits, principal } = ctx;
  return core.tools.page(traits, params?.['cursor'] as string | undefined, principal, (tools, nextCursor, shared) =>
    core.listed({ tools: tools.map((tool) => describeTool(tool, traits)) }, nextCursor, traits, shared),
  );
}

const noArguments = { type: 'object', additionalProperties: false } as const;

function describeTool(tool: Tool, traits: RevisionTraits): object {
  const { title, description, icons, annotations, meta } = tool.details;
  const output = tool.output === undefined || traits.structured === 'none' ? undefined : schemaFor(tool.output.json, traits);
  return {
    name: tool.name,
    ...(title !== undefined && traits.titles && { title }),
    ...(description !== undefined && { description }),
    ...(icons !== undefined && traits.icons && { icons }),
    inputSchema: tool.input?.json ?? noArguments,
    ...(output !== undefined && { outputSchema: output }),
    ...(annotations !== undefined && traits.annotations && { annotations }),
    ...(meta !== undefined && { _meta: meta }),
  };
}

export function callTool(core: Core, ctx: CallContext, params: Params | undefined): Reply | Promise<Reply> {
  const name = params?.['name'] as string;
  const tool = core.tools.get(name);
  if (tool === undefined || (tool.visibleTo !== undefined && !tool.visibleTo(ctx.principal))) {
    return {
      error: { code: errorCodes.invalidParams, message: `Unknown tool: ${cut(name)}`, data: { details: `Unknown tool: ${cut(name)}` } },
    };
  }
  const refused = gate(tool, ctx);
  if (refused !== undefined) return refused;
  return run(core, ctx, tool, (params as Params)['arguments'] ?? {});
}

function gate(tool: Tool, ctx: CallContext): Reply | undefined {
  const { scopes, needs } = tool.details;
  const { principal } = ctx;
  if (scopes !== undefined && principal !== undefined && !scopes.every((scope) => principal.scopes.includes(scope))) {
    return { error: faults.forbidden(scopes) };
  }
  const lacking = needs?.find((feature) => !ctx.can(feature));
  if (lacking === undefined) return undefined;
  if (ctx.era === 'modern') return { error: faults.missingCapability(required(needs as readonly ClientFeature[])) };
  return { result: textResult(`Tool "${tool.name}" needs a client that supports ${lacking}.`, true) };
}

function required(needs: readonly ClientFeature[]): object {
  const wanted: Record<string, Record<string, object>> = {};
  for (const feature of needs) {
    const [capability = feature, part] = feature.split('.');
    wanted[capability] = { ...wanted[capability], ...(part !== undefined && { [part]: {} }) };
  }
  return wanted;
}

function run(core: Core, ctx: CallContext, tool: Tool, args: unknown): Reply | Promise<Reply> {
  try {
    if (tool.input === undefined) return invoke(core, ctx, tool, {});
    const verdict = tool.input.check(args);
    if (!(verdict instanceof Promise)) return judged(core, ctx, tool, verdict);
    return verdict.then((settled) => judged(core, ctx, tool, settled)).catch((error: unknown) => failed(core, ctx, tool, error));
  } catch (error) {
    return failed(core, ctx, tool, error);
  }
}

function judged(core: Core, ctx: CallContext, tool: Tool, verdict: Verdict): Reply | Promise<Reply> {
  if (verdict.problem === undefined) return invoke(core, ctx, tool, verdict.value);
  if (tool.input?.fault !== undefined) core.report(new VivariumError('ERR_SCHEMA', tool.input.fault), 'tools/call', tool.name);
  // Up to 2025-06-18 the text said -32602; since 2025-11-25 the model must see it. It helps the model in every revision.
  return reply(core, ctx, tool, textResult(`Invalid arguments for tool "${tool.name}": ${verdict.problem}`, true));
}

function invoke(core: Core, ctx: CallContext, tool: Tool, args: unknown): Reply | Promise<Reply> {
  const returned = tool.handler(args as never, ctx);
  if (!isThenable(returned)) return returnedBy(core, ctx, tool, returned);
  return Promise.resolve(returned)
    .then((value) => returnedBy(core, ctx, tool, value))
    .catch((error: unknown) => failed(core, ctx, tool, error));
}

function returnedBy(core: Core, ctx: CallContext, tool: Tool, returned: unknown): Reply | Promise<Reply> {
  if (tool.output === undefined) {
    const built = fromFree(returned);
    return typeof built === 'string' ? misbuilt(core, ctx, tool, built) : reply(core, ctx, tool, built);
  }
  const extra = returned instanceof StructuredResult ? returned.options : undefined;
  const verdict = tool.output.check(extra === undefined ? returned : (returned as StructuredResult<unknown>).value);
  if (!(verdict instanceof Promise)) return structured(core, ctx, tool, verdict, extra);
  return verdict.then((settled) => structured(core, ctx, tool, settled, extra)).catch((error: unknown) => failed(core, ctx, tool, error));
}

function structured(core: Core, ctx: CallContext, tool: Tool, verdict: Verdict, extra: ResultOptions | undefined): Reply | Promise<Reply> {
  if (verdict.problem !== undefined) {
    const text = `Tool "${tool.name}" returned a result that does not match its output schema: ${verdict.problem}`;
    core.report(new VivariumError('ERR_SCHEMA', text), 'tools/call', tool.name);
    return reply(core, ctx, tool, textResult(text, true));
  }
  const format = extra?.text ?? tool.text;
  // A call may ask for TOON where its tool does not.
  if (typeof format !== 'function' && format !== 'json' && !toonLoaded())
    return loadToon().then(() => structured(core, ctx, tool, verdict, extra));
  const built = fromValue(verdict.value, format as TextFormat, extra);
  return typeof built === 'string' ? misbuilt(core, ctx, tool, built) : reply(core, ctx, tool, built);
}

function misbuilt(core: Core, ctx: CallContext, tool: Tool, what: string): Reply {
  return failed(core, ctx, tool, new VivariumError('ERR_CONFIG', `Tool "${tool.name}" returned ${what}`));
}

/** Every throw of a tool ends here: a protocol error only where the author said so. */
function failed(core: Core, ctx: CallContext, tool: Tool, error: unknown): Reply {
  const known = recognised(error);
  if (known instanceof RpcError) return { error: protocolError(known) };
  if (known instanceof ToolError) {
    const built = errorResult(known);
    return typeof built === 'string' ? misbuilt(core, ctx, tool, built) : reply(core, ctx, tool, built);
  }
  if (ctx.cancelled) return reply(core, ctx, tool, textResult('Cancelled', true));
  const ref = core.report(error, 'tools/call', tool.name);
  const text =
    core.options.errors === 'masked' ? `Tool "${tool.name}" failed (ref ${ref})` : (known?.message ?? `Tool "${tool.name}" failed`);
  return reply(core, ctx, tool, textResult(text, true));
}

/** Authors throw anything: a proxy that refuses to be looked at, an error whose message throws. */
function recognised(error: unknown): Error | { readonly message: string } | undefined {
  try {
    if (error instanceof RpcError || error instanceof ToolError) return error;
    return error instanceof Error && typeof error.message === 'string' && error.message !== '' ? { message: error.message } : undefined;
  } catch {
    return undefined;
  }
}

function protocolError(error: RpcError): ErrorObject {
  return Number.isInteger(error.code) ? error.toObject() : faults.internal();
}

function reply(core: Core, ctx: CallContext, tool: Tool, built: ToolResult): Reply {
  const projected = project(built, ctx.traits, tool.wraps);
  return { result: ctx.traits.era === 'modern' ? core.stamp(projected) : projected };
}

/** Promises of other libraries too. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Up to 2025-11-25 an output schema has an object at its root; any other is wrapped as its values are. */
function schemaFor(json: JsonSchema, traits: RevisionTraits): object {
  return traits.structured === 'any' || isObjectSchema(json) ? json : wrapSchema(json);
}

function isObjectSchema(json: object): boolean {
  return (json as { type?: unknown }).type === 'object';
}
