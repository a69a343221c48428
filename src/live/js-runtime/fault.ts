// What was thrown, in parts: every look at it may run the user's code or throw again.
import type { Fault, Frame } from '../image/engine.ts';
import { isOwnFile } from './own-frames.ts';
import {
  append,
  defineProperty,
  exec,
  getOwnPropertyDescriptor,
  hasOwn,
  indexOf,
  isArray,
  isNativeError,
  isProxy,
  ownKeys,
  part,
  slice,
} from './primordials.ts';
import { print } from './pristine-inspect.ts';

const most = 4_000;
const maxFrames = 100;
/** Of a line of a stack, which has the name of a function in it. */
const maxLine = 2_000;
const maxDetails = 20;
const BaseError = Error;
const { min } = Math;

export function faultOf(thrown: unknown): Fault {
  if (!isError(thrown)) return { type: typeof thrown, message: show(thrown), frames: [], kind: 'thrown' };
  const type = text(read(thrown, 'name')) || text(read(read(thrown, 'constructor'), 'name')) || 'Error';
  const message = text(read(thrown, 'message'));
  const causes = causesOf(thrown);
  const details = detailsOf(thrown);
  const deep = type === 'RangeError' && exec(/call stack/, message) !== null;
  return {
    type: slice(type, 0, 200),
    message: slice(message, 0, most),
    frames: framesIn(text(read(thrown, 'stack'))),
    kind: deep ? 'stack' : type === 'SyntaxError' ? 'syntax' : 'error',
    ...(causes.length > 0 && { causes }),
    ...(details !== undefined && { details }),
  };
}

/** In the words of the engine: `at name (file:line:column)`. */
function framesIn(stack: string): Frame[] {
  const frames: Frame[] = [];
  for (let from = 0; from <= stack.length && frames.length < maxFrames; ) {
    const next = indexOf(stack, '\n', from);
    const end = next < 0 ? stack.length : next;
    const found = exec(/^\s+at (?:(.*?) \()?(?:(.*?):(\d+):(\d+)|<anonymous>|native)\)?$/, slice(stack, from, min(end, from + maxLine)));
    from = end + 1;
    if (found === null) continue;
    const file = awaited(found[2] ?? '');
    const place = { name: awaited(found[1] ?? ''), file, line: +(found[3] ?? 0), column: +(found[4] ?? 0) };
    // What the loader put into a file stands in no column of it.
    append(frames, isOwnFile(file) || found[4] === '0' ? { ...place, own: false } : place);
  }
  return frames;
}

function awaited(name: string): string {
  return slice(name, 0, 6) === 'async ' ? slice(name, 6) : name;
}

function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  for (
    let cause = read(error, 'cause');
    cause !== undefined && causes.length < 5;
    cause = isError(cause) ? read(cause, 'cause') : undefined
  ) {
    append(causes, isError(cause) ? slice(`${text(read(cause, 'name'))}: ${text(read(cause, 'message'))}`, 0, 500) : show(cause));
  }
  const errors = read(error, 'errors');
  const several = isArray(errors) && !isProxy(errors) ? part(errors, 0, 5) : [];
  for (let at = 0; at < several.length; at++) append(causes, firstLine(show(several[at])));
  return causes;
}

function firstLine(lines: string): string {
  const end = indexOf(lines, '\n');
  return end < 0 ? lines : slice(lines, 0, end);
}

/** Without running a getter. */
function detailsOf(error: object): string | undefined {
  try {
    const keys = ownKeys(error);
    const own = {};
    let count = 0;
    for (let at = 0; at < keys.length && count < maxDetails; at++) {
      const key = keys[at] as string;
      const found = getOwnPropertyDescriptor(error, key);
      if (typeof key !== 'string' || isUsual(key) || found === undefined || !hasOwn(found, 'value') || found.value === undefined) continue;
      defineProperty(own, key, { __proto__: null, value: found.value, enumerable: true } as PropertyDescriptor);
      count++;
    }
    return count === 0 ? undefined : show(own);
  } catch {
    return undefined;
  }
}

function isUsual(key: string): boolean {
  return key === 'stack' || key === 'message' || key === 'name' || key === 'cause' || key === 'errors';
}

function isError(value: unknown): value is object {
  return isNativeError(value) || (typeof value === 'object' && value !== null && !isProxy(value) && value instanceof BaseError);
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
    return slice(print(value, { depth: 2, maxStringLength: 1_000, maxArrayLength: 20, showProxy: true, customInspect: false }), 0, most);
  } catch {
    return '(it cannot be shown)';
  }
}
