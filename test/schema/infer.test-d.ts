// What the compiler learns from each kind of schema, and what it must refuse.
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import type { FromJson, InputOf, JsonSchema, LiteralHint, OutputOf } from '../../src/schema/infer.ts';
import { jsonSchema, type ToJsonSchema } from '../../src/schema/schema.ts';

/** As `server.tool` takes them: by `object`, with literals kept. */
function take<const S extends object>(
  _schema: S,
  _receive: (value: OutputOf<S>) => InputOf<S> | LiteralHint | Promise<InputOf<S> | LiteralHint>,
): void {}

describe('OutputOf and InputOf', () => {
  it('read zod 4 on both sides', () => {
    const Note = z.object({ id: z.string(), tags: z.array(z.string()).default([]), size: z.string().transform((text) => text.length) });
    expectTypeOf<OutputOf<typeof Note>>().toEqualTypeOf<{ id: string; tags: string[]; size: number }>();
    expectTypeOf<InputOf<typeof Note>>().toEqualTypeOf<{ id: string; tags?: string[] | undefined; size: string }>();
    take(Note, ({ id }) => ({ id, size: 'big' }));
    // @ts-expect-error no such field
    take(Note, ({ name }) => ({ id: name, size: 'big' }));
    // @ts-expect-error the input side of size is a string
    take(Note, ({ id }) => ({ id, size: 3 }));
  });

  it('read zod mini', () => {
    const Note = mini.object({ id: mini.string(), n: mini._default(mini.number(), 1) });
    expectTypeOf<OutputOf<typeof Note>>().toEqualTypeOf<{ id: string; n: number }>();
    expectTypeOf<InputOf<typeof Note>>().toEqualTypeOf<{ id: string; n?: number | undefined }>();
    // @ts-expect-error n is a number
    take(Note, ({ n }) => ({ id: n }));
  });

  it('read zod 3', () => {
    const Note = z3.object({ id: z3.string(), n: z3.number().default(1) });
    expectTypeOf<OutputOf<typeof Note>>().toEqualTypeOf<{ id: string; n: number }>();
    expectTypeOf<InputOf<typeof Note>>().toEqualTypeOf<{ id: string; n?: number | undefined }>();
    // @ts-expect-error no such field
    take(Note, ({ name }) => ({ id: name }));
  });

  it('read valibot, bare and with JSON Schema', () => {
    const Note = v.object({ id: v.string(), n: v.optional(v.number(), 1), size: v.pipe(v.string(), v.transform(Number)) });
    const Wrapped = toStandardJsonSchema(Note);
    expectTypeOf<OutputOf<typeof Note>>().toEqualTypeOf<{ id: string; n: number; size: number }>();
    expectTypeOf<InputOf<typeof Note>>().toEqualTypeOf<{ id: string; n?: number | undefined; size: string }>();
    expectTypeOf<OutputOf<typeof Wrapped>>().toEqualTypeOf<OutputOf<typeof Note>>();
    expectTypeOf<InputOf<typeof Wrapped>>().toEqualTypeOf<InputOf<typeof Note>>();
    // @ts-expect-error the output side of size is a number
    take(Note, ({ id, size }) => ({ id, size }));
    // @ts-expect-error the same through the wrapper
    take(Wrapped, ({ id, size }) => ({ id, size }));
  });

  it('read arktype', () => {
    const Note = type({ id: 'string', n: 'number = 1', size: 'string.integer.parse' });
    expectTypeOf<OutputOf<typeof Note>>().toEqualTypeOf<{ id: string; n: number; size: number }>();
    expectTypeOf<InputOf<typeof Note>>().toEqualTypeOf<{ id: string; size: string; n?: number }>();
    // @ts-expect-error no such field
    take(Note, ({ name }) => ({ id: name, size: '1' }));
  });

  it('read what z.toJSONSchema returns as zod', () => {
    const json = z.toJSONSchema(z.object({ a: z.number() }));
    expectTypeOf<OutputOf<typeof json>>().toEqualTypeOf<{ a: number }>();
  });

  it('believe jsonSchema<T>', () => {
    const Point = jsonSchema<{ x: number; y?: string }>({ type: 'object' });
    expectTypeOf<OutputOf<typeof Point>>().toEqualTypeOf<{ x: number; y?: string }>();
    expectTypeOf<InputOf<typeof Point>>().toEqualTypeOf<{ x: number; y?: string }>();
    // @ts-expect-error no such field
    take(Point, ({ z }) => ({ x: z }));
  });

  it('know nothing of a JSON Schema that is not known at compile time', () => {
    expectTypeOf<OutputOf<JsonSchema>>().toBeUnknown();
    expectTypeOf<OutputOf<Record<string, unknown>>>().toBeUnknown();
    expectTypeOf<OutputOf<object>>().toBeUnknown();
    expectTypeOf<OutputOf<{ type: string; properties: object }>>().toBeUnknown();
    expectTypeOf<InputOf<JsonSchema>>().toBeUnknown();
    // @ts-expect-error it has to be narrowed first
    take({} as JsonSchema, ({ a }) => a);
  });

  it('know nothing of a Standard Schema without types', () => {
    expectTypeOf<OutputOf<{ readonly '~standard': { readonly version: 1; readonly types?: undefined } }>>().toBeUnknown();
  });

  it('give unknown for a raw shape, whatever its fields are called', () => {
    const shape = { name: z.string() };
    expectTypeOf<OutputOf<typeof shape>>().toBeUnknown();
    expectTypeOf<InputOf<typeof shape>>().toBeUnknown();
    const tricky = { type: z.string(), const: z.string(), enum: z.string(), properties: z.object({}), anyOf: z.array(z.string()) };
    expectTypeOf<OutputOf<typeof tricky>>().toBeUnknown();
    const valibotShape = { const: v.string() };
    expectTypeOf<OutputOf<typeof valibotShape>>().toBeUnknown();
    // @ts-expect-error a raw shape has no fields to take
    take({ name: z.string() }, ({ name }) => name);
  });
});

