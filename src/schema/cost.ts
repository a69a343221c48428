// The most steps that checking one value by one JSON Schema can take, counted on that value before it is checked.
import type { JsonSchema } from './infer.ts';
import { type PatternCost, patternCost } from './pattern.ts';

/** Deeper values, or longer chains of references, are not followed. */
const deepest = 500;
const exhausted: unique symbol = Symbol('exhausted');

/** Keywords with schemas for the same value, which ajv tries without a look at the type of the value. */
const inPlace = ['not', 'if', 'then', 'else'] as const;
const inPlaceLists = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * An upper bound: every branch counts, except where a validator surely stops before it. Whether the value is valid does not matter here.
 * The schema has been looked through: it is finite, and its references stay within it.
 */
export class Cost {
  readonly #root: JsonSchema;
  readonly #own: Map<object, number> = new Map();
  readonly #patterns: Map<string, PatternCost> = new Map();
  #left = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** Takes no longer than so many steps itself. */
  isAtMost(steps: number, value: unknown): boolean {
    this.#left = steps;
    try {
      this.#walk(this.#root, value, 0);
      return true;
    } catch (error) {
      if (error === exhausted) return false;
      throw error;
    }
  }

  #spend(steps: number): void {
    this.#left -= steps;
    // Not a number is no proof either.
    if (!(this.#left >= 0)) throw exhausted;
  }

  #walk(schema: unknown, value: unknown, depth: number): void {
    this.#spend(1);
    if (!isObject(schema)) return;
    if (depth > deepest) throw exhausted;
    this.#spend(this.#ownSteps(schema));
    const next = depth + 1;
    if (schema['$ref'] !== undefined) this.#walk(this.#referred(schema['$ref']), value, next);
    for (const keyword of inPlaceLists) for (const inner of listOf(schema[keyword])) this.#walk(inner, value, next);
    for (const keyword of inPlace) if (schema[keyword] !== undefined) this.#walk(schema[keyword], value, next);
    if (typeof value === 'string') this.#text(schema, value);
    else if (Array.isArray(value)) this.#list(schema, value, next);
    else if (isObject(value)) this.#object(schema, value, next);
  }

  #text(schema: JsonSchema, text: string): void {
    if ('minLength' in schema || 'maxLength' in schema || 'format' in schema) this.#spend(text.length);
    if (typeof schema['pattern'] === 'string') this.#match(schema['pattern'], text);
  }

  #match(pattern: string, text: string): void {
    let cost = this.#patterns.get(pattern);
    if (cost === undefined) {
      cost = patternCost(pattern);
      this.#patterns.set(pattern, cost);
    }
    this.#spend(cost.size + cost.steps(text.length));
  }

  #list(schema: JsonSchema, list: readonly unknown[], depth: number): void {
    if (schema['uniqueItems'] === true) this.#spendSize(list, depth);
    const { items, prefixItems } = schema;
    const first = [...listOf(items), ...listOf(prefixItems)];
    for (let at = 0; at < Math.min(first.length, list.length); at++) this.#walk(first[at], list[at], depth);
    const each = [Array.isArray(items) ? schema['additionalItems'] : items, schema['contains'], schema['unevaluatedItems']];
    for (const inner of each) if (inner !== undefined) for (const item of list) this.#walk(inner, item, depth);
  }

  #object(schema: JsonSchema, object: JsonSchema, depth: number): void {
    const { properties, patternProperties, additionalProperties, propertyNames, unevaluatedProperties, required } = schema;
    const own = isObject(properties) ? properties : {};
    if (listOf(required).some((name) => typeof name === 'string' && !Object.hasOwn(object, name))) return;
    for (const keyword of ['dependencies', 'dependentSchemas']) {
      for (const [name, inner] of entriesOf(schema[keyword])) if (Object.hasOwn(object, name)) this.#walk(inner, object, depth);
    }
    const patterns = entriesOf(patternProperties);
    for (const name in object) {
      this.#spend(1);
      if (propertyNames !== undefined) this.#walk(propertyNames, name, depth);
      for (const [pattern, inner] of patterns) {
        this.#match(pattern, name);
        this.#walk(inner, object[name], depth);
      }
      if (additionalProperties !== undefined && !Object.hasOwn(own, name)) this.#walk(additionalProperties, object[name], depth);
      if (unevaluatedProperties !== undefined) this.#walk(unevaluatedProperties, object[name], depth);
    }
    for (const name in own) {
      if (!Object.hasOwn(object, name)) continue;
      this.#walk(own[name], object[name], depth);
      // Which of many forms an object has is mostly told by one member, and the forms are often recursive.
      if (surelyFails(own[name], object[name])) return;
    }
  }

  /** Everything below it, as text. */
  #spendSize(value: unknown, depth: number): void {
    this.#spend(typeof value === 'string' ? value.length + 1 : 1);
    if (depth > deepest) throw exhausted;
    if (!isObjectOrList(value)) return;
    for (const key in value) {
      this.#spend(key.length);
      this.#spendSize(value[key], depth + 1);
    }
  }

  /** What its keywords take by themselves, whatever the value. */
  #ownSteps(schema: JsonSchema): number {
    let steps = this.#own.get(schema);
    if (steps !== undefined) return steps;
    steps = 0;
    for (const key in schema) {
      const inner = schema[key];
      if (key === 'enum' || key === 'const') steps += comparison(inner);
      else if (key === 'dependencies' || key === 'dependentRequired') steps += sizeOf(inner);
      else if (key === 'required' || key === 'properties') steps += isObjectOrList(inner) ? Object.keys(inner).length : 1;
      else steps += 1;
    }
    // Where these lead depends on the way that led here, and below a name of its own, what "#" means.
    const isNamed = schema !== this.#root && schema['$id'] !== undefined;
    if (isNamed || schema['$dynamicRef'] !== undefined || schema['$recursiveRef'] !== undefined) steps = Number.POSITIVE_INFINITY;
    this.#own.set(schema, steps);
    return steps;
  }

  /** Only a way from the root is followed, and only where no part has a name of its own. */
  #referred(reference: unknown): unknown {
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) throw exhausted;
    this.#spend(reference.length);
    let at: unknown = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
      if (!isObjectOrList(at) || !Object.hasOwn(at, key)) throw exhausted;
      at = at[key];
      if (isObject(at) && '$id' in at) throw exhausted;
    }
    return at;
  }
}

/** Scalars are found by hash; lists and objects are compared one by one. */
function comparison(allowed: unknown): number {
  if (!isObjectOrList(allowed)) return 1;
  return Object.values(allowed).reduce<number>((steps, one) => steps + (typeof one === 'object' ? sizeOf(one) : 0), 1);
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (!isObjectOrList(value)) return 1;
  return Object.entries(value).reduce((size, [key, inner]) => size + key.length + sizeOf(inner), 1);
}

function surelyFails(schema: unknown, value: unknown): boolean {
  if (!isObject(schema)) return schema === false;
  const { const: only, type } = schema;
  if (only !== undefined && typeof only !== 'object') return value !== only;
  return (
    (type === 'object' && !isObject(value)) ||
    (type === 'array' && !Array.isArray(value)) ||
    (type === 'string' && typeof value !== 'string')
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is JsonSchema {
  return isObjectOrList(value) && !Array.isArray(value);
}

function isObjectOrList(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}
