// Asking where connections last: a request of ours, and everything that can happen until its answer.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RpcError, VivariumError } from 'vivarium';
import type { Context, ServerOptions } from 'vivarium/server';
import type { Wire } from 'vivarium/testing';
import { z } from 'zod';
import { legacy, since } from '../../matrix/matrix.ts';
import { createServer, openWire, type Reply, type Told, text, turn } from '../fixture.ts';

const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const form = { message: 'Sure?', schema: z.object({ sure: z.boolean() }) };
const yes = { action: 'accept', content: { sure: true } };

interface Asking {
  readonly wire: Wire;
  readonly told: Told[];
  next(): Promise<Reply>;
  answer(question: Reply, result: unknown): void;
}

/** A tool call that has begun. */
async function begun(handler: (ctx: Context) => unknown, revision = '2025-11-25', options: Partial<ServerOptions> = {}): Promise<Asking> {
  const { server, told } = createServer(options);
  server.tool('it', {}, async (_, ctx) => (await handler(ctx)) as string);
  const wire = await openWire(server, revision, capabilities);
  wire.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'it', _meta: { progressToken: 'p' } } });
  const next = async (): Promise<Reply> => (await wire.next()) as Reply;
  return { wire, told, next, answer: ({ id }, result) => wire.send({ jsonrpc: '2.0', id, result }) };
}

afterEach(() => void vi.useRealTimers());

