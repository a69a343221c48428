// What was thrown, in parts: every look at it may run the user's code or throw again.
import { inspect, types } from 'node:util';

export interface Frame {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Fault {
  readonly type: string;
  readonly message: string;
  readonly frames: readonly Frame[];
  readonly kind: 'error' | 'syntax' | 'stack' | 'thrown';
  /** Causes, innermost last, and the errors of an AggregateError. */
  readonly causes?: readonly string[];
  /** Its own properties beyond these, such as `code`. */
  readonly details?: string;
}

const most = 4_000;
const usual = new Set(['stack', 'message', 'name', 'cause', 'errors']);

export function faultOf(thrown: unknown): Fault {
  if (!isError(thrown)) return { type: typeof thrown, message: show(thrown), frames: [], kind: 'thrown' };
  const type = text(read(thrown, 'name')) || text(read(read(thrown, 'constructor'), 'name')) || 'Error';
  const message = text(read(thrown, 'message'));
  const causes = causesOf(thrown);
  const details = detailsOf(thrown);
  return {
    type: type.slice(0, 200),
    message: message.slice(0, most),
    frames: framesIn(text(read(thrown, 'stack'))),
    kind: type === 'RangeError' && /call stack/.test(message) ? 'stack' : type === 'SyntaxError' ? 'syntax' : 'error',
    ...(causes.length > 0 && { causes }),
    ...(details !== undefined && { details }),
  };
}

/** In the words of the engine: `at name (file:line:column)`. */
export function framesIn(stack: string): Frame[] {
  const frames: Frame[] = [];
  for (const line of stack.split('\n')) {
    const found = /^\s+at (?:(.*?) \()?(?:(.*?):(\d+):(\d+)|<anonymous>|native)\)?$/.exec(line);
    if (found === null || frames.length >= 100) continue;
    const [, name = '', file = '', at = '0', column = '0'] = found;
    frames.push({ name: name.replace(/^async /, ''), file: file.replace(/^async /, ''), line: Number(at), column: Number(column) });
  }
  return frames;
}

function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  for (
    let cause = read(error, 'cause');
    cause !== undefined && causes.length < 5;
    cause = isError(cause) ? read(cause, 'cause') : undefined
  ) {
    causes.push(isError(cause) ? `${text(read(cause, 'name'))}: ${text(read(cause, 'message'))}`.slice(0, 500) : show(cause));
  }
  const errors = read(error, 'errors');
  if (Array.isArray(errors)) for (const one of errors.slice(0, 5)) causes.push(show(one).split('\n')[0] ?? '');
  return causes;
}

function detailsOf(error: object): string | undefined {
  try {
    const own = Object.entries(Object.getOwnPropertyDescriptors(error)).filter(
      ([key, { value }]) => !usual.has(key) && value !== undefined,
    );
    if (own.length === 0) return undefined;
    return show(Object.fromEntries(own.slice(0, 20).map(([key, { value }]) => [key, value])));
  } catch {
    return undefined;
  }
}

function isError(value: unknown): value is object {
  return types.isNativeError(value) || (typeof value === 'object' && value !== null && !types.isProxy(value) && value instanceof Error);
}

function read(from: unknown, key: string): unknown {
  try {
    return (from as Record<string, unknown> | undefined)?.[key];
  } catch {
    return undefined;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function show(value: unknown): string {
  try {
    return inspect(value, { depth: 2, maxStringLength: 1_000, maxArrayLength: 20, showProxy: true, customInspect: false }).slice(0, most);
  } catch {
    return '(it cannot be shown)';
  }
}
