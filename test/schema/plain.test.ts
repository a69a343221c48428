import { describe, expect, it, vi } from 'vitest';
import { ajvCompiler } from '../../src/schema/ajv.ts';
import type { JsonSchema } from '../../src/schema/infer.ts';
import { plainCheck } from '../../src/schema/plain.ts';

/** The same numbers in every run. */
function random(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const scalars = ['', 'a', 'ab', 'a😀b', '\ud800', 0, -0, 1, 2.5, -3, 1e21, Number.POSITIVE_INFINITY, Number.NaN, true, false, null];
const names = ['a', 'b/c', 'd~e', 'constructor', '__proto__', 'toString', 'length'];

function someSchema(next: (most: number) => number, level = 0): JsonSchema {
  const remark = next(4) === 0 ? { title: 't', description: 'd', default: 7, deprecated: true } : {};
  const maybe = (key: string, value: unknown): object => (next(3) === 0 ? { [key]: value } : {});
  const kind = ['string', 'integer', 'number', 'boolean', 'null', 'any', 'array', 'object'][next(level > 2 ? 6 : 8)];
  if (kind === 'any') return remark;
  if (kind === 'array')
    return {
      ...remark,
      type: kind,
      ...maybe('items', someSchema(next, level + 1)),
      ...maybe('minItems', next(3)),
      ...maybe('maxItems', next(4)),
    };
  if (kind === 'object') {
    const properties = Object.fromEntries(names.filter(() => next(3) === 0).map((name) => [name, someSchema(next, level + 1)]));
    const required = names.filter(() => next(6) === 0);
    const more = [true, false, someSchema(next, level + 1)][next(3)];
    return { ...remark, type: kind, properties, ...maybe('required', required), ...maybe('additionalProperties', more) };
  }
  const limits =
    kind === 'string'
      ? { ...maybe('minLength', next(3)), ...maybe('maxLength', next(4)) }
      : kind === 'integer' || kind === 'number'
        ? {
            ...maybe('minimum', next(3) - 1),
            ...maybe('maximum', next(4)),
            ...maybe('exclusiveMinimum', -1),
            ...maybe('exclusiveMaximum', 3),
          }
        : {};
  const values = scalars.filter((one) => (typeof one !== 'number' || Number.isFinite(one)) && next(4) === 0);
  const chosen =
    kind === 'null' ? {} : { ...maybe('enum', values.length === 0 ? ['a'] : values), ...maybe('const', scalars[next(6)] ?? null) };
  return { ...remark, type: kind, ...limits, ...chosen };
}

function someValue(next: (most: number) => number, level = 0): unknown {
  const kind = next(level > 3 ? 4 : 6);
  if (kind === 4) return Array.from({ length: next(5) }, () => someValue(next, level + 1));
  if (kind !== 5) return scalars[next(scalars.length)];
  const text = names
    .filter(() => next(2) === 0)
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(someValue(next, level + 1)) ?? 'null'}`);
  // Read as it would come: __proto__ is a property like any other.
  return JSON.parse(`{${text.join(',')}}`);
}

describe('a plain schema', () => {
  it('says of every value what ajv says, and in the same words where only one thing can be said', async () => {
    const compile = await ajvCompiler('2020-12');
    const next = random(20_261_117);
    let refused = 0;
    let taken = 0;
    for (let round = 0; round < 1_500; round++) {
      const schema = someSchema(next);
      const plain = plainCheck(schema);
      // Values twice in an enumeration are left to ajv.
      if (plain === undefined) continue;
      const theirs = compile(schema);
      for (let trial = 0; trial < 12; trial++) {
        const value = someValue(next);
        const said = theirs(value);
        const own = plain(value);
        const which = `${JSON.stringify(schema)} of ${JSON.stringify(value)}`;
        expect(own === undefined, which).toBe(said === undefined);
        // Where a type and a choice are both wrong, ajv names one or the other.
        if (!/"(?:enum|const)"/.test(which)) expect(own, which).toBe(said);
        if (said === undefined) taken++;
        else refused++;
      }
    }
    expect(taken).toBeGreaterThan(2_000);
    expect(refused).toBeGreaterThan(2_000);
  });

  it('takes what is undefined for absent, as JSON would', () => {
    const check = plainCheck({ type: 'object', properties: { a: { type: 'string' } }, required: ['b'] });
    expect(check?.({ a: undefined, b: 1 })).toBeUndefined();
    expect(check?.({ b: undefined })).toBe('/b is required');
  });

  it('is not changed by what becomes of the schema later', () => {
    const required = ['a'];
    const check = plainCheck({ type: 'object', required });
    required.push('b');
    expect(check?.({ a: 1 })).toBeUndefined();
  });

  it.each<[string, JsonSchema]>([
    ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' }],
    ['a pattern', { type: 'string', pattern: '^a' }],
    ['a format', { type: 'string', format: 'date' }],
    ['several types', { type: ['string', 'null'] }],
    ['a choice', { anyOf: [{ type: 'string' }] }],
    ['a keyword of another type', { type: 'string', minimum: 1 }],
    ['bounds without a type', { minimum: 1 }],
    ['an unknown type', { type: 'text' }],
    ['an inherited name as a type', { type: 'constructor' }],
    ['an empty enumeration', { type: 'string', enum: [] }],
    ['objects in an enumeration', { type: 'string', enum: [{}] }],
    ['a bound that is no number', { type: 'integer', minimum: '1' }],
    ['a length below zero', { type: 'string', maxLength: -1 }],
    ['properties that are a list', { type: 'object', properties: [] }],
    ['an empty name that is required', { type: 'object', required: [''] }],
    ['a name required twice', { type: 'object', required: ['a', 'a'] }],
    ['a title that is no text', { type: 'string', title: 1 }],
    ['a property that ajv leaves out', JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')],
    ['one of these deep inside', { type: 'object', properties: { a: { type: 'array', items: { not: {} } } } }],
  ])('leaves %s to ajv', (_, schema) => {
    expect(plainCheck(schema)).toBeUndefined();
  });
});

describe('a server whose tools have plain schemas', () => {
  it('never loads ajv', async () => {
    vi.resetModules();
    const loaded = vi.fn();
    vi.doMock('../../src/schema/ajv.ts', async (original) => {
      loaded();
      return original();
    });
    const { Server } = await import('../../src/server/index.ts');
    const { createWire } = await import('../../src/testing/wire.ts');
    const server = new Server({ name: 's', version: '1' });
    const input = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] } as const;
    server.tool(
      'half',
      { description: 'Half of it', input, output: { type: 'object', properties: { n: { type: 'number' } } } as const },
      ({ n }) => ({
        n: n / 2,
      }),
    );
    const wire = createWire(server);
    await wire.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } });
    const call = async (n: unknown) => JSON.stringify(await wire.request('tools/call', { name: 'half', arguments: { n } }));
    expect(await call(3)).toContain('"structuredContent":{"n":1.5}');
    expect(await call(0)).toContain('/n must be >= 1');
    await server.ready();
    expect(loaded).not.toHaveBeenCalled();
    server.tool(
      'dated',
      { description: 'A date', input: { type: 'object', properties: { d: { type: 'string', format: 'date' } } } as const },
      () => 'x',
    );
    await server.ready();
    expect(loaded).toHaveBeenCalledOnce();
    await wire.close();
    vi.doUnmock('../../src/schema/ajv.ts');
  });
});
