// What the image's own bookkeeping uses of the language, as it was before any code of the user ran: that code may replace
// every method there is, and must not thereby change what is told about it.
import { Buffer } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import util from 'node:util';
import vm from 'node:vm';

const { apply: call } = Reflect;
const { Script } = vm;
const runScript = Script.prototype.runInThisContext;
const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
const runOptions = { __proto__: null, displayErrors: false } as vm.RunningScriptOptions;

/** As a function of its object. A rest parameter asks no iterator, unlike a spread. */
function unbound<T, A extends unknown[], R>(method: (this: T, ...given: A) => R): (on: T, ...given: A) => R {
  return (on, ...given) => call(method, on, given) as R;
}

export const apply: typeof Reflect.apply = Reflect.apply;
export const getPrototypeOf: typeof Reflect.getPrototypeOf = Reflect.getPrototypeOf;
export const ownKeys: typeof Reflect.ownKeys = Reflect.ownKeys;
export const setProperty: typeof Reflect.set = Reflect.set;
export const create: typeof Object.create = Object.create;
export const defineProperty: typeof Object.defineProperty = Object.defineProperty;
export const getOwnPropertyDescriptor: typeof Object.getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
export const hasOwn: typeof Object.hasOwn = Object.hasOwn;
export const isArray: typeof Array.isArray = Array.isArray;
export const isView: typeof ArrayBuffer.isView = ArrayBuffer.isView;
export const store: typeof Atomics.store = Atomics.store;
export const inspect: typeof util.inspect = util.inspect;
export const isMap: typeof util.types.isMap = util.types.isMap;
export const isNativeError: typeof util.types.isNativeError = util.types.isNativeError;
export const isProxy: typeof util.types.isProxy = util.types.isProxy;
export const isDataView: typeof util.types.isDataView = util.types.isDataView;
export const isStringObject: (value: unknown) => value is object = util.types.isStringObject as never;
export const isSet: typeof util.types.isSet = util.types.isSet;
export const microtask: typeof queueMicrotask = queueMicrotask;
export const toText: (value: unknown) => string = String;
export const bytesFrom: typeof Buffer.from = Buffer.from;

export const slice: (text: string, from: number, to?: number) => string = unbound(String.prototype.slice);
export const indexOf: (text: string, part: string, from?: number) => number = unbound(String.prototype.indexOf);
/** The only method of a pattern that calls no other one. */
export const exec: (pattern: RegExp, text: string) => RegExpExecArray | null = unbound(RegExp.prototype.exec);
/** Of a String object. */
export const textIn: (boxed: object) => string = unbound(String.prototype.valueOf) as never;
export const sourceOf: (fn: unknown) => string = unbound(Function.prototype.toString) as (fn: unknown) => string;
export const decodeBytes: (decoder: StringDecoder, bytes: Uint8Array) => string = unbound(StringDecoder.prototype.write) as never;
export const whenSettled: (
  promise: Promise<unknown>,
  done: (value: unknown) => void,
  failed?: (error: unknown) => void,
) => Promise<unknown> = unbound(Promise.prototype.then) as never;

export const mapGet: <V>(map: Map<number, V>, key: number) => V | undefined = unbound(Map.prototype.get) as never;
export const mapHas: (map: Map<number, unknown>, key: number) => boolean = unbound(Map.prototype.has) as never;
export const mapSet: <V>(map: Map<number, V>, key: number, value: V) => void = unbound(Map.prototype.set) as never;
export const mapDelete: (map: Map<number, unknown>, key: number) => boolean = unbound(Map.prototype.delete) as never;
export const mapClear: (map: Map<number, unknown>) => void = unbound(Map.prototype.clear) as never;
export const weakGet: <V>(map: WeakMap<object, V>, key: object) => V | undefined = unbound(WeakMap.prototype.get) as never;
export const weakSet: <V>(map: WeakMap<object, V>, key: object, value: V) => void = unbound(WeakMap.prototype.set) as never;
export const deref: <T extends object>(ref: WeakRef<T>) => T | undefined = unbound(WeakRef.prototype.deref) as never;

const sizeOfMap = getOwnPropertyDescriptor(Map.prototype, 'size')?.get as () => number;
const sizeOfSet = getOwnPropertyDescriptor(Set.prototype, 'size')?.get as () => number;
const { entries } = Map.prototype;
const { values } = Set.prototype;
const { next: nextOfMap } = getPrototypeOf(new Map().entries()) as Iterator<unknown>;
const { next: nextOfSet } = getPrototypeOf(new Set().values()) as Iterator<unknown>;

/** Of a typed array. */
export const lengthOf: (list: object) => number = unbound(
  getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype) as object, 'length')?.get as () => number,
) as never;

export function sizeOf(from: object): number {
  return call(isMap(from) ? sizeOfMap : sizeOfSet, from, []) as number;
}

/** Of a Map or a Set: pairs of the one, values of the other, until `take` has had enough. */
export function eachEntry(from: object, take: (entry: unknown, at: number) => boolean): void {
  const map = isMap(from);
  const iterator: unknown = call(map ? entries : values, from, []);
  for (let at = 0; ; at++) {
    const step = call(map ? nextOfMap : nextOfSet, iterator, []) as IteratorResult<unknown>;
    if (step.done === true || !take(step.value, at)) return;
  }
}

/** The first ones of a list, or those from somewhere on. */
export function part<T>(list: readonly T[], from: number, to: number): T[] {
  const found: T[] = [];
  for (let at = from; at < to && at < list.length; at++) append(found, list[at] as T);
  return found;
}

/** Without asking a setter that stands in the way. */
export function append<T>(list: T[], value: T): void {
  defineProperty(list, list.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true } as PropertyDescriptor);
}

/** Its value, where it has one that no getter has to give. */
export function heldValue(from: object, key: PropertyKey): unknown {
  const found = getOwnPropertyDescriptor(from, key);
  return found !== undefined && hasOwn(found, 'value') ? found.value : undefined;
}

/** As a script of its own: what it declares is declared for all. The profiler knows only the name that is given here. */
export function runInThisContext(code: string): unknown {
  const filename = exec(/\n\/\/# sourceURL=(.*)$/, slice(code, -200))?.[1] ?? '';
  const options = { __proto__: null, filename, importModuleDynamically } as vm.ScriptOptions;
  return call(runScript, new Script(code, options), [runOptions]);
}
