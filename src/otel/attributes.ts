// What is known of a request when it arrives, under the names of the conventions.
import type { Attributes } from '@opentelemetry/api';
import { cut } from '../jsonrpc/error.ts';
import type { AroundCall } from '../server/core.ts';
import { hideMembers } from '../text/secret-members.ts';
import { hideSecrets } from '../text/secrets.ts';
import { unfinishedSecret } from '../text/unfinished-secret.ts';

export interface Description {
  /** Of the span. */
  readonly name: string;
  readonly span: Attributes;
  /** Few enough values for a metric. */
  readonly metric: Attributes;
  /** As few, if what is named exists. */
  readonly named: Attributes;
}

/** Clients choose these texts, and a span processor keeps them. */
const maxText = 1_024;
const maxRecorded = 16_384;
const hidden = 'REDACTED';

export function describe(call: AroundCall, recordArguments: boolean): Description {
  const { method, ctx } = call;
  const tool = method === 'tools/call' ? textOf(call.name) : undefined;
  const prompt = method === 'prompts/get' ? textOf(call.name) : undefined;
  const target = tool ?? prompt;
  const uri = method.startsWith('resources/') ? textOf(call.name) : undefined;
  const completed = method === 'completion/complete' ? completedPrompt(call) : undefined;
  const { sessionId } = ctx;
  const metric = {
    'mcp.method.name': method,
    'mcp.protocol.version': ctx.revision,
    ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
  };
  const named = {
    ...(tool !== undefined && { 'gen_ai.tool.name': tool }),
    ...(prompt !== undefined && { 'gen_ai.prompt.name': prompt }),
  };
  const span = {
    ...metric,
    ...named,
    ...(completed !== undefined && { 'gen_ai.prompt.name': completed }),
    // Not in the name of the span: there are too many.
    ...(uri !== undefined && { 'mcp.resource.uri': recordArguments ? uri : withoutSecrets(uri) }),
    ...(sessionId !== undefined && { 'mcp.session.id': sessionId }),
    'jsonrpc.request.id': cut(String(ctx.requestId), maxText),
  };
  return { name: target === undefined ? method : `${method} ${target}`, span, metric, named };
}

/** An extension's method may have anything as its `name`. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? cut(value, maxText) : undefined;
}

function completedPrompt({ params }: AroundCall): string | undefined {
  const ref = params['ref'] as { readonly type?: unknown; readonly name?: unknown } | undefined;
  return ref?.type === 'ref/prompt' ? textOf(ref.name) : undefined;
}

/** Credentials, and the query, which is where templates have their optional arguments. */
function withoutSecrets(uri: string): string {
  return uri.replace(/^([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/?#]*@/, '$1REDACTED@').replace(/([?#]).*$/s, `$1${hidden}`);
}

export function argumentsOf({ method, params }: AroundCall): Attributes {
  return method === 'tools/call' ? { 'gen_ai.tool.call.arguments': written(params['arguments'] ?? {}) } : {};
}

export function resultOf({ method }: AroundCall, result: object): Attributes {
  if (method !== 'tools/call' || (result as { isError?: unknown }).isError === true) return {};
  return { 'gen_ai.tool.call.result': written(result) };
}

function written(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  const start = json.slice(0, maxRecorded);
  // What is cut off in the midst of a secret is not shown by half.
  const whole = json.length <= maxRecorded ? start : start.slice(0, start.length - unfinishedSecret(start, { cutOff: true }));
  const shown = hideSecrets(hideMembers(whole, hidden), () => hidden, { json: true });
  return json.length <= maxRecorded ? shown : `${shown}…`;
}
