// Values the session holds on to: the last one, the last error, and whatever was shown with a number.
import { inspect, types } from 'node:util';
import { type Fault, faultOf } from './fault.ts';

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
const mostRefs = 10_000;
const pageLength = 50;
const plain = { depth: 3, maxStringLength: 5_000, maxArrayLength: 50, breakLength: 100, showProxy: true };

export class Keeper {
  readonly #refs: Map<number, unknown> = new Map();
  readonly #numbers: WeakMap<object, number> = new WeakMap();
  #next = 1;

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
    const ref = this.#ref(thrown);
    return { ...faultOf(thrown), ...(ref !== undefined && { ref }) };
  }

  view(value: unknown, custom = false): View {
    const ref = this.#ref(value);
    const { text, cut } = show(value, custom);
    return { text, type: typeOf(value), ...(ref !== undefined && { ref }), ...(cut && { cut: true as const }) };
  }

  /** What a number stands for. */
  get(ref: number): unknown {
    if (!this.#refs.has(ref)) throw new RangeError(`There is no #${ref} in this session`);
    return this.#refs.get(ref);
  }

  /** Along keys or indices, without running a getter. */
  walk(from: unknown, path: readonly string[]): unknown {
    let value = from;
    for (const key of path) {
      const found = this.#members(value).find((member) => member.key === key);
      if (found === undefined) throw new RangeError(`There is no ${key} in ${typeOf(value)}`);
      value = found.value;
    }
    return value;
  }

  members(value: unknown, offset: number): Members {
    const all = this.#members(value);
    const page = all.slice(offset, offset + pageLength);
    const proto = protoOf(value);
    return {
      ...this.view(value),
      offset,
      total: all.length,
      members: page.map(({ key, value: inner, note }) => {
        const ref = note === undefined ? this.#ref(inner) : undefined;
        return { key, text: note ?? show(inner, false, 200).text, ...(ref !== undefined && { ref }) };
      }),
      ...(proto !== undefined && { proto }),
    };
  }

  forget(): void {
    this.#refs.clear();
  }

  #ref(value: unknown): number | undefined {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
    const known = this.#numbers.get(value);
    if (known !== undefined && this.#refs.has(known)) return known;
    const ref = this.#next++;
    this.#numbers.set(value, ref);
    this.#refs.set(ref, value);
    for (const oldest of this.#refs.keys()) {
      if (this.#refs.size <= mostRefs) break;
      this.#refs.delete(oldest);
    }
    return ref;
  }

  #members(value: unknown): { readonly key: string; readonly value: unknown; readonly note?: string }[] {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || types.isProxy(value)) return [];
    if (types.isMap(value)) {
      return [...Map.prototype.entries.call(value)].map(([key, inner]) => ({ key: show(key, false, 80).text, value: inner }));
    }
    if (types.isSet(value)) return [...Set.prototype.values.call(value)].map((inner, at) => ({ key: String(at), value: inner }));
    return Reflect.ownKeys(value).map((key) => {
      const { get, set, value: inner } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      const accessor = get !== undefined || set !== undefined;
      return { key: String(key), value: inner, ...(accessor && { note: get === undefined ? '[setter]' : '[getter]' }) };
    });
  }
}

function define(name: string, value: unknown): void {
  // A cell may have declared the name for itself: then it is its own.
  Reflect.set(globalThis, name, value);
}

function show(value: unknown, custom: boolean, most: number = mostText): { readonly text: string; readonly cut: boolean } {
  let text: string;
  try {
    text = inspect(value, {
      ...plain,
      customInspect: custom,
      ...(most < mostText && { depth: 1, maxArrayLength: 10, maxStringLength: most }),
    });
  } catch {
    if (custom) return show(value, false, most);
    text = `[${typeOf(value)} that cannot be shown]`;
  }
  return text.length > most
    ? { text: `${text.slice(0, most)}…`, cut: true }
    : { text, cut: / more (?:items?|characters?)\b|\[(?:Object|Array)\]/.test(text) };
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
