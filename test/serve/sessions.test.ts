// Sessions of the 2025 revisions: whose they are, how they begin, and how they end.
import { beforeEach, describe, expect, it } from 'vitest';
import { bearer, verifier } from 'vivarium/auth';
import { memoryStore } from 'vivarium/store/memory';
import { createWatched, type Watched } from '../fixtures/http-server.mjs';
import { ask, Client, eventually, handshake, send } from '../fixtures/http-wire.mjs';
import { serve } from './serving.ts';

const sessionVersions = ['2025-03-26', '2025-06-18', '2025-11-25'];
const ann = 'token-of-ann-0123456789';
const bob = 'token-of-bob-0123456789';
const twoUsers = { [ann]: { id: 'ann', scopes: [] }, [bob]: { id: 'bob', scopes: [] } };

let watched: Watched;

beforeEach(() => {
  watched = createWatched();
});

describe.each(sessionVersions)('a session of %s', (version) => {
  it('has an id of visible ASCII that is given with the handshake and differs every time', async () => {
    const { url } = await serve(watched);
    const ids = new Set<unknown>();
    for (let i = 0; i < 50; i++) {
      const reply = await send(url, { body: handshake(version), headers: { 'mcp-session-id': 'chosen-by-the-client' } });
      expect(reply.status).toBe(200);
      expect((await reply.all())[0]?.result.protocolVersion).toBe(version);
      expect(reply.headers['mcp-session-id']).toMatch(/^[\x21-\x7e]{22,}$/);
      ids.add(reply.headers['mcp-session-id']);
    }
    expect(ids.size).toBe(50);
    expect(ids).not.toContain('chosen-by-the-client');
  });

  it('is asked for with 400 and refused with 404 (H15)', async () => {
    const { url } = await serve(watched);
    const client = await Client.connect(url, { version });
    const real = client.session;
    for (const [session, status] of [
      [undefined, 400],
      ['__proto__', 404],
      ['constructor', 404],
      ['0'.repeat(36), 404],
      ['with space', 400],
      ['x'.repeat(257), 400],
    ] as const) {
      client.session = session;
      const headers = { 'mcp-protocol-version': version };
      const post = await client.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, url, { headers });
      expect([session, post.status]).toEqual([session, status]);
      expect((await client.listen(undefined, url, { headers })).status).toBe(status);
      expect((await client.end()).status).toBe(status);
    }
    client.session = real;
    expect(await client.call('echo', { text: 'still here' })).toBe('still here');
  });

  it('ends with DELETE, once, and stays ended (H19)', async () => {
    const serving = await serve(watched);
    const client = await Client.connect(serving.url, { version });
    const stream = await client.listen();
    const ended = await client.end();
    expect([ended.status, ended.text]).toEqual([204, '']);
    expect(await stream.ended).toBe('whole');
    expect((await client.end()).status).toBe(404);
    expect((await client.listen()).status).toBe(404);
    const call = await client.start('tools/call', { name: 'echo', arguments: { text: 'x' } });
    expect(call.status).toBe(404);
    expect(await call.answer(call.id)).toHaveProperty('error');
    expect(serving.stats).toMatchObject({ sessions: 0, sessionsOpened: 1, sessionsEnded: 1 });
  });

  it('ends what runs in it with DELETE: each call once, as an empty event stream (H19)', async () => {
    const serving = await serve(watched);
    const client = await Client.connect(serving.url, { version });
    const silent = client.start('tools/call', { name: 'wait', arguments: { key: 'silent' } });
    const early = await client.begin('wait', { key: 'early', early: true });
    await early.message('notifications/message');
    await watched.noted('begun silent');
    expect((await client.end()).status).toBe(204);
    await watched.noted('aborted silent');
    await watched.noted('aborted early');
    expect(await early.ended).toBe('whole');
    expect(early.messages.filter(({ id }) => id !== undefined)).toEqual([]);
    const reply = await silent;
    expect([reply.status, reply.streams, await reply.ended, reply.text]).toEqual([200, true, 'whole', '']);
    expect(serving.stats.running).toBe(0);
  });
});

