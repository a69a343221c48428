// Values the session holds on to: the last one, the last error, and whatever was shown with a number.
import { inspect, types } from 'node:util';
import { type Fault, faultOf } from './fault.ts';
import { Refs } from './refs.ts';

export interface View {
  /** How it prints, bounded. */
  readonly text: string;
  readonly type: string;
  /** Objects and functions are kept under a number. */
  readonly ref?: number;
  /** There is more than the text shows. */
  readonly cut?: true;
}

export interface Member {
  readonly key: string;
  readonly text: string;
  readonly ref?: number;
}

export interface Members extends View {
  readonly members: readonly Member[];
  readonly offset: number;
  readonly total: number;
  readonly proto?: string;
}

const mostText = 10_000;
const pageLength = 50;
const mostKeys = 1_000;
const shownKeys = 50;
const mostKey = 200;
const plain = { depth: 3, maxStringLength: 5_000, maxArrayLength: 50, breakLength: 100, showProxy: true };

export class Keeper {
  readonly #refs: Refs = new Refs();

  constructor() {
    for (const name of ['_', '_err']) Object.defineProperty(globalThis, name, { value: undefined, writable: true, configurable: true });
  }

  /** The value of a cell: `_` from now on. */
  keep(value: unknown): View {
    define('_', value);
    return this.view(value, true);
  }

  fault(thrown: unknown): Fault & { readonly ref?: number } {
    define('_err', thrown);
    const ref = this.#refs.number(thrown);
    return { ...faultOf(thrown), ...(ref !== undefined && { ref }) };
  }

  view(value: unknown, custom = false): View {
    const ref = this.#refs.number(value);
    const { text, cut } = show(value, custom);
    return { text, type: typeOf(value), ...(ref !== undefined && { ref }), ...(cut && { cut: true as const }) };
  }

  /** What a number stands for. */
  get(ref: number): unknown {
    return this.#refs.get(ref);
  }

  /** Along keys or indices, without running a getter. */
  walk(from: unknown, path: readonly string[]): unknown {
    let value = from;
    for (const key of path) {
      const found = memberOf(value, key);
      if (found === undefined) throw new RangeError(`There is no ${key} in ${typeOf(value)}`);
      value = found.value;
    }
    return value;
  }

  members(value: unknown, offset: number): Members {
    const { total, page } = pageOf(value, offset);
    const proto = protoOf(value);
    return {
      ...this.view(value),
      offset,
      total,
      members: page.map(({ key, value: inner, note }) => {
        const ref = note === undefined ? this.#refs.number(inner) : undefined;
        return { key, text: note ?? show(inner, false, 200).text, ...(ref !== undefined && { ref }) };
      }),
      ...(proto !== undefined && { proto }),
    };
  }

  /** Memory is short. */
  letGo(): void {
    this.#refs.letGo();
  }
}

/** Of a large object they are asked for once, not at every step of one look at it. */
let lastKeys: { readonly of: object; readonly keys: readonly (string | symbol)[] } | undefined;

function keysOf(value: object): readonly (string | symbol)[] {
  if (lastKeys?.of === value) return lastKeys.keys;
  const keys = Reflect.ownKeys(value);
  if (keys.length > mostKeys) {
    lastKeys = { of: value, keys };
    queueMicrotask(() => {
      lastKeys = undefined;
    });
  }
  return keys;
}

interface Found {
  readonly key: string;
  readonly value: unknown;
  /** Instead of a value that only a getter could give. */
  readonly note?: string;
}

/** Without running a getter, and without building what is not shown. */
function pageOf(value: unknown, offset: number): { readonly total: number; readonly page: readonly Found[] } {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || types.isProxy(value)) return { total: 0, page: [] };
  if (types.isMap(value) || types.isSet(value)) {
    const entries = types.isMap(value) ? Map.prototype.entries.call(value) : Set.prototype.values.call(value);
    const page: Found[] = [];
    let at = 0;
    for (const entry of entries as Iterable<unknown>) {
      if (at >= offset + pageLength) break;
      if (at >= offset) page.push(entryOf(value, entry, at));
      at++;
    }
    return { total: (value as { readonly size: number }).size, page };
  }
  const keys = keysOf(value);
  return { total: keys.length, page: keys.slice(offset, offset + pageLength).map((key) => propertyOf(value, key)) };
}

function entryOf(from: object, entry: unknown, at: number): Found {
  if (!types.isMap(from)) return { key: String(at), value: entry };
  const [key, value] = entry as [unknown, unknown];
  return { key: show(key, false, 80).text, value };
}

