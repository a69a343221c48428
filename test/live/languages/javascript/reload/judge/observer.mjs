// Run in an image: what can be seen of a module from outside, as facts by their place. A fact is text, so that two images can be compared.
import { writeFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';

const maxText = 2_000;
const maxDepth = 4;
const maxKeys = 60;
const awaitMs = 300;
const callMs = 2_000;
const hidden = new Set(['length', 'name', 'prototype', 'arguments', 'caller']);

/** Arguments as text: both images make their own. */
const general = [
  '',
  '3',
  '"foo-bar Baz"',
  '"a,b;c=d", {}',
  '[3, 1, 2]',
  '{ a: 1, b: { c: [2] } }, { b: { d: 3 } }',
  '[{ a: 1 }], { a: 1 }',
  '(x) => [x]',
  '"abc", "b"',
  '-1.5, 2',
  '"https://x.y/z?q=1#f", "q"',
  'null, undefined, true',
];
/** Others are not called before the edit: what they change would differ for another reason. */
const returnsFunction = /\breturn (?:async )?(?:function\b|\(?[\w, =.{}]*\)? =>)/;
const few = ['', '3, 2', '"ab"'];

/**
 * Programs that were made up have no calls that never end, and to bound each takes most of the time. Their functions are compared
 * without layout: a file of TypeScript may be compiled in another way after an edit.
 */
let bounded = true;

export class Observer {
  #taken = new Map();
  #calls;

  constructor(given = {}) {
    bounded = given.few !== true;
    this.#calls = (given.calls ?? (given.few ? few : general)).map((text) => runInThisContext(`() => [${text}]`));
  }

  /** References as a program would hold them, made before the edit. */
  async take(id, space) {
    const taken = { space, exports: {}, instances: {}, closures: {} };
    for (const key of keysOf(space)) {
      const value = read(space, key);
      taken.exports[key] = value;
      if (isClass(value)) {
        const instance = this.#instanceOf(value);
        if (instance !== undefined) taken.instances[key] = { instance, bound: boundOf(instance) };
      } else if (typeof value === 'function' && returnsFunction.test(textOf(value))) {
        const made = this.#calls.slice(0, 3).map((args) => attempt(() => value(...args())).value);
        for (const one of made) if (one instanceof Promise) one.catch(() => undefined);
        taken.closures[key] = made.filter((one) => typeof one === 'function');
      }
    }
    this.#taken.set(id, taken);
  }

  /** Written to a file: an answer has not the room for it. */
  async observeAll(file, modules) {
    const facts = {};
    for (const [id, [space, again]] of Object.entries(modules)) {
      try {
        facts[id] = await this.#observe(id, space(), await again());
      } catch (error) {
        facts[id] = { 'now|*|failure': String(error) };
      }
    }
    writeFileSync(file, JSON.stringify(facts));
  }

  /** Facts of what the module has now, and of what was taken before. */
  async #observe(id, space, again) {
    const facts = {};
    await this.#space(facts, 'now', space);
    if (again !== space) await this.#space(facts, 'imported', again);
    const { space: old, exports, instances, closures } = this.#taken.get(id);
    facts['held|*|names'] = keysOf(old).join(' ');
    for (const [key, value] of Object.entries(exports)) {
      facts[`held|${key}|value in the namespace`] = describe(read(old, key));
      await this.#value(facts, `held|${key}|`, value, undefined, 0);
    }
    for (const [key, { instance, bound }] of Object.entries(instances)) {
      facts[`instance|${key}|fields`] = describe(instance);
      facts[`instance|${key}|is one`] = String(attempt(() => instance instanceof read(space, key)).value);
      await this.#methods(facts, `instance|${key}|`, instance);
      for (const [name, method] of bound) await this.#call(facts, `bound|${key}|${name}`, method, undefined, this.#calls[1]);
    }
    for (const [key, made] of Object.entries(closures)) {
      for (const [at, one] of made.entries()) {
        facts[`closure|${key}|${at} text`] = textOf(one);
        await this.#call(facts, `closure|${key}|${at}`, one, undefined, this.#calls[1]);
      }
    }
    return facts;
  }

  async #space(facts, view, space) {
    facts[`${view}|*|names`] = keysOf(space).join(' ');
    if (typeof space === 'function') await this.#value(facts, `${view}|module.exports|`, space, undefined, 0);
    for (const key of keysOf(space)) {
      const value = read(space, key);
      await this.#value(facts, `${view}|${key}|`, value, typeof space === 'function' ? space : undefined, 0);
    }
  }

  async #value(facts, place, value, self, depth) {
    facts[`${place}kind`] = kindOf(value);
    if (!isObject(value)) {
      facts[`${place}value`] = describe(value);
      return;
    }
    if (depth > 2 || isBuiltIn(value)) return;
    if (typeof value === 'function') {
      facts[`${place}text`] = textOf(value);
      facts[`${place}signature`] = `${describe(value.name)} ${value.length}`;
      if (isClass(value)) facts[`${place}extends`] = String(Object.getPrototypeOf(value).name);
    } else facts[`${place}value`] = describe(value);
    await this.#members(facts, place, value, depth);
    if (typeof value !== 'function') return;
    if (isObject(value.prototype)) await this.#members(facts, `${place}prototype `, value.prototype, depth + 1);
    if (isClass(value)) await this.#instances(facts, place, value);
    else for (const args of depth > 0 ? this.#calls.slice(0, 3) : this.#calls) await this.#call(facts, place, value, self, args);
  }

  async #members(facts, place, owner, depth) {
    const names = Reflect.ownKeys(owner).filter((key) => typeof owner !== 'function' || !hidden.has(key));
    if (names.length > maxKeys) return;
    facts[`${place}members`] = names.map(String).sort().join(' ');
    for (const name of names) {
      const { value, get, set } = Object.getOwnPropertyDescriptor(owner, name);
      const at = `${place}${String(name)} `;
      if (get ?? set) facts[`${at}accessor`] = `${textOf(get)} ${textOf(set)}`;
      else if (name === 'constructor') facts[at] = textOf(value);
      else if (isObject(value) && value !== owner) await this.#value(facts, at, value, owner, depth + 1);
      else facts[at] = describe(value);
    }
  }

  async #instances(facts, place, made) {
    for (const args of this.#calls.slice(0, 4)) {
      const { value, error } = attempt(() => Reflect.construct(made, args()));
      facts[`${place}new ${inWords(args)}`] = error ?? describe(value);
    }
    const instance = this.#instanceOf(made);
    if (instance !== undefined) await this.#methods(facts, `${place}of an instance `, instance);
  }

  async #methods(facts, place, instance) {
    for (const name of methodsOf(instance)) {
      const method = attempt(() => instance[name]).value;
      if (typeof method !== 'function') facts[`${place}${String(name)} read`] = describe(method);
      else {
        facts[`${place}${String(name)} text`] = textOf(method);
        for (const args of this.#calls.slice(0, 3)) await this.#call(facts, `${place}${String(name)} `, method, instance, args);
      }
    }
  }

  async #call(facts, place, called, self, args) {
    const { value, error } = attempt(() => called.apply(self, args()));
    const at = `${place}(${inWords(args)})`;
    facts[at] = error ?? describe(await settled(value));
    if (error === undefined && typeof value === 'function' && !isClass(value)) {
      const inner = attempt(() => value(...args()));
      facts[`${at}()`] = inner.error ?? describe(await settled(inner.value));
    }
  }

  #instanceOf(made) {
    for (const args of this.#calls) {
      const { value, error } = attempt(() => Reflect.construct(made, args()));
      if (error === undefined) return value;
    }
    return undefined;
  }
}

