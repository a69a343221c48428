// What becomes of the answers of a client: accepted, declined, of the wrong kind, for nobody, or missing.
import { describe, expect, it } from 'vitest';
import type { Revision } from 'vivarium';
import type { Context } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';
import { since } from '../../matrix/matrix.ts';
import { ask, createServer, modern, openWire, type Reply, type Told, text } from '../fixture.ts';

const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

interface Played {
  readonly question: Reply;
  readonly answer: Reply;
  readonly told: readonly Told[];
}

/** Asks once and answers it, in whichever way the revision has. */
async function played(revision: Revision, handler: (ctx: Context) => Promise<unknown>, reply: unknown): Promise<Played> {
  const { server, told } = createServer();
  server.tool('it', {}, async (_, ctx) => JSON.stringify(await handler(ctx)));
  if (revision === '2026-07-28') {
    const wire = createWire(server);
    const _meta = modern(capabilities);
    const { result } = await ask(wire, 'tools/call', { name: 'it', _meta });
    const [[key, question]] = Object.entries(result.inputRequests) as [[string, Reply]];
    const answer = await ask(wire, 'tools/call', {
      name: 'it',
      requestState: result.requestState,
      inputResponses: { [key]: reply },
      _meta,
    });
    return { question, answer, told };
  }
  const wire = await openWire(server, revision, capabilities);
  wire.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'it' } });
  const question = (await wire.next()) as Reply;
  wire.send({ jsonrpc: '2.0', id: question.id, result: reply });
  return { question, answer: (await wire.next()) as Reply, told };
}

const schema = z.object({
  name: z.string().min(2).max(4),
  age: z.number().int().min(0).max(150).optional(),
  kind: z.enum(['cat', 'dog']).default('cat'),
});
const elicit = (ctx: Context) => ctx.elicit('pet', { message: 'Which pet?', schema });

