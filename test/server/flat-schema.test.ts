// Schemas as forms: what each revision can show, what is refused, and what an answer is held against.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { traitsOf } from '../../src/protocol/revision.ts';
import { type FlatSchema, flatFault, toFlatSchema } from '../../src/server/flat-schema.ts';

const june = traitsOf('2025-06-18');
const later = [traitsOf('2025-11-25'), traitsOf('2026-07-28')];
const all = [june, ...later];

const form = (field: object, traits = june): FlatSchema | string =>
  toFlatSchema({ type: 'object', properties: { f: field as Record<string, unknown> } }, traits);
const fieldOf = (field: object, traits = june): unknown => (form(field, traits) as FlatSchema).properties['f'];
const json = (schema: z.ZodType): Record<string, unknown> => z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>;

describe.each(all)('in $revision', (traits) => {
  it.each([
    { type: 'string' },
    { type: 'string', title: 'T', description: 'D', minLength: 1, maxLength: 2, format: 'email' },
    { type: 'number', minimum: 1, maximum: 2 },
    { type: 'integer', minimum: 1 },
    { type: 'boolean', default: true },
    { type: 'string', enum: ['a', 'b'] },
  ])('%j is shown as it is', (field) => {
    expect(fieldOf(field, traits)).toEqual(field);
  });

  it('what forms do not know is left to the schema of the author', () => {
    expect(fieldOf({ type: 'string', pattern: '^a', format: 'uuid', examples: ['a'] }, traits)).toEqual({ type: 'string' });
    expect(fieldOf({ type: 'number', exclusiveMinimum: 0, multipleOf: 2 }, traits)).toEqual({ type: 'number' });
  });

  it.each([
    { type: 'object', properties: {} },
    { type: 'array', items: { type: 'string' } },
    { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    { type: 'array', items: { type: 'number', enum: [1, 2] } },
    { type: 'array' },
    { type: ['string', 'null'] },
    { type: 'null' },
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
    { oneOf: [{ type: 'string' }, { type: 'number' }] },
    { enum: [1, 2] },
    { $ref: '#/$defs/a' },
    {},
  ])('%j is refused with the name of the field', (field) => {
    expect(form(field, traits)).toMatch(/^the field "f" /);
  });

  it('a form is an object', () => {
    for (const root of [{}, { type: 'string' }, { type: 'array', items: {} }])
      expect(toFlatSchema(root, traits)).toMatch('a form is an object');
    expect(toFlatSchema({ type: 'object' }, traits)).toEqual({ type: 'object', properties: {} });
  });

  it('required fields are named, and nothing else of the root is kept', () => {
    const flat = toFlatSchema(json(z.object({ a: z.string(), b: z.number().optional(), c: z.boolean().default(true) })), traits);
    expect(flat).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' }, c: { type: 'boolean', default: true } },
      required: ['a'],
    });
  });

  it('a field may have any name', () => {
    const flat = toFlatSchema(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'), traits) as FlatSchema;
    expect(Object.keys(flat.properties)).toEqual(['__proto__']);
  });
});

const titled = [
  { const: 'a', title: 'A' },
  { const: 'b', title: 'B' },
];

describe('choices with titles', () => {
  const asEnum = { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] };

  it('are enum and enumNames in 2025-06-18, however they were written', () => {
    expect(fieldOf({ type: 'string', oneOf: titled })).toEqual(asEnum);
    expect(fieldOf({ oneOf: titled })).toEqual(asEnum);
    expect(fieldOf(asEnum)).toEqual(asEnum);
    expect(fieldOf({ oneOf: [{ const: 'a' }] })).toEqual({ type: 'string', enum: ['a'], enumNames: ['a'] });
  });

  it.each(later)('stay as they were written in $revision, where both forms exist', (traits) => {
    expect(fieldOf(asEnum, traits)).toEqual(asEnum);
    for (const field of [{ type: 'string', oneOf: titled }, { oneOf: titled }]) {
      expect(fieldOf(field, traits)).toEqual({ type: 'string', oneOf: titled });
    }
    expect(fieldOf({ oneOf: [{ const: 'a' }] }, traits)).toEqual({ type: 'string', oneOf: [{ const: 'a', title: 'a' }] });
  });
});

describe('several choices at once', () => {
  const several = { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b'] } };

  it('do not exist in 2025-06-18', () => {
    expect(form(several)).toBe('the field "f" offers several choices at once, which 2025-06-18 does not have');
  });

  it.each(later)('are a list in $revision', (traits) => {
    expect(fieldOf({ ...several, uniqueItems: true }, traits)).toEqual(several);
    for (const member of ['anyOf', 'oneOf']) {
      expect(fieldOf({ type: 'array', items: { [member]: titled } }, traits)).toEqual({ type: 'array', items: { anyOf: titled } });
    }
    expect(fieldOf({ type: 'array', items: { anyOf: [{ type: 'string', const: 'a' }] } }, traits)).toEqual({
      type: 'array',
      items: { anyOf: [{ const: 'a', title: 'a' }] },
    });
    expect(fieldOf({ ...several, default: ['a'] }, traits)).toEqual({ ...several, default: ['a'] });
  });
});

it('defaults are for booleans only in 2025-06-18, and for all after it', () => {
  const fields = [
    { type: 'string', default: 'a' },
    { type: 'number', default: 1 },
    { type: 'string', enum: ['a'], default: 'a' },
  ];
  for (const field of fields) {
    expect(fieldOf(field)).not.toHaveProperty('default');
    for (const traits of later) expect(fieldOf(field, traits)).toEqual(field);
  }
});

describe('an answer', () => {
  const schema = toFlatSchema(
    {
      type: 'object',
      properties: {
        s: { type: 'string', minLength: 1, maxLength: 2 },
        n: { type: 'number', minimum: 0, maximum: 1 },
        i: { type: 'integer' },
        b: { type: 'boolean' },
        c: { type: 'string', oneOf: titled },
        m: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      },
      required: ['b'],
    },
    traitsOf('2026-07-28'),
  ) as FlatSchema;

  it.each([
    { b: true },
    { b: false, s: '😀😀', n: 0, i: -5, c: 'a', m: [] },
    { b: true, n: 0.5, m: ['a', 'b'], unheardOf: { x: 1 } },
    { b: true, i: 1e3 },
  ])('%j fits', (content) => {
    expect(flatFault(schema, content)).toBeUndefined();
  });

  it.each([
    [null, 'content must be an object'],
    [[], 'content must be an object'],
    ['x', 'content must be an object'],
    [{}, '/b is required'],
    [Object.create({ b: true }), '/b is required'],
    [{ b: 'true' }, '/b must be true or false'],
    [{ b: null }, '/b must be true or false'],
    [{ b: true, s: '' }, '/s is too short or too long'],
    [{ b: true, s: 'abc' }, '/s is too short or too long'],
    [{ b: true, s: ['a'] }, '/s must be a string'],
    [{ b: true, n: '1' }, '/n must be a number'],
    [{ b: true, n: 1.1 }, '/n is out of range'],
    [{ b: true, i: 1.5 }, '/i must be an integer'],
    [{ b: true, c: 'A' }, '/c must be one of the choices'],
    [{ b: true, c: 'toString' }, '/c must be one of the choices'],
    [{ b: true, m: ['a', 'c'] }, '/m must be a list of the choices'],
    [{ b: true, m: 'a' }, '/m must be a list of the choices'],
  ])('%j does not: %s', (content, fault) => {
    expect(flatFault(schema, content)).toBe(fault);
  });
});
