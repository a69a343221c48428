// A look at objects on the main thread that runs none of the user's code: no getter, no trap of a Proxy, nothing that was patched.

/** Opaque: it is a Proxy, or its prototype is one. The engine itself would run a trap to describe it. */
export type How = 'value' | 'getter' | 'setter' | 'opaque';

export type MemberKind = 'method' | 'class' | 'getter' | 'setter' | 'accessor' | 'value';

export interface ShapeMember {
  readonly key: string;
  readonly kind: MemberKind;
  /** The beginning of a function's text, or the type of a value. */
  readonly text: string;
}

/** The members of one object in a chain of prototypes. */
export interface Level {
  readonly owner: string;
  readonly members: readonly ShapeMember[];
  readonly total: number;
}

export interface Shape {
  readonly type: string;
  readonly levels: readonly Level[];
  /** Of a class, with those it inherits. */
  readonly statics: readonly Level[];
}

export interface Lens {
  /** Throws in words where it cannot be followed without running something. */
  resolve(from: unknown, path: readonly string[]): { readonly value: unknown; readonly how: How };
  shape(value: unknown, most: number): Shape;
  names(value: unknown, most: number): readonly string[];
  readonly global: object;
}

/** Sent to the main thread as text before any code of the user has run: it may use nothing that stands around it here. */
export function makeLens(): Lens {
  const { apply, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
  const { isProxy } = process.getBuiltinModule('node:util').types;
  const { hasOwn } = Object;
  const { slice } = String.prototype;
  const toText = Function.prototype.toString;
  const ends: readonly unknown[] = [Object.prototype, Function.prototype, null];
  const Refusal = RangeError;
  const maxLevels = 20;
  const isObject = (value: unknown): value is object => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const begins = (of: unknown): string => apply(slice, apply(toText, of, []), [0, 400]);
  /** Arrays have prototypes that can be patched: a plain loop asks none of them. */
  const isEnd = (value: unknown): boolean => value === ends[0] || value === ends[1] || value === ends[2];

  const held = (object: unknown, key: string): unknown => {
    if (!isObject(object) || isProxy(object)) return undefined;
    const found = getOwnPropertyDescriptor(object, key);
    return found !== undefined && hasOwn(found, 'value') ? found.value : undefined;
  };
  const nameOf = (fn: unknown): string => {
    const name = typeof fn === 'function' ? held(fn, 'name') : undefined;
    return typeof name === 'string' ? name : '';
  };
  const kindOf = (descriptor: PropertyDescriptor): { kind: MemberKind; text: string } => {
    if (!hasOwn(descriptor, 'value')) {
      const { get, set } = descriptor;
      return { kind: get === undefined ? 'setter' : set === undefined ? 'getter' : 'accessor', text: begins(get ?? set) };
    }
    const { value } = descriptor;
    if (typeof value !== 'function' || isProxy(value)) {
      const type = isObject(value)
        ? isProxy(value)
          ? 'Proxy'
          : nameOf(held(getPrototypeOf(value), 'constructor')) || 'object'
        : typeof value;
      return { kind: 'value', text: value === null ? 'null' : type };
    }
    const text = begins(value);
    return { kind: apply(slice, text, [0, 5]) === 'class' ? 'class' : 'method', text };
  };
  const levelOf = (object: object, owner: string, skip: readonly string[], most: number): Level => {
    const members: ShapeMember[] = [];
    const keys = ownKeys(object);
    let total = 0;
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at];
      if (typeof key !== 'string') continue;
      let skipped = false;
      for (let one = 0; one < skip.length; one++) if (skip[one] === key) skipped = true;
      if (skipped) continue;
      total++;
      if (members.length >= most) continue;
      // A name of a module that has not run yet cannot be read.
      try {
        const descriptor = getOwnPropertyDescriptor(object, key);
        if (descriptor !== undefined) members[members.length] = { key, ...kindOf(descriptor) };
      } catch {
        members[members.length] = { key, kind: 'value', text: 'not yet there' };
      }
    }
    return { owner, members, total };
  };
  const chain = (from: unknown, skip: readonly string[], most: number, name: (object: object) => string): Level[] => {
    const levels: Level[] = [];
    for (let object = from; isObject(object) && !isEnd(object) && levels.length < maxLevels; object = getPrototypeOf(object)) {
      if (isProxy(object)) break;
      levels[levels.length] = levelOf(object, name(object), skip, most);
    }
    return levels;
  };

  const behindProxy = (value: object): boolean => {
    for (let object: object | null = value; object !== null; object = getPrototypeOf(object)) if (isProxy(object)) return true;
    return false;
  };

  return {
    global: globalThis,
    resolve(from, path) {
      let value = from;
      let how: How = 'value';
      for (let at = 0; at < path.length; at++) {
        const key = path[at] as string;
        if (how !== 'value') throw new Refusal(`${path[at - 1]} is a getter: reading it would run code`);
        if (!isObject(value)) throw new Refusal(`there is no ${key} in a value of type ${value === null ? 'null' : typeof value}`);
        let found: PropertyDescriptor | undefined;
        for (let object: object | null = value; object !== null && found === undefined; object = getPrototypeOf(object)) {
          if (isProxy(object)) throw new Refusal(`${key} is behind a Proxy: reading it would run code`);
          found = getOwnPropertyDescriptor(object, key);
        }
        if (found === undefined) throw new Refusal(`there is no ${key}`);
        how = hasOwn(found, 'value') ? 'value' : found.get === undefined ? 'setter' : 'getter';
        value = how === 'value' ? found.value : how === 'getter' ? found.get : found.set;
      }
      return isObject(value) && behindProxy(value) ? { value: undefined, how: 'opaque' } : { value, how };
    },
    shape(value, most) {
      if (!isObject(value)) return { type: value === null ? 'null' : typeof value, levels: [], statics: [] };
      const madeBy = (object: object): string => nameOf(held(object, 'constructor'));
      if (typeof value !== 'function') {
        const levels = chain(value, ['constructor'], most, (object) => (object === value ? '' : madeBy(object)));
        return { type: madeBy(getPrototypeOf(value) ?? {}) || 'object', levels, statics: [] };
      }
      const own = ['length', 'name', 'prototype', 'arguments', 'caller'];
      const statics = chain(value, own, most, nameOf);
      if (apply(slice, apply(toText, value, []), [0, 5]) !== 'class') return { type: 'function', levels: [], statics };
      return { type: 'class', levels: chain(held(value, 'prototype'), ['constructor'], most, madeBy), statics };
    },
    names(value, most) {
      const names: string[] = [];
      for (let object = value; isObject(object) && !isProxy(object); object = getPrototypeOf(object)) {
        const keys = ownKeys(object);
        for (let at = 0; at < keys.length && names.length < most; at++) {
          const key = keys[at];
          if (typeof key === 'string') names[names.length] = key;
        }
      }
      return names;
    },
  };
}
