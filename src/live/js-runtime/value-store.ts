// Values the session holds on to: the last one, the last error, and whatever was shown with a number.
import type { Fault, Member, Members, View } from '../image/engine.ts';
import { faultOf } from './fault.ts';
import { withoutOwnFrames } from './own-frames.ts';
import {
  append,
  create,
  defineProperty,
  eachEntry,
  exec,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  heldValue,
  isArray,
  isDataView,
  isMap,
  isProxy,
  isSet,
  isStringObject,
  isView,
  lengthOf,
  microtask,
  ownKeys,
  part,
  setProperty,
  sizeOf,
  slice,
  sourceOf,
  textIn,
  toText,
} from './primordials.ts';
import { print } from './pristine-inspect.ts';
import { Refs } from './refs.ts';

const maxText = 10_000;
const pageLength = 50;
const maxKeys = 1_000;
const shownKeys = 50;
const maxKey = 200;
/** In bits; longer ones take long to print. */
const hugeInteger = 65_536n;
const plain = { depth: 3, maxStringLength: 5_000, maxArrayLength: 50, breakLength: 100, showProxy: true };

const beyond = 2n ** hugeInteger;
const { toStringTag: tag } = Symbol;
/** A cell may declare the name for itself. */
const world = globalThis;

export class ValueStore {
  readonly #refs: Refs = new Refs();

  constructor() {
    for (const name of ['_', '_err']) defineProperty(globalThis, name, { value: undefined, writable: true, configurable: true });
  }

  /** The value of a cell: `_` from now on. */
  keep(value: unknown): View {
    define('_', value);
    return this.view(value, true);
  }

