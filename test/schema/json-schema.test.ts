import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from '../../src/schema/infer.ts';
import { compileSchema, loadValidator, setValidator } from '../../src/schema/json-schema.ts';
import { defineSchema, type Schema } from '../../src/schema/schema.ts';

const defaultDialect = 'https://json-schema.org/draft/2020-12/schema';

function defined(given: object): Schema {
  const schema = defineSchema(given, { side: 'output', objectRoot: false });
  if ('problem' in schema) throw new Error(schema.problem);
  return schema;
}

async function ready(given: object): Promise<Schema> {
  const schema = defined(given);
  await schema.prepare();
  return schema;
}

function problem(given: object): string | undefined {
  const schema = defineSchema(given, { side: 'output', objectRoot: false });
  return 'problem' in schema ? schema.problem : undefined;
}

afterEach(() => setValidator(undefined));

describe('ajv', () => {
  it('is loaded when the first schema needs it, and compiles synchronously from then on', async () => {
    vi.resetModules();
    const fresh = await import('../../src/schema/schema.ts');
    const define = (given: object) => fresh.defineSchema(given, { side: 'output', objectRoot: false }) as Schema;
    const [first, second] = [define({ type: ['string'] }), define({ type: ['number'] })];
    expect(first.ready).toBe(false);
    const loading = first.prepare();
    expect(loading).toBeInstanceOf(Promise);
    expect(first.prepare()).toBeInstanceOf(Promise);
    await loading;
    expect(first.ready).toBe(true);
    expect(first.prepare()).toBeUndefined();
    expect(second.ready).toBe(false);
    expect(second.prepare()).toBeUndefined();
    expect(second.ready).toBe(true);
    expect(second.check('x')).toEqual({ problem: '(root) must be number' });
  });

  it('is loaded by a check that comes too early', async () => {
    vi.resetModules();
    const fresh = await import('../../src/schema/schema.ts');
    const schema = fresh.defineSchema({ type: ['string'] }, { side: 'output', objectRoot: false }) as Schema;
    const early = schema.check(1);
    expect(early).toBeInstanceOf(Promise);
    expect(await early).toEqual({ problem: '(root) must be string' });
    expect(schema.check('x')).toEqual({ value: 'x' });
  });

  it('can be loaded ahead', async () => {
    vi.resetModules();
    const fresh = await import('../../src/schema/json-schema.ts');
    await fresh.loadValidator();
    expect(fresh.compileSchema({ type: 'string' })).not.toBeInstanceOf(Promise);
  });
});

describe('a check', () => {
  const given = {
    type: 'object',
    properties: { a: { type: 'number' }, b: { enum: ['x', 'y'] }, at: { type: 'string', format: 'date-time' }, d: { default: 1 } },
    required: ['a'],
    additionalProperties: false,
  };

  it('gives back the very value, without defaults or coercion', async () => {
    const schema = await ready(given);
    const value = { a: 1 };
    expect(schema.check(value)).toEqual({ value: { a: 1 } });
    expect((schema.check(value) as { value: unknown }).value).toBe(value);
    expect(schema.check({ a: '1' })).toEqual({ problem: '/a must be number' });
  });

  it.each([
    [{}, '/a is required'],
    [{ a: 1, c: 1 }, '/c is not allowed'],
    [{ a: 1, b: 'z' }, '/b must be one of "x", "y"'],
    [{ a: 1, at: 'yesterday' }, '/at must match format "date-time"'],
    ['text', '(root) must be object'],
    [{ a: 'x', b: 'z', c: 1 }, '/c is not allowed'],
  ])('says where and what, and only the first: %j', async (value, expected) => {
    expect((await ready(given)).check(value)).toEqual({ problem: expected });
  });

  it('says why each branch failed', async () => {
    const schema = await ready({ properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } });
    expect(schema.check({ a: 1 })).toEqual({ problem: '/a must be string; /a must be null; /a must match a schema in anyOf' });
  });

  it('ignores formats and keywords that it does not know, silently', async () => {
    const warned = vi.spyOn(console, 'warn');
    const schema = await ready({ type: 'string', format: 'colour', 'x-own': true, formatMinimum: 'z' });
    expect(schema.fault).toBeUndefined();
    expect(schema.check('red')).toEqual({ value: 'red' });
    expect(warned).not.toHaveBeenCalled();
  });

  it('answers a value that is too deep for a recursive schema', async () => {
    const schema = await ready({ type: 'array', items: { $ref: '#' } });
    expect(schema.check([[[]]])).toEqual({ value: [[[]]] });
    expect(schema.check(JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)))).toEqual({
      problem: '(root) is nested too deeply to be checked',
    });
  });
});