describe('a question', () => {
  it.each(since('2025-06-18').filter((revision) => revision !== '2026-07-28'))('waits in place in %s', async (revision) => {
    let runs = 0;
    const { next, answer } = await begun(async (ctx) => {
      runs++;
      const step = await ctx.once('s', () => 'kept');
      const { action } = await ctx.elicit('a', form);
      return `${action} ${step} ${runs} ${ctx.flow.round} ${ctx.flow.id.length}`;
    }, revision);
    answer(await next(), yes);
    expect(await next()).toMatchObject({ id: 'call', result: { content: [text('accept kept 1 0 36')] } });
  });

  it.each(legacy)('is in flight together with others in %s, answered in any order', async (revision) => {
    const { next, answer } = await begun(async (ctx) => {
      const [sampled, list] = await Promise.all([ctx.sample('s', { messages: [], maxTokens: 1 }), ctx.roots()]);
      return `${sampled.model} ${list.length}`;
    }, revision);
    const [first, second] = [await next(), await next()];
    expect([first.method, second.method]).toEqual(['sampling/createMessage', 'roots/list']);
    expect(first.id).not.toBe(second.id);
    answer(second, { roots: [] });
    answer(first, { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' });
    expect((await next()).result.content).toEqual([text('m 0')]);
  });

  it('under one key is sent once; another under that key is an error', async () => {
    const { next, answer, told } = await begun(async (ctx) => {
      const both = await Promise.all([ctx.elicit('a', form), ctx.elicit('a', form)]);
      expect(both[0]).toEqual(both[1]);
      return ctx.elicit('a', { ...form, message: 'Other?' });
    });
    answer(await next(), yes);
    expect((await next()).result).toMatchObject({ isError: true });
    expect(told[0]?.error).toMatchObject({ code: 'ERR_DUPLICATE' });
  });

  it('that the client refuses is told to the model', async () => {
    const { next, wire, told } = await begun((ctx) => ctx.sample('s', { messages: [], maxTokens: 1 }));
    const { id } = await next();
    wire.send({ jsonrpc: '2.0', id, error: { code: -1, message: 'User rejected sampling request' } });
    expect((await next()).result).toMatchObject({
      isError: true,
      content: [text('The client refused sampling: User rejected sampling request')],
    });
    expect(told).toEqual([]);
  });

  it('that the client refuses rejects with its error', async () => {
    let caught: unknown;
    const catching = (error: unknown): void => {
      caught = error;
    };
    const { next, wire } = await begun((ctx) => ctx.roots().catch(catching));
    wire.send({ jsonrpc: '2.0', id: (await next()).id, error: { code: -32601, message: 'Method not found', data: 1 } });
    await next();
    expect(caught).toBeInstanceOf(RpcError);
    expect(caught).toMatchObject({ code: -32601, message: 'Method not found', data: 1 });
  });

  it('times out, says so to the client, and is forgotten', async () => {
    const { next, answer, wire } = await begun((ctx) => ctx.elicit('a', form), '2025-11-25', { asking: { ttlMs: 20 } });
    const question = await next();
    expect(await next()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: question.id } });
    const { result } = await next();
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('No answer to elicitation/create within 20 ms');
    answer(question, yes);
    expect(await wire.quiet()).toEqual([]);
  });

  it('of a call that is cancelled is cancelled too', async () => {
    let caught: unknown;
    let aborted = false;
    const { next, wire } = await begun(async (ctx) => {
      ctx.signal.addEventListener('abort', () => (aborted = true));
      await ctx.elicit('a', form).catch((error) => (caught = error));
    });
    const { id } = await next();
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call', reason: 'Enough' } });
    expect(await next()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
    expect(await wire.quiet()).toEqual([]);
    expect(aborted).toBe(true);
    expect(caught).toBeInstanceOf(VivariumError);
    expect(caught).toMatchObject({ code: 'ERR_CANCELLED' });
  });

  it('ends with the connection', async () => {
    let caught: unknown;
    const { next, wire } = await begun((ctx) => ctx.elicit('a', form).catch((error) => (caught = error)));
    await next();
    await wire.close();
    await turn();
    expect(caught).toMatchObject({ code: 'ERR_CLOSED' });
  });

  it('after the answer rejects, and harms no one who does not look', async () => {
    let kept: Context | undefined;
    const { next } = await begun((ctx) => {
      kept = ctx;
      return 'done';
    });
    await next();
    kept?.roots().catch(() => undefined);
    await expect(kept?.elicit('a', form)).rejects.toMatchObject({ code: 'ERR_CLOSED' });
    await turn();
  });

  it('keeps the timer of the client alive while it waits', async () => {
    const { next, answer } = await begun((ctx) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      return ctx.elicit('a', form).then(({ action }) => action);
    });
    const question = await next();
    await vi.advanceTimersByTimeAsync(15_000);
    const beats = [await next(), await next(), await next()].map(({ method, params }) => [method, params.progressToken, params.progress]);
    expect(beats.map(([method, token]) => [method, token])).toEqual(Array(3).fill(['notifications/progress', 'p']));
    const values = beats.map(([, , progress]) => progress);
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
    answer(question, yes);
    expect((await next()).result.content).toEqual([text('accept')]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('whose params are no JSON fails alone', async () => {
    const { next, wire } = await begun((ctx) => ctx.sample('s', { messages: [], maxTokens: 1n as never }));
    expect((await next()).result.isError).toBe(true);
    expect(await wire.quiet()).toEqual([]);
  });
});

describe('an address to visit', () => {
  const visit = { message: 'Log in', url: 'https://example.com/login' };

  it('has an id in 2025-11-25, which is completed when the handler ends', async () => {
    const { next, answer } = await begun(async (ctx) => {
      const both = await Promise.all([ctx.elicitUrl('u', visit), ctx.elicitUrl('u', visit)]);
      return both.map(({ action }) => action).join();
    });
    const question = await next();
    expect(question.params).toEqual({ mode: 'url', ...visit, elicitationId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    answer(question, { action: 'accept' });
    const { elicitationId } = question.params;
    expect(await next()).toEqual({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } });
    expect(await next()).toMatchObject({ id: 'call', result: { content: [text('accept,accept')] } });
  });

  it.each(['decline', 'cancel'])('has nothing to complete after %s', async (action) => {
    const { next, answer } = await begun(async (ctx) => (await ctx.elicitUrl('u', visit)).action);
    answer(await next(), { action });
    expect(await next()).toMatchObject({ id: 'call', result: { content: [text(action)] } });
  });

  it.each(legacy.filter((revision) => revision !== '2025-11-25'))('cannot be asked for in %s', async (revision) => {
    const { next } = await begun((ctx) => ctx.elicitUrl('u', visit), revision);
    expect((await next()).result).toMatchObject({
      isError: true,
      content: [text('Tool "it" needs a client that supports elicitation.url.')],
    });
  });
});

it.each(['2024-11-05', '2025-03-26'])('a client of %s is not asked with forms, whatever it declares', async (revision) => {
  const { next } = await begun((ctx) => ctx.elicit('a', form), revision);
  expect((await next()).result).toMatchObject({ isError: true, content: [text('Tool "it" needs a client that supports elicitation.')] });
});
