// A server inside the same program, reached through a channel of objects.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import { type MemoryChannel, type MemoryOptions, serveMemory } from 'vivarium/serve/memory';
import { Server } from 'vivarium/server';
import type { Message } from '../matrix/link.ts';

const clientInfo = { name: 'test', version: '1' };

function createServer(): Server {
  const server = new Server({ name: 'memory', version: '1.0.0', onError: () => undefined });
  server.tool('now', {}, () => 'at once');
  server.tool('later', {}, async () => 'later');
  server.tool('who', {}, (_args, { principal }) => principal?.id ?? 'nobody');
  server.tool('secret', { scopes: ['secrets'] }, () => 'the secret');
  return server;
}

/** The server as it is once its registration has been announced. */
async function settled(server: Server = createServer()): Promise<Server> {
  await turn();
  return server;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A channel and what came through it. */
function listen(server: Server, options?: MemoryOptions): { readonly channel: MemoryChannel; readonly received: Message[] } {
  const channel = serveMemory(server, options);
  const received: Message[] = [];
  channel.receive((message) => received.push(message as Message));
  return { channel, received };
}

function call(id: number, name: string): object {
  const _meta = { [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientInfo]: clientInfo, [metaKeys.clientCapabilities]: {} };
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, _meta } };
}

function handshake(protocolVersion: string): object[] {
  return [
    { jsonrpc: '2.0', id: 'hello', method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ];
}

const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id);

describe('send()', () => {
  it('never delivers before it returns', async () => {
    const { channel, received } = listen(createServer());
    channel.send(ping(1));
    channel.send({ nonsense: true });
    expect(received).toEqual([]);
    await turn();
    expect(received).toHaveLength(2);
    expect(received[0]).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(received[1]?.error?.code).toBe(-32600);
  });

  it('never delivers before it returns when a listener sends', async () => {
    const channel = serveMemory(createServer());
    const order: string[] = [];
    channel.receive((message) => {
      const { id } = message as { id: number };
      order.push(`begin ${id}`);
      if (id < 3) channel.send(ping(id + 1));
      order.push(`end ${id}`);
    });
    channel.send(ping(1));
    await turn();
    expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
  });

  it('keeps the order of answers that are ready at once', async () => {
    const { channel, received } = listen(createServer());
    for (let id = 0; id < 1_000; id++) channel.send(id % 2 === 0 ? ping(id) : call(id, 'now'));
    await turn();
    expect(ids(received)).toEqual(Array.from({ length: 1_000 }, (_, id) => id));
  });

  it('does not let a call that takes time hold up others', async () => {
    const { channel, received } = listen(createServer());
    channel.send(call(1, 'later'));
    channel.send(call(2, 'now'));
    await turn();
    expect(ids(received)).toEqual([2, 1]);
  });

  it('answers nothing to notifications and stray answers', async () => {
    const { channel, received } = listen(createServer());
    channel.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } });
    channel.send({ jsonrpc: '2.0', id: 9, result: {} });
    channel.send(ping(1));
    await turn();
    expect(ids(received)).toEqual([1]);
  });
});

describe('receive()', () => {
  it('gives what came before it, in order and not before it returns', async () => {
    const channel = serveMemory(createServer());
    channel.send(ping(1));
    channel.send(call(2, 'later'));
    await turn();
    channel.send(ping(3));
    const received: Message[] = [];
    channel.receive((message) => received.push(message as Message));
    expect(received).toEqual([]);
    await turn();
    expect(ids(received)).toEqual([1, 2, 3]);
  });

  it('has one listener, the last', async () => {
    const channel = serveMemory(createServer());
    const first = vi.fn();
    const second = vi.fn();
    channel.receive(first);
    channel.send(ping(1));
    await turn();
    channel.receive(second);
    channel.send(ping(2));
    await turn();
    expect(first).toHaveBeenCalledOnce();
    expect(second).toHaveBeenCalledExactlyOnceWith({ jsonrpc: '2.0', id: 2, result: {} });
  });
});

it('loses no message to a listener that throws at another', async () => {
  const caught = vi.fn();
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', caught);
  onTestFinished(() => {
    process.off('uncaughtException', caught);
    for (const other of others) process.on('uncaughtException', other);
  });
  const channel = serveMemory(createServer());
  const received: unknown[] = [];
  channel.receive((message) => {
    received.push((message as Message).id);
    if ((message as Message).id === 1) throw new Error('not this one');
  });
  for (const id of [1, 2, 3]) channel.send(ping(id));
  await turn();
  await turn();
  expect(received).toEqual([1, 2, 3]);
});

describe('a change of the tools', () => {
  it('is announced to a legacy client, once per turn', async () => {
    const server = await settled();
    const { channel, received } = listen(server);
    for (const message of handshake('2025-11-25')) channel.send(message);
    server.tool('one', {}, () => 'more');
    server.tool('two', {}, () => 'more');
    await turn();
    await turn();
    expect(received.slice(1)).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
  });

  it('is not announced before the handshake is done', async () => {
    const server = await settled();
    const { channel, received } = listen(server);
    channel.send(handshake('2025-11-25')[0] as object);
    server.tool('one', {}, () => 'more');
    await turn();
    await turn();
    expect(ids(received)).toEqual(['hello']);
  });

  it('is not announced to a client that came after it', async () => {
    const { channel, received } = listen(createServer());
    for (const message of handshake('2025-11-25')) channel.send(message);
    await turn();
    await turn();
    expect(ids(received)).toEqual(['hello']);
  });
});

describe('batches', () => {
  it('are answered as one array in 2025-03-26', async () => {
    const { channel, received } = listen(await settled());
    for (const message of handshake('2025-03-26')) channel.send(message);
    channel.send([
      ping(1),
      { jsonrpc: '2.0', method: 'notifications/unknown' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'later' } },
    ]);
    await turn();
    expect(received).toHaveLength(2);
    expect(ids(received[1] as unknown as Message[])).toEqual([1, 2]);
  });

  it('of notifications are not answered', async () => {
    const { channel, received } = listen(await settled());
    for (const message of handshake('2025-03-26')) channel.send(message);
    channel.send([{ jsonrpc: '2.0', method: 'notifications/unknown' }]);
    await turn();
    expect(received).toHaveLength(1);
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('are refused as a whole in %s', async (revision) => {
    const { channel, received } = listen(await settled());
    for (const message of handshake(revision)) channel.send(message);
    channel.send([ping(1)]);
    await turn();
    expect(received[1]?.error?.code).toBe(-32600);
  });
});

describe('the principal', () => {
  const text = async (options: MemoryOptions, name: string) => {
    const { channel, received } = listen(createServer(), options);
    channel.send(call(1, name));
    await turn();
    return received[0]?.result?.content?.[0]?.text ?? received[0]?.error?.code;
  };

  it('is nobody, who may do everything, unless one is given', async () => {
    expect(await text({}, 'who')).toBe('nobody');
    expect(await text({}, 'secret')).toBe('the secret');
  });

  it('is seen by tools, and only its scopes open what needs them', async () => {
    expect(await text({ principal: { id: 'ada', scopes: [] } }, 'who')).toBe('ada');
    expect(await text({ principal: { id: 'ada', scopes: ['secrets'] } }, 'secret')).toBe('the secret');
    expect(await text({ principal: { id: 'ada', scopes: ['other'] } }, 'secret')).toEqual(expect.any(Number));
  });
});
