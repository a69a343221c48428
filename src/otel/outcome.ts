// How a request ended, in words that give nothing away.
import type { Attributes } from '@opentelemetry/api';
import { cut, errorCodes, faults, RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { AroundCall } from '../server/core.ts';

export interface RequestOutcome {
  /** For the span and the metric alike. */
  readonly attributes: Attributes;
  readonly failed: boolean;
  readonly message?: string | undefined;
  readonly exception?: Attributes | undefined;
  /** There is no tool or prompt of that name. */
  readonly unknown?: boolean;
}

/** Not a failure: the client changed its mind, or is gone. */
export function cancelled(): RequestOutcome {
  return { attributes: { 'vivarium.cancelled': true }, failed: false };
}

export function ofResult({ method }: AroundCall, result: object): RequestOutcome {
  const failed = method === 'tools/call' && (result as { isError?: unknown }).isError === true;
  return { attributes: failed ? { 'error.type': 'tool_error' } : {}, failed };
}

export function ofError(call: AroundCall, error: unknown, recordArguments: boolean): RequestOutcome {
  try {
    return told(call, error, recordArguments);
  } catch {
    // An error that refuses to be looked at is still an error.
    return { attributes: withCode(errorCodes.internal), failed: true };
  }
}

function told(call: AroundCall, error: unknown, recordArguments: boolean): RequestOutcome {
  const message = error instanceof RpcError ? cut(error.message) : undefined;
  const cause = causeOf(error);
  return {
    attributes: withCode(codeOf(call, error)),
    failed: true,
    message: recordArguments || (message !== undefined && plain.has(message)) ? message : undefined,
    exception: cause === undefined ? undefined : exceptionOf(cause, recordArguments),
    unknown: error instanceof RpcError && error.reason === 'unknown-name',
  };
}

function withCode(code: number): Attributes {
  return { 'error.type': String(code), 'rpc.response.status_code': String(code) };
}

/** Texts of the protocol itself. Any other may quote an argument. */
const plain: ReadonlySet<string> = new Set([
  faults.invalidRequest().message,
  faults.methodNotFound('').message,
  faults.invalidParams('').message,
  faults.internal().message,
  faults.resourceNotFound('').message,
  faults.missingCapability({}).message,
  faults.forbidden([]).message,
]);

/** As the server will answer it. */
function codeOf({ ctx }: AroundCall, error: unknown): number {
  const modern = ctx.era === 'modern';
  if (isLack(error)) return modern ? errorCodes.missingCapability : errorCodes.invalidParams;
  if (!(error instanceof RpcError && Number.isInteger(error.code))) return errorCodes.internal;
  return modern && error.code === errorCodes.resourceNotFound ? errorCodes.invalidParams : error.code;
}

/** A handler asked for what the client cannot do. */
function isLack(error: unknown): boolean {
  return error instanceof VivariumError && error.code === 'ERR_UNSUPPORTED_BY_PEER';
}

/** What nobody expected: an RpcError is an answer, and its code says everything. */
function causeOf(error: unknown): unknown {
  if (error instanceof RpcError) return causeOf(error.cause);
  return isLack(error) ? undefined : error;
}

function exceptionOf(thrown: unknown, recordArguments: boolean): Attributes {
  if (!(thrown instanceof Error)) return { 'exception.type': typeof thrown };
  const { message, stack = '' } = thrown;
  const frames = framesOf(stack, message);
  return {
    'exception.type': cut(String(thrown.name)),
    ...(recordArguments && { 'exception.message': cut(message, 1_024) }),
    ...(frames !== '' && { 'exception.stacktrace': frames }),
  };
}

/** A stack begins with the message, which may itself look like frames; one that does not is not trusted. */
function framesOf(stack: string, message: string): string {
  const at = stack.indexOf(message);
  if (at === -1) return '';
  return stack
    .slice(at + message.length)
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n');
}
