// Bounded on both sides: a reader who is full stops the flow, too many calls wait, and writes are few.
import { describe, expect, it } from 'vitest';
import { Server } from 'vivarium/server';
import { cancelled, turn } from '../../jsonrpc/conversation.ts';
import { FarEnd } from '../../jsonrpc/far-end.ts';
import type { Message } from '../../matrix/link.ts';

const maxRunning = 1_024;

const ping = (id: number | string) => ({ jsonrpc: '2.0', id, method: 'ping' });
const call = (id: number | string, name = 'gate') => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id);
const count = (length: number, first = 0) => Array.from({ length }, (_, index) => index + first);

/** Calls of `gate` run until the test opens it for them. */
function gated(): { far: FarEnd; started: (string | number)[]; open(id: string | number): void; openAll(): void } {
  const server = new Server({ name: 'gated', version: '1.0.0' });
  const started: (string | number)[] = [];
  const gates = new Map<string | number, () => void>();
  let opened = false;
  server.tool('gate', {}, (_, { requestId }) => {
    started.push(requestId);
    return opened ? 'open' : new Promise((resolve) => gates.set(requestId, () => resolve('opened')));
  });
  server.tool('now', {}, () => 'now');
  const far = new FarEnd(server);
  far.initialize();
  return {
    far,
    started,
    open: (id) => gates.get(id)?.(),
    openAll: () => {
      opened = true;
      for (const open of gates.values()) open();
    },
  };
}

describe('a reader who is full', () => {
  it('stops the flow until it has room', async () => {
    const { far } = gated();
    far.room = false;
    far.feedMessages(ping(1));
    expect([far.flowing, far.flows]).toEqual([false, [false]]);
    far.feedMessages(ping(2));
    await turn();
    expect(ids(far.take())).toEqual([1]);
    far.room = true;
    far.pipe.drained();
    await turn();
    expect(far.flows).toEqual([false, true]);
    expect(ids(far.take())).toEqual([2]);
  });

  it('is told once each way, however often it says so', async () => {
    const { far } = gated();
    far.pipe.drained();
    expect(far.flows).toEqual([]);
    far.room = false;
    far.feedMessages(ping(1));
    far.pipe.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    far.pipe.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    expect(far.flows).toEqual([false]);
    far.pipe.drained();
    far.pipe.drained();
    expect(far.flows).toEqual([false, true]);
  });

  it('misses no answer of a call that was running', async () => {
    const { far, openAll } = gated();
    far.feedMessages(call(1), call(2));
    far.room = false;
    far.feedMessages(ping(3));
    expect(far.flowing).toBe(false);
    openAll();
    await far.pipe.idle();
    expect(ids(far.take())).toEqual([3, 1, 2]);
    expect(far.flowing).toBe(false);
  });

  it('gets 100,000 answers once each and in order, a chunk at a time', async () => {
    const { far } = gated();
    const total = 100_000;
    const bytes = new TextEncoder().encode(
      count(total)
        .map((id) => `${JSON.stringify(ping(id))}\n`)
        .join(''),
    );
    const answered: unknown[] = [];
    let most = 0;
    far.room = false;
    for (let from = 0; from < bytes.length; from += 65_536) far.feed(bytes.slice(from, from + 65_536));
    while (answered.length < total && far.writes.length > 0) {
      expect(far.flowing).toBe(false);
      expect(far.writes).toHaveLength(1);
      most = Math.max(most, far.writes[0]?.length ?? 0);
      answered.push(...ids(far.take()));
      far.pipe.drained();
      await turn();
    }
    expect(answered).toEqual(count(total));
    expect(most).toBeLessThan(2 * 65_536);
  });
});

