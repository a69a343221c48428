// The most steps that checking one value by one JSON Schema can take, counted on that value before it is checked.
import type { JsonSchema } from './infer.ts';
import { type PatternCost, patternCost } from './pattern.ts';

/** Deeper values, or longer chains of references, are not followed. */
const deepest = 500;
const exhausted: unique symbol = Symbol('exhausted');

/** A schema as the count needs it; made once. */
interface Plan {
  /** What its keywords take by themselves, whatever the value. */
  readonly own: number;
  /** Schemas for the same value, which ajv tries without a look at its type. */
  readonly inPlace: readonly unknown[];
  readonly reference: unknown;
  readonly measuresText: boolean;
  readonly pattern: PatternCost | undefined;
  readonly comparesItems: boolean;
  readonly firstItems: readonly unknown[];
  readonly eachItem: readonly unknown[];
  readonly required: readonly string[];
  readonly dependents: Entries;
  readonly names: unknown;
  readonly patterns: readonly (readonly [PatternCost, unknown])[];
  readonly properties: Entries;
  readonly isProperty: ReadonlySet<string>;
  readonly others: unknown;
  readonly unevaluated: unknown;
}

type Entries = readonly (readonly [name: string, schema: unknown])[];

/**
 * An upper bound: every branch counts, except where ajv surely stops before it. Whether the value is valid does not matter here.
 * The schema has been looked through: it is finite, and its references stay within it.
 */
export class Cost {
  readonly #root: JsonSchema;
  readonly #plans: Map<object, Plan> = new Map();
  readonly #targets: Map<string, unknown> = new Map();
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
    let plan = this.#plans.get(schema);
    if (plan === undefined) {
      plan = planOf(schema, schema === this.#root);
      this.#plans.set(schema, plan);
    }
    this.#spend(plan.own);
    const next = depth + 1;
    if (plan.reference !== undefined) this.#walk(this.#referred(plan.reference), value, next);
    for (const inner of plan.inPlace) this.#walk(inner, value, next);
    if (typeof value === 'string') this.#text(plan, value);
    else if (Array.isArray(value)) this.#list(plan, value, next);
    else if (isObject(value)) this.#object(plan, value, next);
  }

  #text({ measuresText, pattern }: Plan, text: string): void {
    if (measuresText) this.#spend(text.length);
    if (pattern !== undefined) this.#match(pattern, text);
  }

  #match({ size, steps }: PatternCost, text: string): void {
    this.#spend(size + steps(text.length));
  }

  #list(plan: Plan, list: readonly unknown[], depth: number): void {
    if (plan.comparesItems) this.#spendSize(list, depth);
    for (let at = 0; at < Math.min(plan.firstItems.length, list.length); at++) this.#walk(plan.firstItems[at], list[at], depth);
    for (const inner of plan.eachItem) for (const item of list) this.#walk(inner, item, depth);
  }

  #object(plan: Plan, object: JsonSchema, depth: number): void {
    if (plan.required.some((name) => !Object.hasOwn(object, name))) return;
    for (const [name, inner] of plan.dependents) if (Object.hasOwn(object, name)) this.#walk(inner, object, depth);
    for (const name in object) {
      this.#spend(1);
      if (plan.names !== undefined) this.#walk(plan.names, name, depth);
      for (const [pattern, inner] of plan.patterns) {
        this.#match(pattern, name);
        this.#walk(inner, object[name], depth);
      }
      if (plan.others !== undefined && !plan.isProperty.has(name)) this.#walk(plan.others, object[name], depth);
      if (plan.unevaluated !== undefined) this.#walk(plan.unevaluated, object[name], depth);
    }
    for (const [name, inner] of plan.properties) {
      if (!Object.hasOwn(object, name)) continue;
      this.#walk(inner, object[name], depth);
      // Which of many forms an object has is mostly told by one member, and the forms are often recursive.
      if (surelyFails(inner, object[name])) return;
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

  /** Only a way from the root is followed, and only where no part has a name of its own. */
  #referred(reference: unknown): unknown {
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) throw exhausted;
    if (this.#targets.has(reference)) return this.#targets.get(reference);
    let at: unknown = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
      if (!isObjectOrList(at) || !Object.hasOwn(at, key)) throw exhausted;
      at = at[key];
      if (isObject(at) && '$id' in at) throw exhausted;
    }
    this.#targets.set(reference, at);
    return at;
  }
}

function planOf(schema: JsonSchema, isRoot: boolean): Plan {
  const { items, pattern, not, if: condition, then, else: otherwise } = schema;
  const each = [Array.isArray(items) ? schema['additionalItems'] : items, schema['contains'], schema['unevaluatedItems']];
  const properties = entriesOf(schema['properties']);
  return {
    own: ownSteps(schema, isRoot),
    inPlace: [...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => listOf(schema[keyword])), not, condition, then, otherwise].filter(
      isSchema,
    ),
    reference: schema['$ref'],
    measuresText: ['minLength', 'maxLength', 'format'].some((keyword) => keyword in schema),
    pattern: typeof pattern === 'string' ? patternCost(pattern) : undefined,
    comparesItems: schema['uniqueItems'] === true,
    firstItems: [...listOf(items), ...listOf(schema['prefixItems'])],
    eachItem: each.filter(isSchema),
    required: listOf(schema['required']).filter((name) => typeof name === 'string'),
    dependents: ['dependencies', 'dependentSchemas'].flatMap((keyword) => entriesOf(schema[keyword])),
    names: schema['propertyNames'],
    patterns: entriesOf(schema['patternProperties']).map(([one, inner]) => [patternCost(one), inner]),
    properties,
    isProperty: new Set(properties.map(([name]) => name)),
    others: schema['additionalProperties'],
    unevaluated: schema['unevaluatedProperties'],
  };
}

function ownSteps(schema: JsonSchema, isRoot: boolean): number {
  // Where these lead depends on the way that led here, and below a name of its own, what "#" means.
  if ((!isRoot && schema['$id'] !== undefined) || schema['$dynamicRef'] !== undefined || schema['$recursiveRef'] !== undefined)
    return Number.POSITIVE_INFINITY;
  let steps = 0;
  for (const key in schema) {
    const inner = schema[key];
    if (key === 'enum' || key === 'const') steps += comparison(inner);
    else if (key === 'dependencies' || key === 'dependentRequired') steps += sizeOf(inner);
    else if (key === 'required' || key === 'properties') steps += isObjectOrList(inner) ? Object.keys(inner).length : 1;
    else steps += 1;
  }
  return steps;
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

function entriesOf(value: unknown): Entries {
  return isObject(value) ? Object.entries(value) : [];
}

function isSchema(value: unknown): boolean {
  return value !== undefined;
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
