import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { defineSchema, jsonSchema, type Schema, type SchemaOptions } from '../../src/schema/schema.ts';

const input: SchemaOptions = { side: 'input', objectRoot: true };
const output: SchemaOptions = { side: 'output', objectRoot: false };

function defined(given: object, options = input): Schema {
  const schema = defineSchema(given, options);
  if ('problem' in schema) throw new Error(schema.problem);
  return schema;
}

function problem(given: object, options = input): string {
  const schema = defineSchema(given, options);
  if ('problem' in schema) return schema.problem;
  throw new Error('no problem');
}

describe('a schema of a library', () => {
  const json = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  const libraries: readonly (readonly [string, object, SchemaOptions, object])[] = [
    ['zod 4', z.object({ a: z.number() }), input, json],
    ['what z.toJSONSchema returns', z.toJSONSchema(z.object({ a: z.number() })), input, json],
    ['zod mini, converted by zod', mini.object({ a: mini.number() }), { ...input, toJsonSchema: z.toJSONSchema }, json],
    ['zod mini, converted by itself', mini.object({ a: mini.number() }), { ...input, toJsonSchema: mini.toJSONSchema }, json],
    ['zod 3', z3.object({ a: z3.number() }), { ...input, toJsonSchema: () => json }, json],
    ['valibot with JSON Schema', toStandardJsonSchema(v.object({ a: v.number() })), input, json],
    [
      'bare valibot',
      v.object({ a: v.number() }),
      { ...input, toJsonSchema },
      { $schema: 'http://json-schema.org/draft-07/schema#', ...json },
    ],
    ['arktype', type({ a: 'number' }), input, json],
  ];

  it.each(libraries)('is advertised and checked at once: %s', (_name, given, options, expected) => {
    const schema = defined(given, options);
    expect(schema.json).toEqual(expected);
    expect(schema.ready).toBe(true);
    expect(schema.prepare()).toBeUndefined();
    expect(schema.fault).toBeUndefined();
    expect(schema.check({ a: 1 })).toEqual({ value: { a: 1 } });
    expect(schema.check({ a: 'x' })).toMatchObject({ problem: expect.stringMatching(/^\/a: .*number/i) });
    expect(schema.check(undefined)).toMatchObject({ problem: expect.stringMatching(/^\(root\): /) });
  });

  it('gives the validated value: defaults, transforms, stripped keys', () => {
    const given = z.object({ a: z.number().default(3), b: z.string().transform((text) => text.length) });
    expect(defined(given).check({ b: 'four', c: 1 })).toEqual({ value: { a: 3, b: 4 } });
  });

  it('advertises the side that is asked for', () => {
    const given = z.object({ a: z.number().default(3) });
    expect(defined(given).json['required']).toBeUndefined();
    expect(defined(given, output).json['required']).toEqual(['a']);
  });

  it('tells converters the side in their own words', () => {
    const inMini = mini.object({ a: mini._default(mini.number(), 3) });
    const inValibot = v.object({ a: v.pipe(v.string(), v.transform(Number), v.number()) });
    expect(defined(inMini, { ...input, toJsonSchema: z.toJSONSchema }).json['required']).toBeUndefined();
    expect(defined(inMini, { ...output, toJsonSchema: z.toJSONSchema }).json['required']).toEqual(['a']);
    expect(defined(inValibot, { ...input, toJsonSchema }).json['properties']).toEqual({ a: { type: 'string' } });
    expect(defined(inValibot, { ...output, toJsonSchema }).json['properties']).toEqual({ a: { type: 'number' } });
  });

  it('uses the converter only where the library has none', () => {
    const toJsonSchema = () => ({ type: 'object', title: 'converted' });
    expect(defined(z.object({}), { ...input, toJsonSchema }).json['title']).toBeUndefined();
    expect(defined(v.object({}), { ...input, toJsonSchema }).json['title']).toBe('converted');
  });

  it('is checked in a promise only when its library needs one', async () => {
    const schema = defined(z.object({ a: z.string().refine(async (text) => text !== 'taken', 'is taken') }));
    expect(schema.check({ a: 'free' })).toBeInstanceOf(Promise);
    expect(await schema.check({ a: 'free' })).toEqual({ value: { a: 'free' } });
    expect(await schema.check({ a: 'taken' })).toMatchObject({ problem: '/a: is taken' });
  });

  it('passes on what a refinement throws', () => {
    const broken = {
      '~standard': { version: 1, vendor: 'own', validate: fail, jsonSchema: { input: () => ({ type: 'object' }), output: fail } },
    };
    expect(() => defined(broken).check({})).toThrow('broken');
  });

  it('names up to five issues', () => {
    const verdict = defined(z.object(Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`f${i}`, z.string()])))).check({});
    expect(verdict).toMatchObject({ problem: expect.stringMatching(/^(\/f\d: [^;]+; ){5}and 2 more$/) });
  });

  it('keeps a dialect that is not the default', () => {
    const given = defined(v.object({}), { ...input, toJsonSchema });
    expect(given.json['$schema']).toBe('http://json-schema.org/draft-07/schema#');
  });

  it.each([
    ['valibot', v.object({}), "add toJsonSchema, from '@valibot/to-json-schema', to the options of the server"],
    ['zod mini', mini.object({}), "add toJsonSchema: z.toJSONSchema, from 'zod' or 'zod/mini', to the options of the server"],
    ['zod 3', z3.object({}), "from 'zod-to-json-schema', to the options of the server"],
    [
      'another library',
      { '~standard': { version: 1, vendor: 'own', validate: fail } },
      'which returns its JSON Schema, to the options of the server',
    ],
  ])('is refused with a remedy when nothing converts it: %s', (_name, given, remedy) => {
    expect(problem(given)).toContain('there is no JSON Schema to advertise for it; ');
    expect(problem(given, { ...input, toJsonSchema: () => undefined }).endsWith(remedy)).toBe(true);
  });

  it('is refused when its converter throws or returns nonsense', () => {
    expect(problem(z.object({ at: z.date() }))).toMatch(/^zod cannot express its input side as JSON Schema \(Date cannot be represented/);
    expect(problem(z.object({ n: z.string().transform(Number) }), output)).toMatch(/^zod cannot express its output side/);
    expect(problem(v.object({}), { ...input, toJsonSchema: fail })).toMatch(
      /^valibot cannot express its input side as JSON Schema \(broken\); /,
    );
    expect(problem(v.object({}), { ...input, toJsonSchema: () => 'x' as unknown as object })).toMatch(
      /; let toJsonSchema return a JSON Schema$/,
    );
  });

  it('has an object at its root when it must', () => {
    expect(problem(z.string())).toMatch(/not an object; .*z\.object\(\{ value: … \}\)$/);
    expect(problem(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]))).toMatch(/not an object/);
    expect(defined(z.array(z.string()), output).json).toEqual({ type: 'array', items: { type: 'string' } });
  });
});

