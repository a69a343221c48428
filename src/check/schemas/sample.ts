// A value that a JSON Schema admits, the plainest there is, made without chance.
import { bounded, isOverdue } from '../../schema/time-limit.ts';
import { asList, asRecord, isRecord, type Json } from '../model/value.ts';

const formats: ReadonlyMap<string, string> = new Map([
  ['date-time', '2026-01-02T03:04:05Z'],
  ['date', '2026-01-02'],
  ['time', '03:04:05Z'],
  ['duration', 'P1D'],
  ['email', 'someone@example.com'],
  ['idn-email', 'someone@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '127.0.0.1'],
  ['ipv6', '::1'],
  ['uri', 'https://example.com/'],
  ['uri-reference', '/'],
  ['url', 'https://example.com/'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
  ['regex', 'a'],
  ['json-pointer', '/a'],
  ['byte', 'YQ=='],
]);
const maxDepth = 12;
/** Values in one sample: a list of lists that refers to itself would have millions. */
const maxValues = 10_000;

/** Whose pattern it is decides how long it takes. */
const patternMs = 50;
/** After so many that took longer, no more are tried. */
const maxSlow = 10;
const maxPatterns = 1_000;

interface Growth {
  values: number;
}

export function sampleOf(schema: unknown, root: unknown = schema): unknown {
  return grown(schema, root, 0, { values: 0 });
}

function grown(schema: unknown, root: unknown, depth: number, growth: Growth): unknown {
  growth.values += 1;
  if (!isRecord(schema) || depth > maxDepth || growth.values > maxValues) return schema === true ? 'x' : undefined;
  if ('const' in schema) return schema['const'];
  const choices = asList(schema['enum']);
  if (choices.length > 0) return choices[0];
  if ('default' in schema) return schema['default'];
  if (asList(schema['examples']).length > 0) return asList(schema['examples'])[0];
  if (typeof schema['$ref'] === 'string') return grown(referred(schema['$ref'], root), root, depth + 1, growth);
  for (const keyword of ['anyOf', 'oneOf']) {
    const first = asList(schema[keyword]).find((one) => asRecord(one)['type'] !== 'null');
    if (first !== undefined) return merged(schema, first, root, depth, growth);
  }
  const parts = asList(schema['allOf']);
  if (parts.length > 0) return merged(schema, Object.assign({}, ...parts.map(asRecord)), root, depth, growth);
  return plain(schema, root, depth, growth);
}

/** The same with a value of another type in each field that has one; undefined where none has. */
export function misfitting(schema: unknown): Json | undefined {
  const properties = Object.entries(asRecord(asRecord(schema)['properties']));
  const typed = properties.filter(([, one]) => typeof asRecord(one)['type'] === 'string');
  if (typed.length === 0) return undefined;
  const wrong = (type: unknown): unknown => (type === 'string' || type === 'array' ? 7 : 'vivarium-none');
  return { ...asRecord(sampleOf(schema)), ...Object.fromEntries(typed.map(([name, one]) => [name, wrong(asRecord(one)['type'])])) };
}

function merged(schema: Json, inner: unknown, root: unknown, depth: number, growth: Growth): unknown {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const one = asRecord(inner);
  const properties = { ...asRecord(rest['properties']), ...asRecord(one['properties']) };
  const required = [...asList(rest['required']), ...asList(one['required'])];
  const joined = { ...rest, ...one, ...(Object.keys(properties).length > 0 && { properties }), ...(required.length > 0 && { required }) };
  return grown(joined, root, depth + 1, growth);
}

function plain(schema: Json, root: unknown, depth: number, growth: Growth): unknown {
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const type = types.find((one) => one !== 'null') ?? types[0] ?? guess(schema);
  switch (type) {
    case 'object':
      return objectOf(schema, root, depth, growth);
    case 'array':
      return listOf(schema, root, depth, growth);
    case 'string':
      return stringOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema, type === 'integer');
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return 'x';
  }
}

function guess(schema: Json): string {
  if ('properties' in schema || 'required' in schema) return 'object';
  if ('items' in schema || 'minItems' in schema) return 'array';
  if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema) return 'number';
  return 'string';
}

/** Only what is required: what may be left out is left out. */
function objectOf(schema: Json, root: unknown, depth: number, growth: Growth): Json {
  const properties = asRecord(schema['properties']);
  const names = asList(schema['required']).filter((name) => typeof name === 'string');
  return Object.fromEntries(names.map((name) => [name, grown(properties[name] ?? true, root, depth + 1, growth)]));
}

function listOf(schema: Json, root: unknown, depth: number, growth: Growth): unknown[] {
  const first = asList(schema['prefixItems']);
  const least = typeof schema['minItems'] === 'number' ? Math.min(schema['minItems'], 20) : 0;
  const items: unknown[] = [];
  for (let index = 0; index < Math.max(least, first.length); index += 1) {
    items.push(grown(first[index] ?? schema['items'] ?? true, root, depth + 1, growth));
  }
  return items;
}

function stringOf(schema: Json): string {
  const format = typeof schema['format'] === 'string' ? formats.get(schema['format']) : undefined;
  const text = format ?? (typeof schema['pattern'] === 'string' ? byPattern(schema['pattern']) : 'x');
  const least = typeof schema['minLength'] === 'number' ? Math.min(schema['minLength'], 10_000) : 0;
  return text.length >= least ? text : text.padEnd(least, 'x');
}

/** Only what is tried first and fits: a pattern that none of these matches gets a plain word. */
const tries = [
  'x',
  'abc',
  'Abc',
  'a-b',
  '1',
  '12',
  '123',
  '2026-01-02',
  '2026-01-02T03:04:05Z',
  'https://example.com/',
  'a@example.com',
  '/',
  '/a',
  '#aabbcc',
  'en',
  'en-US',
  'a/b',
  '1.0.0',
  '00000000-0000-4000-8000-000000000000',
];
/** Found before, by pattern: a schema is sampled many times. */
const matches = new Map<string, string>();
let slow = 0;

function byPattern(pattern: string): string {
  const known = matches.get(pattern);
  const run = bounded();
  if (known !== undefined || pattern.length > 200 || run === undefined || slow >= maxSlow) return known ?? 'x';
  let found = 'x';
  try {
    const expression = new RegExp(pattern, 'u');
    found = run(() => tries.find((one) => expression.test(one)), patternMs) ?? 'x';
  } catch (error) {
    if (isOverdue(error)) slow += 1;
  }
  if (matches.size >= maxPatterns) matches.clear();
  matches.set(pattern, found);
  return found;
}

function numberOf(schema: Json, whole: boolean): number {
  const number = (key: string) => (typeof schema[key] === 'number' ? (schema[key] as number) : undefined);
  const step = number('multipleOf') ?? (whole ? 1 : undefined);
  const low = number('minimum') ?? above(number('exclusiveMinimum'), step);
  const high = number('maximum') ?? below(number('exclusiveMaximum'), step);
  let value = low ?? (high !== undefined && high < 1 ? high : 1);
  if (high !== undefined && value > high) value = high;
  if (step !== undefined && step > 0) value = Math.ceil(value / step) * step;
  return value;
}

const above = (limit: number | undefined, step: number | undefined) => (limit === undefined ? undefined : limit + (step ?? 0.5));
const below = (limit: number | undefined, step: number | undefined) => (limit === undefined ? undefined : limit - (step ?? 0.5));

/** Undefined where it leads nowhere within the schema. */
export function referred(reference: string, root: unknown): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let here: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    here = isRecord(here) && Object.hasOwn(here, key) ? here[key] : Array.isArray(here) ? here[Number(key)] : undefined;
  }
  return here;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