describe.each([
  ['bearer', () => bearer(twoUsers)],
  ['verifier', () => verifier(async (token) => (twoUsers as Record<string, { id: string; scopes: string[] }>)[token])],
])('with %s', (_, auth) => {
  it('a session of one user does not exist for another (H18)', async () => {
    const { url } = await serve(watched, { auth: auth() });
    const mine = await Client.connect(url, { token: ann });
    const stream = await mine.listen();
    const running = await mine.begin('wait', { key: 'mine', early: true });
    const { id: event } = await stream.until(({ events }) => events[0]);
    const { id: callEvent } = await running.until(({ events }) => events[0]);
    const thief = new Client(url, { token: bob });
    thief.session = '0'.repeat(36);
    const unknown = await thief.start('tools/list');
    await unknown.ended;
    thief.session = mine.session;
    thief.next = unknown.id;
    const post = await thief.start('tools/list');
    expect([post.status, await post.ended, post.text]).toEqual([404, 'whole', unknown.text]);
    expect((await thief.notify('notifications/cancelled', { requestId: running.id })).status).toBe(404);
    for (const last of [undefined, event, callEvent]) expect((await thief.listen(last)).status).toBe(404);
    expect((await thief.end()).status).toBe(404);
    const nobody = new Client(url);
    nobody.session = mine.session;
    expect((await nobody.listen(event)).status).toBe(401);
    watched.open('mine');
    expect((await running.answer(running.id)).result.content[0].text).toBe('waited mine');
    watched.server.tool('new', {}, () => 'new');
    await stream.message('notifications/tools/list_changed');
    expect(watched.book).not.toContain('aborted mine');
  });
});