describe('more calls than may run at once', () => {
  it('wait for their turn, and all are answered once', async () => {
    const { far, started, open, openAll } = gated();
    const total = 3_000;
    far.feedMessages(...count(total).map((id) => call(id)));
    expect(started).toEqual(count(maxRunning));
    open(7);
    // Answers of a turn leave before those that waited start in the next.
    await turn();
    await turn();
    expect(started).toEqual(count(maxRunning + 1));
    openAll();
    await far.pipe.idle();
    expect(ids(far.take()).sort((a, b) => Number(a) - Number(b))).toEqual(count(total));
    expect(far.flowing).toBe(true);
  });

  it('stop the flow before they are too many to keep', async () => {
    const { far, openAll } = gated();
    let fed = 0;
    for (let chunks = 0; chunks < 200 && far.flowing; chunks++) {
      far.feedMessages(...count(1_000, fed).map((id) => call(id)));
      fed += 1_000;
    }
    expect(far.flowing).toBe(false);
    openAll();
    await far.pipe.idle();
    expect(ids(far.take()).sort((a, b) => Number(a) - Number(b))).toEqual(count(fed));
    expect(far.flowing).toBe(true);
  });

  it('keep their order in the queue', async () => {
    const { far, openAll } = gated();
    far.feedMessages(...count(maxRunning).map((id) => call(id)), ping('a'), call('b', 'now'), call('c'), ping('d'));
    // A ping asks whether anyone is there: it does not wait for room.
    expect(ids(far.take())).toEqual(['a', 'd']);
    openAll();
    await far.pipe.idle();
    await turn();
    expect(ids(far.take()).filter((id) => typeof id === 'string')).toEqual(['b', 'c']);
  });

  it('leave room again when they are cancelled', async () => {
    const { far, started } = gated();
    far.feedMessages(...count(maxRunning + 2).map((id) => call(id)), cancelled(0), cancelled(1));
    await turn();
    await turn();
    expect(started).toEqual(count(maxRunning + 2));
    expect(far.take()).toEqual([]);
    far.pipe.close();
  });

  it('can be cancelled before their turn: then they never run and are never answered', async () => {
    const { far, started, openAll } = gated();
    far.feedMessages(...count(maxRunning + 3).map((id) => call(id)), cancelled(maxRunning + 1));
    openAll();
    await far.pipe.idle();
    await turn();
    const others = count(maxRunning + 3).filter((id) => id !== maxRunning + 1);
    expect(started).toEqual(others);
    expect(ids(far.take()).sort((a, b) => Number(a) - Number(b))).toEqual(others);
  });

  it('do not keep a cancellation out that arrives later', async () => {
    const { far } = gated();
    far.feedMessages(...count(maxRunning + 1).map((id) => call(id)));
    far.feedMessages(cancelled(0), cancelled(1), ping('ping'));
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(ids(far.take())).toEqual(['ping']);
    far.pipe.close();
  });

  it('are given up together when the pipe is closed', async () => {
    const { far, started, openAll } = gated();
    far.feedMessages(...count(maxRunning + 5).map((id) => call(id)));
    far.pipe.close();
    openAll();
    await turn();
    expect(started).toHaveLength(maxRunning);
    expect(far.take()).toEqual([]);
  });

  it('include 50,000 that are ready at once', async () => {
    const { far, openAll } = gated();
    far.feedMessages(...count(maxRunning).map((id) => call(id)), ...count(50_000, 2_000).map(ping));
    openAll();
    await far.pipe.idle();
    await turn();
    expect(ids(far.take()).filter((id) => Number(id) >= 2_000)).toEqual(count(50_000, 2_000));
  });
});

describe('writes', () => {
  const microtasks = async (): Promise<void> => {
    for (let ticks = 0; ticks < 50; ticks++) await Promise.resolve();
  };

  it('are one for a chunk of synchronous calls', () => {
    const { far } = gated();
    far.feedMessages(...count(32).map(ping), ...count(32, 32).map((id) => call(id, 'now')));
    expect(far.writes).toHaveLength(1);
    expect(ids(far.take())).toEqual(count(64));
  });

  it('are one for a chunk that completes a line of the chunk before', () => {
    const { far } = gated();
    const text = count(10)
      .map((id) => `${JSON.stringify(ping(id))}\n`)
      .join('');
    far.feed(text.slice(0, 60));
    far.feed(text.slice(60));
    expect(far.writes).toHaveLength(2);
    expect(ids(far.take())).toEqual(count(10));
  });

  it('are none for a chunk that gets no answer', () => {
    const { far } = gated();
    far.feed('\n\r\n');
    far.feedMessages({ jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', id: 1, result: {} });
    expect(far.writes).toEqual([]);
  });

  it('do not wait when a single call becomes ready', async () => {
    const { far, open } = gated();
    far.feedMessages(call(1));
    expect(far.writes).toEqual([]);
    open(1);
    await microtasks();
    expect(far.writes).toHaveLength(1);
  });

  it('are one for all calls that become ready in a turn', async () => {
    const { far, openAll } = gated();
    far.feedMessages(...count(64).map((id) => call(id)));
    openAll();
    await turn();
    await turn();
    expect(far.writes).toHaveLength(1);
    expect(ids(far.take())).toEqual(count(64));
  });

  it('do not wait for a call that goes on running', async () => {
    const { far, open } = gated();
    far.feedMessages(call(1), call(2));
    open(2);
    await turn();
    await turn();
    expect(ids(far.take())).toEqual([2]);
    far.pipe.close();
  });

  it('never put a notification before what was ready earlier', async () => {
    const { far, open } = gated();
    far.feedMessages(call(1), call(2));
    open(1);
    await microtasks();
    far.pipe.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await turn();
    expect(far.take().map(({ id, method }) => id ?? method)).toEqual([1, 'notifications/tools/list_changed']);
    far.pipe.close();
  });
});
