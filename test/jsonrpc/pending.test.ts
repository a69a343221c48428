// Requests of ours: answered, refused, given up, and never left behind.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RpcError, VivariumError } from 'vivarium';
import { parseMessage } from '../../src/jsonrpc/message.ts';
import { Pending } from '../../src/jsonrpc/pending.ts';

interface Sent {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly requestId?: number; readonly reason?: string };
}

function asking(options: { timeoutMs?: number; signal?: AbortSignal; send?: (message: object) => void; params?: object } = {}) {
  const pending = new Pending();
  const sent: Sent[] = [];
  const ask = (method = 'roots/list'): Promise<unknown> =>
    pending.ask(
      (message) => {
        sent.push(message as Sent);
        options.send?.(message);
      },
      method,
      options.params,
      { timeoutMs: options.timeoutMs ?? 60_000, signal: options.signal ?? new AbortController().signal },
    );
  return { pending, sent, ask };
}

const answer = (id: unknown, rest: object = { result: 'it' }) => parseMessage({ jsonrpc: '2.0', id, ...rest }) as never;

afterEach(() => void vi.useRealTimers());

describe('a request', () => {
  it('is settled by its answer, whatever the order', async () => {
    const { pending, sent, ask } = asking();
    const asked = [ask(), ask(), ask()];
    expect(sent.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(sent[0]).toEqual({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
    for (const id of [3, 1, 2]) expect(pending.settle(answer(id, { result: { id } }))).toBe(true);
    expect(await Promise.all(asked)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(pending.size).toBe(0);
  });

  it('carries its params, where there are any', () => {
    const { sent, ask } = asking({ params: { a: 1 } });
    ask().catch(() => undefined);
    expect(sent[0]?.params).toEqual({ a: 1 });
  });

  it('is answered once, and by nobody else', async () => {
    const { pending, ask } = asking();
    const asked = ask();
    for (const id of ['1', 0, 2, 1.5, null, '__proto__']) expect(pending.settle(answer(id))).toBe(false);
    expect(pending.settle(answer(1))).toBe(true);
    expect(pending.settle(answer(1, { result: 'again' }))).toBe(false);
    expect(await asked).toBe('it');
  });

  it('rejects with the error of the other side', async () => {
    const { pending, ask } = asking();
    const asked = ask();
    pending.settle(answer(1, { error: { code: -1, message: 'No', data: { a: 1 } } }));
    const error = await asked.catch((reason) => reason);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: -1, message: 'No', data: { a: 1 } });
    expect(pending.size).toBe(0);
  });

  it('times out, and the other side is told', async () => {
    vi.useFakeTimers();
    const { pending, sent, ask } = asking({ timeoutMs: 100 });
    const asked = ask().catch((reason) => reason);
    vi.advanceTimersByTime(99);
    expect(pending.size).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await asked).toMatchObject({ code: 'ERR_TIMEOUT', message: 'No answer to roots/list within 100 ms' });
    expect(sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(pending.size).toBe(0);
    expect(pending.settle(answer(1))).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([2 ** 31, Number.POSITIVE_INFINITY])('may wait for %d ms, which no timer can', async (timeoutMs) => {
    const { pending, ask } = asking({ timeoutMs });
    const asked = ask();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(pending.size).toBe(1);
    pending.settle(answer(1));
    expect(await asked).toBe('it');
  });

  it('that is aborted rejects with the reason, and the other side is told', async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const { pending, sent, ask } = asking({ signal: controller.signal });
    const asked = ask().catch((reason) => reason);
    const reason = new VivariumError('ERR_CANCELLED', 'Enough');
    controller.abort(reason);
    expect(await asked).toBe(reason);
    expect(sent[1]).toEqual({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'Enough' } });
    expect([pending.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('that is aborted after its answer stays answered', async () => {
    const controller = new AbortController();
    const { pending, sent, ask } = asking({ signal: controller.signal });
    const asked = ask();
    pending.settle(answer(1));
    controller.abort(new Error('late'));
    expect(await asked).toBe('it');
    expect(sent).toHaveLength(1);
  });

  it('of a call that was aborted before is never sent', async () => {
    vi.useFakeTimers();
    const reason = new Error('gone');
    const { pending, sent, ask } = asking({ signal: AbortSignal.abort(reason) });
    await expect(ask()).rejects.toBe(reason);
    expect(sent).toEqual([]);
    expect([pending.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('that cannot be sent rejects, and leaves nothing behind', async () => {
    vi.useFakeTimers();
    const send = (): void => {
      throw new TypeError('not JSON');
    };
    const { pending, ask } = asking({ send });
    await expect(ask()).rejects.toThrow('not JSON');
    expect([pending.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('can be given up although the other side is gone', async () => {
    const controller = new AbortController();
    const send = (message: object): void => {
      if (!('id' in message)) throw new Error('closed');
    };
    const { pending, ask } = asking({ signal: controller.signal, send });
    const asked = ask().catch((reason) => reason);
    controller.abort(new Error('Enough'));
    expect(await asked).toMatchObject({ message: 'Enough' });
    expect(pending.size).toBe(0);
  });
});

it('the end of a connection rejects whatever waits', async () => {
  vi.useFakeTimers();
  const { pending, sent, ask } = asking();
  const asked = Promise.allSettled([ask(), ask()]);
  const reason = new VivariumError('ERR_CLOSED', 'The connection is closed');
  pending.close(reason);
  expect(await asked).toEqual([1, 2].map(() => ({ status: 'rejected', reason })));
  expect(sent).toHaveLength(2);
  expect([pending.size, vi.getTimerCount()]).toEqual([0, 0]);
});
