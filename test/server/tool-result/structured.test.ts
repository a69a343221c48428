// Structured values: they always match the schema that was advertised to the same client, and they are written as text.
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { result } from 'vivarium/server';
import { z } from 'zod';
import { matrix, since } from '../../matrix/matrix.ts';
import { ask, createServer, openWire, text } from '../fixture.ts';

const Leaf = z.object({ name: z.string() });
const Tree = z.object({
  name: z.string(),
  get below() {
    return z.array(Tree);
  },
});

const cases: readonly (readonly [what: string, output: object, values: readonly unknown[]])[] = [
  ['an object', Leaf, [{ name: 'a' }]],
  ['a record', z.record(z.string(), z.number()), [{}, { a: 1 }]],
  ['a string', z.string(), ['', 'a']],
  ['a number', z.number(), [0]],
  ['a boolean', z.boolean(), [false]],
  ['null', z.null(), [null]],
  ['a list', z.array(Leaf), [[], [{ name: 'a' }]]],
  ['an object or text', z.union([Leaf, z.string()]), [{ name: 'a' }, 'a']],
  ['an object or null', Leaf.nullable(), [{ name: 'a' }, null]],
  [
    'one of two objects',
    z.discriminatedUnion('is', [z.object({ is: z.literal('a') }), z.object({ is: z.literal('b'), n: z.number() })]),
    [{ is: 'a' }, { is: 'b', n: 1 }],
  ],
  ['anything', z.any(), [{ a: 1 }, [1], 'a', null]],
  ['an object with a member called result', z.object({ result: z.number() }), [{ result: 1 }]],
  ['a recursive object', Tree, [{ name: 'a', below: [{ name: 'b', below: [] }] }]],
  ['a list of recursive objects', z.array(Tree), [[{ name: 'a', below: [{ name: 'b', below: [] }] }]]],
  ['a literal that recurs at its root', { type: 'array', items: { $ref: '#' } }, [[[], [[]]]]],
  ['a literal with definitions', { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } }, [[1, 2]]],
  ['a literal with two types', { type: ['object', 'null'] }, [{ a: 1 }, null]],
  ['a literal without a type', { required: ['a'] }, [{ a: 1 }]],
  [
    'a literal of draft-07',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'array',
      items: { $ref: '#/definitions/n' },
      definitions: { n: { type: 'number' } },
    },
    [[1]],
  ],
];

const drafts = { 7: new Ajv({ strict: false }), 2020: new Ajv2020({ strict: false }) };

function matches(schema: Record<string, unknown>, value: unknown): string {
  const ajv = drafts[String(schema['$schema']).includes('draft-07') ? 7 : 2020];
  return ajv.validate(schema, value) ? 'matches' : `${JSON.stringify(value)} does not match ${JSON.stringify(schema)}: ${ajv.errorsText()}`;
}

describe.each(cases)('an output that is %s', (_, output, values) => {
  matrix('matches what was advertised', { revisions: since('2025-06-18') }, async ({ connect, revision }) => {
    const { server } = createServer();
    server.tool('it', { input: z.object({ at: z.number() }), output }, ({ at }) => values[at] as object);
    const link = await connect(server);
    const [{ outputSchema }] = (await link.request('tools/list')).result.tools;
    for (const [at, value] of values.entries()) {
      const answer = (await link.call('it', { at })).result;
      expect(answer).toMatchObject({ content: [text(JSON.stringify(value))], isError: false });
      expect(matches(outputSchema, answer.structuredContent)).toBe('matches');
      if (revision === '2026-07-28') expect(answer.structuredContent).toEqual(value);
      else expect([value, { result: value }]).toContainEqual(answer.structuredContent);
    }
  });

  matrix('is text alone where there is no structure', { revisions: ['2024-11-05', '2025-03-26'] }, async ({ connect }) => {
    const { server } = createServer();
    server.tool('it', { output }, () => values[0] as object);
    const link = await connect(server);
    expect((await link.request('tools/list')).result.tools[0]).not.toHaveProperty('outputSchema');
    const answer = (await link.call('it')).result;
    expect(answer.content).toEqual([text(JSON.stringify(values[0]))]);
    expect(answer).not.toHaveProperty('structuredContent');
  });
});