  fault(thrown: unknown): Fault {
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

  isMissing(ref: number): boolean {
    return this.#refs.isMissing(ref);
  }

  /** Along keys or indices, without running a getter. */
  walk(from: unknown, path: readonly string[]): unknown {
    let value = from;
    for (let at = 0; at < path.length; at++) {
      const key = path[at] as string;
      const found = memberOf(value, key);
      if (found === undefined) throw new RangeError(`There is no ${key} in ${typeOf(value)}`);
      value = found.value;
    }
    return value;
  }

  members(value: unknown, offset: number): Members {
    const { total, page } = pageOf(value, offset);
    const proto = protoOf(value);
    const members: Member[] = [];
    for (let at = 0; at < page.length; at++) {
      const { key, value: inner, note } = page[at] as Found;
      const ref = note === undefined ? this.#refs.number(inner) : undefined;
      append(members, { key, text: note ?? show(inner, false, 200).text, ...(ref !== undefined && { ref }) });
    }
    return {
      ...this.view(value),
      offset,
      total,
      members,
      ...(proto !== undefined && { proto }),
    };
  }

  /** `at`: the number of a value, or a list with it alone. A long text would not come through the inspector in time. */
  membersAt(at: number | readonly unknown[], path: readonly string[], offset: number): Members {
    return this.members(this.walk(typeof at === 'number' ? this.get(at) : at[0], path), offset);
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
  // Their elements would fill the memory with keys.
  if (isLongText(value)) return ['length'];
  const keys = ownKeys(value);
  if (keys.length > maxKeys) {
    lastKeys = { of: value, keys };
    microtask(() => {
      lastKeys = undefined;
    });
  }
  return keys;
}

interface Found {
  readonly key: string;
  readonly value: unknown;
  /** Instead of a value that only a getter could give. */
  readonly note: string | undefined;
}

/** Without running a getter, and without building what is not shown. */
function pageOf(value: unknown, offset: number): { readonly total: number; readonly page: readonly Found[] } {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || isProxy(value)) return { total: 0, page: [] };
  const page: Found[] = [];
  if (isMap(value) || isSet(value)) {
    eachEntry(value, (entry, at) => {
      if (at >= offset && at < offset + pageLength) append(page, entryOf(value, entry, at));
      return at < offset + pageLength;
    });
    return { total: sizeOf(value), page };
  }
  if (isView(value) && !isDataView(value)) {
    const total = lengthOf(value);
    for (let at = offset; at < total && at < offset + pageLength; at++) append(page, propertyOf(value, toText(at)));
    return { total, page };
  }
  const keys = keysOf(value);
  for (let at = offset; at < keys.length && at < offset + pageLength; at++) append(page, propertyOf(value, keys[at] as string));
  return { total: keys.length, page };
}

function isLongText(value: unknown): value is object {
  return isStringObject(value) && textIn(value).length > maxKeys;
}

function entryOf(from: object, entry: unknown, at: number): Found {
  if (!isMap(from)) return { key: toText(at), value: entry, note: undefined };
  const pair = entry as [unknown, unknown];
  return { key: show(pair[0], false, 80).text, value: pair[1], note: undefined };
}

function propertyOf(from: object, key: string | symbol): Found {
  const found = getOwnPropertyDescriptor(from, key);
  const name = slice(toText(key), 0, maxKey);
  if (found === undefined || hasOwn(found, 'value')) return { key: name, value: found?.value, note: undefined };
  return { key: name, value: undefined, note: found.get === undefined ? '[setter]' : '[getter]' };
}

/** By the key it is shown under. */
function memberOf(from: unknown, key: string): Found | undefined {
  if ((typeof from !== 'object' && typeof from !== 'function') || from === null || isProxy(from)) return undefined;
  if (getOwnPropertyDescriptor(from, key) !== undefined) return propertyOf(from, key);
  for (let offset = 0; ; offset += pageLength) {
    const { total, page } = pageOf(from, offset);
    for (let at = 0; at < page.length; at++) if (page[at]?.key === key) return page[at];
    if (offset + pageLength >= total) return undefined;
  }
}

function define(name: string, value: unknown): void {
  // A cell may have declared the name for itself: then it is its own.
  setProperty(world, name, value);
}

function show(value: unknown, custom: boolean, most: number = maxText): { readonly text: string; readonly cut: boolean } {
  if (typeof value === 'bigint' && (value > beyond || value < -beyond))
    return { text: `[bigint of more than ${hugeInteger} bits]`, cut: true };
  const small = most < maxText && { depth: 1, maxArrayLength: 10, maxStringLength: most };
  let text: string;
  let more = 0;
  try {
    const { shown, left } = presentable(value, custom);
    more = left;
    text = withoutOwnFrames(print(shown, { ...plain, customInspect: custom, ...small }));
  } catch {
    if (custom) return show(value, false, most);
    text = `[${typeOf(value)} that cannot be shown]`;
  }
  if (more > 0) text += ` … ${more} more keys`;
  if (text.length > most) return { text: `${slice(text, 0, most)}…`, cut: true };
  return { text, cut: more > 0 || exec(/ more (?:items?|characters?)\b|\[(?:Object|Array)\]/, text) !== null };
}

/** What can be printed without running a getter of the user's, and in bounded time. */
function presentable(value: unknown, custom: boolean): { readonly shown: unknown; readonly left: number } {
  if (typeof value !== 'object' || value === null || isProxy(value)) return { shown: value, left: 0 };
  if (isLongText(value)) return { shown: textIn(value), left: 0 };
  if (!custom && !isQuiet(value, 4, { left: 2_000 })) throw new Error('a getter gives something in it its name');
  if (isArray(value) || isView(value)) return { shown: value, left: 0 };
  const keys = keysOf(value);
  if (keys.length <= maxKeys) return { shown: value, left: 0 };
  const some: object = create(getPrototypeOf(value));
  for (let at = 0; at < shownKeys; at++) {
    const key = keys[at] as string;
    // Or an inherited getter would be taken for its own.
    defineProperty(some, key, { __proto__: null, ...getOwnPropertyDescriptor(value, key) } as PropertyDescriptor);
  }
  return { shown: some, left: keys.length - shownKeys };
}

/** Whether printing it runs nothing of the user's, down to where printing looks. */
function isQuiet(value: unknown, depth: number, budget: { left: number }): boolean {
  if (typeof value !== 'object' || value === null || isProxy(value) || depth === 0 || budget.left <= 0) return true;
  budget.left--;
  if (hasOwnName(value)) return false;
  const inner = isMap(value) || isSet(value) ? pageOf(value, 0).page : [];
  for (let at = 0; at < inner.length; at++) if (!isQuiet(inner[at]?.value, depth - 1, budget)) return false;
  const keys = isView(value) ? [] : part(keysOf(value), 0, 100);
  for (let at = 0; at < keys.length; at++) if (!isQuiet(heldValue(value, keys[at] as string), depth - 1, budget)) return false;
  return true;
}

/** Printing asks for Symbol.toStringTag; those of the platform are harmless. */
function hasOwnName(value: object): boolean {
  for (let at: object | null = value; at !== null; at = getPrototypeOf(at)) {
    // Its traps would run.
    if (isProxy(at)) return true;
    const found = getOwnPropertyDescriptor(at, tag);
    const get = found === undefined || hasOwn(found, 'value') ? undefined : found.get;
    if (get !== undefined) return exec(/\[native code]\s*\}$/, sourceOf(get)) === null;
  }
  return false;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value !== 'object' && typeof value !== 'function') return typeof value;
  if (isProxy(value)) return 'Proxy';
  if (typeof value !== 'function') return protoOf(value) ?? 'object';
  return exec(/^class\b/, sourceOf(value)) === null ? 'function' : 'class';
}

function protoOf(value: unknown): string | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || isProxy(value)) return undefined;
  const proto = getPrototypeOf(value);
  if (proto === null || isProxy(proto)) return undefined;
  const made = heldValue(proto, 'constructor');
  const name = typeof made === 'function' && !isProxy(made) ? heldValue(made, 'name') : undefined;
  return typeof name === 'string' ? slice(name, 0, maxKey) : undefined;
}