describe('FromJson', () => {
  it('reads scalars and lists of them', () => {
    expectTypeOf<FromJson<{ type: 'string'; pattern: '^a' }>>().toEqualTypeOf<string>();
    expectTypeOf<FromJson<{ type: 'integer' }>>().toEqualTypeOf<number>();
    expectTypeOf<FromJson<{ type: 'number' }>>().toEqualTypeOf<number>();
    expectTypeOf<FromJson<{ type: 'boolean' }>>().toEqualTypeOf<boolean>();
    expectTypeOf<FromJson<{ type: 'null' }>>().toEqualTypeOf<null>();
    expectTypeOf<FromJson<{ type: readonly ['string', 'null'] }>>().toEqualTypeOf<string | null>();
    expectTypeOf<FromJson<{ type: 'string'; nullable: true }>>().toEqualTypeOf<string | null>();
  });

  it('reads const, enum, anyOf and oneOf', () => {
    expectTypeOf<FromJson<{ const: 'a' }>>().toEqualTypeOf<'a'>();
    expectTypeOf<FromJson<{ type: 'string'; enum: readonly ['a', 'b'] }>>().toEqualTypeOf<'a' | 'b'>();
    expectTypeOf<FromJson<{ enum: readonly [1, null] }>>().toEqualTypeOf<1 | null>();
    expectTypeOf<FromJson<{ anyOf: readonly [{ type: 'string' }, { type: 'null' }] }>>().toEqualTypeOf<string | null>();
    expectTypeOf<FromJson<{ oneOf: readonly [{ const: 1 }, { type: 'boolean' }] }>>().toEqualTypeOf<1 | boolean>();
    expectTypeOf<FromJson<{ anyOf: readonly [{ type: 'string' }, { $ref: '#' }] }>>().toBeUnknown();
  });

  it('reads properties and required without `as const`', () => {
    take(
      {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'string' }, c: { enum: ['x', 'y'] } },
        required: ['a', 'c', 'not a property'],
      },
      (value) => {
        expectTypeOf(value).toEqualTypeOf<{ a: number; c: 'x' | 'y'; b?: string }>();
        return { a: 1, c: 'x' };
      },
    );
    // @ts-expect-error b may be absent
    take({ type: 'object', properties: { b: { type: 'string' } } }, ({ b }) => ({ b: b.trim() }));
    // @ts-expect-error a is a number
    take({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }, () => ({ a: '1' }));
    // @ts-expect-error a is required
    take({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }, () => ({}));
    // @ts-expect-error no such field
    take({ type: 'object', properties: { a: { type: 'number' } } }, ({ x }) => ({ a: x }));
  });

  it('reads arrays', () => {
    expectTypeOf<FromJson<{ type: 'array'; items: { type: 'string' } }>>().toEqualTypeOf<string[]>();
    expectTypeOf<FromJson<{ type: 'array' }>>().toEqualTypeOf<unknown[]>();
    expectTypeOf<FromJson<{ type: 'array'; items: true }>>().toEqualTypeOf<unknown[]>();
    // What items says is not about the first ones.
    expectTypeOf<FromJson<{ type: 'array'; prefixItems: readonly [{ type: 'string' }]; items: { type: 'number' } }>>().toEqualTypeOf<
      unknown[]
    >();
    expectTypeOf<FromJson<{ type: 'array'; items: readonly [{ type: 'string' }] }>>().toEqualTypeOf<unknown[]>();
  });

  it('reads additionalProperties as a schema', () => {
    expectTypeOf<FromJson<{ type: 'object'; additionalProperties: { type: 'number' } }>>().toEqualTypeOf<Record<string, number>>();
    expectTypeOf<FromJson<{ type: 'object' }>>().toEqualTypeOf<Record<string, unknown>>();
    expectTypeOf<FromJson<{ type: 'object'; additionalProperties: false }>>().toEqualTypeOf<Record<string, unknown>>();
    expectTypeOf<FromJson<{ type: 'object'; patternProperties: object; additionalProperties: { type: 'number' } }>>().toEqualTypeOf<
      Record<string, unknown>
    >();
    type Both = FromJson<{
      type: 'object';
      properties: { a: { type: 'string' } };
      required: readonly ['a'];
      additionalProperties: { type: 'number' };
    }>;
    expectTypeOf<Both['a']>().toEqualTypeOf<string>();
    expectTypeOf<Both['other']>().toBeUnknown();
  });

  it('reads alternatives below an object root', () => {
    take(
      {
        type: 'object',
        oneOf: [
          { properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] },
          { properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind', 'side'] },
        ],
      },
      (shape) => {
        expectTypeOf(shape).toEqualTypeOf<{ kind: 'circle'; r: number } | { kind: 'square'; side: number }>();
        return shape;
      },
    );
  });

  it('is unknown where it cannot tell', () => {
    expectTypeOf<FromJson<{ $ref: '#/$defs/a' }>>().toBeUnknown();
    expectTypeOf<FromJson<{ $ref: '#/$defs/a'; type: 'string' }>>().toBeUnknown();
    expectTypeOf<FromJson<{ allOf: readonly [{ type: 'string' }] }>>().toBeUnknown();
    expectTypeOf<FromJson<{ not: { type: 'string' } }>>().toBeUnknown();
    expectTypeOf<FromJson<{ if: { type: 'string' } }>>().toBeUnknown();
    expectTypeOf<FromJson<{ properties: { a: { type: 'string' } } }>>().toBeUnknown();
    expectTypeOf<FromJson<true>>().toBeUnknown();
    type Held = FromJson<{ type: 'object'; properties: { a: { $ref: '#' }; b: { type: 'string' } }; required: readonly ['a', 'b'] }>;
    expectTypeOf<Held>().toEqualTypeOf<{ a: unknown; b: string }>();
  });

  it('relies on no list of required names that it does not know', () => {
    type Loose = FromJson<{ type: 'object'; properties: { a: { type: 'string' } }; required: string[] }>;
    expectTypeOf<Loose>().toEqualTypeOf<{ a?: string }>();
  });

  it('keeps what a narrowing keyword stands beside', () => {
    expectTypeOf<FromJson<{ type: 'string'; anyOf: readonly [{ minLength: 1 }, { pattern: 'a' }] }>>().toEqualTypeOf<string>();
    type Narrowed = FromJson<{ type: 'object'; properties: { a: { type: 'string' } }; allOf: readonly [{ required: readonly ['a'] }] }>;
    expectTypeOf<Narrowed>().toEqualTypeOf<{ a?: string }>();
  });

  it('goes six levels deep', () => {
    type Nest<S> = { type: 'array'; items: S };
    expectTypeOf<FromJson<Nest<Nest<Nest<Nest<Nest<{ type: 'string' }>>>>>>>().toEqualTypeOf<string[][][][][]>();
    expectTypeOf<FromJson<Nest<Nest<Nest<Nest<Nest<Nest<{ type: 'string' }>>>>>>>>().toEqualTypeOf<unknown[][][][][][]>();
  });
});

