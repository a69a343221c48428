// Schemas of every kind through the server: what is advertised, what the handler receives, what is said of a bad one.
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { jsonSchema, Server, VivariumError } from 'vivarium/server';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { matrix, since } from '../../matrix/matrix.ts';
import { ask, createServer, openWire, text } from '../fixture.ts';

type Convert = (schema: unknown) => object | undefined;

/** Both may be given as they are. */
const valibotToJson = toJsonSchema as Convert;
const zodToJson = z.toJSONSchema as Convert;

const Note = v.object({ word: v.string(), n: v.optional(v.number(), 1), size: v.pipe(v.string(), v.transform(Number), v.number()) });

/** Each describes a word, a number that defaults to 1 and a text that becomes a number. */
const libraries: readonly { readonly library: string; readonly input: object; readonly convert?: Convert }[] = [
  {
    library: 'zod',
    input: z.object({ word: z.string(), n: z.number().default(1), size: z.string().transform(Number).pipe(z.number()) }),
  },
  {
    library: 'zod mini',
    input: mini.object({
      word: mini.string(),
      n: mini._default(mini.number(), 1),
      size: mini.pipe(mini.pipe(mini.string(), mini.transform(Number)), mini.number()),
    }),
    convert: zodToJson,
  },
  { library: 'valibot', input: Note, convert: valibotToJson },
  { library: 'valibot that brings its own', input: toStandardJsonSchema(Note) },
  {
    library: 'arktype',
    input: type({ word: 'string', n: 'number = 1', size: type('string.integer.parse').to('number') }).onUndeclaredKey('delete'),
  },
];

describe.each(libraries)('a schema of $library', ({ library, input, convert }) => {
  const make = () => {
    const { server } = createServer(convert === undefined ? {} : { toJsonSchema: convert });
    server.tool('it', { input }, (args) => JSON.stringify(args));
    return server;
  };

  matrix('is advertised by its input side', {}, async ({ connect }) => {
    const [{ inputSchema }] = (await (await connect(make())).request('tools/list')).result.tools;
    expect(inputSchema).toMatchObject({
      type: 'object',
      properties: { word: { type: 'string' }, n: { type: 'number' }, size: { type: 'string' } },
    });
    expect(inputSchema.required.toSorted()).toEqual(['size', 'word']);
    // The default dialect is not said again; what valibot's converter speaks is another.
    expect(inputSchema.$schema).toBe(library === 'valibot' ? 'http://json-schema.org/draft-07/schema#' : undefined);
  });

  matrix('is advertised by its output side as output', { revisions: since('2025-06-18') }, async ({ connect }) => {
    const { server } = createServer(convert === undefined ? {} : { toJsonSchema: convert });
    server.tool('it', { output: input }, () => ({ word: 'a', size: '12' }) as never);
    const link = await connect(server);
    const [{ outputSchema }] = (await link.request('tools/list')).result.tools;
    expect(outputSchema).toMatchObject({ type: 'object', properties: { n: { type: 'number' }, size: { type: 'number' } } });
    // Not all say that a member with a default is always there.
    expect(outputSchema.required).toEqual(expect.arrayContaining(['size', 'word']));
    expect((await link.call('it')).result.structuredContent).toEqual({ word: 'a', n: 1, size: 12 });
  });

  matrix('gives the handler the validated value', {}, async ({ connect }) => {
    const link = await connect(make());
    const said = async (args: object) => (await link.call('it', args)).result;
    expect(JSON.parse((await said({ word: 'a', size: '12', stray: true })).content[0].text)).toEqual({ word: 'a', n: 1, size: 12 });
    expect(JSON.parse((await said({ word: 'a', size: '12', n: 3 })).content[0].text)).toEqual({ word: 'a', n: 3, size: 12 });
    for (const [args, place] of [
      [{ size: '1' }, 'word'],
      [{ word: 5, size: '1' }, 'word'],
      [{ word: 'a', size: '1', n: 'x' }, 'n'],
    ] as const) {
      const answer = await said(args);
      expect(answer.isError).toBe(true);
      expect(answer.content[0].text).toContain(`Invalid arguments for tool "it": /${place}`);
    }
  });
});

describe('a JSON Schema', () => {
  const properties = { word: { type: 'string' }, n: { type: 'number', default: 1 }, kind: { enum: ['a', 'b'] } } as const;
  const literal = { type: 'object', properties, required: ['word'], additionalProperties: false, title: 'It' } as const;

  matrix('is advertised unchanged', {}, async ({ connect }) => {
    const { server } = createServer();
    server.tool('literal', { input: literal }, () => 'x');
    server.tool('typed', { input: jsonSchema<{ word: string }>(literal) }, () => 'x');
    const { tools } = (await (await connect(server)).request('tools/list')).result;
    for (const { inputSchema } of tools) expect(inputSchema).toEqual(literal);
  });

  matrix('neither fills defaults nor coerces nor strips', {}, async ({ connect }) => {
    const { server } = createServer();
    server.tool('it', { input: { ...literal, additionalProperties: true } }, (args) => JSON.stringify(args));
    const link = await connect(server);
    expect((await link.call('it', { word: 'a', stray: 1 })).result.content).toEqual([text('{"word":"a","stray":1}')]);
    expect((await link.call('it', { word: 5 })).result).toMatchObject({
      content: [text('Invalid arguments for tool "it": /word must be string')],
      isError: true,
    });
  });

  it.each([
    [{ word: 'a', kind: 'c' }, '/kind must be one of "a", "b"'],
    [{}, '/word is required'],
    [{ word: 'a', stray: 1 }, '/stray is not allowed'],
  ])('says what is wrong with %j', async (args, problem) => {
    const { server } = createServer();
    server.tool('it', { input: literal }, () => 'x');
    const { result } = await ask(await openWire(server), 'tools/call', { name: 'it', arguments: args });
    expect(result.content).toEqual([text(`Invalid arguments for tool "it": ${problem}`)]);
  });

  it('of another dialect keeps its name and its meaning', async () => {
    const { server } = createServer();
    const $schema = 'http://json-schema.org/draft-07/schema#';
    server.tool(
      'it',
      { input: { $schema, type: 'object', properties: { a: { $ref: '#/definitions/n' } }, definitions: { n: { type: 'number' } } } },
      () => 'x',
    );
    const wire = await openWire(server);
    expect((await ask(wire, 'tools/list')).result.tools[0].inputSchema.$schema).toBe($schema);
    expect((await ask(wire, 'tools/call', { name: 'it', arguments: { a: 1 } })).result.isError).toBe(false);
    expect((await ask(wire, 'tools/call', { name: 'it', arguments: { a: 'x' } })).result.isError).toBe(true);
  });
});

