// Calls that run: how they are cancelled, and how they end with their connection.
import { describe, expect, it } from 'vitest';
import { serveMemory } from 'vivarium/serve/memory';
import { type Context, VivariumError } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { matrix, pipes } from '../matrix/matrix.ts';
import { ask, createServer, defer, handshake, modern, openWire, type Reply, text, turn } from './fixture.ts';

interface Running {
  readonly ctx: Context;
  finish(said: string): void;
  fail(error: unknown): void;
}

/** A server whose tool runs until the test ends it. */
function waiting(): { server: ReturnType<typeof createServer>['server']; told: unknown[]; calls: Running[] } {
  const { server, told } = createServer();
  const calls: Running[] = [];
  server.tool('wait', {}, (_, ctx) => {
    const { promise, resolve, reject } = defer<string>();
    calls.push({ ctx, finish: resolve, fail: reject });
    return promise;
  });
  server.tool('deaf', {}, () => 'heard');
  return { server, told, calls };
}

describe('notifications/cancelled', () => {
  // Looks at the call in the very turn it was sent, before a socket has carried it.
  matrix('aborts the signal with its reason, and the call is never answered', { transports: pipes }, async ({ connect }) => {
    const { server, told, calls } = waiting();
    const link = await connect(server);
    const id = link.start('tools/call', { name: 'wait' }, { progressToken: 1 });
    const { ctx, finish } = calls[0] as Running;
    const aborted = new Promise<unknown>((resolve) => ctx.signal.addEventListener('abort', () => resolve(ctx.signal.reason)));
    expect(ctx.signal.aborted).toBe(false);
    link.notify('notifications/cancelled', { requestId: id, reason: 'The user went away' });
    const reason = (await aborted) as VivariumError;
    expect(reason).toBeInstanceOf(VivariumError);
    expect([reason.code, reason.message]).toEqual(['ERR_CANCELLED', 'The user went away']);
    ctx.progress(1);
    finish('too late');
    await turn();
    ctx.progress(2);
    expect((await link.rest()).filter((message) => message.id === id || message.method === 'notifications/progress')).toEqual([]);
    expect(told).toEqual([]);
  });

  matrix('needs no reason', {}, async ({ connect }) => {
    const { server, calls } = waiting();
    const link = await connect(server);
    const id = link.start('tools/call', { name: 'wait' });
    // A modern client brings its envelope along.
    link.notify('notifications/cancelled', link.modern ? { requestId: id, _meta: link.meta() } : { requestId: id });
    await link.rest();
    expect(calls[0]?.ctx.signal.reason).toMatchObject({ code: 'ERR_CANCELLED' });
  });

  it('aborts a signal that is asked for only afterwards', async () => {
    const { server, calls } = waiting();
    const wire = await openWire(server);
    wire.send({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'wait' } });
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a', reason: 'why' } });
    const { signal } = (calls[0] as Running).ctx;
    expect(signal.aborted).toBe(true);
    expect((signal.reason as Error).message).toBe('why');
    expect(() => signal.throwIfAborted()).toThrow('why');
  });

  it.each([
    ['its reason', (call: Running) => call.fail(call.ctx.signal.reason)],
    ['another error', (call: Running) => call.fail(new Error('closed'))],
    ['nothing', (call: Running) => call.fail(undefined)],
  ])('makes no error of a handler that then fails with %s', async (_, end) => {
    const { server, told, calls } = waiting();
    const wire = await openWire(server);
    await wire.quiet();
    wire.send({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'wait' } });
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
    end(calls[0] as Running);
    await turn();
    expect(await wire.quiet()).toEqual([]);
    expect(told).toEqual([]);
  });

  it('frees the id for another call', async () => {
    const { server, calls } = waiting();
    const wire = await openWire(server);
    await wire.quiet();
    const call = { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'wait' } };
    wire.send(call);
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
    wire.send(call);
    calls[0]?.finish('first');
    await turn();
    calls[1]?.finish('second');
    expect(((await wire.quiet()) as Reply[]).map(({ id, result }) => [id, result.content])).toEqual([['a', [text('second')]]]);
  });

  it('tells ids apart by type', async () => {
    const { server, calls } = waiting();
    const wire = await openWire(server);
    wire.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait' } });
    for (const requestId of ['7', 7.5, null, [7], { id: 7 }, undefined, '']) {
      wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    }
    expect(calls[0]?.ctx.signal.aborted).toBe(false);
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7, reason: { no: 'text' } } });
    expect(calls[0]?.ctx.signal.aborted).toBe(true);
  });

  it('works for the id 0', async () => {
    const { server, calls } = waiting();
    const wire = await openWire(server);
    wire.send({ jsonrpc: '2.0', id: 0, method: 'tools/call', params: { name: 'wait' } });
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } });
    expect(calls[0]?.ctx.signal.aborted).toBe(true);
  });

  it('reaches only calls of its own connection', async () => {
    const { server, calls } = waiting();
    const mine = await openWire(server);
    const theirs = await openWire(server);
    for (const wire of [mine, theirs]) wire.send({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'wait' } });
    mine.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
    expect(calls.map(({ ctx }) => ctx.signal.aborted)).toEqual([true, false]);
  });

  it('comes too late for a call that was answered', async () => {
    const { server, calls } = waiting();
    const wire = await openWire(server);
    wire.send({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'wait' } });
    calls[0]?.finish('done');
    await wire.quiet();
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
    expect(calls[0]?.ctx.signal.aborted).toBe(false);
    expect((await ask(wire, 'tools/call', { name: 'deaf' })).result.content).toEqual([text('heard')]);
  });

  it('does not hold the wire: what comes next is answered', async () => {
    const { server } = waiting();
    const wire = await openWire(server);
    await wire.quiet();
    wire.send({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'wait' } });
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
    expect(await wire.quiet()).toEqual([]);
    expect((await ask(wire, 'tools/call', { name: 'deaf' })).result.isError).toBe(false);
  });
});

describe('the end of the connection', () => {
  it('aborts what still runs', async () => {
    const { server, calls, told } = waiting();
    const channel = serveMemory(server);
    const received: object[] = [];
    channel.receive((message) => received.push(message));
    channel.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: handshake() });
    channel.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait' } });
    channel.send({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'wait', _meta: modern() } });
    await turn();
    await channel.close();
    for (const { ctx, finish } of calls) {
      expect(ctx.signal.reason).toMatchObject({ code: 'ERR_CLOSED' });
      finish('too late');
    }
    await turn();
    expect(received).toHaveLength(1);
    expect(told).toEqual([]);
    expect(() => channel.send({ jsonrpc: '2.0', id: 4, method: 'ping' })).toThrow(/closed/);
    await expect(channel.closed).resolves.toBeUndefined();
  });

  it('leaves other connections alone', async () => {
    const { server, calls } = waiting();
    const one = createWire(server);
    const other = createWire(server);
    const answer = ask(other, 'tools/call', { name: 'wait', _meta: modern() });
    await one.close();
    expect(calls[0]?.ctx.signal.aborted).toBe(false);
    calls[0]?.finish('done');
    expect((await answer).result.content).toEqual([text('done')]);
  });
});
