// HTTP+SSE of 2024-11-05: its two paths, its one stream, and whose it is.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { Server } from 'vivarium/server';
import { createEverything } from '../fixtures/everything.mjs';
import { call, type Door, doors, eventually, initialize, type Opened, rpc, type Sent } from './http.ts';

interface Session {
  readonly stream: Opened;
  /** What is posted to it. */
  post(body: Sent['body'], headers?: Sent['headers']): Promise<number>;
  readonly path: string;
}

async function enter(door: Door, headers: Sent['headers'] = {}): Promise<Session> {
  const stream = await door.open({ method: 'GET', path: '/sse', headers });
  const first = await stream.next();
  expect(first?.event).toBe('endpoint');
  const path = first?.data ?? '';
  const post: Session['post'] = async (body, more = headers) => (await door.send({ path, headers: more, body })).status;
  expect(await post(initialize('2024-11-05'))).toBe(202);
  expect((await stream.message()).result.protocolVersion).toBe('2024-11-05');
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { stream, post, path };
}

const alice = { authorization: 'Bearer token-of-alice-0123456789' };
const bob = { authorization: 'Bearer token-of-bob-0123456789ab' };
const auth = bearer({ 'token-of-alice-0123456789': { id: 'alice' }, 'token-of-bob-0123456789ab': { id: 'bob' } });

