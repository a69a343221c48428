// tools/list and tools/call: tools described per revision, found by name, run, and their outcome told.
import { type ErrorObject, faults, RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import { loadToon, type TextFormat, toonLoaded } from '../protocol/text.ts';
import type { JsonSchema } from '../schema/infer.ts';
import { type CheckResult, wrapSchema } from '../schema/schema.ts';
import { lackingFeature, lackingScopes, metaOf, required } from './access.ts';
import { type Reply, unknownName } from './answer.ts';
import { LacksFeature, PeerRefusal, Suspension, suspended } from './asking.ts';
import { exceeds, shrink } from './budget.ts';
import type { Call } from './call.ts';
import type { ClientFeature } from './context.ts';
import { type ResultOptions, StructuredResult, type Tool, ToolError } from './tool.ts';
import { errorResult, fromFree, fromValue, project, type ToolResult, textResult } from './tool-result.ts';

export function listTools(call: Call, params: Params | undefined): Reply {
  const { core, traits, principal } = call;
  const cursor = params?.['cursor'] as string | undefined;
  const declared = core.declaredBy(call);
  return core.tools.page(
    traits,
    cursor,
    principal,
    (tools, nextCursor, shared) =>
      core.listed({ tools: tools.map((tool) => describeTool(tool, traits, declared)) }, nextCursor, traits, shared),
    declared.join(' '),
  );
}

const noArguments = { type: 'object', additionalProperties: false } as const;

function describeTool(tool: Tool, traits: RevisionTraits, declared: readonly string[]): object {
  const { title, description, icons, annotations } = tool.details;
  const meta = metaOf(tool.details, declared);
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

export function callTool(call: Call, params: Params | undefined): Reply | Promise<Reply> {
  const name = params?.['name'] as string;
  const tool = call.core.tools.get(name);
  if (tool === undefined || (tool.visibleTo !== undefined && !tool.visibleTo(call.principal))) {
    return unknownName('tool', name);
  }
  const refused = gate(call, tool);
  if (refused !== undefined) return refused;
  return run(call, tool, (params as Params)['arguments'] ?? {});
}

function gate(call: Call, tool: Tool): Reply | undefined {
  const forbidden = lackingScopes(call, tool.details);
  if (forbidden !== undefined) return { error: forbidden };
  const lacking = lackingFeature(call, tool.details);
  return lacking === undefined ? undefined : unable(call, tool, lacking, tool.details.needs ?? []);
}

/** 2026-07-28 has a code for it; before, the model is told. */
function unable(call: Call, tool: Tool, lacking: ClientFeature, needs: readonly ClientFeature[]): Reply {
  if (call.era === 'modern') return { error: faults.missingCapability(required(needs)) };
  return { result: textResult(`Tool "${tool.name}" needs a client that supports ${lacking}.`, true) };
}

function run(call: Call, tool: Tool, args: unknown): Reply | Promise<Reply> {
  try {
    if (tool.input === undefined) return invoke(call, tool, {});
    const verdict = tool.input.check(args);
    if (!(verdict instanceof Promise)) return judged(call, tool, verdict);
    return verdict.then((settled) => judged(call, tool, settled)).catch((error: unknown) => failed(call, tool, error));
  } catch (error) {
    return failed(call, tool, error);
  }
}

function judged(call: Call, tool: Tool, verdict: CheckResult): Reply | Promise<Reply> {
  if (verdict.problem === undefined) return invoke(call, tool, verdict.value);
  if (tool.input?.fault !== undefined) call.core.report(new VivariumError('ERR_SCHEMA', tool.input.fault), 'tools/call', tool.name);
  // Up to 2025-06-18 the text said -32602; since 2025-11-25 the model must see it. It helps the model in every revision.
  return reply(call, tool, textResult(`Invalid arguments for tool "${tool.name}": ${verdict.problem}`, true));
}

function invoke(call: Call, tool: Tool, args: unknown): Reply | Promise<Reply> {
  const returned = tool.handler(args as never, call);
  if (!isThenable(returned)) return returnedBy(call, tool, returned);
  return Promise.resolve(returned)
    .then((value) => returnedBy(call, tool, value))
    .catch((error: unknown) => failed(call, tool, error));
}

function returnedBy(call: Call, tool: Tool, returned: unknown): Reply | Promise<Reply> {
  if (tool.output === undefined) {
    const built = fromFree(returned);
    return typeof built === 'string' ? misbuilt(call, tool, built) : reply(call, tool, built);
  }
  const extra = returned instanceof StructuredResult ? returned.options : undefined;
  const verdict = tool.output.check(extra === undefined ? returned : (returned as StructuredResult<unknown>).value);
  if (!(verdict instanceof Promise)) return structured(call, tool, verdict, extra);
  return verdict.then((settled) => structured(call, tool, settled, extra)).catch((error: unknown) => failed(call, tool, error));
}

function structured(call: Call, tool: Tool, verdict: CheckResult, extra: ResultOptions | undefined): Reply | Promise<Reply> {
  if (verdict.problem !== undefined) {
    const text = `Tool "${tool.name}" returned a result that does not match its output schema: ${verdict.problem}`;
    call.core.report(new VivariumError('ERR_SCHEMA', text), 'tools/call', tool.name);
    return reply(call, tool, textResult(text, true));
  }
  if (verdict.value === undefined) return misbuilt(call, tool, 'nothing, though it has an output schema');
  const format = extra?.text ?? tool.text;
  // A call may ask for TOON where its tool does not.
  if (typeof format !== 'function' && format !== 'json' && !toonLoaded())
    return loadToon().then(() => structured(call, tool, verdict, extra));
  const built = fromValue(verdict.value, format as TextFormat, extra);
  return typeof built === 'string' ? misbuilt(call, tool, built) : reply(call, tool, built);
}

function misbuilt(call: Call, tool: Tool, what: string): Reply | Promise<Reply> {
  return failed(call, tool, new VivariumError('ERR_CONFIG', `Tool "${tool.name}" returned ${what}`));
}

/** A call that failed outside its handler. */
export function failedCall(call: Call, params: Params, error: unknown): Reply | Promise<Reply> {
  const tool = call.core.tools.get(params['name'] as string);
  if (tool === undefined) throw error;
  return failed(call, tool, error);
}

/** Every throw of a tool ends here: a protocol error only where the author said so. */
function failed(call: Call, tool: Tool, error: unknown): Reply | Promise<Reply> {
  const known = recognised(error);
  if (known instanceof Suspension) return suspended;
  if (known instanceof LacksFeature) return unable(call, tool, known.feature, [known.feature]);
  if (known instanceof PeerRefusal) return reply(call, tool, textResult(`The client refused ${known.feature}: ${known.message}`, true));
  if (known instanceof RpcError) return { error: protocolError(known) };
  if (known instanceof ToolError) {
    const built = errorResult(known);
    return typeof built === 'string' ? misbuilt(call, tool, built) : reply(call, tool, built);
  }
  if (call.cancelled) return reply(call, tool, textResult('Cancelled', true));
  const ref = call.core.report(error, 'tools/call', tool.name);
  const text =
    call.core.options.errors === 'masked' ? `Tool "${tool.name}" failed (ref ${ref})` : (known?.message ?? `Tool "${tool.name}" failed`);
  return reply(call, tool, textResult(text, true));
}

/** Authors throw anything: a proxy that refuses to be looked at, an error whose message throws. */
function recognised(error: unknown): Error | { readonly message: string } | undefined {
  try {
    if (error instanceof RpcError || error instanceof ToolError || error instanceof Suspension || error instanceof LacksFeature)
      return error;
    return error instanceof Error && typeof error.message === 'string' && error.message !== '' ? { message: error.message } : undefined;
  } catch {
    return undefined;
  }
}

function protocolError(error: RpcError): ErrorObject {
  return Number.isInteger(error.code) ? error.toObject() : faults.internal();
}

function reply(call: Call, tool: Tool, built: ToolResult): Reply | Promise<Reply> {
  const limit = tool.limit ?? call.core.limit;
  if (limit !== undefined && exceeds(built, limit)) return shrink(call, tool, built, limit).then((fitted) => finished(call, tool, fitted));
  return finished(call, tool, built);
}

function finished(call: Call, tool: Tool, built: ToolResult): Reply {
  // What a failure adds is not what the schema promises: there the value decides.
  return { result: call.finished(project(built, call.traits, built.isError ? undefined : tool.wraps)) };
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
