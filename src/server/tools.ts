// Tools: registered once, described per revision, called by name.
import { cut, type ErrorObject, errorCodes, faults, RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import { loadToon } from '../protocol/text.ts';
import type { Schema, Verdict } from '../schema/schema.ts';
import type { Reply } from './answer.ts';
import type { CallContext, ClientFeature, Principal } from './context.ts';
import type { Core } from './core.ts';
import type { Listed } from './listing.ts';
import { errorResult, fromFree, fromValue, project, StructuredResult, ToolError, type ToolResult, textResult } from './result.ts';
import type { ToolDetails, ToolOptions } from './tool-options.ts';

export type AnyHandler = (args: never, ctx: CallContext) => unknown;
type AnyText = NonNullable<ToolOptions<unknown, unknown>['text']>;

const noArguments = { type: 'object', additionalProperties: false } as const;

export class Tool implements Listed {
  readonly name: string;
  readonly details: ToolDetails;
  readonly handler: AnyHandler;
  readonly input: Schema | undefined;
  readonly output: Schema | undefined;
  readonly text: AnyText;
  readonly visibleTo?: (principal: Principal | undefined) => boolean;
  #toonReady: boolean;

  constructor(
    name: string,
    details: ToolDetails,
    handler: AnyHandler,
    input: Schema | undefined,
    output: Schema | undefined,
    text: AnyText,
  ) {
    this.name = name;
    this.details = details;
    this.handler = handler;
    this.input = input;
    this.output = output;
    this.text = text;
    this.#toonReady = output === undefined || typeof text === 'function' || text === 'json';
    if (details.visible !== undefined) this.visibleTo = details.visible;
  }

  with(details: ToolDetails): Tool {
    return new Tool(this.name, { ...this.details, ...details }, this.handler, this.input, this.output, this.text);
  }

  get ready(): boolean {
    return this.#toonReady && (this.input === undefined || this.input.ready) && (this.output === undefined || this.output.ready);
  }

  /** Compiles what a call needs; undefined when that took no waiting. */
  prepare(): Promise<void> | undefined {
    const steps = [this.input?.prepare(), this.output?.prepare(), this.#toonReady ? undefined : this.#loadToon()];
    const waits = steps.filter((step) => step !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  async #loadToon(): Promise<void> {
    await loadToon();
    this.#toonReady = true;
  }

  describe(traits: RevisionTraits): object {
    const { title, description, icons, annotations, meta } = this.details;
    const output = this.output === undefined || traits.structured === 'none' ? undefined : schemaFor(this.output.json, traits);
    return {
      name: this.name,
      ...(title !== undefined && traits.titles && { title }),
      ...(description !== undefined && { description }),
      ...(icons !== undefined && traits.icons && { icons }),
      inputSchema: this.input?.json ?? noArguments,
      ...(output !== undefined && { outputSchema: output }),
      ...(annotations !== undefined && traits.annotations && { annotations }),
      ...(meta !== undefined && { _meta: meta }),
    };
  }
}

/** Up to 2025-11-25 an output schema has an object at its root; any other is wrapped as its values are. */
function schemaFor(json: object, traits: RevisionTraits): object {
  if (traits.structured === 'any' || (json as { type?: unknown }).type === 'object') return json;
  return { type: 'object', properties: { result: json }, required: ['result'] };
}

export function listTools(core: Core, ctx: CallContext, params: Params | undefined): Reply {
  return core.tools.page(ctx.traits, params?.['cursor'] as string | undefined, ctx.principal);
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
  // Up to 2025-06-18 the text said -32602; since 2025-11-25 the model must see it. It helps the model in every revision.
  return reply(core, ctx, textResult(`Invalid arguments for tool "${tool.name}": ${verdict.problem}`, true));
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
    if (typeof built !== 'string') return reply(core, ctx, built);
    return failed(core, ctx, tool, new VivariumError('ERR_CONFIG', `Tool "${tool.name}" returned ${built}`));
  }
  const extra = returned instanceof StructuredResult ? returned.options : undefined;
  const verdict = tool.output.check(extra === undefined ? returned : (returned as StructuredResult<unknown>).value);
  if (!(verdict instanceof Promise)) return structured(core, ctx, tool, verdict, extra);
  return verdict.then((settled) => structured(core, ctx, tool, settled, extra));
}

function structured(
  core: Core,
  ctx: CallContext,
  tool: Tool,
  verdict: Verdict,
  extra: StructuredResult<unknown>['options'] | undefined,
): Reply {
  if (verdict.problem === undefined) return reply(core, ctx, fromValue(verdict.value, tool.text, extra));
  const text = `Tool "${tool.name}" returned a result that does not match its output schema: ${verdict.problem}`;
  core.report(new VivariumError('ERR_SCHEMA', text), 'tools/call', tool.name);
  return reply(core, ctx, textResult(text, true));
}

/** Every throw of a tool ends here: a protocol error only where the author said so. */
function failed(core: Core, ctx: CallContext, tool: Tool, error: unknown): Reply {
  if (error instanceof RpcError) return { error: protocolError(error) };
  if (error instanceof ToolError) return reply(core, ctx, errorResult(error));
  if (ctx.cancelled) return reply(core, ctx, textResult('Cancelled', true));
  const ref = core.report(error, 'tools/call', tool.name);
  if (ref !== undefined) return reply(core, ctx, textResult(`Tool "${tool.name}" failed (ref ${ref})`, true));
  const message = error instanceof Error && typeof error.message === 'string' && error.message !== '' ? error.message : undefined;
  return reply(core, ctx, textResult(message ?? `Tool "${tool.name}" failed`, true));
}

function protocolError(error: RpcError): ErrorObject {
  return Number.isInteger(error.code) ? error.toObject() : faults.internal();
}

function reply(core: Core, ctx: CallContext, built: ToolResult): Reply {
  const projected = project(built, ctx.traits);
  return { result: ctx.traits.era === 'modern' ? core.stamp(projected) : projected };
}

/** Promises of other libraries too. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
