// State that is too large to travel, and servers that share a store.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Server, ServerOptions } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';
import { coreOf } from '../../../src/server/core.ts';
import { memoryStore, type Store } from '../../../src/store/memory.ts';
import { ask, createServer, modern, type Reply, type Told, text } from '../fixture.ts';

const form = { message: 'Sure?', schema: z.object({ sure: z.boolean() }) };
const yes = { action: 'accept', content: { sure: true } };

/** A node that keeps what a step gave, and asks twice. */
function node(length: number, options: Partial<ServerOptions> = {}, store?: Store): { readonly server: Server; readonly told: Told[] } {
  const made = createServer(options);
  if (store !== undefined) coreOf(made.server).vault = store;
  made.server.tool('it', { singleUse: true }, async (_, ctx) => {
    await ctx.once('small', () => 1);
    const kept = await ctx.once('large', () => 'ü'.repeat(length));
    await ctx.elicit('a', form);
    await ctx.elicit('b', { ...form, message: 'Really?' });
    return `${kept.length} ${ctx.flow.round}`;
  });
  return made;
}

function play(server: Server, before?: Reply, inputResponses: object = { a: yes, b: yes }): Promise<Reply> {
  const more = before === undefined ? {} : { requestState: before.result.requestState, inputResponses };
  return ask(createWire(server), 'tools/call', { name: 'it', ...more, _meta: modern({ elicitation: {} }) });
}

afterEach(() => void vi.useRealTimers());

describe('a large state', () => {
  it('goes to the store, and the client carries a short one', async () => {
    const { server } = node(50_000);
    const first = await play(server);
    expect(first.result.requestState.length).toBeLessThan(500);
    const second = await play(server, first);
    expect(second.result.requestState.length).toBeLessThan(500);
    expect((await play(server, second)).result.content).toEqual([text('50000 2')]);
  });

  it('travels up to the size that was given', async () => {
    const { server } = node(5_000, { asking: { inlineBytes: 20_000 } });
    const first = await play(server);
    expect(first.result.requestState.length).toBeGreaterThan(5_000);
    expect((await play(server, await play(server, first))).result.content).toEqual([text('5000 2')]);
  });

  it('is kept where nobody can read it', async () => {
    const store = memoryStore();
    const put = vi.spyOn(store, 'put');
    await play(node(50_000, {}, store).server);
    expect(put).toHaveBeenCalledTimes(1);
    expect(put.mock.calls[0]?.[1]).toMatch(/^v2\.[\w-]+\.[\w-]+$/);
    expect(put.mock.calls[0]?.[2]).toBe(600_000);
  });

  it('that the store has lost is refused', async () => {
    const store = memoryStore();
    const { server, told } = node(50_000, {}, store);
    const first = await play(server);
    await store.close();
    expect((await play(server, first)).error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
    expect(String(told[0]?.error)).toContain('no longer stored');
  });

  it('expires there too', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { server } = node(50_000, { asking: { ttlMs: 1_000 } });
    const first = await play(server);
    vi.setSystemTime(Date.now() + 1_000);
    expect((await play(server, first)).error).toMatchObject({ data: { reason: 'invalid_request_state' } });
  });

  it('beyond all bounds is a tool error that names the key', async () => {
    const { server, told } = node(300_000);
    const { result } = await play(server);
    expect(result).toMatchObject({ resultType: 'complete', isError: true });
    expect(result.content[0].text).toContain('exceeds 262144 bytes, most of it under "large"');
    expect(told[0]?.error).toMatchObject({ code: 'ERR_TOO_LARGE' });
  });

  it('is measured in bytes', async () => {
    expect((await play(node(900, { asking: { maxBytes: 1_500 } }).server)).result.isError).toBe(true);
  });

  it('made by an answer names that answer', async () => {
    const { server } = createServer({ asking: { maxBytes: 2_000 } });
    server.tool('it', {}, async (_, ctx) => {
      await ctx.elicit('essay', { message: 'Write', schema: z.object({ text: z.string() }) });
      return (await ctx.elicit('b', form)).action;
    });
    const first = await play(server);
    const { result } = await play(server, first, { essay: { action: 'accept', content: { text: 'x'.repeat(3_000) } } });
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('"essay"');
  });

  it('in a prompt is an internal error', async () => {
    const { server, told } = createServer({ asking: { maxBytes: 100 } });
    server.prompt('it', {}, async (_, ctx) => (await ctx.elicit('a', form)).action);
    const { error } = await ask(createWire(server), 'prompts/get', { name: 'it', _meta: modern({ elicitation: {} }) });
    expect(error.code).toBe(-32603);
    expect(told[0]?.error).toMatchObject({ code: 'ERR_TOO_LARGE' });
  });
});

describe('two nodes', () => {
  it.each([10, 50_000])('with one store go on where the other was lost (%i characters)', async (length) => {
    const store = memoryStore();
    const [one, two] = [node(length, {}, store), node(length, {}, store)];
    const first = await play(one.server);
    const second = await play(two.server, first);
    expect((await play(one.server, second)).result.content).toEqual([text(`${length} 2`)]);
    expect((await play(two.server, second)).error.message).toBe('requestState was already used');
    expect((await play(one.server, first)).error.message).toBe('requestState was already used');
  });

  it('with one key need no store for what is small', async () => {
    const asking = { key: new Uint8Array(32).fill(7) };
    const [one, two] = [node(10, { asking }), node(10, { asking })];
    expect((await play(one.server, await play(two.server, await play(one.server)))).result.content).toEqual([text('10 2')]);
  });
});
