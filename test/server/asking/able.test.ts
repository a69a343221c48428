// Clients that cannot be asked, and asks in prompts and resources.
import { describe, expect, it } from 'vitest';
import type { ClientFeature, Context } from 'vivarium/server';
import { createWire, type Wire } from 'vivarium/testing';
import { z } from 'zod';
import { matrix } from '../../matrix/matrix.ts';
import { ask, createServer, modern, openWire, type Reply, text } from '../fixture.ts';

const form = { message: 'Sure?', schema: z.object({ sure: z.boolean() }) };
const yes = { action: 'accept', content: { sure: true } };
const sampling = { messages: [], maxTokens: 1 };

const asks: readonly (readonly [ClientFeature, object, (ctx: Context) => Promise<unknown>])[] = [
  ['elicitation', { elicitation: {} }, (ctx) => ctx.elicit('k', form)],
  ['elicitation.url', { elicitation: { url: {} } }, (ctx) => ctx.elicitUrl('k', { message: 'm', url: 'https://example.com' })],
  ['sampling', { sampling: {} }, (ctx) => ctx.sample('k', sampling)],
  ['sampling.tools', { sampling: { tools: {} } }, (ctx) => ctx.sample('k', { ...sampling, tools: [] })],
  ['sampling.tools', { sampling: { tools: {} } }, (ctx) => ctx.sample('k', { ...sampling, toolChoice: { mode: 'auto' } })],
  ['roots', { roots: {} }, (ctx) => ctx.roots()],
];

describe.each(asks)('a client without %s', (feature, requiredCapabilities, asking) => {
  const prepared = (needs?: readonly ClientFeature[]) => {
    const made = createServer();
    let ran = 0;
    const run = async (ctx: Context): Promise<string> => {
      ran++;
      return String(await asking(ctx));
    };
    made.server.tool('it', { ...(needs && { needs }) }, (_, ctx) => run(ctx));
    made.server.prompt('it', { ...(needs && { needs }) }, (_, ctx) => run(ctx));
    made.server.resource('a:it', { ...(needs && { needs }) }, (_, ctx) => run(ctx));
    return { ...made, ran: () => ran };
  };

  matrix('is told so, by needs before the handler and without it by the ask', {}, async ({ connect, revision }) => {
    for (const needs of [[feature], undefined]) {
      const { server, told, ran } = prepared(needs);
      const link = await connect(server, { capabilities: { experimental: {} } });
      const answers = [
        await link.call('it'),
        await link.request('prompts/get', { name: 'it' }),
        await link.request('resources/read', { uri: 'a:it' }),
      ];
      expect(ran()).toBe(needs === undefined ? 3 : 0);
      expect(told).toEqual([]);
      if (revision === '2026-07-28') {
        for (const { error } of answers) expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities } });
      } else {
        expect(answers[0]?.result).toEqual({ content: [text(`Tool "it" needs a client that supports ${feature}.`)], isError: true });
        for (const { error } of answers.slice(1)) {
          expect(error?.code).toBe(-32602);
          expect(JSON.stringify(error)).toContain(feature);
        }
      }
    }
  });

  matrix('can be done without by whoever looks first or catches', {}, async ({ connect }) => {
    const { server, told } = createServer();
    server.tool('looks', {}, (_, ctx) => `${ctx.can(feature)}`);
    server.tool('catches', {}, (_, ctx) => asking(ctx).then(String, ({ code }) => code));
    const link = await connect(server);
    expect((await link.call('looks')).result.content).toEqual([text('false')]);
    expect((await link.call('catches')).result.content).toEqual([text('ERR_UNSUPPORTED_BY_PEER')]);
    expect(told).toEqual([]);
  });
});

it('a client that declares addresses only is not asked with forms', async () => {
  const { server } = createServer();
  server.tool('it', {}, async (_, ctx) => (await ctx.elicit('k', form)).action);
  const { error } = await ask(createWire(server), 'tools/call', { name: 'it', _meta: modern({ elicitation: { url: {} } }) });
  expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: {} } } });
});

it('all needs are named at once', async () => {
  const { server } = createServer();
  server.tool('it', { needs: ['elicitation', 'elicitation.url', 'sampling.tools', 'roots'] }, () => 'ran');
  const { error } = await ask(createWire(server), 'tools/call', { name: 'it', _meta: modern({ roots: {} }) });
  expect(error.data.requiredCapabilities).toEqual({ elicitation: { url: {} }, sampling: { tools: {} }, roots: {} });
});

describe.each<[string, object]>([
  ['prompts/get', { name: 'it', arguments: { a: 'x' } }],
  ['resources/read', { uri: 'a:it/x' }],
])('%s', (method, params) => {
  const capabilities = { elicitation: {}, roots: {} };

  function asking(): ReturnType<typeof createServer> {
    const made = createServer();
    const run = async (ctx: Context): Promise<string> => {
      const { action } = await ctx.elicit('k', form);
      return action;
    };
    made.server.prompt('it', { input: z.object({ a: z.string() }) }, (_, ctx) => run(ctx));
    made.server.resource('a:it/{x}', {}, (_, ctx) => run(ctx));
    return made;
  }

  const modernly = (wire: Wire, more: object = {}): Promise<Reply> =>
    ask(wire, method, { ...params, ...more, _meta: modern(capabilities) });

  it('asks in rounds in 2026-07-28', async () => {
    const { server, told } = asking();
    const wire = createWire(server);
    const { result } = await modernly(wire);
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { k: { method: 'elicitation/create' } } });
    const end = await modernly(wire, { requestState: result.requestState, inputResponses: { k: yes } });
    expect(end.result.resultType).toBe('complete');
    expect(JSON.stringify(end.result)).toContain('accept');
    expect(told).toEqual([]);
  });

  it('asks in place before', async () => {
    const wire = await openWire(asking().server, '2025-11-25', capabilities);
    wire.send({ jsonrpc: '2.0', id: 'call', method, params });
    const question = (await wire.next()) as Reply;
    expect(question.method).toBe('elicitation/create');
    wire.send({ jsonrpc: '2.0', id: question.id, result: yes });
    expect(JSON.stringify(await wire.next())).toContain('accept');
  });

  it('answers content that does not fit with an internal error that says where', async () => {
    const wire = createWire(asking().server);
    const { requestState } = (await modernly(wire)).result;
    const { error } = await modernly(wire, { requestState, inputResponses: { k: { action: 'accept', content: {} } } });
    expect(error).toMatchObject({ code: -32603, message: 'The answer to "k" does not fit: /sure is required' });
  });

  it('gives a client that refuses its own error back', async () => {
    const wire = await openWire(asking().server, '2025-11-25', capabilities);
    wire.send({ jsonrpc: '2.0', id: 'call', method, params });
    wire.send({ jsonrpc: '2.0', id: ((await wire.next()) as Reply).id, error: { code: -1, message: 'No' } });
    expect(await wire.next()).toMatchObject({ id: 'call', error: { code: -1, message: 'No' } });
  });

  it('is not continued by the state of another', async () => {
    const wire = createWire(asking().server);
    const { requestState } = (await modernly(wire)).result;
    const [other, otherParams] =
      method === 'prompts/get' ? ['resources/read', { uri: 'a:it/x' }] : ['prompts/get', { name: 'it', arguments: { a: 'x' } }];
    const { error } = await ask(wire, other as string, { ...(otherParams as object), requestState, _meta: modern(capabilities) });
    expect(error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
  });
});