describe('a validator that takes its time', () => {
  const Even = z.number().refine(async (n) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return n % 2 === 0;
  }, 'must be even');

  matrix('is awaited on both sides', {}, async ({ connect }) => {
    const { server, told } = createServer();
    server.tool('in', { input: z.object({ n: Even }) }, ({ n }) => `${n}`);
    server.tool('out', { input: z.object({ n: z.number() }), output: z.object({ n: Even }) }, ({ n }) => ({ n }));
    const link = await connect(server);
    expect((await link.call('in', { n: 2 })).result.content).toEqual([text('2')]);
    expect((await link.call('in', { n: 1 })).result.content[0].text).toContain('/n: must be even');
    expect((await link.call('out', { n: 2 })).result).toMatchObject({ content: [text('{"n":2}')], isError: false });
    expect((await link.call('out', { n: 1 })).result.isError).toBe(true);
    expect(told).toHaveLength(1);
  });

  /** A Standard Schema whose promise is the test's. */
  const slow = (validate: (value: unknown) => Promise<{ value: unknown }>) => ({
    '~standard': {
      version: 1 as const,
      vendor: 'test',
      validate,
      jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
    },
  });

  it.each(['input', 'output'])('fails the tool when it rejects: %s', async (side) => {
    const { server, told } = createServer();
    const failing = slow(() => Promise.reject(new Error('no database')));
    server.tool('sync', { [side]: failing }, () => ({}) as never);
    server.tool('async', { [side]: failing }, async () => ({}) as never);
    const wire = await openWire(server);
    for (const name of ['sync', 'async']) {
      const { error, result } = await ask(wire, 'tools/call', { name });
      expect(error).toBeUndefined();
      expect(result).toEqual({ content: [text('no database')], isError: true });
    }
    expect(told.map(({ info }) => info)).toEqual([
      { method: 'tools/call', name: 'sync' },
      { method: 'tools/call', name: 'async' },
    ]);
  });

  it('fails the tool when the text cannot be made afterwards', async () => {
    const { server, told } = createServer();
    server.tool('it', { output: slow(async (value) => ({ value })), text: () => JSON.parse('{') }, () => ({}) as never);
    const { error, result } = await ask(await openWire(server), 'tools/call', { name: 'it' });
    expect(error).toBeUndefined();
    expect(result.isError).toBe(true);
    expect(told).toHaveLength(1);
  });
});

describe('ERR_SCHEMA', () => {
  const message = (input: object, side: 'input' | 'output' = 'input'): string => {
    const server = new Server({ name: 's', version: '1' });
    try {
      server.tool('mine', { [side]: input }, () => ({}) as never);
    } catch (error) {
      expect(error).toBeInstanceOf(VivariumError);
      expect((error as VivariumError).code).toBe('ERR_SCHEMA');
      // What was refused is not there.
      expect(() => server.tool('mine', {}, () => 'x')).not.toThrow();
      return (error as VivariumError).message;
    }
    return 'accepted';
  };

  it.each([
    ['bare valibot', v.object({}), "toJsonSchema, from '@valibot/to-json-schema'"],
    ['bare zod mini', mini.object({}), 'toJsonSchema: z.toJSONSchema'],
    ['zod 3', z3.object({}), 'zod 4'],
    ['a raw shape', { name: z.string() }, 'z.object({ … })'],
    ['a root that is no object', z.string(), 'z.object('],
    ['a literal whose root is no object', { type: 'array' }, "type: 'object'"],
    ['a literal without a root type', { properties: {} }, "type: 'object'"],
    ['a date', z.object({ at: z.date() }), 'a string for a date'],
    [
      'a reference that would have to be fetched',
      { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } },
      '#/$defs/',
    ],
    ['an unknown dialect', { $schema: 'https://example.com/dialect', type: 'object' }, '$schema'],
  ])('names the tool and the remedy for %s', (_, input, remedy) => {
    const said = message(input);
    expect(said).toMatch(/^Tool "mine", input: /);
    expect(said).toContain(remedy);
  });

  it('names the side', () => {
    expect(message(v.object({}), 'output')).toMatch(/^Tool "mine", output: /);
  });

  it('is not said of a converter that knows the schema', async () => {
    const { server } = createServer({ toJsonSchema: valibotToJson });
    expect(() => server.tool('mine', { input: v.object({ a: v.string() }) }, () => 'x')).not.toThrow();
    expect(() => server.tool('other', { input: z.object({ a: z.string() }) }, () => 'x')).not.toThrow();
  });

  it('is said when the converter says "not mine"', () => {
    const { server } = createServer({ toJsonSchema: () => undefined });
    expect(() => server.tool('mine', { input: v.object({}) }, () => 'x')).toThrow(/Tool "mine", input: .*toJsonSchema/);
  });
});