function inWords(args) {
  return args.toString().slice('() => ['.length, -1);
}

function keysOf(space) {
  if (!isObject(space)) return [];
  return Object.keys(space).sort();
}

function read(space, key) {
  return attempt(() => space[key]).value;
}

/** Within its time: some calls never end by themselves. */
function attempt(action) {
  try {
    if (!bounded) return { value: action() };
    globalThis.vivariumAttempt = action;
    return { value: runInThisContext('vivariumAttempt()', { timeout: callMs }) };
  } catch (error) {
    return { error: `throws ${error?.name ?? typeof error}: ${String(error?.message ?? error).slice(0, 300)}` };
  } finally {
    globalThis.vivariumAttempt = undefined;
  }
}

async function settled(value) {
  if (typeof value?.next === 'function') return { yields: await yielded(value) };
  if (!(value instanceof Promise)) return value;
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, awaitMs, 'not settled');
  });
  const outcome = value.then(
    (result) => ({ resolves: result }),
    (error) => ({ rejects: error }),
  );
  return Promise.race([outcome, late]).finally(() => clearTimeout(timer));
}

async function yielded(iterator) {
  const all = [];
  for (let at = 0; at < 5; at++) {
    const { value: step, error } = attempt(() => iterator.next());
    if (error !== undefined) return [...all, error];
    const { value, done } = (step instanceof Promise ? await step.catch((failure) => ({ value: failure, done: true })) : step) ?? {};
    all.push(value);
    if (done) break;
  }
  return all;
}