describe.each(since('2025-06-18'))('a form in %s', (revision) => {
  it('that is accepted gives its content, made whole by the schema of the author', async () => {
    const { question, answer } = await played(revision, elicit, { action: 'accept', content: { name: 'Tom' } });
    expect(question.method).toBe('elicitation/create');
    expect(question.params.mode).toBe(revision === '2025-06-18' ? undefined : 'form');
    expect(answer.result.content).toEqual([text('{"action":"accept","content":{"name":"Tom","kind":"cat"}}')]);
  });

  it.each(['decline', 'cancel'])('that meets %s gives a value', async (action) => {
    const { answer, told } = await played(revision, elicit, { action, content: { name: 'Tom' } });
    expect(answer.result.content).toEqual([text(JSON.stringify({ action }))]);
    expect(told).toEqual([]);
  });

  it.each([
    [undefined, 'content must be an object'],
    [{}, '/name is required'],
    [{ name: 5 }, '/name must be a string'],
    [{ name: 'T' }, '/name is too short or too long'],
    [{ name: 'Tom', age: 1.5 }, '/age must be an integer'],
    [{ name: 'Tom', age: -1 }, '/age is out of range'],
    [{ name: 'Tom', kind: 'cow' }, '/kind must be one of the choices'],
  ])('that is accepted with %j is a tool error with the place', async (content, problem) => {
    const { answer } = await played(revision, elicit, { action: 'accept', content });
    expect(answer.result.isError).toBe(true);
    expect(answer.result.content).toEqual([text(`The answer to "pet" does not fit: ${problem}`)]);
  });

  it('is judged by the schema of the author after the flat one', async () => {
    const even = z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') });
    const { answer } = await played(revision, (ctx) => ctx.elicit('n', { message: 'n?', schema: even }), {
      action: 'accept',
      content: { n: 3 },
    });
    expect(answer.result.isError).toBe(true);
    expect(answer.result.content[0].text).toMatch(/The answer to "n" does not fit: \/n: must be even/);
  });

  it('with members of the prototype pollutes nothing', async () => {
    const content = JSON.parse('{"name":"Tom","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    await played(revision, elicit, { action: 'accept', content });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([{}, { action: 'maybe' }, [], 'accept', null, 5])('answered by %j is invalid', async (reply) => {
    const { answer } = await played(revision, elicit, reply);
    expect(answer.error?.code).toBe(-32602);
    expect(answer.error.data?.details ?? answer.error.message).toContain('"pet"');
  });

  it('that is nested is refused before it is asked', async () => {
    const { server, told } = createServer();
    server.tool(
      'it',
      {},
      async (_, ctx) => ctx.elicit('n', { message: '?', schema: z.object({ at: z.object({ x: z.number() }) }) }) as never,
    );
    const wire = revision === '2026-07-28' ? createWire(server) : await openWire(server, revision, capabilities);
    const { result } = await ask(wire, 'tools/call', { name: 'it', ...(revision === '2026-07-28' && { _meta: modern(capabilities) }) });
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('the field "at"');
    expect(told[0]?.error).toMatchObject({ code: 'ERR_SCHEMA' });
  });
});

describe.each(since('2024-11-05'))('in %s', (revision) => {
  const hello = { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }], maxTokens: 5 };
  const said = { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' };

  it('a sampling gives the result as it came', async () => {
    const { question, answer } = await played(revision, (ctx) => ctx.sample('s', hello), said);
    expect(question).toMatchObject({ method: 'sampling/createMessage', params: hello });
    expect(JSON.parse(answer.result.content[0].text)).toEqual(said);
  });

  it.each([{}, { role: 'assistant', content: 'x', model: 'm' }, { action: 'accept' }, { roots: [] }, null])(
    'a sampling answered by %j is invalid',
    async (reply) => {
      expect((await played(revision, (ctx) => ctx.sample('s', hello), reply)).answer.error?.code).toBe(-32602);
    },
  );

  it('roots are a list', async () => {
    const roots = [{ uri: 'file:///a', name: 'A' }, { uri: 'file:///b' }];
    const { question, answer } = await played(revision, (ctx) => ctx.roots(), { roots });
    expect(question.method).toBe('roots/list');
    expect(JSON.parse(answer.result.content[0].text)).toEqual(roots);
  });

  it.each([{}, { roots: {} }, { roots: [{}] }, { roots: [null] }, said])('roots answered by %j are invalid', async (reply) => {
    expect((await played(revision, (ctx) => ctx.roots(), reply)).answer.error?.code).toBe(-32602);
  });

  it.each<[string, unknown, string]>([
    ['a date', { a: [1, new Date(0)] }, 'a Date at /a/1'],
    ['a function', () => 1, 'a function at the root'],
    ['a bigint', { n: 1n }, 'a bigint at /n'],
    ['an infinity', [Number.POSITIVE_INFINITY], 'Infinity at /0'],
    ['a map', new Map(), 'a Map at the root'],
    ['a hidden undefined', { a: undefined }, 'a undefined at /a'],
  ])('once refuses %s with its place', async (_, value, place) => {
    const { server, told } = createServer();
    server.tool('it', {}, async (_args, ctx) => String(await ctx.once('k', () => value)));
    const wire = revision === '2026-07-28' ? createWire(server) : await openWire(server, revision, capabilities);
    const { result } = await ask(wire, 'tools/call', { name: 'it', ...(revision === '2026-07-28' && { _meta: modern(capabilities) }) });
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain(`once("k") gave ${place}`);
    expect(told[0]?.error).toMatchObject({ code: 'ERR_NOT_JSON' });
  });
});

describe('answers of 2026-07-28', () => {
  function both() {
    const { server } = createServer();
    server.tool('it', {}, async (_, ctx) => {
      const all = await Promise.all([elicit(ctx), ctx.roots()]);
      return JSON.stringify(all);
    });
    const wire = createWire(server);
    return (more: object = {}) => ask(wire, 'tools/call', { name: 'it', ...more, _meta: modern(capabilities) });
  }

  it('for keys never asked are ignored, and missing ones asked again', async () => {
    const play = both();
    const { requestState } = (await play()).result;
    const inputResponses = JSON.parse('{"unheardOf":1,"__proto__":{"polluted":true},"roots":{"roots":[]}}');
    const { result } = await play({ requestState, inputResponses });
    expect(Object.keys(result.inputRequests)).toEqual(['pet']);
    const end = await play({ requestState: result.requestState, inputResponses: { pet: { action: 'cancel' } } });
    expect(end.result.content).toEqual([text('[{"action":"cancel"},[]]')]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('may be none at all: everything is asked again', async () => {
    const play = both();
    const { requestState } = (await play()).result;
    for (const more of [{}, { inputResponses: {} }]) {
      expect(Object.keys((await play({ requestState, ...more })).result.inputRequests)).toEqual(['pet', 'roots']);
    }
  });

  it('without a state are no answers', async () => {
    const { result } = await both()({ inputResponses: { roots: { roots: [] }, pet: { action: 'decline' } } });
    expect(Object.keys(result.inputRequests)).toEqual(['pet', 'roots']);
  });

  it.each([null, 5, 'x', []])('are an object and not %j', async (inputResponses) => {
    const play = both();
    const { requestState } = (await play()).result;
    expect((await play({ requestState, inputResponses })).error?.code).toBe(-32602);
  });
});
