// Methods put on a class that runs, and taken from it: its instances have them at once.
type Class = abstract new (...given: never[]) => object;

interface Done {
  /** What was there before. */
  readonly on: object;
  readonly key: PropertyKey;
  readonly old: PropertyDescriptor | undefined;
}

const done = new WeakMap<Class, Done[]>();

/** The class, with the methods of the other and without those that are gone; what was put on it before goes first. */
export function graft(to: Class | undefined, from: Class, gone: readonly (readonly [string, boolean])[] = []): Class {
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
  for (const [key, fixed] of gone) put(fixed ? to : (to.prototype as object), key, undefined);
  done.set(to, steps);
  return to;
}

const usual = new Set<PropertyKey>(['length', 'name', 'prototype']);

/** A getter that joins a setter, or the other way round. */
function joined(on: object, key: PropertyKey, now: PropertyDescriptor | undefined): PropertyDescriptor | undefined {
  const old = Object.getOwnPropertyDescriptor(on, key);
  if (now === undefined || old === undefined || 'value' in now || 'value' in old) return now;
  const [get, set] = [now.get ?? old.get, now.set ?? old.set];
  return { configurable: true, enumerable: false, ...(get !== undefined && { get }), ...(set !== undefined && { set }) };
}
