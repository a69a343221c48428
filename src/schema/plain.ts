// Checks of plain JSON Schemas (types, properties, bounds, enumerations, lists) without ajv, which takes a tenth of a second to
// load: what most tools use is checked at once. Whatever else a schema holds is ajv's; both take and refuse the same values.
import type { JsonSchema } from './infer.ts';
import { type AjvError, describeErrors } from './issues.ts';

/** Undefined where ajv is needed. */
export function plainCheck(schema: JsonSchema): ((value: unknown) => string | undefined) | undefined {
  const test = testOf(schema, 0);
  if (test === undefined) return undefined;
  return (value) => {
    const error = test(value);
    return error === undefined ? undefined : describeErrors([error]);
  };
}

/** The first thing wrong; nothing when all is right. */
type Test = (value: unknown) => AjvError | undefined;
type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';

const maxLevels = 20;

/** What says nothing of a value, with what it must be: a schema with a mistake in it is ajv's to judge. */
const remarks: Readonly<Record<string, (value: unknown) => boolean>> = {
  $schema: (value) => typeof value === 'string' && /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(value),
  $comment: isText,
  title: isText,
  description: isText,
  default: () => true,
  examples: Array.isArray,
  deprecated: (value) => typeof value === 'boolean',
  readOnly: (value) => typeof value === 'boolean',
  writeOnly: (value) => typeof value === 'boolean',
};

const words: Readonly<Record<Kind, ReadonlySet<string>>> = {
  string: new Set(['type', 'enum', 'const', 'minLength', 'maxLength']),
  integer: new Set(['type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']),
  number: new Set(['type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']),
  boolean: new Set(['type', 'enum', 'const']),
  null: new Set(['type']),
  array: new Set(['type', 'items', 'minItems', 'maxItems']),
  object: new Set(['type', 'properties', 'required', 'additionalProperties']),
};

function testOf(schema: unknown, level: number): Test | undefined {
  if (schema === true) return always;
  if (!isRecord(schema) || level > maxLevels) return undefined;
  const { type } = schema;
  if (type === undefined) return onlyRemarks(schema) ? always : undefined;
  if (typeof type !== 'string' || !Object.hasOwn(words, type)) return undefined;
  const kind = type as Kind;
  const known = words[kind];
  for (const key of Object.keys(schema)) if (!known.has(key) && !isRemark(key, schema[key])) return undefined;
  if (kind === 'object') return objectTest(schema, level);
  if (kind === 'array') return arrayTest(schema, level);
  return scalarTest(kind, schema);
}

function always(): undefined {
  return undefined;
}

function scalarTest(kind: Exclude<Kind, 'array' | 'object'>, schema: JsonSchema): Test | undefined {
  const is = kinds[kind];
  const wrong = failed('type', `must be ${kind}`);
  const limits = limitsOf(kind, schema);
  if (limits === undefined) return undefined;
  if (limits.length === 0) return (value) => (is(value) ? undefined : wrong());
  return (value) => {
    if (!is(value)) return wrong();
    for (const limit of limits) {
      const error = limit(value);
      if (error !== undefined) return error;
    }
    return undefined;
  };
}

const kinds: Readonly<Record<Exclude<Kind, 'array' | 'object'>, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

/** Of a value that has the right type already; undefined where one of them is ajv's. */
function limitsOf(kind: string, schema: JsonSchema): readonly Test[] | undefined {
  const limits: Test[] = [];
  const numeric = kind === 'string' ? lengths : bounds;
  for (const [key, make] of numeric) {
    const limit = schema[key];
    if (limit === undefined) continue;
    if (typeof limit !== 'number' || (kind === 'string' ? !isCount(limit) : !Number.isFinite(limit))) return undefined;
    limits.push(make(limit));
  }
  if ('const' in schema) {
    const { const: only } = schema;
    if (!isScalar(only)) return undefined;
    const wrong = failed('const', '', { allowedValue: only });
    limits.push((value) => (value === only ? undefined : wrong()));
  }
  if ('enum' in schema) {
    const { enum: allowed } = schema;
    if (!Array.isArray(allowed) || allowed.length === 0 || !allowed.every(isScalar) || !areUnique(allowed)) return undefined;
    const wrong = failed('enum', '', { allowedValues: allowed });
    const among: ReadonlySet<unknown> = new Set(allowed);
    limits.push((value) => (among.has(value) ? undefined : wrong()));
  }
  return limits;
}

type Limits = readonly (readonly [key: string, make: (limit: number) => Test])[];

const bounds: Limits = [
  bound('maximum', '<=', (value, limit) => value <= limit),
  bound('minimum', '>=', (value, limit) => value >= limit),
  bound('exclusiveMaximum', '<', (value, limit) => value < limit),
  bound('exclusiveMinimum', '>', (value, limit) => value > limit),
];

