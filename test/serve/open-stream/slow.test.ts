// Readers that do not keep up, silence that must be broken, and how many streams there may be.
import { createServer, type Server as NodeServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeHandler, type NodeHandler } from 'vivarium/serve/node';
import { createWatched, type Watched } from '../../fixtures/http-server.mjs';
import { ask, Client, eventually, handshake, send } from '../../fixtures/http-wire.mjs';
import { serve } from '../serving.ts';

let watched: Watched;
const closing: (() => unknown)[] = [];

beforeEach(() => {
  watched = createWatched();
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A request whose answer is never read: the windows of both sides fill up. */
function deaf(url: string, headers: object, body?: object): Socket {
  const { hostname, port, pathname } = new URL(url);
  const text = body === undefined ? '' : JSON.stringify(body);
  const socket = connect({ host: hostname, port: Number(port), onread: { buffer: Buffer.alloc(1_024), callback: () => false } });
  const lines = { host: `${hostname}:${port}`, accept: 'application/json, text/event-stream', ...headers };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = text === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  socket.write(`${text === '' ? 'GET' : 'POST'} ${pathname} HTTP/1.1\r\n${head.join('')}${length}\r\n${text}`);
  socket.on('error', () => undefined);
  closing.push(() => socket.destroy());
  return socket;
}

const call = (name: string, args: object): object => ({
  jsonrpc: '2.0',
  id: 'deaf',
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: 'deaf' } },
});

describe('a reader that takes nothing', () => {
  it('is cut off after stallMs, and others do not notice', async () => {
    const serving = await serve(watched, { stallMs: 200, maxUnreadBytes: 100_000_000 });
    const good = await Client.connect(serving.url);
    const bad = await Client.connect(serving.url);
    const stream = await good.listen();
    await good.request('resources/subscribe', { uri: 'note:///a' });
    deaf(serving.url, bad.headers, call('count', { key: 'slow', count: 200, size: 100_000, held: true }));
    await eventually(() => serving.stats.cutOff === 1, 'a reader that is cut off');
    expect(await good.call('echo', { text: 'fine' })).toBe('fine');
    watched.server.resourceUpdated('note:///a');
    await stream.message('notifications/resources/updated');
    expect(await bad.call('echo', { text: 'the session lives' })).toBe('the session lives');
    watched.open('slow');
    await watched.noted('done slow');
    expect(serving.stats).toMatchObject({ cutOff: 1, streams: 1 });
  });

  it('is cut off when more than maxUnreadBytes wait for it, on GET streams too', async () => {
    const serving = await serve(watched, { stallMs: 60_000, maxUnreadBytes: 200_000 });
    const bad = await Client.connect(serving.url);
    deaf(serving.url, bad.headers, call('count', { key: 'slow', count: 200, size: 100_000 }));
    await eventually(() => serving.stats.cutOff === 1, 'a reader that is cut off');
    await watched.noted('done slow');
    deaf(serving.url, bad.headers);
    await eventually(() => serving.stats.streams === 1);
    const uris = Array.from({ length: 40 }, (_, at) => `note:///${at}/${'long'.repeat(2_000)}`);
    for (const uri of uris) await bad.request('resources/subscribe', { uri });
    await eventually(() => {
      for (const uri of uris) watched.server.resourceUpdated(uri);
      return serving.stats.cutOff === 2;
    }, 'a second reader that is cut off');
    expect(serving.stats.streams).toBe(0);
  });

  it('of 2026-07-28 has cancelled when it is cut off, though the server goes on writing, and a listener is forgotten', async () => {
    // So much that it is never reached: only time can cut it off.
    const serving = await serve(watched, { stallMs: 200, maxUnreadBytes: 2_000_000_000 });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/logLevel': 'info',
    };
    const modern = (method: string, params: object, name = {}): void => {
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name };
      deaf(serving.url, headers, { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
    };
    watched.server.tool('flood', {}, async (_, ctx) => {
      while (!ctx.signal.aborted) {
        ctx.log.info('x'.repeat(100_000));
        await new Promise((resolve) => void setTimeout(resolve, 20));
      }
    });
    modern('tools/call', { name: 'flood' }, { 'mcp-name': 'flood' });
    await eventually(() => serving.stats.cutOff === 1, 'a reader that is cut off');
    await eventually(() => serving.stats.running === 0, 'a call that was aborted');
    const uri = `note:///${'long'.repeat(50_000)}`;
    watched.server.resource(uri, { name: 'long' }, () => 'long');
    modern('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } });
    await eventually(() => {
      watched.server.resourceUpdated(uri);
      return serving.stats.cutOff === 2;
    }, 'a listener that is cut off');
    await eventually(() => serving.stats.running === 0 && serving.stats.streams === 0);
  });

  it('of HTTP+SSE is cut off, and its session ends', async () => {
    const serving = await serve(watched, { stallMs: 200, maxUnreadBytes: 100_000_000, sse: true });
    let said = '';
    const socket = connect({ host: '127.0.0.1', port: serving.port });
    closing.push(() => socket.destroy());
    socket.on('error', () => undefined).setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      said += chunk;
    });
    socket.write(`GET /sse HTTP/1.1\r\nhost: 127.0.0.1:${serving.port}\r\n\r\n`);
    const [, target = ''] = await eventually(() => /data: (\S+)/.exec(said));
    socket.pause();
    const post = (body: object): Promise<unknown> => send(new URL(target, serving.url).href, { body: { jsonrpc: '2.0', ...body } });
    await post(handshake('2024-11-05'));
    await post({ method: 'notifications/initialized' });
    await post(call('wait', { key: 'running' }));
    await watched.noted('begun running');
    await post({ ...call('count', { key: 'slow', count: 200, size: 100_000, held: true }), id: 2 });
    await eventually(() => serving.stats.cutOff === 1, 'a reader that is cut off');
    await watched.noted('aborted running');
    expect(serving.stats).toMatchObject({ sessions: 0, streams: 0 });
  });

  it('loses progress, which is counted, and nothing else', async () => {
    const serving = await serve(watched, { stallMs: 60_000, maxUnreadBytes: 100_000_000 });
    const client = await Client.connect(serving.url);
    const reply = await client.post(call('count', { key: 'a', count: 300, size: 100_000 }));
    reply.pause();
    await eventually(() => serving.stats.skipped > 0, 'progress that is left out');
    reply.resume();
    await reply.answer('deaf');
    const said = reply.messages.filter(({ method }) => method === 'notifications/message');
    const progress = reply.messages.filter(({ method }) => method === 'notifications/progress');
    expect(said.map(({ params }) => Number.parseInt(params.data, 10))).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
    expect(progress.length + serving.stats.skipped).toBe(300);
    expect(serving.stats.cutOff).toBe(0);
  });
});

