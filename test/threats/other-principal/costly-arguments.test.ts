// A hostile caller sends arguments that are costly to check by schemas which their author wrote in good faith.
import { describe, expect, it } from 'vitest';
import { Server } from '../../../src/server/index.ts';
import { createWire } from '../../../src/testing/index.ts';

const list = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));

function nested(levels: number, wrap: (inner: unknown) => object, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

const tree = { $ref: '#/$defs/tree' };
const forms = (order: (kind: object) => object) => [
  { type: 'object', properties: order({ kind: { const: 'and' } }), required: ['left', 'kind'] },
  { type: 'object', properties: order({ kind: { const: 'or' } }), required: ['left', 'kind'] },
  { type: 'string' },
];
const deep = (levels: number) => nested(levels, (left) => ({ kind: 'or', left }), 'leaf');

/** Its problem, or undefined where the value is taken; and how long the process could do nothing else. */
async function called(schema: object, value: unknown): Promise<{ problem: string | undefined; ms: number }> {
  const server = new Server({ name: 's', version: '1' });
  const input = { type: 'object', properties: { value: schema }, ...('$defs' in schema && { $defs: schema.$defs }) };
  server.tool('t', { description: 'Takes it', input: input as { type: 'object' } }, () => 'taken');
  await server.ready();
  const wire = createWire(server);
  await wire.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } });
  const start = performance.now();
  const answer = (await wire.request('tools/call', { name: 't', arguments: { value } })) as { result?: { content: { text: string }[] } };
  const ms = performance.now() - start;
  await wire.close();
  const text = answer.result?.content[0]?.text;
  return { problem: text === 'taken' ? undefined : (text ?? JSON.stringify(answer)), ms };
}

describe('a server whose caller is hostile', () => {
  it.each([
    ['list of different objects', { type: 'array', uniqueItems: true }, list(60_000, (n) => ({ n: { n } })), undefined],
    [
      'list with one item twice',
      { type: 'array', uniqueItems: true },
      [...list(60_000, (n) => [n]), [0]],
      'items ## 0 and 60000 are identical',
    ],
    [
      'choice of thousands',
      { type: 'array', items: { enum: [null, ...list(9_000, (n) => `v${n}`)] } },
      list(100_000, () => 'v8999'),
      undefined,
    ],
    ['address of a megabyte', { type: 'string', format: 'url' }, `http://${'::'.repeat(500_000)}`, 'must match format'],
    [
      'list of lists of lists',
      { $defs: { tree: { type: 'array', items: tree } }, ...tree },
      nested(200, (inner) => [inner], []),
      undefined,
    ],
  ])('is answered soon about a %s', { timeout: 120_000 }, async (_name, schema, value, expected) => {
    const { problem, ms } = await called(schema, value);
    if (expected === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(expected);
    expect(ms).toBeLessThan(20_000);
  });

  it('takes a deep value of a recursive schema whose forms are told apart first', { timeout: 120_000 }, async () => {
    const schema = { $defs: { tree: { oneOf: forms((kind) => ({ ...kind, left: tree })) } }, ...tree };
    expect((await called(schema, deep(150))).problem).toBeUndefined();
  });

  it('refuses a value that a recursive schema would take exponential time for', { timeout: 120_000 }, async () => {
    const schema = { $defs: { tree: { oneOf: forms((kind) => ({ left: tree, ...kind })) } }, ...tree };
    expect((await called(schema, deep(8))).problem).toBeUndefined();
    const { problem, ms } = await called(schema, deep(60));
    expect(problem).toContain('takes too long to check; nest it less deeply');
    expect(ms).toBeLessThan(20_000);
  });
});