/** Accessors are not read: what they do would be done before the edit. */
function boundOf(instance) {
  return methodsOf(instance).flatMap((name) => {
    let owner = instance;
    while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner);
    const { value } = Object.getOwnPropertyDescriptor(owner, name);
    return typeof value === 'function' ? [[String(name), value.bind(instance)]] : [];
  });
}

function methodsOf(instance) {
  const names = new Set();
  for (let at = Object.getPrototypeOf(instance); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    if (isBuiltIn(at.constructor)) break;
    for (const name of Reflect.ownKeys(at)) if (name !== 'constructor') names.add(name);
  }
  return [...names];
}

function isBuiltIn(made) {
  return typeof made === 'function' && / \{ \[native code\] \}$/.test(Function.prototype.toString.call(made));
}

function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function isClass(value) {
  return typeof value === 'function' && Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
}

function kindOf(value) {
  if (typeof value !== 'function') return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return isClass(value) ? 'class' : Object.prototype.toString.call(value);
}

function textOf(value) {
  if (typeof value !== 'function') return String(value);
  // The engine cuts the text of a class from where it stood before; its methods are looked at one by one.
  if (isClass(value)) return `class ${value.name}`;
  return unmarked(Function.prototype.toString.call(value));
}

/** What a swap leaves in the text of a function, and nowhere else: names of what was gained, blank marks, the old body of an arrow. */
function unmarked(text) {
  const plain = text
    .replace(/\v[ \t]*\v(?:\n\v[ \t]*\v)?/g, '')
    .replace(/=>true\?\(([\s\S]*?)\n\):[\s\S]*$/, '=>$1')
    .replace(/\(0, ?(__vivarium_added\.[\w$]+(?:\["[^"]*"\])?)\)/g, '$1')
    .replace(/\b0, ?(?=__vivarium_added\.)/g, '')
    .replace(/__vivarium_added\.f\d+_(?:own|import)_([\w$]+)(?:\["[^"]*"\])?/g, '$1');
  return bounded ? plain : plain.replace(/\s+/g, '');
}

/** A value in words that two processes agree on. */
function describe(value, depth = 0, above = []) {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, maxText));
  if (typeof value === 'function') return `[${isClass(value) ? 'class' : 'function'} ${value.name}] ${textOf(value).slice(0, maxText)}`;
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return String(value);
  if (above.includes(value)) return '[above]';
  if (depth > maxDepth) return '[deep]';
  const inner = (one) => describe(one, depth + 1, [...above, value]);
  if (value instanceof Date || value instanceof RegExp) return attempt(() => String(value)).value;
  if (value instanceof Error) return `${value.name}: ${value.message.slice(0, 300)}`;
  if (value instanceof Promise) return 'Promise';
  const name = attempt(() => value.constructor?.name).value ?? 'null';
  const own = Reflect.ownKeys(value).slice(0, maxKeys);
  const parts = own.map((key) => {
    const { value: held, get } = attempt(() => Object.getOwnPropertyDescriptor(value, key)).value ?? {};
    return `${String(key)}: ${get === undefined ? inner(held) : textOf(get)}`;
  });
  if (value instanceof Map) parts.unshift(...[...value].slice(0, maxKeys).map(([key, held]) => `${inner(key)} => ${inner(held)}`));
  if (value instanceof Set) parts.unshift(...[...value].slice(0, maxKeys).map(inner));
  return `${name} { ${parts.join(', ').slice(0, maxText)} }`;
}