describe('an answer that is over but not taken', () => {
  let http: NodeServer;
  let handler: NodeHandler;

  beforeEach(async () => {
    handler = createNodeHandler(watched.server, { allowedHosts: ['127.0.0.1'], stallMs: 200, maxUnreadBytes: 100_000_000, drainMs: 0 });
    http = createServer(handler);
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => void http.close(resolve)));
    closing.push(() => handler.close());
  });

  const connections = (): Promise<number> => new Promise((resolve) => void http.getConnections((_, count) => resolve(count)));

  it.each([
    ['a stream', { count: 30, size: 1_000_000 }],
    ['a body', { count: 0, size: 0 }],
  ])('as %s is not kept for ever', async (kind, args) => {
    watched.server.tool('large', {}, async () => 'x'.repeat(30_000_000));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const client = await Client.connect(url);
    deaf(url, client.headers, kind === 'a body' ? call('large', {}) : call('count', { key: 'a', ...args }));
    if (kind === 'a stream') await watched.noted('done a');
    await eventually(() => handler.stats.running === 0 && handler.stats.requests >= 3, 'a call that is over');
    await eventually(async () => (await connections()) === 0, 'no connection');
  });
});

describe('silence', () => {
  it('on a GET stream is broken by comments', async () => {
    const { url } = await serve(watched, { keepAliveMs: 20 });
    const stream = await (await Client.connect(url)).listen();
    await stream.until(({ comments }) => (comments >= 5 ? true : undefined));
    expect(stream.events).toHaveLength(1);
  });

  it('on the stream of a listener of 2026-07-28 is broken by comments', async () => {
    const { url } = await serve(watched, { keepAliveMs: 20 });
    const stream = await ask(url, 1, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    await stream.message('notifications/subscriptions/acknowledged');
    await stream.until(({ comments }) => (comments >= 5 ? true : undefined));
    expect(stream.messages).toHaveLength(1);
  });

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'before an answer of %s turns it into a stream that can be resumed',
    async (version) => {
      const { url } = await serve(watched, { keepAliveMs: 20 });
      const client = await Client.connect(url, { version });
      const reply = await client.start('tools/call', { name: 'wait', arguments: { key: 'a' } });
      expect([reply.status, reply.streams]).toEqual([200, true]);
      await reply.until(({ comments }) => (comments >= 3 ? true : undefined));
      expect(reply.events.map(({ data }) => data)).toEqual(version === '2025-11-25' ? [''] : []);
      watched.open('a');
      expect((await reply.answer(reply.id)).result.content[0].text).toBe('waited a');
      expect(await reply.ended).toBe('whole');
      expect(reply.messages).toHaveLength(1);
      expect(reply.events.at(-1)?.id).toMatch(/-1$/);
    },
  );

  it('before an answer of 2026-07-28 turns it into a stream without ids', async () => {
    const { url } = await serve(watched, { keepAliveMs: 20 });
    const reply = await ask(url, 'slow', 'tools/call', { name: 'wait', arguments: { key: 'a' } });
    await reply.until(({ comments }) => (comments >= 3 ? true : undefined));
    watched.open('a');
    expect((await reply.all())[0]?.result.content[0].text).toBe('waited a');
    expect(reply.events).toHaveLength(1);
    expect(reply.events[0]?.id).toBeUndefined();
  });

  it('does not change an answer that is quick', async () => {
    const { url } = await serve(watched, { keepAliveMs: 60_000 });
    const client = await Client.connect(url);
    const reply = await client.start('tools/call', { name: 'later' });
    expect(reply.streams).toBe(false);
  });
});

describe('more than maxStreams', () => {
  it('are refused with 503 and Retry-After, and counted, while calls are still answered (H39)', async () => {
    const serving = await serve(watched, { maxStreams: 2 });
    const client = await Client.connect(serving.url);
    const first = await client.listen();
    const second = await ask(serving.url, 1, 'subscriptions/listen', { notifications: {} });
    await second.message('notifications/subscriptions/acknowledged');
    const get = await client.listen();
    const listen = await ask(serving.url, 2, 'subscriptions/listen', { notifications: {} });
    for (const refused of [get, listen]) expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    expect(await listen.answer(2)).toHaveProperty('error');
    const call = await client.begin('count', { key: 'a', count: 3 });
    expect((await call.answer(call.id)).result.content[0].text).toBe('counted 3');
    expect(serving.stats.answers).toMatchObject({ 503: 2 });
    first.close();
    await eventually(() => serving.stats.streams === 1);
    expect((await client.listen()).status).toBe(200);
  });
});
