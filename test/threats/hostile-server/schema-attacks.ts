// Schemas of a hostile server, each with a value for which a plain validator takes very long.

export interface Attack {
  readonly name: string;
  readonly schema: object;
  readonly value: unknown;
  /** It is refused before anything is checked. */
  readonly isTooDeep?: true;
}

const list = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));
const members = (length: number, make: (n: number) => unknown): object => Object.fromEntries(list(length, (n) => [`p${n}`, make(n)]));

function nested(levels: number, wrap: (inner: unknown) => object, innermost: unknown = {}): object {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value as object;
}

const node = { $ref: '#/$defs/node' };
const doubling = Object.fromEntries(
  list(40, (n) => [`d${n}`, n === 39 ? {} : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] }]),
);

export const attacks: readonly Attack[] = [
  { name: 'enum', schema: { items: { enum: list(15_000, (n) => `value ${n}`) } }, value: list(300_000, () => 'value 14999') },
  {
    name: 'enum with a type',
    schema: { type: 'array', items: { type: 'string', enum: list(15_000, (n) => `value ${n}`) } },
    value: list(300_000, () => 'value 14999'),
  },
  { name: 'enum of objects', schema: { items: { enum: list(6_000, (n) => ({ n })) } }, value: list(300_000, () => ({ n: 5_999 })) },
  { name: 'const', schema: { items: { const: list(15_000, (n) => n) } }, value: list(300, () => list(15_000, (n) => n)) },
  { name: 'anyOf', schema: { items: { anyOf: list(6_000, (n) => ({ const: n })) } }, value: list(300_000, () => 5_999) },
  { name: 'oneOf', schema: { items: { oneOf: list(6_000, (n) => ({ const: n })) } }, value: list(300_000, () => 5_999) },
  { name: 'allOf', schema: { items: { allOf: list(6_000, () => ({ minLength: 1 })) } }, value: list(300_000, () => 'a') },
  { name: 'not', schema: { items: { not: { anyOf: list(600, (n) => ({ const: n })) } } }, value: list(300_000, () => 'a') },
  { name: 'if', schema: { items: nested(100, (inner) => ({ if: inner, else: { minLength: 1 } })) }, value: list(300_000, () => 'a') },
  {
    name: 'properties of many small objects',
    schema: { type: 'array', items: { type: 'object', properties: members(6_000, () => ({ type: 'string' })) } },
    value: list(300_000, () => ({})),
  },
  {
    name: 'properties that are not plain',
    schema: { items: { properties: members(1_500, () => ({ type: ['string', 'null'] })) } },
    value: list(300_000, () => ({})),
  },
  { name: 'required', schema: { items: { required: list(15_000, (n) => `p${n}`) } }, value: list(20, () => members(15_000, () => 1)) },
  { name: 'uniqueItems', schema: { uniqueItems: true }, value: list(100_000, (n) => ({ n: { n } })) },
  {
    name: 'uniqueItems at every level',
    schema: { $defs: { node: { type: 'array', uniqueItems: true, items: node } }, ...node },
    value: nested(900, (inner) => [inner, [[]]], [[[]]]),
  },
  {
    name: 'contains',
    schema: { items: { contains: { enum: list(6_000, (n) => ({ n })) } } },
    value: list(300, () => list(300, () => ({}))),
  },
  {
    name: 'patternProperties',
    schema: { patternProperties: Object.fromEntries(list(300, (n) => [`^${n}`, { type: 'string' }])) },
    value: members(100_000, () => 'a'),
  },
  { name: 'propertyNames', schema: { propertyNames: { pattern: '^(a+)+$' } }, value: { [`${'a'.repeat(60)}!`]: 1 } },
  { name: 'dependentRequired', schema: { dependentRequired: members(140, () => list(100, (n) => `p${n}`)) }, value: members(300, () => 1) },
  { name: 'dependentSchemas', schema: { dependentSchemas: members(1_500, () => ({ minProperties: 1 })) }, value: members(1_500, () => 1) },
  {
    name: 'unevaluatedProperties',
    schema: { items: { unevaluatedProperties: false, anyOf: list(300, (n) => ({ properties: { [`p${n}`]: {} } })) } },
    value: list(30_000, () => members(10, () => 1)),
  },
  {
    name: 'unevaluatedItems',
    schema: { items: { unevaluatedItems: false, anyOf: list(300, () => ({ contains: { type: 'string' } })) } },
    value: list(3_000, () => list(100, () => 'a')),
  },
  {
    name: 'a recursion that tries two forms',
    schema: {
      $defs: { node: { anyOf: [{ properties: { a: node }, minProperties: 2 }, { properties: { a: node, b: { const: 1 } } }] } },
      ...node,
    },
    value: nested(200, (inner) => ({ a: inner, b: 2 }), 'a'),
  },
  { name: 'references that double', schema: { $ref: '#/$defs/d0', $defs: doubling }, value: {} },
  { name: 'a reference to itself', schema: { $ref: '#' }, value: {} },
  {
    name: 'a recursion by dynamic reference',
    schema: { $dynamicAnchor: 'node', oneOf: list(3, () => ({ properties: { a: { $dynamicRef: '#node' } } })) },
    value: nested(60, (inner) => ({ a: inner })),
  },
  {
    name: 'a large definition that is referred to everywhere',
    schema: {
      $defs: { node: { properties: members(1_000, () => ({ type: 'string', minLength: 1 })) } },
      properties: members(200, () => node),
    },
    value: {},
  },
  {
    name: 'a definition that many others refer to in turn',
    schema: { $ref: '#/$defs/p0', $defs: members(5_000, (n) => ({ $ref: `#/$defs/p${n + 1}` })) },
    value: {},
  },
  {
    name: 'names that are resolved against each other',
    schema: {
      $id: `http://x.example/${'a'.repeat(500_000)}`,
      $defs: members(4_000, (n) => ({ $id: `b${n}` })),
      properties: members(4_000, (n) => ({ $ref: `b${n}` })),
    },
    value: {},
  },
  { name: 'a pattern with a repetition in a repetition', schema: { pattern: '^(a+)+$' }, value: `${'a'.repeat(60)}!` },
  { name: 'a pattern with overlapping choices', schema: { pattern: '^(?:a|a)*$' }, value: `${'a'.repeat(60)}!` },
  { name: 'a pattern with many repetitions', schema: { pattern: `^${'a*'.repeat(12)}$` }, value: `${'a'.repeat(3_000)}!` },
  { name: 'a pattern with a back reference', schema: { pattern: '^(a*)*\\1$' }, value: `${'a'.repeat(60)}!` },
  { name: 'a pattern that takes long to compile', schema: { pattern: '\\p{L}'.repeat(150_000) }, value: 'a'.repeat(150_000) },
  { name: 'many patterns', schema: { allOf: list(3_000, (n) => ({ pattern: `^[\\p{L}\\p{N}]{1,${n}}$` })) }, value: 'a'.repeat(3_000) },
  { name: 'the format url', schema: { format: 'url' }, value: `http://${'::'.repeat(100_000)} ` },
  { name: 'the format regex', schema: { format: 'regex' }, value: '('.repeat(500_000) },
  { name: 'lengths of a long text', schema: { allOf: list(1_500, () => ({ minLength: 1 })) }, value: 'a'.repeat(3_000_000) },
  { name: 'levels of a schema', schema: nested(900, (inner) => ({ not: inner })), value: {} },
  { name: 'levels of a schema that are too many', schema: nested(100_000, (inner) => ({ not: inner })), value: {}, isTooDeep: true },
  { name: 'levels of a value', schema: { items: { $ref: '#' } }, value: nested(900, (inner) => [inner]) },
  {
    name: 'levels of a value that are too many',
    schema: { items: { $ref: '#' } },
    value: nested(200_000, (inner) => [inner]),
    isTooDeep: true,
  },
];
