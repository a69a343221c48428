// Every kind of question, held against the official schemas.
import { describe, expect, it } from 'vitest';
import type { Revision } from 'vivarium';
import type { Context } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';
import { legacy } from '../../matrix/matrix.ts';
import { judgeMessage, reference } from '../../matrix/schemas.ts';
import { ask, createServer, modern, openWire, type Reply } from '../fixture.ts';

const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} };

const plain = z.object({
  name: z.string().min(1).max(9).describe('Yours'),
  mail: z.email(),
  home: z.url().optional(),
  id: z.uuid().optional(),
  born: z.iso.date().optional(),
  age: z.int().min(0).max(150).default(18),
  share: z.number().optional(),
  sure: z.boolean().default(false),
  kind: z.enum(['cat', 'dog']).default('cat').meta({ title: 'Kind' }),
});
const choices = {
  type: 'object',
  properties: {
    one: {
      type: 'string',
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'B' },
      ],
    },
    named: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
    untitled: { type: 'string', oneOf: [{ const: 'a' }] },
  },
  required: ['one'],
} as const;
const several = z.object({
  many: z
    .array(z.enum(['a', 'b']))
    .min(1)
    .default(['a']),
  union: z.array(z.union([z.literal('a'), z.literal('b')])).optional(),
});
const message = 'Please';
const messages = [{ role: 'user', content: { type: 'text', text: 'Hi' } }] as const;

const asks: readonly (readonly [name: string, first: Revision, asking: (ctx: Context) => Promise<unknown>])[] = [
  ['a plain form', '2025-06-18', (ctx) => ctx.elicit('k', { message, schema: plain })],
  ['a form of choices', '2025-06-18', (ctx) => ctx.elicit('k', { message, schema: choices })],
  ['a form of several choices', '2025-11-25', (ctx) => ctx.elicit('k', { message, schema: several })],
  ['an empty form', '2025-06-18', (ctx) => ctx.elicit('k', { message, schema: z.object({}) })],
  ['an address', '2025-11-25', (ctx) => ctx.elicitUrl('k', { message, url: 'https://example.com/a?b=c' })],
  ['roots', '2024-11-05', (ctx) => ctx.roots()],
  ['a sampling', '2024-11-05', (ctx) => ctx.sample('k', { messages, maxTokens: 5, systemPrompt: 'Be kind', temperature: 0.5 })],
  [
    'a sampling with tools',
    '2025-11-25',
    (ctx) =>
      ctx.sample('k', { messages, maxTokens: 5, tools: [{ name: 't', inputSchema: { type: 'object' } }], toolChoice: { mode: 'auto' } }),
  ],
];

function serverOf(asking: (ctx: Context) => Promise<unknown>): ReturnType<typeof createServer>['server'] {
  const { server } = createServer();
  server.tool('it', {}, async (_, ctx) => JSON.stringify(await asking(ctx)));
  return server;
}

describe.skipIf(reference === undefined).each(asks)('%s', (name, first, asking) => {
  it.each(legacy.filter((revision) => revision >= first))('is a request of %s', async (revision) => {
    const wire = await openWire(serverOf(asking), revision, capabilities);
    wire.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'it' } });
    const question = (await wire.next()) as Reply;
    judgeMessage(question, revision, undefined);
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call' } });
    const cancelled = await wire.next();
    judgeMessage(cancelled, revision, undefined);
    expect(cancelled).toMatchObject({ method: 'notifications/cancelled', params: { requestId: question.id } });
  });

  it('is an input that 2026-07-28 requires', async () => {
    const answer = await ask(createWire(serverOf(asking)), 'tools/call', { name: 'it', _meta: modern(capabilities) });
    judgeMessage(answer, '2026-07-28', 'tools/call');
    const { result } = answer;
    expect(result.resultType).toBe('input_required');
    const [[key, question]] = Object.entries(result.inputRequests) as [[string, Reply]];
    expect(key).toBe(name === 'roots' ? 'roots' : 'k');
    expect(question.params ?? {}).not.toHaveProperty('elicitationId');
    expect(question).not.toHaveProperty('id');
  });
});

it.skipIf(reference === undefined)('the end of a visit is a notification of 2025-11-25', async () => {
  const wire = await openWire(
    serverOf((ctx) => ctx.elicitUrl('k', { message, url: 'https://example.com' })),
    '2025-11-25',
    capabilities,
  );
  wire.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'it' } });
  wire.send({ jsonrpc: '2.0', id: ((await wire.next()) as Reply).id, result: { action: 'accept' } });
  const complete = await wire.next();
  expect(complete).toMatchObject({ method: 'notifications/elicitation/complete' });
  judgeMessage(complete, '2025-11-25', undefined);
  judgeMessage(await wire.next(), '2025-11-25', 'tools/call');
});