describe('the prototype', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('does not satisfy required: %s', async (name) => {
    const schema = await ready({ type: 'object', required: [name] });
    expect(schema.check({})).toEqual({ problem: `/${name} is required` });
    expect(schema.check(JSON.parse(`{"${name}":1}`))).toHaveProperty('value');
  });

  it('is not looked at for properties', async () => {
    const schema = await ready({ type: 'object', properties: { constructor: { type: 'string' } } });
    expect(schema.check({})).toEqual({ value: {} });
    expect(schema.check(JSON.parse('{"constructor":1}'))).toEqual({ problem: '/constructor must be string' });
  });

  it('is not polluted by a value, and does not lend it properties', async () => {
    const schema = await ready({ type: 'object', properties: { admin: { const: true } }, required: ['admin'] });
    const value = JSON.parse('{"__proto__":{"admin":true}}');
    expect(schema.check(value)).toEqual({ problem: '/admin is required' });
    expect(schema.check(Object.assign({}, value))).toEqual({ problem: '/admin is required' });
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it('does not hide a forbidden property', async () => {
    const schema = await ready({ type: 'object', properties: {}, additionalProperties: false });
    expect(schema.check(JSON.parse('{"__proto__":{"a":1}}'))).toEqual({ problem: '/__proto__ is not allowed' });
  });

  it('does not reach a handler through zod either', () => {
    const schema = defineSchema(z.object({ a: z.number() }), { side: 'input', objectRoot: true }) as Schema;
    const verdict = schema.check(JSON.parse('{"a":1,"__proto__":{"admin":true}}')) as { value: Record<string, unknown> };
    expect(verdict.value['admin']).toBeUndefined();
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });
});

describe('a dialect', () => {
  const tuple = (keyword: string) => ({ type: 'array', [keyword]: [{ type: 'string' }] });

  it.each([
    ['nothing', undefined, 'prefixItems'],
    ['2020-12', defaultDialect, 'prefixItems'],
    ['2020-12 with a fragment', `${defaultDialect}#`, 'prefixItems'],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema', 'items'],
    ['draft-07', 'http://json-schema.org/draft-07/schema#', 'items'],
    ['draft-07 over https', 'https://json-schema.org/draft-07/schema', 'items'],
  ])('is understood: %s', async (_name, $schema, keyword) => {
    const schema = await ready({ ...($schema !== undefined && { $schema }), ...tuple(keyword) });
    expect(schema.fault).toBeUndefined();
    expect(schema.check(['x'])).toEqual({ value: ['x'] });
    expect(schema.check([1])).toEqual({ problem: '/0 must be string' });
    expect(schema.json['$schema']).toBe($schema);
  });

  it('is understood with its references', async () => {
    const dynamic = await ready({ $dynamicAnchor: 'node', type: 'object', properties: { next: { $dynamicRef: '#node' } } });
    expect(dynamic.check({ next: { next: 1 } })).toEqual({ problem: '/next/next must be object' });
    const recursive = await ready({
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      $recursiveAnchor: true,
      type: 'object',
      properties: { next: { $recursiveRef: '#' } },
    });
    expect(recursive.check({ next: { next: 1 } })).toEqual({ problem: '/next/next must be object' });
    const draft7 = await ready({
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { s: { type: 'string' } },
      $ref: '#/definitions/s',
    });
    expect(draft7.check(1)).toEqual({ problem: '(root) must be string' });
  });

  it.each(['http://json-schema.org/draft-04/schema#', 'https://example.com/own', 3])('is refused when unknown: %s', ($schema) => {
    expect(problem({ $schema, type: 'object' })).toBe(
      `the JSON Schema names the unknown dialect ${$schema}; leave "$schema" out and write 2020-12, or name 2019-09 or draft-07`,
    );
  });
});

describe('a schema that cannot be compiled', () => {
  it.each([
    ['a wrong keyword value', { properties: { a: { minLength: 'x' } } }, '/properties/a/minLength must be integer'],
    ['an unknown type', { type: 'text' }, '/type must be'],
    ['a bad pattern', { pattern: '(' }, 'Invalid regular expression'],
    ['a reference to nothing', { $ref: '#/$defs/none' }, '#/$defs/none'],
    ['ajv\'s own "$async"', { $async: true, type: 'string' }, '"$async" is not JSON Schema'],
  ])('becomes ready, with a fault that every check repeats: %s', async (_name, given, reason) => {
    const schema = await ready(given);
    expect(schema.ready).toBe(true);
    expect(schema.fault).toMatch(/^schema cannot be compiled: /);
    expect(schema.fault).toContain(reason);
    expect(schema.check('x')).toEqual({ problem: schema.fault });
  });
});

describe('ids', () => {
  it('do not collide between schemas', async () => {
    const ids = { $id: 'https://example.com/s', $defs: { inner: { $id: 'inner', type: 'string' } }, properties: { a: { $ref: 'inner' } } };
    const one = await ready(ids);
    const other = await ready({ ...ids, $defs: { other: { $id: 'inner', type: 'number' } } });
    expect(one.check({ a: 1 })).toEqual({ problem: '/a must be string' });
    expect(other.check({ a: 1 })).toEqual({ value: { a: 1 } });
    expect(other.check({ a: 'x' })).toEqual({ problem: '/a must be number' });
    expect(one.fault ?? other.fault).toBeUndefined();
  });
});

describe('compiling', () => {
  it('happens once for one object', async () => {
    const given = { type: 'string' };
    const once = await compileSchema(given);
    expect(compileSchema(given)).toBe(once);
    expect(compileSchema({ type: 'string' })).not.toBe(once);
  });
});

describe('a walk through a literal', () => {
  it.each([
    ['a pointer', { $defs: { a: {} }, $ref: '#/$defs/a' }],
    ['an anchor', { $defs: { a: { $anchor: 'x' } }, $ref: '#x' }],
    ['the id of the root', { $id: 'https://example.com/s.json', properties: { a: { $ref: 'https://example.com/s.json#' } } }],
    ['a relative id', { $id: 'https://example.com/s.json', $defs: { a: { $id: 'a.json' } }, $ref: 'a.json#/x' }],
    ['an id without a base', { $defs: { a: { $id: 'a.json' } }, $ref: 'a.json' }],
    ['an id below another', { $defs: { a: { $id: 'https://b.example/', $defs: { b: { $id: 'b' } }, $ref: 'b' } } }],
    ['a urn', { $defs: { a: { $id: 'urn:example:a' } }, $ref: 'urn:example:a' }],
    [
      'a value that looks like one',
      { const: { $ref: 'https://a.example' }, default: [{ $ref: 'b' }], examples: [{ $ref: 'c' }], enum: [{ $ref: 'd' }] },
    ],
    ['a property that is called so', { properties: { $ref: { type: 'string' }, $id: { type: 'string' } } }],
  ])('accepts a reference to %s', (_name, given) => {
    expect(problem(given)).toBeUndefined();
  });

  it.each([
    ['the network', { properties: { a: { $ref: 'https://example.com/s.json' } } }, 'https://example.com/s.json at /properties/a'],
    ['a file', { items: { $ref: './other.json#/a' } }, './other.json#/a at /items'],
    [
      'another base',
      { $id: 'https://example.com/', $defs: { a: { $id: 'https://b.example/', $ref: 'c' }, c: { $id: 'c' } } },
      'c at /$defs/a',
    ],
    ['no valid address', { $ref: 'http://[' }, 'http://[ at (root)'],
    ['the network, dynamically', { anyOf: [{ $dynamicRef: 'https://example.com/#x' }] }, 'https://example.com/#x at /anyOf/0'],
    ['the network, below a property called default', { properties: { default: { $ref: 'https://a.example' } } }, '/properties/default'],
  ])('refuses a reference to %s', (_name, given, where) => {
    expect(problem(given)).toContain(`the JSON Schema refers to`);
    expect(problem(given)).toContain(where);
    expect(problem(given)).toMatch(/write \{ "\$ref": "#\/\$defs\/…" \}$/);
  });

  it('refuses what contains itself, and accepts what is used twice', () => {
    const shared = { type: 'string' };
    expect(problem({ properties: { a: shared, b: shared } })).toBeUndefined();
    const cycle: { properties: Record<string, unknown> } = { properties: {} };
    cycle.properties['self'] = cycle;
    expect(problem(cycle)).toBe('the JSON Schema contains itself at /properties/self; write the recursion as { "$ref": "#/…" }');
  });

  it('is bounded in depth and in number', () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { not: nested(levels - 1) });
    expect(problem(nested(199))).toBeUndefined();
    expect(problem(nested(200))).toContain('nested deeper than 200 levels');
    expect(problem(nested(5_000))).toContain('nested deeper than 200 levels');
    expect(problem({ enum: Array.from({ length: 19_998 }, (_, i) => i) })).toBeUndefined();
    expect(problem({ enum: Array.from({ length: 19_999 }, (_, i) => i) })).toContain('more than 20000 values');
    expect(problem({ anyOf: Array.from({ length: 10_000 }, () => ({ type: 'string' })) })).toContain('more than 20000 values');
    const doubling = Array.from({ length: 60 }).reduce<object>((inner) => ({ anyOf: [inner, inner] }), {});
    expect(problem(doubling)).toContain('more than 20000 values');
  });

  it('refuses what is not JSON', () => {
    expect(problem({ properties: { a: z.string() } })).toBe(
      'the JSON Schema holds a zod schema at /properties/a; write the whole schema with zod, or this part as JSON Schema',
    );
    expect(problem({ default: 1n })).toContain('holds a bigint at /default; ');
    expect(problem({ parse: () => 1 })).toContain('holds a function at /parse; ');
    expect(problem({ type: 'string', description: undefined })).toBeUndefined();
  });
});

