// How a call of 2026-07-28 is run again: what is done once, what is asked again, and what becomes of keys.
import { describe, expect, it } from 'vitest';
import type { Context, Server, ServerOptions } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';
import { ask, createServer, defer, modern, type Reply, type Told, text, turn } from '../fixture.ts';

const form = (message = 'Sure?') => ({ message, schema: z.object({ sure: z.boolean() }) });
const yes = { action: 'accept', content: { sure: true } };
type Play = (before?: Reply, inputResponses?: object) => Promise<Reply>;

/** One tool, and a way to play its rounds. */
function playing(handler: (ctx: Context) => unknown, options: Partial<ServerOptions> = {}): { play: Play; told: Told[]; server: Server } {
  const { server, told } = createServer(options);
  server.tool('it', {}, (_, ctx) => handler(ctx) as string);
  const wire = createWire(server);
  const play: Play = (before, inputResponses) =>
    ask(wire, 'tools/call', {
      name: 'it',
      ...(before !== undefined && { requestState: before.result.requestState, inputResponses: inputResponses ?? {} }),
      _meta: modern({ elicitation: {}, sampling: {}, roots: {} }),
    });
  return { play, told, server };
}

describe('a round', () => {
  it('runs everything before an ask again, and what is under once only once', async () => {
    const seen: unknown[] = [];
    let effects = 0;
    const { play } = playing(async (ctx) => {
      seen.push([ctx.flow.round, ctx.flow.id]);
      const count = await ctx.once('effect', () => ++effects);
      await ctx.elicit('a', form('A?'));
      await ctx.elicit('b', form('B?'));
      return `${count} ${effects}`;
    });
    const first = await play();
    expect(first.result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    expect(Object.keys(first.result.inputRequests)).toEqual(['a']);
    const second = await play(first, { a: yes });
    expect(Object.keys(second.result.inputRequests)).toEqual(['b']);
    const third = await play(second, { b: yes });
    expect(third.result).toMatchObject({ resultType: 'complete', content: [text('1 1')] });
    const [, id] = seen[0] as [number, string];
    expect(seen).toEqual([0, 1, 2].map((round) => [round, id]));
  });

  it('ends after finally blocks have run', async () => {
    let cleaned = 0;
    const { play } = playing(async (ctx) => {
      try {
        await ctx.elicit('a', form());
        return 'done';
      } finally {
        cleaned++;
      }
    });
    const first = await play();
    expect(cleaned).toBe(1);
    expect((await play(first, { a: yes })).result.content).toEqual([text('done')]);
    expect(cleaned).toBe(2);
  });

  it('waits for a step that runs when a sibling suspends', async () => {
    const gate = defer<string>();
    let runs = 0;
    const { play } = playing(async (ctx) => {
      const step = (): Promise<string> => {
        runs++;
        return gate.promise;
      };
      const [, kept] = await Promise.all([ctx.elicit('a', form()), ctx.once('slow', step)]);
      return kept;
    });
    const pending = play();
    expect(await Promise.race([pending, turn().then(() => 'waiting')])).toBe('waiting');
    gate.resolve('kept');
    expect((await play(await pending, { a: yes })).result.content).toEqual([text('kept')]);
    expect(runs).toBe(1);
  });

  it('starts no step after it has ended', async () => {
    let effects = 0;
    const { play } = playing(async (ctx) => {
      const branch = async (): Promise<number> => {
        await ctx.elicit('b', form('B?'));
        return ctx.once('effect', async () => {
          effects++;
          await new Promise((resolve) => setTimeout(resolve, 50));
          return effects;
        });
      };
      await Promise.all([ctx.elicit('a', form('A?')), branch()]);
      return `${effects}`;
    });
    const second = await play(await play(), { b: yes });
    expect(Object.keys(second.result.inputRequests)).toEqual(['a']);
    for (let i = 0; i < 5; i++) await turn();
    expect((await play(second, { a: yes })).result.content).toEqual([text('1')]);
  });

  it('asks several questions together', async () => {
    const { play } = playing(async (ctx) => {
      const [a, list] = await Promise.all([ctx.elicit('a', form()), ctx.roots(), ctx.elicit('c', form('C?'))]);
      return `${a.action} ${list.length}`;
    });
    const first = await play();
    expect(Object.keys(first.result.inputRequests)).toEqual(['a', 'roots', 'c']);
    expect(first.result.inputRequests.roots).toEqual({ method: 'roots/list' });
    const answers = { a: { action: 'decline' }, roots: { roots: [{ uri: 'file:///a' }] }, c: yes };
    expect((await play(first, answers)).result.content).toEqual([text('decline 1')]);
  });

  it('survives questions that were started and never awaited', async () => {
    const { play } = playing(async (ctx) => {
      const a = ctx.elicit('a', form('A?'));
      const b = ctx.elicit('b', form('B?'));
      const c = ctx.roots();
      void ctx.sample('d', { messages: [], maxTokens: 1 });
      await a;
      await b;
      await c;
      return 'done';
    });
    const first = await play();
    await turn();
    expect(Object.keys(first.result.inputRequests)).toEqual(['a', 'b', 'roots', 'd']);
  });

  it('ends with its questions although the handler caught the suspension, and the author is told', async () => {
    const { play, told } = playing(async (ctx) => ctx.elicit('a', form()).catch(() => 'went on'));
    expect((await play()).result.resultType).toBe('input_required');
    expect(told).toHaveLength(1);
    expect(String(told[0]?.error)).toContain('"a"');
  });
});

describe('once', () => {
  it('keeps undefined as undefined, and null as null', async () => {
    const { play } = playing(async (ctx) => {
      const kept = [await ctx.once('u', () => undefined), await ctx.once('n', () => null)];
      await ctx.elicit('a', form());
      return kept.map(String).join(' ');
    });
    expect((await play(await play(), { a: yes })).result.content).toEqual([text('undefined null')]);
  });

  it('keeps what the step gave, not what the handler made of it', async () => {
    const { play } = playing(async (ctx) => {
      const list = await ctx.once('list', () => ['x']);
      list.push('y');
      await ctx.elicit('a', form());
      return list.join();
    });
    expect((await play(await play(), { a: yes })).result.content).toEqual([text('x,y')]);
  });

  it('does not keep a throw: the step runs again in the next round', async () => {
    let runs = 0;
    const { play } = playing(async (ctx) => {
      const step = (): string => {
        if (++runs === 1) throw new Error('busy');
        return 'ready';
      };
      const state = await ctx.once('s', step).catch((error: Error) => error.message);
      await ctx.elicit('a', form());
      return state;
    });
    expect((await play(await play(), { a: yes })).result.content).toEqual([text('ready')]);
    expect(runs).toBe(2);
  });

  it('runs again when an older round is presented again', async () => {
    let runs = 0;
    const { play } = playing(async (ctx) => {
      await ctx.elicit('a', form());
      return `${await ctx.once('s', () => ++runs)}`;
    });
    const first = await play();
    await play(first, { a: yes });
    expect((await play(first, { a: yes })).result.content).toEqual([text('2')]);
  });
});

describe('a key', () => {
  it('used twice for the same question is one question with one answer', async () => {
    const { play } = playing(async (ctx) => {
      const both = await Promise.all([ctx.elicit('a', form()), ctx.elicit('a', form())]);
      return both.map(({ action }) => action).join();
    });
    const first = await play();
    expect(Object.keys(first.result.inputRequests)).toEqual(['a']);
    expect((await play(first, { a: yes })).result.content).toEqual([text('accept,accept')]);
  });

  it.each<[string, (ctx: Context) => Promise<unknown>]>([
    ['two questions', (ctx) => Promise.all([ctx.elicit('a', form()), ctx.elicit('a', form('Other?'))])],
    ['an ask and a once', (ctx) => Promise.all([ctx.elicit('a', form()), ctx.once('a', () => 1)])],
    ['a once and an ask', (ctx) => Promise.all([ctx.once('a', () => 1), ctx.elicit('a', form())])],
    ['a question and the roots', (ctx) => Promise.all([ctx.roots(), ctx.elicit('roots', form())])],
    ['two, one of which is caught', (ctx) => Promise.all([ctx.elicit('a', form()), ctx.once('a', () => 1).catch(() => 0)])],
  ])('used for %s is an error that wins over the suspension', async (_, handler) => {
    const { play, told } = playing(handler);
    const { result } = await play();
    expect(result).toMatchObject({ resultType: 'complete', isError: true });
    expect(result.content[0].text).toMatch(/The key "(?:a|roots)" is used for two different things/);
    expect(told.at(-1)?.error).toMatchObject({ code: 'ERR_DUPLICATE' });
  });

  it('whose question has changed is asked again: consent to one is none to the other', async () => {
    let table = 'A';
    const { play } = playing(async (ctx) => {
      const { action } = await ctx.elicit('drop', form(`Drop ${table}?`));
      return `${action} ${table}`;
    });
    const first = await play();
    table = 'B';
    const second = await play(first, { drop: yes });
    expect(second.result.inputRequests.drop.params.message).toBe('Drop B?');
    expect((await play(second, { drop: { action: 'decline' } })).result.content).toEqual([text('decline B')]);
  });

  it('whose question differs in every round ends at maxRounds with its name', async () => {
    let count = 0;
    const { play } = playing(async (ctx) => ctx.elicit('time', form(`It is ${count++}`)), { asking: { maxRounds: 3 } });
    let last = await play();
    for (let round = 1; round < 3; round++) last = await play(last, { time: yes });
    expect(last.result.resultType).toBe('input_required');
    last = await play(last, { time: yes });
    expect(last.result).toMatchObject({ resultType: 'complete', isError: true });
    expect(last.result.content[0].text).toContain('"time" was asked 3 times');
  });
});
