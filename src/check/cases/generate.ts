// Cases made from the schema of a tool's input, without chance: valid, at the bounds, invalid by each keyword, hostile.
import { bounded, isCostly } from '../../schema/bounded.ts';
import { type Check, compileSchema } from '../../schema/json-schema.ts';
import { sampleOf } from '../sample.ts';
import { asList, asRecord, isRecord, type Json } from '../value.ts';
import type { Case, CaseKind, ExpectedOutcome } from './case.ts';

const mostProperties = 40;
const longest = 10_000;

/** Texts that have broken programs: what is in them is data, and the server lives on. */
const hostile: readonly (readonly [name: string, text: string])[] = [
  ['no text', ''],
  ['a very long text', 'x'.repeat(longest)],
  ['a null character', 'a\u0000b'],
  ['text from right to left', '\u202Eabc\u202C'],
  ['characters beyond the first plane', '🦎𝒱\u{10FFFF}'],
  ['a path upwards', '../../../../etc/passwd'],
  ['a quote of SQL', "' OR '1'='1"],
  ['a command of a shell', '$(id); `id` | id'],
  ['a template', '{{7*7}}<%= 7*7 %>#{7*7}'],
  ['markup', '<script>alert(1)</script>'],
];

interface Candidate {
  readonly name: string;
  readonly kind: CaseKind;
  readonly arguments: Json;
  /** Whether the schema is to admit it. */
  readonly fits: boolean;
  readonly outcome: ExpectedOutcome;
}

/** In the order of the schema; empty for a tool whose schema cannot be compiled, or of which no sample could be made. */
export async function generateCases(tool: Json): Promise<readonly Case[]> {
  const { name, inputSchema } = tool;
  if (typeof name !== 'string' || !isRecord(inputSchema)) return [];
  const { check, fault } = await compileSchema(inputSchema);
  const base = asRecord(sampleOf(inputSchema));
  const fitting = fitter(inputSchema, check);
  if (fault !== undefined || fitting(base) !== true) return [];
  const seen = new Set<string>();
  return candidates(inputSchema, base)
    .filter(({ arguments: given, fits }) => fitting(given) === fits)
    .filter(({ arguments: given }) => {
      const text = JSON.stringify(given);
      return !seen.has(text) && seen.add(text);
    })
    .map(({ name: title, kind, arguments: given, outcome }) => ({ name: title, tool: name, kind, arguments: given, expect: { outcome } }));
}

/** Whether a value fits, or undefined where a stranger's pattern takes too long to tell. */
function fitter(schema: Json, check: Check): (value: unknown) => boolean | undefined {
  const run = isCostly(schema) ? bounded() : undefined;
  return (value) => {
    try {
      return (run === undefined ? check(value) : run(() => check(value))) === undefined;
    } catch {
      return undefined;
    }
  };
}

function candidates(schema: Json, base: Json): readonly Candidate[] {
  const properties = Object.entries(asRecord(schema['properties'])).slice(0, mostProperties);
  const whole = Object.fromEntries(properties.map(([name, inner]) => [name, name in base ? base[name] : sampleOf(inner, schema)]));
  const required = asList(schema['required']).filter((name) => typeof name === 'string');
  const extra = { ...base, 'vivarium-extra': 'x' };
  return [
    { name: 'only what is required', kind: 'valid', arguments: base, fits: true, outcome: 'accepted' },
    { name: 'everything there is', kind: 'valid', arguments: whole, fits: true, outcome: 'accepted' },
    ...required.map((name): Candidate => {
      const { [name]: _, ...rest } = base;
      return { name: `${name}: left out`, kind: 'missing', arguments: rest, fits: false, outcome: 'refused' };
    }),
    { name: 'a member that is not known, and not allowed', kind: 'extra', arguments: extra, fits: false, outcome: 'refused' },
    { name: 'a member that is not known', kind: 'extra', arguments: extra, fits: true, outcome: 'answered' },
    ...properties.flatMap(([name, inner]) => propertyCases(name, asRecord(inner), base)),
  ];
}

function propertyCases(name: string, schema: Json, base: Json): readonly Candidate[] {
  const make =
    (kind: CaseKind, fits: boolean, outcome: ExpectedOutcome) =>
    (what: string, value: unknown): Candidate => {
      return { name: `${name}: ${what}`, kind, arguments: { ...base, [name]: value }, fits, outcome };
    };
  const bound = make('boundary', true, 'accepted');
  const wrong = make('invalid', false, 'refused');
  const odd = make('hostile', true, 'answered');
  const found = [
    ...['text', 7, true, null, ['x'], { x: 1 }].map((value) => wrong(`${kindOf(value)} of another type`, value)).slice(0, 6),
    ...asList(schema['enum'])
      .slice(0, 5)
      .map((value) => bound(`the choice ${JSON.stringify(value)}`, value)),
    ...(Array.isArray(schema['enum']) ? [wrong('no choice', 'vivarium-none')] : []),
    ...numberCases(schema, bound, wrong),
    ...lengthCases(schema, 'Length', (length) => 'x'.repeat(length), bound, wrong),
    ...lengthCases(schema, 'Items', (length) => Array.from({ length }, () => sampleOf(schema['items'] ?? true)), bound, wrong),
    ...(typeof schema['pattern'] === 'string' ? [wrong('text that does not match', '\u0000')] : []),
  ];
  return hasType(schema, 'string') ? [...found, ...hostile.map(([what, text]) => odd(what, text))] : found;
}

type Make = (what: string, value: unknown) => Candidate;

function numberCases(schema: Json, bound: Make, wrong: Make): readonly Candidate[] {
  const { minimum, maximum } = schema;
  const step = hasType(schema, 'integer') ? 1 : 0.5;
  return [
    ...(typeof minimum === 'number' ? [bound('the least', minimum), wrong('less than the least', minimum - step)] : []),
    ...(typeof maximum === 'number' ? [bound('the most', maximum), wrong('more than the most', maximum + step)] : []),
    ...(step === 1 ? [wrong('a fraction', 1.5)] : []),
    ...(hasType(schema, 'integer') || hasType(schema, 'number') ? [bound('zero', 0), bound('less than zero', -1)] : []),
  ];
}

function lengthCases(
  schema: Json,
  what: 'Length' | 'Items',
  make: (length: number) => unknown,
  bound: Make,
  wrong: Make,
): readonly Candidate[] {
  const [least, most] = [schema[`min${what}`], schema[`max${what}`]];
  const isLength = (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= longest;
  return [
    ...(isLength(least) ? [bound('as short as may be', make(least))] : []),
    ...(isLength(least) && least > 0 ? [wrong('too short', make(least - 1))] : []),
    ...(isLength(most) ? [bound('as long as may be', make(most)), wrong('too long', make(most + 1))] : []),
  ];
}

function hasType({ type }: Json, wanted: string): boolean {
  return type === wanted || asList(type).includes(wanted);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : typeof value === 'string' ? 'text' : `a ${typeof value}`;
}