function bound(key: string, sign: string, holds: (value: number, limit: number) => boolean): Limits[number] {
  return [
    key,
    (limit) => {
      const wrong = failed(key, `must be ${sign} ${limit}`);
      return (value) => (holds(value as number, limit) ? undefined : wrong());
    },
  ];
}

/** In characters and not in halves of them. */
const lengths: Limits = [
  [
    'maxLength',
    (limit) => {
      const wrong = failed('maxLength', `must NOT have more than ${limit} characters`);
      return (value) => ((value as string).length <= limit || characters(value as string) <= limit ? undefined : wrong());
    },
  ],
  [
    'minLength',
    (limit) => {
      const wrong = failed('minLength', `must NOT have fewer than ${limit} characters`);
      return (value) => (characters(value as string) >= limit ? undefined : wrong());
    },
  ],
];

function characters(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    pairs++;
    at++;
  }
  return text.length - pairs;
}

function arrayTest(schema: JsonSchema, level: number): Test | undefined {
  const { items, maxItems, minItems } = schema;
  const one = items === undefined ? always : testOf(items, level + 1);
  if (one === undefined || !isCountOrNone(maxItems) || !isCountOrNone(minItems)) return undefined;
  const most = maxItems ?? Number.POSITIVE_INFINITY;
  const fewest = minItems ?? 0;
  const wrong = failed('type', 'must be array');
  const tooMany = failed('maxItems', `must NOT have more than ${most} items`);
  const tooFew = failed('minItems', `must NOT have fewer than ${fewest} items`);
  return (value) => {
    if (!Array.isArray(value)) return wrong();
    if (value.length > most) return tooMany();
    if (value.length < fewest) return tooFew();
    for (let at = 0; at < value.length; at++) {
      const error = one(value[at]);
      if (error !== undefined) return inside(String(at), error);
    }
    return undefined;
  };
}

function objectTest(schema: JsonSchema, level: number): Test | undefined {
  const { properties = {}, required = [], additionalProperties: more = true } = schema;
  if (!isRecord(properties) || !Array.isArray(required) || !required.every(isText) || !areUnique(required)) return undefined;
  const names = Object.keys(properties);
  // Names that ajv has ways of its own with.
  if (names.includes('__proto__') || required.includes('__proto__') || required.includes('')) return undefined;
  const tests: Test[] = [];
  for (const name of names) {
    const test = testOf(properties[name], level + 1);
    if (test === undefined) return undefined;
    tests.push(test);
  }
  const others = more === true ? always : more === false ? forbidden : testOf(more, level + 1);
  if (others === undefined) return undefined;
  const needed: readonly string[] = [...required];
  const byName = new Map(names.map((name, at) => [name, tests[at]!]));
  const fitsAll = (value: JsonSchema): boolean =>
    Object.keys(value).every((name) => value[name] === undefined || byName.get(name)?.(value[name]) === undefined);
  const wrong = failed('type', 'must be object');
  return (value) => {
    if (!isRecord(value)) return wrong();
    for (const name of needed)
      if (value[name] === undefined || !Object.hasOwn(value, name)) return failed('required', '', { missingProperty: name })();
    if (others !== always) {
      for (const name of Object.keys(value)) {
        if (byName.has(name)) continue;
        if (others === forbidden) return failed('additionalProperties', '', { additionalProperty: name })();
        const error = others(value[name]);
        if (error !== undefined) return inside(name, error);
      }
    }
    // A schema of ten thousand names must not be read for each of many small objects.
    if (names.length > manyNames && fitsAll(value)) return undefined;
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!;
      const one = value[name];
      if (one === undefined || !Object.hasOwn(value, name)) continue;
      const error = tests[at]!(one);
      if (error !== undefined) return inside(name, error);
    }
    return undefined;
  };
}

const manyNames = 50;

/** Never called: it stands for `false`. */
function forbidden(): undefined {
  return undefined;
}

function failed(keyword: string, message: string, params: AjvError['params'] = {}): () => AjvError {
  return () => ({ keyword, instancePath: '', message, params });
}

function inside(key: string, error: AjvError): AjvError {
  return { ...error, instancePath: `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}${error.instancePath}` };
}

function onlyRemarks(schema: JsonSchema): boolean {
  return Object.keys(schema).every((key) => isRemark(key, schema[key]));
}

function isRemark(key: string, value: unknown): boolean {
  return Object.hasOwn(remarks, key) && remarks[key]!(value);
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isCountOrNone(value: unknown): value is number | undefined {
  return value === undefined || isCount(value);
}

function areUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