describe('the wrapper', () => {
  matrix('is around what is no object up to 2025-11-25', { revisions: ['2025-06-18', '2025-11-25'] }, async ({ connect }) => {
    const { server } = createServer();
    server.tool('it', { output: z.array(z.number()) }, () => [1, 2]);
    const link = await connect(server);
    expect((await link.request('tools/list')).result.tools[0].outputSchema).toEqual({
      type: 'object',
      properties: { result: { type: 'array', items: { type: 'number' } } },
      required: ['result'],
    });
    expect((await link.call('it')).result.structuredContent).toEqual({ result: [1, 2] });
  });

  matrix('is around the value of a whole result too', { revisions: ['2025-06-18', '2025-11-25'] }, async ({ connect }) => {
    const { server } = createServer();
    server.tool('it', {}, () => ({ structuredContent: [1, 2] }));
    const answer = (await (await connect(server)).call('it')).result;
    expect(answer).toMatchObject({ content: [text('[1,2]')], structuredContent: { result: [1, 2] } });
  });
});

describe('the text of a structured value', () => {
  const Rows = z.object({ rows: z.array(z.object({ id: z.number(), name: z.string() })) });
  const rows = { rows: Array.from({ length: 20 }, (_, id) => ({ id, name: `name ${id}` })) };
  const first = async (server: ReturnType<typeof createServer>['server'], revision?: string) =>
    (await ask(await openWire(server, revision), 'tools/call', { name: 'it' })).result.content[0];

  it('is compact JSON by default', async () => {
    const { server } = createServer();
    server.tool('it', { output: Rows }, () => rows);
    expect(await first(server)).toEqual(text(JSON.stringify(rows)));
  });

  it.each(['tool', 'server', 'call'])('is TOON where the %s says so, and says that it is', async (who) => {
    const { server } = createServer(who === 'server' ? { text: 'toon' } : {});
    server.tool('it', { output: Rows, ...(who === 'tool' && { text: 'toon' }) }, () =>
      who === 'call' ? result(rows, { text: 'toon' }) : rows,
    );
    const block = await first(server);
    expect(block.text).toContain('rows[20]{id,name}:');
    expect(block._meta).toEqual({ 'vivarium/format': 'toon' });
  });

  it.each(['2024-11-05', '2025-03-26'])('carries no _meta in %s', async (revision) => {
    const { server } = createServer({ text: 'toon' });
    server.tool('it', { output: Rows }, () => rows);
    expect(Object.keys(await first(server, revision))).toEqual(['type', 'text']);
  });

  it('is whichever is smaller with auto', async () => {
    const { server } = createServer({ text: 'auto' });
    server.tool('it', { output: Rows }, () => rows);
    server.tool('small', { output: z.object({ a: z.number() }) }, () => ({ a: 1 }));
    expect((await first(server)).text).toContain('rows[20]{id,name}:');
    expect((await ask(await openWire(server), 'tools/call', { name: 'small' })).result.content).toEqual([text('{"a":1}')]);
  });

  it('is the tool’s before the server’s, and the call’s before both', async () => {
    const { server } = createServer({ text: 'toon' });
    server.tool('it', { output: Rows, text: 'json' }, () => rows);
    server.tool('once', { output: Rows, text: (value) => `${value.rows.length} rows` }, () => result(rows, { text: 'json' }));
    expect(await first(server)).toEqual(text(JSON.stringify(rows)));
    expect((await ask(await openWire(server), 'tools/call', { name: 'once' })).result.content).toEqual([text(JSON.stringify(rows))]);
  });

  it('is what a function of the validated value says', async () => {
    const { server } = createServer();
    server.tool('it', { output: z.array(z.string().trim()), text: (all) => all.join('|') }, () => [' a ', 'b']);
    expect(await first(server)).toEqual(text('a|b'));
  });

  it.each([42, undefined, null, { text: 'x' }])('is never %j, whatever such a function returns', async (returned) => {
    const { server, told } = createServer();
    server.tool('it', { output: Rows, text: () => returned as unknown as string }, () => rows);
    const { result: answer } = await ask(await openWire(server), 'tools/call', { name: 'it' });
    expect(answer.isError).toBe(true);
    expect(answer.content).toEqual([{ type: 'text', text: expect.any(String) }]);
    expect(told).toHaveLength(1);
  });
});
