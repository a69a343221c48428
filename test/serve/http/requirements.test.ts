// HTTP as the requirement lists have it: the transport of 2024-11-05, and the end of a session.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServer, createSmall, defer } from '../../server/fixture.ts';
import { type Answer, call, type Door, doors, type Event, initialize, type Json, type Opened, openSession, rpc } from '../http.ts';

interface Sse {
  readonly stream: Opened;
  /** The first event. */
  readonly first: Event | undefined;
  readonly path: string;
  post(body: unknown): Promise<Answer>;
}

async function openSse(door: Door): Promise<Sse> {
  const stream = await door.open({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } });
  onTestFinished(() => stream.hangUp());
  expect(stream).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
  const first = await stream.next();
  const path = first?.data ?? '';
  return { stream, first, path, post: (body) => door.send({ path, body: body as object }) };
}

/** The next event with what it is called. */
async function named(stream: Opened): Promise<{ readonly event: string | undefined; readonly message: Json }> {
  for (;;) {
    const next = await stream.next();
    if (next === undefined) throw new Error('The stream ended');
    if (next.data !== undefined) return { event: next.event, message: JSON.parse(next.data) };
  }
}

describe.each(doors)('HTTP+SSE of 2024-11-05 at %s', (_, open) => {
  it('has two endpoints, one to listen at and one to post to, and each takes its own method only', async () => {
    const door = await open(createSmall(), { sse: true });
    const { path } = await openSse(door);
    expect(path).toMatch(/^\/messages\?sessionId=/);
    expect(await door.send({ path: '/sse', body: initialize('2024-11-05') })).toMatchObject({ status: 405, headers: { allow: 'GET' } });
    for (const method of ['GET', 'DELETE', 'PUT']) {
      expect(await door.send({ method, path })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
  });

  it('tells the address to post to in its first event, for each stream another', async () => {
    const door = await open(createSmall(), { sse: true });
    const opened = await Promise.all([openSse(door), openSse(door), openSse(door)]);
    for (const { first } of opened) {
      expect(first?.event).toBe('endpoint');
      // Relative to the stream, so that it is right behind a proxy too.
      expect(new URL(first?.data ?? '', 'http://localhost/sse').origin).toBe('http://localhost');
    }
    const ids = opened.map(({ path }) => new URL(path, 'http://localhost').searchParams.get('sessionId') ?? '');
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32,}$/);
  });

  it('takes every message of the client by POST, and answers on the stream', async () => {
    const door = await open(createSmall(), { sse: true });
    const { stream, post } = await openSse(door);
    expect(await post(initialize('2024-11-05'))).toMatchObject({ status: 202 });
    expect((await named(stream)).message).toMatchObject({ id: 0, result: { protocolVersion: '2024-11-05' } });
    expect(await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({ status: 202 });
    expect(await post(rpc('two', 'tools/list'))).toMatchObject({ status: 202 });
    expect((await named(stream)).message).toMatchObject({ id: 'two', result: { tools: [{ name: 'hello' }] } });
    expect(await post(call(3, 'hello'))).toMatchObject({ status: 202 });
    expect((await named(stream)).message).toMatchObject({ id: 3, result: { content: [{ text: 'Hello' }] } });
    expect(await post(rpc(4, 'unheard-of'))).toMatchObject({ status: 202 });
    expect((await named(stream)).message).toMatchObject({ id: 4, error: { code: -32601 } });
  });

  it('sends answers, requests and notifications as events named message, each with its JSON as data', async () => {
    const { server } = createServer();
    const text = 'one\ntwo\r\nthree\rfour\u2028five\n\nevent: endpoint\ndata: http://evil.example';
    server.tool('all', {}, async (_, ctx) => {
      ctx.progress(1, 2);
      ctx.log.error('careful');
      const roots = await ctx.roots();
      return `${roots[0]?.uri} ${text}`;
    });
    const door = await open(server, { sse: true });
    const { stream, post } = await openSse(door);
    await post(initialize('2024-11-05', { roots: {} }));
    await named(stream);
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await post(call(1, 'all', {}, { progressToken: 'p' }));
    const seen: Json[] = [];
    for (;;) {
      const { event, message } = await named(stream);
      expect([message, event]).toEqual([message, 'message']);
      expect(message.jsonrpc).toBe('2.0');
      seen.push(message.method ?? 'answer');
      if (message.method === 'roots/list') {
        expect(await post({ jsonrpc: '2.0', id: message.id, result: { roots: [{ uri: 'file:///home' }] } })).toMatchObject({ status: 202 });
      }
      if (message.method === undefined) {
        expect(message.result.content[0].text).toBe(`file:///home ${text}`);
        break;
      }
    }
    expect(seen.sort()).toEqual(['answer', 'notifications/message', 'notifications/progress', 'roots/list']);
    server.tool('new', {}, () => '');
    expect(await named(stream)).toMatchObject({ event: 'message', message: { method: 'notifications/tools/list_changed' } });
  });
});

describe.each(doors)('the end of a session at %s', (_, open) => {
  it('of 2024-11-05 comes with the end of its stream: calls are aborted, and nothing more can be posted', async () => {
    const { server } = createServer();
    const [started, aborted] = [defer(), defer()];
    server.tool('wait', {}, (_args, ctx) => {
      started.resolve();
      return new Promise(() => ctx.signal.addEventListener('abort', () => aborted.resolve()));
    });
    const door = await open(server, { sse: true });
    const { stream, post } = await openSse(door);
    await post(initialize('2024-11-05'));
    await post(call(1, 'wait'));
    await started.promise;
    expect(door.stats).toMatchObject({ sessions: 1, streams: 1 });
    stream.hangUp();
    await aborted.promise;
    await expect.poll(async () => (await post(rpc(2, 'ping'))).status).toBe(404);
    expect(door.stats).toMatchObject({ sessions: 0, streams: 0 });
  });

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'of %s comes with its DELETE, not with a connection: streams end, calls are aborted, the id is gone',
    async (revision) => {
      const { server } = createServer();
      const [started, aborted] = [defer(), defer()];
      server.tool('wait', {}, (_args, ctx) => {
        started.resolve();
        return new Promise(() => ctx.signal.addEventListener('abort', () => aborted.resolve()));
      });
      const door = await open(server);
      const session = await openSession(door, revision);
      const cut = await door.open({ method: 'GET', headers: session });
      cut.hangUp();
      expect(await door.send({ headers: session, body: rpc(1, 'ping') })).toMatchObject({ status: 200 });
      const listening = await door.open({ method: 'GET', headers: session });
      void door.send({ headers: session, body: call(2, 'wait') }).catch(() => undefined);
      await started.promise;
      expect(await door.send({ method: 'DELETE', headers: session })).toMatchObject({ status: 204 });
      await aborted.promise;
      for (let event = await listening.next(); event !== undefined; event = await listening.next()) expect(event.event).toBeUndefined();
      expect(await door.send({ headers: session, body: rpc(3, 'ping') })).toMatchObject({ status: 404 });
      expect(door.stats.sessions).toBe(0);
    },
  );

  it('that the server chooses closes the connections of every revision', async () => {
    const door = await open(createSmall(), { sse: true });
    const { stream } = await openSse(door);
    const session = await openSession(door, '2025-11-25');
    const listening = await door.open({ method: 'GET', headers: session });
    const closed = door.close();
    for (const one of [stream, listening]) {
      let event = await one.next();
      while (event !== undefined) event = await one.next();
    }
    await closed;
    expect(door.stats).toMatchObject({ sessions: 0, streams: 0 });
  });
});