describe('a plugged validator', () => {
  const compile = (schema: JsonSchema) => (value: unknown) => (typeof value === schema['type'] ? undefined : `must be ${schema['type']}`);

  it('takes the place of ajv, synchronously and in every dialect', () => {
    setValidator(compile);
    const schema = defined({ $schema: 'https://example.com/own', type: 'string' });
    expect(schema.prepare()).toBeUndefined();
    expect(schema.check('x')).toEqual({ value: 'x' });
    expect(schema.check(1)).toEqual({ problem: 'must be string' });
  });

  it('is not asked about what is compiled already, and is forgotten when taken back', async () => {
    const given = { type: 'bigint' };
    const before = await ready(given);
    setValidator(compile);
    expect((await ready(given)).check(1n)).toEqual({ value: 1n });
    expect(before.fault).toMatch(/cannot be compiled/);
    setValidator(undefined);
    expect((await ready(given)).fault).toMatch(/cannot be compiled/);
  });

  it('may fail, and then the schema says so', async () => {
    setValidator(() => {
      throw new EvalError('Code generation from strings disallowed for this context');
    });
    const schema = await ready({ type: 'string' });
    expect(schema.fault).toMatch(
      /disallowed for this context \(where code generation is forbidden, plug in a validator with setValidator\)$/,
    );
    await loadValidator();
  });
});
