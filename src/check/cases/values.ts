// What to put at one place: values at its bounds, values that break it by one keyword, and texts that have broken programs.

import { asList, type Json } from '../model/value.ts';
import { sampleOf } from '../schemas/sample.ts';
import type { CaseKind, ExpectedOutcome } from './case.ts';
import { hasType } from './places.ts';

export interface Tried {
  readonly what: string;
  readonly value: unknown;
  readonly kind: CaseKind;
  /** Whether the schema is to admit it. */
  readonly fits: boolean;
  readonly outcome: ExpectedOutcome;
}

const longest = 10_000;
const maxChoices = 5;

/** What is in them is data, and the server lives on. */
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

export function valuesFor(schema: Json, root: Json, isDeep: boolean): readonly Tried[] {
  const found = [
    ...otherTypes.map((value) => wrong(`${kindOf(value)} of another type`, value)),
    ...choices(schema),
    ...numbers(schema),
    ...lengths(schema, 'Length', (length) => 'x'.repeat(length)),
    ...lengths(schema, 'Items', (length) => Array.from({ length }, (_, index) => itemOf(schema, root, index))),
    ...(schema['uniqueItems'] === true ? [wrong('the same item twice', [itemOf(schema, root, 0), itemOf(schema, root, 0)])] : []),
    ...(typeof schema['pattern'] === 'string' ? [wrong('text that does not match', '\u0000')] : []),
    ...forms(schema, root),
  ];
  if (!hasType(schema, 'string')) return found;
  // The first level gets them all; deeper down a few show whether they are checked there at all.
  const texts = isDeep ? hostile.slice(0, 3) : hostile;
  return [...found, ...texts.map(([what, value]) => odd(what, value))];
}

const otherTypes: readonly unknown[] = ['text', 7, true, null, ['x'], { x: 1 }];
const bound = (what: string, value: unknown): Tried => ({ what, value, kind: 'boundary', fits: true, outcome: 'accepted' });
const wrong = (what: string, value: unknown): Tried => ({ what, value, kind: 'invalid', fits: false, outcome: 'refused' });
const odd = (what: string, value: unknown): Tried => ({ what, value, kind: 'hostile', fits: true, outcome: 'answered' });

function choices(schema: Json): readonly Tried[] {
  const listed = Array.isArray(schema['enum']) ? schema['enum'] : 'const' in schema ? [schema['const']] : undefined;
  if (listed === undefined) return [];
  const some = listed.slice(0, maxChoices).map((value) => bound(`the choice ${JSON.stringify(value)}`, value));
  return [...some, wrong('no choice', 'vivarium-none')];
}

function numbers(schema: Json): readonly Tried[] {
  const isWhole = hasType(schema, 'integer');
  if (!isWhole && !hasType(schema, 'number')) return [];
  const step = isWhole ? 1 : 0.5;
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema;
  const isNumber = (value: unknown): value is number => typeof value === 'number';
  return [
    ...(isNumber(minimum) ? [bound('the least', minimum), wrong('less than the least', minimum - step)] : []),
    ...(isNumber(maximum) ? [bound('the most', maximum), wrong('more than the most', maximum + step)] : []),
    ...(isNumber(above) ? [bound('just above the bound', above + step), wrong('the bound below', above)] : []),
    ...(isNumber(below) ? [bound('just below the bound', below - step), wrong('the bound above', below)] : []),
    ...(isNumber(multipleOf) ? [bound('one multiple', multipleOf), wrong('between two multiples', multipleOf / 2)] : []),
    ...(isWhole ? [wrong('a fraction', 1.5)] : []),
    bound('zero', 0),
    bound('less than zero', -1),
  ];
}

function lengths(schema: Json, what: 'Length' | 'Items', make: (length: number) => unknown): readonly Tried[] {
  const [least, most] = [schema[`min${what}`], schema[`max${what}`]];
  const isLength = (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= longest;
  return [
    ...(what === 'Items' && hasType(schema, 'array') ? [bound('no item', []), bound('one item', make(1))] : []),
    ...(isLength(least) ? [bound('as short as may be', make(least))] : []),
    ...(isLength(least) && least > 0 ? [wrong('too short', make(least - 1))] : []),
    ...(isLength(most) ? [bound('as long as may be', make(most)), wrong('too long', make(most + 1))] : []),
  ];
}

/** Where several forms are allowed, each of them. */
function forms(schema: Json, root: Json): readonly Tried[] {
  return ['anyOf', 'oneOf'].flatMap((keyword) =>
    asList(schema[keyword])
      .slice(0, maxChoices)
      .map((one, index): Tried => ({ ...bound(`form ${index + 1}`, sampleOf(one, root)), kind: 'valid' })),
  );
}

function itemOf(schema: Json, root: Json, index: number): unknown {
  return sampleOf(asList(schema['prefixItems'])[index] ?? schema['items'] ?? true, root);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : typeof value === 'string' ? 'text' : `a ${typeof value}`;
}