describe('too many sessions', () => {
  it('are refused with 503 and Retry-After until one ends (H38)', async () => {
    const serving = await serve(watched, { sessions: { max: 3 } });
    const clients = [];
    for (let i = 0; i < 3; i++) clients.push(await Client.connect(serving.url));
    const refused = await send(serving.url, { body: handshake('2025-11-25') });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers['mcp-session-id']).toBeUndefined();
    expect(await refused.answer('hello')).toHaveProperty('error');
    expect(await clients[0]?.call('echo', { text: 'kept' })).toBe('kept');
    await clients[0]?.end();
    const late = await Client.connect(serving.url);
    expect(await late.call('echo', { text: 'in' })).toBe('in');
    expect(serving.stats).toMatchObject({ sessions: 3, sessionsOpened: 4 });
  });

  it('are counted right when they come at once', async () => {
    const serving = await serve(watched, { sessions: { max: 5 } });
    const replies = await Promise.all(Array.from({ length: 40 }, () => send(serving.url, { body: handshake('2025-11-25') })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(replies.filter(({ status }) => status === 503)).toHaveLength(35);
    expect(serving.stats.sessions).toBe(5);
  });

  it('make room when they expire', async () => {
    const { url } = await serve(watched, { sessions: { max: 2, idleMs: 1_000 } });
    await Client.connect(url);
    await Client.connect(url);
    await eventually(async () => (await send(url, { body: handshake('2025-11-25') })).status === 200);
  });
});

describe('a session nobody uses', () => {
  it('expires, with all that was kept of it (H38)', async () => {
    const serving = await serve(watched, { sessions: { idleMs: 1_000 }, keepAliveMs: 30 });
    const client = await Client.connect(serving.url);
    await eventually(() => serving.stats.sessions === 0);
    expect((await client.start('tools/list')).status).toBe(404);
  });

  it('lives on while a stream is open or a call runs, whatever the time between keep-alives', async () => {
    const serving = await serve(watched, { sessions: { idleMs: 4_000 } });
    const listening = await Client.connect(serving.url);
    const stream = await listening.listen();
    const calling = await Client.connect(serving.url);
    const call = calling.start('tools/call', { name: 'wait', arguments: { key: 'long' } });
    await watched.noted('begun long');
    const idle = await Client.connect(serving.url);
    await eventually(() => serving.stats.sessions === 2, 'two sessions');
    expect((await idle.start('tools/list')).status).toBe(404);
    watched.server.tool('new', {}, () => 'new');
    await stream.message('notifications/tools/list_changed');
    expect(await listening.call('echo', { text: 'here' })).toBe('here');
    watched.open('long');
    const reply = await call;
    expect((await reply.answer(reply.id)).result.content[0].text).toBe('waited long');
    stream.close();
    await eventually(() => serving.stats.sessions === 0, 'no session');
  });
});

describe('one Server at two endpoints', () => {
  it('with a store each has sessions that know nothing of one another, and tells each of its changes once (H21)', async () => {
    const [a, b] = [await serve(watched), await serve(watched)];
    const clients = await Promise.all([Client.connect(a.url), Client.connect(b.url)]);
    expect((await clients[0]?.start('tools/list', undefined, b.url))?.status).toBe(404);
    const streams = await Promise.all(clients.map((client) => client.listen()));
    for (const stream of streams) await stream.until(({ events }) => events[0]);
    watched.server.tool('new', {}, () => 'new');
    for (const stream of streams) await stream.message('notifications/tools/list_changed');
    for (const client of clients) await client.end();
    for (const stream of streams) expect(await stream.all()).toHaveLength(1);
  });

  it('with one store has one session at both, and tells it of each change once', async () => {
    const store = memoryStore();
    const [a, b] = [await serve(watched, { store }), await serve(watched, { store })];
    const client = await Client.connect(a.url);
    const stream = await client.listen(undefined, b.url);
    await stream.until(({ events }) => events[0]);
    watched.server.tool('new', {}, () => 'new');
    await stream.message('notifications/tools/list_changed');
    expect(await client.call('new', {}, a.url)).toBe('new');
    await client.end(a.url);
    expect(await stream.all()).toHaveLength(1);
  });

  it('with one store keeps a session while a stream is open at either', async () => {
    const store = memoryStore();
    const options = { store, sessions: { idleMs: 4_000 } };
    const [a, b] = [await serve(watched, options), await serve(watched, options)];
    const client = await Client.connect(a.url);
    const stream = await client.listen(undefined, b.url);
    await Client.connect(a.url);
    await eventually(() => a.stats.sessions === 1);
    expect(await client.call('echo', { text: 'here' }, a.url)).toBe('here');
    watched.server.tool('new', {}, () => 'new');
    await stream.message('notifications/tools/list_changed');
    stream.close();
    await eventually(() => a.stats.sessions === 0);
  });
});

describe('one session', () => {
  it('is spoken to in its own revision where no version is said, and not in one that is unknown', async () => {
    const { url } = await serve(watched);
    for (const version of sessionVersions) {
      const client = await Client.connect(url, { version });
      const stream = await send(url, { method: 'GET', headers: { 'mcp-session-id': client.session } });
      await stream.until(({ text }) => text || undefined);
      expect([version, stream.events.length]).toEqual([version, version === '2025-11-25' ? 1 : 0]);
      for (const unknown of ['2024-01-01', 'latest', '']) {
        const headers = { 'mcp-protocol-version': unknown };
        expect((await client.listen(undefined, url, { headers })).status).toBe(400);
        expect((await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, url, { headers })).status).toBe(400);
      }
    }
  });

  it('is nothing to a request of 2026-07-28, whatever headers come with it', async () => {
    const serving = await serve(watched);
    const client = await Client.connect(serving.url);
    await client.request('logging/setLevel', { level: 'debug' });
    const call = await client.begin('count', { key: 'a', count: 2 });
    await call.ended;
    for (const session of [client.session, 'unknown', 'not well formed']) {
      const headers = { 'mcp-session-id': session, 'last-event-id': call.events[0]?.id };
      const reply = await ask(serving.url, 1, 'tools/call', { name: 'count', arguments: { key: 'b', count: 2 } }, { headers });
      expect([reply.status, reply.headers['mcp-session-id'], (await reply.all()).length]).toEqual([200, undefined, 1]);
    }
    expect(serving.stats.sessions).toBe(1);
  });

  it('runs so many calls at a time and refuses one more with 429', async () => {
    const serving = await serve(watched, { maxRunning: 2 });
    const client = await Client.connect(serving.url);
    const calls = ['a', 'b'].map((key) => client.start('tools/call', { name: 'wait', arguments: { key } }));
    await watched.noted('begun a');
    await watched.noted('begun b');
    const refused = await client.start('tools/call', { name: 'echo', arguments: { text: 'x' } });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(await refused.answer(refused.id)).toHaveProperty('error');
    const other = await Client.connect(serving.url);
    expect(await other.call('echo', { text: 'others can' })).toBe('others can');
    watched.open('a');
    watched.open('b');
    for (const call of calls) expect((await call).status).toBe(200);
    expect(await client.call('echo', { text: 'again' })).toBe('again');
    expect(serving.stats.running).toBe(0);
  });
});
