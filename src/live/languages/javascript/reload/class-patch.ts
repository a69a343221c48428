// Methods put on a class that runs, and taken from it: its instances have them at once.
type Class = abstract new (...given: never[]) => object;

interface Done {
  /** What was there before. */
  readonly on: object;
  readonly key: PropertyKey;
  readonly old: PropertyDescriptor | undefined;
}

const done = new WeakMap<Class, Done[]>();

type Gone = readonly [key: string, isStatic: boolean, kind: '' | 'get ' | 'set '];

/** The class, with the methods of the other and without those that are gone; what was put on it before goes first. */
export function graft(to: Class | undefined, from: Class, gone: readonly Gone[] = []): Class {
  if (to === undefined) return from;
  for (const { on, key, old } of (done.get(to) ?? []).reverse()) {
    if (old === undefined) Reflect.deleteProperty(on, key);
    else Object.defineProperty(on, key, old);
  }
  const steps: Done[] = [];
  const put = (on: object, key: PropertyKey, now: PropertyDescriptor | undefined): void => {
    steps.push({ on, key, old: Object.getOwnPropertyDescriptor(on, key) });
    if (now === undefined) Reflect.deleteProperty(on, key);
    else Object.defineProperty(on, key, now);
  };
  const given = from.prototype as object;
  // For `super` in the new methods.
  Object.setPrototypeOf(given, Object.getPrototypeOf(to.prototype) as object | null);
  Object.setPrototypeOf(from, Object.getPrototypeOf(to) as object);
  for (const key of Reflect.ownKeys(given)) {
    if (key !== 'constructor')
      put(to.prototype as object, key, joined(to.prototype as object, key, Object.getOwnPropertyDescriptor(given, key)));
  }
  for (const key of Reflect.ownKeys(from)) {
    if (!usual.has(key)) put(to, key, joined(to, key, Object.getOwnPropertyDescriptor(from, key)));
  }
  for (const [key, fixed, kind] of gone) {
    const on = fixed ? to : (to.prototype as object);
    put(on, key, rest(Object.getOwnPropertyDescriptor(on, key), kind));
  }
  done.set(to, steps);
  return to;
}

/** Why a class cannot be changed where it is. */
export class NoWayIn extends Error {
  override readonly name = 'NoWayIn';
}

/**
 * Has a method of the class make what uses its private names. Only one that is the class's own, with `key` in its text, returns
 * before anything of the user's runs: decorators and others may have put their own in its place.
 */
export function enter(to: Class, key: string, ways: readonly (readonly [string, boolean])[]): Class {
  for (const [id, fixed] of ways) {
    const way: unknown = Object.getOwnPropertyDescriptor(fixed ? to : (to.prototype as object), id)?.value;
    if (typeof way === 'function' && Function.prototype.toString.call(way).includes(`__vivarium_added.open === ${JSON.stringify(key)}`))
      return Reflect.apply(way, undefined, []) as Class;
  }
  throw new NoWayIn(`the new methods of ${to.name} use private names, and there is no method to reach them from`);
}

/** An object that others hold, with what the new one has, and without what it had before: everything, or these. */
export function renew(old: unknown, now: object, before?: readonly string[]): unknown {
  if ((typeof old !== 'object' && typeof old !== 'function') || old === null) return now;
  for (const key of before ?? Reflect.ownKeys(old)) if (before === undefined || !(key in now)) Reflect.deleteProperty(old, key);
  Object.defineProperties(old, Object.getOwnPropertyDescriptors(now));
  return old;
}

const usual = new Set<PropertyKey>(['length', 'name', 'prototype']);

/** What is left of an accessor. */
function rest(old: PropertyDescriptor | undefined, kind: Gone[2]): PropertyDescriptor | undefined {
  if (old === undefined || kind === '' || 'value' in old) return undefined;
  const { get, set } = old;
  if ((kind === 'get ' ? set : get) === undefined) return undefined;
  return { ...old, [kind.trim()]: undefined };
}

/** A getter that joins a setter, or the other way round. */
function joined(on: object, key: PropertyKey, now: PropertyDescriptor | undefined): PropertyDescriptor | undefined {
  const old = Object.getOwnPropertyDescriptor(on, key);
  if (now === undefined || old === undefined || 'value' in now || 'value' in old) return now;
  const [get, set] = [now.get ?? old.get, now.set ?? old.set];
  return { configurable: true, enumerable: false, ...(get !== undefined && { get }), ...(set !== undefined && { set }) };
}
