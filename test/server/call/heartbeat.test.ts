// Progress that beats by itself: it always grows, and it ends with whatever comes first.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Context } from 'vivarium/server';
import type { Wire } from 'vivarium/testing';
import { createServer, defer, modern, openWire, type Reply, turn } from '../fixture.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A call that runs `work` and then waits for the test to end it. */
async function running(work: (ctx: Context) => void, meta: object = { progressToken: 't' }) {
  const { server, told } = createServer();
  const end = defer();
  let ctx: Context | undefined;
  server.tool('work', {}, async (_args, given) => {
    ctx = given;
    work(given);
    await end.promise;
    return 'done';
  });
  const wire = await openWire(server);
  wire.send({ jsonrpc: '2.0', id: 'work', method: 'tools/call', params: { name: 'work', _meta: meta } });
  while (ctx === undefined) await turn();
  return { wire, told, end, ctx };
}

/** What has arrived so far: a ping comes after it. */
async function beats(wire: Wire): Promise<{ progress: number; message?: string }[]> {
  wire.send({ jsonrpc: '2.0', id: 'mark', method: 'ping' });
  const heard: { progress: number; message?: string }[] = [];
  for (;;) {
    const message = (await wire.next()) as Reply;
    if (message.id === 'mark') return heard;
    if (message.method === 'notifications/progress') heard.push(message.params);
  }
}

const grows = (values: readonly number[]) => values.every((value, at) => at === 0 || value > (values[at - 1] as number));

describe('a heartbeat', () => {
  it('comes every five seconds, or as often as it is told, with its message', async () => {
    const { wire, end } = await running((ctx) => {
      ctx.heartbeat();
      ctx.heartbeat(20_000, 'still here');
    });
    vi.advanceTimersByTime(4_999);
    expect(await beats(wire)).toEqual([]);
    vi.advanceTimersByTime(15_001);
    const heard = await beats(wire);
    expect(heard.map(({ message }) => message)).toEqual([undefined, undefined, undefined, undefined, 'still here']);
    expect(heard[0]).toMatchObject({ progressToken: 't' });
    expect(grows(heard.map(({ progress }) => progress))).toBe(true);
    end.resolve();
    await wire.close();
  });

  it('grows on from what the handler reports, and is overtaken by it', async () => {
    const { wire, end, ctx } = await running((given) => void given.heartbeat(1_000));
    const reports = [1, 2, 50, 1_000_000, 1e12, 2 ** 53, 1e300];
    const heard: number[] = [];
    for (const report of reports) {
      vi.advanceTimersByTime(3_000);
      ctx.progress(report);
      heard.push(...(await beats(wire)).map(({ progress }) => progress));
    }
    vi.advanceTimersByTime(3_000);
    heard.push(...(await beats(wire)).map(({ progress }) => progress));
    expect(heard).toHaveLength(4 * reports.length + 3);
    expect(grows(heard)).toBe(true);
    expect(heard).toEqual(expect.arrayContaining(reports));
    end.resolve();
    await wire.close();
  });

  it('goes on from a negative report', async () => {
    const { wire, end } = await running((ctx) => {
      ctx.progress(-5);
      ctx.heartbeat(1_000);
    });
    vi.advanceTimersByTime(2_000);
    const heard = (await beats(wire)).map(({ progress }) => progress);
    expect(heard[0]).toBe(-5);
    expect(heard).toHaveLength(3);
    expect(grows(heard)).toBe(true);
    end.resolve();
    await wire.close();
  });

  it('stops when it is disposed, and disposing twice is harmless', async () => {
    const { wire, end, ctx } = await running(() => undefined);
    const [one, other] = [ctx.heartbeat(1_000, 'one'), ctx.heartbeat(1_000, 'other')];
    vi.advanceTimersByTime(1_000);
    one[Symbol.dispose]();
    one[Symbol.dispose]();
    vi.advanceTimersByTime(1_000);
    other[Symbol.dispose]();
    vi.advanceTimersByTime(10_000);
    expect((await beats(wire)).map(({ message }) => message)).toEqual(['one', 'other', 'other']);
    expect(vi.getTimerCount()).toBe(0);
    end.resolve();
    await wire.close();
  });

  it('stops when the answer leaves', async () => {
    const { wire, end } = await running((ctx) => void ctx.heartbeat(1_000));
    expect(vi.getTimerCount()).toBe(1);
    end.resolve();
    expect(((await wire.next()) as Reply).id).toBe('work');
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(10_000);
    expect(await beats(wire)).toEqual([]);
    await wire.close();
  });

  it('stops when the call is cancelled, and when the connection closes', async () => {
    const first = await running((ctx) => void ctx.heartbeat(1_000));
    first.wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'work' } });
    expect(vi.getTimerCount()).toBe(0);
    first.end.resolve();
    await first.wire.close();
    const second = await running((ctx) => void ctx.heartbeat(1_000));
    const closing = second.wire.close();
    second.end.resolve();
    await closing;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not begin when the answer has left', async () => {
    const { wire, end, ctx } = await running(() => undefined);
    end.resolve();
    await wire.next();
    const beat = ctx.heartbeat(1_000);
    expect(vi.getTimerCount()).toBe(0);
    beat[Symbol.dispose]();
    await wire.close();
  });

  it.each([
    ['legacy', {}],
    ['modern', modern()],
  ])('says nothing to a %s client that gave no token', async (_era, meta) => {
    const { wire, end } = await running((ctx) => void ctx.heartbeat(1_000), meta);
    vi.advanceTimersByTime(10_000);
    expect(await beats(wire)).toEqual([]);
    end.resolve();
    await wire.close();
  });

  it('uses a token of 0', async () => {
    const { wire, end } = await running((ctx) => void ctx.heartbeat(1_000), { ...modern(), progressToken: 0 });
    vi.advanceTimersByTime(1_000);
    expect(await beats(wire)).toEqual([{ progressToken: 0, progress: expect.any(Number) }]);
    end.resolve();
    await wire.close();
  });
});
