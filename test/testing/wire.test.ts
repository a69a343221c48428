// A raw wire to a server in this process.
import { describe, expect, it } from 'vitest';
import { createWire } from 'vivarium/testing';
import { createServer, createSmall, defer, handshake, modern, openWire, type Reply, turn } from '../server/fixture.ts';

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });

describe('send', () => {
  it('writes an object as one message', async () => {
    const wire = createWire(createSmall());
    wire.send(ping('a'));
    expect(await wire.next()).toEqual({ jsonrpc: '2.0', id: 'a', result: {} });
  });

  it('writes text and bytes exactly as they are', async () => {
    const wire = createWire(createSmall());
    wire.send('{"jsonrpc":"2.0","id":1,');
    expect(await wire.quiet()).toEqual([]);
    wire.send('"method":"ping"}');
    expect(await wire.quiet()).toEqual([]);
    wire.send('\n');
    expect(await wire.quiet()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    wire.send(new TextEncoder().encode('{"jsonrpc":"2.0","id":2,"method":"ping"}\n'));
    expect(await wire.quiet()).toEqual([{ jsonrpc: '2.0', id: 2, result: {} }]);
  });

  it('lets a test send what is no JSON and no UTF-8', async () => {
    const wire = createWire(createSmall());
    wire.send('nonsense\n');
    wire.send(Uint8Array.of(0x22, 0xff, 0x22, 0x0a));
    expect(((await wire.quiet()) as Reply[]).map(({ error }) => error.code)).toEqual([-32700, -32700]);
  });

  it('writes an array as a batch', async () => {
    const wire = await openWire(createSmall(), '2025-03-26');
    await wire.quiet();
    wire.send([ping(1), ping(2)]);
    expect(await wire.next()).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it('is refused on a closed wire', async () => {
    const wire = createWire(createSmall());
    await wire.close();
    expect(() => wire.send(ping(1))).toThrow(/closed/);
  });
});

describe('next', () => {
  it('gives messages in the order of their arrival, early or late', async () => {
    const wire = createWire(createSmall());
    const late = wire.next();
    for (const id of [1, 2, 3]) wire.send(ping(id));
    expect([await late, await wire.next(), await wire.next()].map((message) => (message as Reply).id)).toEqual([1, 2, 3]);
  });
});

describe('request', () => {
  it('finds its own answer among others', async () => {
    const { server } = createServer();
    const end = defer<string>();
    server.tool('slow', {}, () => end.promise);
    server.tool('fast', {}, (_, ctx) => {
      ctx.progress(1);
      return 'fast';
    });
    const wire = createWire(server);
    const slow = wire.request('tools/call', { name: 'slow', _meta: modern() });
    const fast = await wire.request('tools/call', { name: 'fast', _meta: { ...modern(), progressToken: 1 } });
    end.resolve('slow');
    expect((await slow).id).not.toBe(fast.id);
    expect(fast.result).toMatchObject({ content: [{ text: 'fast' }] });
    expect((await slow).result).toMatchObject({ content: [{ text: 'slow' }] });
    // The progress stays for those who ask for it.
    expect(await wire.quiet()).toMatchObject([{ method: 'notifications/progress' }]);
  });

  it('gives errors as answers', async () => {
    const answer = await createWire(createSmall()).request('tools/list');
    expect(answer).toMatchObject({ error: { code: -32602 } });
    expect(answer).not.toHaveProperty('result');
  });
});

describe('quiet', () => {
  it('waits for calls that run, and takes what has arrived', async () => {
    const { server } = createServer();
    server.tool('slow', {}, async () => {
      await turn();
      await turn();
      return 'done';
    });
    const wire = createWire(server);
    wire.send({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'slow', _meta: modern() } });
    expect(await wire.quiet()).toMatchObject([{ id: 'a' }]);
    expect(await wire.quiet()).toEqual([]);
  });

  it('waits for changes to be announced', async () => {
    const server = createSmall();
    await turn();
    const wire = await openWire(server);
    server.tool('new', {}, () => 'x');
    expect(await wire.quiet()).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
  });
});

describe('the options', () => {
  it('name the principal', async () => {
    const { server } = createServer();
    server.tool('who', {}, (_, ctx) => `${ctx.principal?.id}`);
    const wire = createWire(server, { principal: { id: 'ada', scopes: [] } });
    expect((await wire.request('tools/call', { name: 'who', _meta: modern() })).result).toMatchObject({ content: [{ text: 'ada' }] });
  });

  it('bound the size of a message, and the next one is read', async () => {
    const wire = createWire(createSmall(), { maxMessageBytes: 200 });
    wire.send({ ...ping(1), params: { pad: 'x'.repeat(300) } });
    wire.send(ping(2));
    expect(((await wire.quiet()) as Reply[]).map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32600],
      [2, undefined],
    ]);
  });
});

describe('close', () => {
  it('lets running calls finish first', async () => {
    const { server } = createServer();
    server.tool('slow', {}, async () => {
      await turn();
      return 'done';
    });
    const wire = createWire(server);
    wire.send({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'slow', _meta: modern() } });
    await wire.close();
    expect(await wire.next()).toMatchObject({ id: 'a', result: { isError: false } });
  });

  it('may be done twice, and by leaving a block', async () => {
    const wire = createWire(createSmall());
    await wire.request('initialize', handshake());
    await wire[Symbol.asyncDispose]();
    await expect(wire.close()).resolves.toBeUndefined();
  });
});
