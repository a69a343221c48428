// How a channel to a server in the same program ends.
import { describe, expect, it, vi } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import { type MemoryChannel, serveMemory } from 'vivarium/serve/memory';
import { Server } from 'vivarium/server';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });
const call = (id: number, name: string): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    name,
    _meta: {
      [metaKeys.protocolVersion]: '2026-07-28',
      [metaKeys.clientInfo]: { name: 't', version: '1' },
      [metaKeys.clientCapabilities]: {},
    },
  },
});

function open(): {
  readonly server: Server;
  readonly channel: MemoryChannel;
  readonly listener: ReturnType<typeof vi.fn>;
  readonly aborted: unknown[];
} {
  const server = new Server({ name: 'memory', version: '1.0.0', onError: () => undefined });
  const aborted: unknown[] = [];
  server.tool(
    'hold',
    {},
    (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted.push((signal.reason as { code: string }).code);
          reject(signal.reason);
        });
      }),
  );
  const channel = serveMemory(server);
  const listener = vi.fn();
  channel.receive(listener);
  return { server, channel, listener, aborted };
}

describe('close()', () => {
  it('settles, and closed with it', async () => {
    const { channel } = open();
    let closed = false;
    void channel.closed.then(() => {
      closed = true;
    });
    await turn();
    expect(closed).toBe(false);
    await channel.close();
    await channel.closed;
    expect(closed).toBe(true);
  });

  it('may be called again', async () => {
    const { channel } = open();
    await Promise.all([channel.close(), channel.close()]);
    await channel.close();
  });

  it('makes send() throw ERR_CLOSED at once', async () => {
    const { channel, listener } = open();
    const closing = channel.close();
    expect(() => channel.send(ping(1))).toThrow(expect.objectContaining({ name: 'VivariumError', code: 'ERR_CLOSED' }));
    await closing;
    expect(() => channel.send([ping(1)])).toThrow(expect.objectContaining({ code: 'ERR_CLOSED' }));
    await turn();
    expect(listener).not.toHaveBeenCalled();
  });

  it('aborts what still runs and answers nothing for it', async () => {
    const { channel, listener, aborted } = open();
    channel.send(call(1, 'hold'));
    channel.send(call(2, 'hold'));
    await turn();
    await channel.close();
    await turn();
    expect(aborted).toEqual(['ERR_CLOSED', 'ERR_CLOSED']);
    expect(listener).not.toHaveBeenCalled();
  });

  it('is the end of a batch that still runs', async () => {
    const { channel, listener, aborted } = open();
    await turn();
    channel.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { ...initialize, protocolVersion: '2025-03-26' } });
    channel.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    channel.send([ping(1), { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'hold' } }]);
    await turn();
    await channel.close();
    await turn();
    expect(aborted).toEqual(['ERR_CLOSED']);
    expect(listener).toHaveBeenCalledOnce();
  });

  it('is the end of announcements', async () => {
    const { server, channel, listener } = open();
    await turn();
    channel.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initialize });
    channel.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await turn();
    await channel.close();
    server.tool('more', {}, () => 'more');
    await turn();
    await turn();
    expect(listener).toHaveBeenCalledOnce();
  });

  it('leaves other channels to the same server alone', async () => {
    const { server, channel } = open();
    const other = serveMemory(server);
    const listener = vi.fn();
    other.receive(listener);
    await channel.close();
    other.send(ping(1));
    await turn();
    expect(listener).toHaveBeenCalledExactlyOnceWith({ jsonrpc: '2.0', id: 1, result: {} });
  });

  it('is what disposing of the channel does', async () => {
    const { channel, aborted } = open();
    channel.send(call(1, 'hold'));
    await turn();
    await channel[Symbol.asyncDispose]();
    expect(aborted).toEqual(['ERR_CLOSED']);
    expect(() => channel.send(ping(1))).toThrow('closed');
  });
});

it('refuses what is not a server', () => {
  expect(() => serveMemory({} as Server)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
});