function propertyOf(from: object, key: string | symbol): Found {
  const { get, set, value } = Object.getOwnPropertyDescriptor(from, key) ?? {};
  const accessor = get !== undefined || set !== undefined;
  return { key: String(key).slice(0, mostKey), value, ...(accessor && { note: get === undefined ? '[setter]' : '[getter]' }) };
}

/** By the key it is shown under. */
function memberOf(from: unknown, key: string): Found | undefined {
  if ((typeof from !== 'object' && typeof from !== 'function') || from === null || types.isProxy(from)) return undefined;
  if (Object.getOwnPropertyDescriptor(from, key) !== undefined) return propertyOf(from, key);
  for (let offset = 0; ; offset += pageLength) {
    const { total, page } = pageOf(from, offset);
    const found = page.find((one) => one.key === key);
    if (found !== undefined || offset + pageLength >= total) return found;
  }
}

function define(name: string, value: unknown): void {
  // A cell may have declared the name for itself: then it is its own.
  Reflect.set(globalThis, name, value);
}

function show(value: unknown, custom: boolean, most: number = mostText): { readonly text: string; readonly cut: boolean } {
  const small = most < mostText && { depth: 1, maxArrayLength: 10, maxStringLength: most };
  let text: string;
  let more = 0;
  try {
    const { shown, left } = presentable(value, custom);
    more = left;
    text = inspect(shown, { ...plain, customInspect: custom, ...small });
  } catch {
    if (custom) return show(value, false, most);
    text = `[${typeOf(value)} that cannot be shown]`;
  }
  if (more > 0) text += ` … ${more} more keys`;
  if (text.length > most) return { text: `${text.slice(0, most)}…`, cut: true };
  return { text, cut: more > 0 || / more (?:items?|characters?)\b|\[(?:Object|Array)\]/.test(text) };
}

/** What can be printed without running a getter of the user's, and in bounded time. */
function presentable(value: unknown, custom: boolean): { readonly shown: unknown; readonly left: number } {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return { shown: value, left: 0 };
  if (!custom && !isQuiet(value, 4, { left: 2_000 })) throw new Error('a getter gives something in it its name');
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return { shown: value, left: 0 };
  const keys = keysOf(value);
  if (keys.length <= mostKeys) return { shown: value, left: 0 };
  const part: object = Object.create(Object.getPrototypeOf(value));
  for (const key of keys.slice(0, shownKeys)) Object.defineProperty(part, key, Object.getOwnPropertyDescriptor(value, key) ?? {});
  return { shown: part, left: keys.length - shownKeys };
}

/** Whether printing it runs nothing of the user's, down to where printing looks. */
function isQuiet(value: unknown, depth: number, budget: { left: number }): boolean {
  if (typeof value !== 'object' || value === null || types.isProxy(value) || depth === 0 || budget.left <= 0) return true;
  budget.left--;
  if (hasOwnName(value)) return false;
  const inner = types.isMap(value) || types.isSet(value) ? pageOf(value, 0).page.map((one) => one.value) : [];
  const keys = ArrayBuffer.isView(value) ? [] : keysOf(value).slice(0, 100);
  const own = keys.map((key) => Object.getOwnPropertyDescriptor(value, key)?.value as unknown);
  return [...inner, ...own].every((one) => isQuiet(one, depth - 1, budget));
}

/** Printing asks for Symbol.toStringTag; those of the platform are harmless. */
function hasOwnName(value: object): boolean {
  for (let at: object | null = value; at !== null; at = Object.getPrototypeOf(at)) {
    // Its traps would run.
    if (types.isProxy(at)) return true;
    const { get } = Object.getOwnPropertyDescriptor(at, Symbol.toStringTag) ?? {};
    if (get !== undefined) return !/\[native code]\s*\}$/.test(Function.prototype.toString.call(get));
  }
  return false;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value !== 'object' && typeof value !== 'function') return typeof value;
  if (types.isProxy(value)) return 'Proxy';
  const name = protoOf(value);
  return typeof value === 'function'
    ? /^class\b/.test(Function.prototype.toString.call(value))
      ? 'class'
      : 'function'
    : (name ?? 'object');
}

function protoOf(value: unknown): string | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || types.isProxy(value)) return undefined;
  const proto = Object.getPrototypeOf(value);
  if (proto === null || types.isProxy(proto)) return undefined;
  const made = Object.getOwnPropertyDescriptor(proto, 'constructor')?.value;
  const name = typeof made === 'function' && !types.isProxy(made) ? Object.getOwnPropertyDescriptor(made, 'name')?.value : undefined;
  return typeof name === 'string' ? name : undefined;
}