describe('LiteralHint', () => {
  it('keeps literals in what a handler returns, at any depth', () => {
    const Kinds = z.object({
      kind: z.enum(['a', 'b']),
      list: z.array(z.object({ n: z.literal(3), pair: z.tuple([z.literal('x'), z.number()]) })),
    });
    take(Kinds, () => ({ kind: 'a', list: [{ n: 3, pair: ['x', 1] }] }));
    take(Kinds, async ({ kind }) => ({ kind: kind === 'a' ? 'b' : 'a', list: [] }));
    take({ type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind'] }, () => ({ kind: 'a' }));
    take(v.object({ kind: v.picklist(['a', 'b']) }), ({ kind }) => ({ kind: kind === 'a' ? 'b' : 'a' }));
    take(type({ kind: "'a' | 'b'" }), () => ({ kind: 'a' }));
    const rest: string[] = [];
    take(z.object({ names: z.array(z.string()) }), () => ({ names: ['a', ...rest] }));
  });

  it('is never satisfied itself', () => {
    // @ts-expect-error c is none of them
    take(z.object({ kind: z.enum(['a', 'b']) }), () => ({ kind: 'c' }));
    // @ts-expect-error kind is missing
    take(z.object({ kind: z.enum(['a', 'b']) }), () => ({}));
    // @ts-expect-error text is no object
    take(z.object({ kind: z.enum(['a', 'b']) }), () => 'text');
    // @ts-expect-error nothing is no object
    take(z.object({ kind: z.enum(['a', 'b']) }), () => {});
    // @ts-expect-error the same in a promise
    take(z.object({ kind: z.enum(['a', 'b']) }), async () => ({ kind: 'c' }));
  });
});

describe('ToJsonSchema', () => {
  it('is what libraries export, as it is', () => {
    expectTypeOf(toJsonSchema).toExtend<ToJsonSchema>();
    expectTypeOf(z.toJSONSchema).toExtend<ToJsonSchema>();
    expectTypeOf(mini.toJSONSchema).toExtend<ToJsonSchema>();
    expectTypeOf<(schema: unknown) => object | undefined>().toExtend<ToJsonSchema>();
    // @ts-expect-error text is no JSON Schema
    const wrong: ToJsonSchema = () => 'text';
    void wrong;
  });
});