describe('a raw shape', () => {
  it.each([
    ['zod', { name: z.string() }],
    ['zod with one field that is none', { name: z.string(), type: 'object' }],
    ['zod 3', { name: z3.string() }],
    ['valibot', { name: v.string() }],
    ['arktype', { name: type('string') }],
  ])('is refused with the remedy: %s', (_name, shape) => {
    expect(problem(shape)).toBe('it is an object of schemas and not a schema; write z.object({ … }) around it');
  });
});

describe('a JSON Schema', () => {
  it('is advertised unchanged', () => {
    const given = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', $defs: { a: { $anchor: 'x' } }, 'x-own': [1] };
    expect(defined(given).json).toBe(given);
  });

  it('has an object at its root when it must', () => {
    expect(problem({ type: 'string' })).toBe("the root of the JSON Schema is not an object; write type: 'object' at its root");
    expect(problem({})).toMatch(/not an object/);
    expect(problem([])).toMatch(/^it is a list; write a JSON Schema/);
    expect(defined({ type: 'string' }, output).json).toEqual({ type: 'string' });
    expect(defined({}, output).json).toEqual({});
  });

  it('is itself what jsonSchema<T> returns', () => {
    const given = { type: 'object' };
    expect(jsonSchema<{ a: number }>(given)).toBe(given);
  });

  it('may be made of what z.toJSONSchema returns', async () => {
    const schema = defined({ type: 'object', properties: { a: z.toJSONSchema(z.object({ b: z.string() })) } });
    expect(await schema.check({ a: { b: 1 } })).toEqual({ problem: '/a/b must be string' });
  });
});

function fail(): never {
  throw new Error('broken');
}