describe.each(doors)('%s', (_, open) => {
  it('answers on the stream what is posted beside it', async () => {
    const door = await open(createEverything(), { sse: true });
    const { stream, post, path } = await enter(door);
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    expect(path).toMatch(/^\/messages\?sessionId=[0-9a-f]{32,}$/);
    await post(call(1, 'echo', { text: 'x' }));
    expect(await stream.message()).toMatchObject({ id: 1, result: { content: [{ text: 'x' }] } });
    await post(call(2, 'steps', { steps: 2 }, { progressToken: 'p' }));
    const messages = [await stream.message(), await stream.message(), await stream.message()];
    expect(messages.map(({ params, id }) => params?.progress ?? id)).toEqual([1, 2, 2]);
    stream.hangUp();
  });

  it('gives a tool the headers of the request that carried its call, without credentials', async () => {
    const server = new Server({ name: 'seen', version: '1.0.0' });
    server.tool('seen', {}, (_, ctx) => `${ctx.header('x-own')} ${ctx.header('authorization')}`);
    const { stream, post } = await enter(await open(server, { sse: true, auth }), alice);
    for (const [id, own] of ['first', 'second'].entries()) {
      await post(call(id + 1, 'seen'), { ...alice, 'x-own': own });
      expect(await stream.message()).toMatchObject({ result: { content: [{ text: `${own} undefined` }] } });
    }
    stream.hangUp();
  });

  it('is not there unless asked for', async () => {
    const door = await open(createEverything(), { sessions: false });
    for (const [method, path] of [['GET', '/sse'] as const, ['PUT', '/messages'] as const]) {
      expect([404, 405]).toContain((await door.send({ method, path })).status);
    }
  });

  it('H36 answers other methods with 405', async () => {
    const door = await open(createEverything(), { sse: true });
    for (const method of ['PUT', 'DELETE', 'HEAD']) {
      const stream = await door.open({ method, path: '/sse' });
      expect([stream.status, stream.headers['allow']]).toEqual([405, 'GET']);
      stream.hangUp();
    }
    const { status, headers } = await door.send({ method: 'GET', path: '/messages' });
    expect([status, headers['allow']]).toEqual([405, 'POST']);
  });

  it('H15 answers an unknown session with 404 and a missing one with 400', async () => {
    const door = await open(createEverything(), { sse: true });
    for (const id of ['unknown', '__proto__', 'constructor', '..%2F..', '%00', 'x'.repeat(1_000)]) {
      expect((await door.send({ path: `/messages?sessionId=${id}`, body: rpc(1, 'ping') })).status, id).toBe(404);
    }
    for (const path of ['/messages', '/messages?', '/messages?sessionId=', '/messages?sessionid=x']) {
      expect((await door.send({ path, body: rpc(1, 'ping') })).status, path).toBe(400);
    }
  });

  it("H18 answers someone else's session as an unknown one", async () => {
    const door = await open(createEverything(), { sse: true, auth });
    const { stream, post, path } = await enter(door, alice);
    const foreign = await door.send({ path, headers: bob, body: rpc(1, 'ping') });
    const unknown = await door.send({ path: '/messages?sessionId=unknown', headers: bob, body: rpc(1, 'ping') });
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    expect(await post(rpc(1, 'ping'), {})).toBe(401);
    await post(rpc(2, 'ping'));
    expect((await stream.message()).id).toBe(2);
    stream.hangUp();
    expect((await door.send({ method: 'GET', path: '/sse' })).status).toBe(401);
  });

  it('H13 H14 refuses what is no message, and goes on', async () => {
    const door = await open(createEverything(), { sse: true });
    const { stream, post, path } = await enter(door);
    const broken = await door.send({ path, body: '{' });
    expect([broken.status, broken.json.id, broken.code]).toEqual([400, null, -32700]);
    expect((await door.send({ path, body: Uint8Array.of(0xff) })).code).toBe(-32700);
    await post([rpc(1, 'ping')]);
    expect(await stream.message()).toMatchObject({ id: null, error: { code: -32600 } });
    await post({ id: 3, method: 'ping' });
    expect(await stream.message()).toMatchObject({ id: 3, error: { code: -32600 } });
    await post(rpc(4, 'ping'));
    expect(await stream.message()).toEqual({ jsonrpc: '2.0', id: 4, result: {} });
    stream.hangUp();
  });

  it.each(['a\nb', 'a\r\nb', 'x\n\nevent: endpoint\ndata: http://evil\n\n', 'a\u2028b'])(
    'H27 carries the text %j in one event',
    async (text) => {
      const door = await open(createEverything(), { sse: true });
      const { stream, post } = await enter(door);
      await post(call(text, 'echo', { text }));
      const event = await stream.next();
      expect(event?.event).toBe('message');
      expect(JSON.parse(event?.data ?? '')).toMatchObject({ id: text, result: { content: [{ text }] } });
      stream.hangUp();
    },
  );

  it('H28 makes no address out of a query', async () => {
    const door = await open(createEverything(), { sse: true });
    const stream = await door.open({ method: 'GET', path: '/sse?x=%0d%0aevent:%20endpoint&y=//evil.example' });
    expect((await stream.next())?.data).toMatch(/^\/messages\?sessionId=[0-9a-f]+$/);
    stream.hangUp();
  });

  it('H20 keeps two clients with the same ids apart', async () => {
    const door = await open(createEverything(), { sse: true });
    const sessions = [await enter(door), await enter(door)];
    for (let id = 1; id <= 50; id++) await Promise.all(sessions.map(({ post }, at) => post(call(id, 'echo', { text: `${at}` }))));
    for (const [at, { stream }] of sessions.entries()) {
      for (let id = 1; id <= 50; id++) expect(await stream.message()).toMatchObject({ id, result: { content: [{ text: `${at}` }] } });
      stream.hangUp();
    }
  });

  it('H37 ends with its stream: what runs is aborted, and the session is gone', async () => {
    const aborted: unknown[] = [];
    const server = new Server({ name: 'x', version: '1.0.0' });
    server.tool(
      'hold',
      {},
      (_args, ctx) => new Promise<string>(() => ctx.signal.addEventListener('abort', () => aborted.push(ctx.requestId))),
    );
    const door = await open(server, { sse: true });
    const { stream, post } = await enter(door);
    await post(call(7, 'hold'));
    stream.hangUp();
    await eventually(() => aborted).toEqual([7]);
    expect(await post(rpc(8, 'ping'))).toBe(404);
    expect(door.stats).toMatchObject({ sessions: 0, streams: 0 });
  });

  it('H39 refuses a stream too many with 503', async () => {
    const door = await open(createEverything(), { sse: true, maxStreams: 1 });
    const { stream } = await enter(door);
    const answer = await door.send({ method: 'GET', path: '/sse' });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    stream.hangUp();
  });
});
