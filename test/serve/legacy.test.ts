// Sessions of the 2025 revisions over HTTP: whose they are, what ends them, and what is answered when there is none.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { Server } from 'vivarium/server';
import { createEverything } from '../fixtures/everything.mjs';
import { call, type Door, doors, eventually, initialize, modern, nodeDoor, openSession, Raw, rpc } from './http.ts';

const ping = rpc(1, 'ping');
const list = rpc(1, 'tools/list');
const alice = { authorization: 'Bearer token-of-alice-0123456789' };
const bob = { authorization: 'Bearer token-of-bob-0123456789ab' };
const auth = bearer({ 'token-of-alice-0123456789': { id: 'alice' }, 'token-of-bob-0123456789ab': { id: 'bob' } });

const legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** The three ways to use a session. */
async function statuses(door: Door, headers: Record<string, string | undefined>): Promise<number[]> {
  const sent = [
    { headers, body: list },
    { method: 'GET', headers },
    { method: 'DELETE', headers },
  ];
  const found: number[] = [];
  for (const one of sent) {
    const opened = await door.open(one);
    found.push(opened.status);
    opened.hangUp();
  }
  return found;
}

describe.each(doors)('%s', (_, open) => {
  it.each(legacy)('opens, serves and ends a session of %s', async (revision) => {
    const door = await open(createEverything());
    const { status, headers, json } = await door.send({ body: initialize(revision) });
    expect([status, json.result.protocolVersion]).toEqual([200, revision]);
    expect(headers['content-type']).toBe('application/json');
    const own = { 'mcp-session-id': headers['mcp-session-id'] };
    const initialized = await door.send({ headers: own, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    expect([initialized.status, initialized.text]).toEqual([202, '']);
    const { json: answer } = await door.send({
      headers: { ...own, 'mcp-protocol-version': revision },
      body: call(2, 'echo', { text: 'hi' }),
    });
    expect(answer).toMatchObject({ id: 2, result: { content: [{ type: 'text', text: 'hi' }] } });
    expect((await door.send({ method: 'DELETE', headers: own })).status).toBe(204);
    expect(door.stats).toMatchObject({ sessions: 0, sessionsOpened: 1, sessionsEnded: 1 });
  });

  it('H15 answers an unknown session with 404', async () => {
    const door = await open(createEverything());
    for (const id of ['unknown', '__proto__', 'constructor', 'toString', '0'.repeat(36)]) {
      expect(await statuses(door, { 'mcp-session-id': id }), id).toEqual([404, 404, 404]);
    }
  });

  it('H15 answers a missing session with 400, and says both ways in', async () => {
    const door = await open(createEverything());
    expect(await statuses(door, {})).toEqual([400, 400, 400]);
    const { json } = await door.send({ body: list });
    expect(json).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(JSON.stringify(json)).toMatch(/initialize.*2026-07-28/);
  });

  it('answers a ping without a session', async () => {
    const door = await open(createEverything());
    const { status, json } = await door.send({ body: ping });
    expect([status, json]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it.each([
    ['a blank', 'a b'],
    ['a tab', 'a\tb'],
    ['a comma and a blank', 'a, b'],
    ['a letter of Latin-1', 'sessionü'],
    ['nothing', ''],
    ['too many characters', 'a'.repeat(257)],
  ])('H16 answers a session id with %s by 400', async (_name, id) => {
    const door = await open(createEverything());
    expect(await statuses(door, { 'mcp-session-id': id })).toEqual([400, 400, 400]);
  });

  it('H16 answers any id of visible characters as an unknown one', async () => {
    const door = await open(createEverything());
    const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, at) => 0x21 + at));
    expect(await statuses(door, { 'mcp-session-id': visible })).toEqual([404, 404, 404]);
  });

  it('H17 takes no id that a client has chosen, and makes its own of at least 128 random bits', async () => {
    const door = await open(createEverything());
    const ids = new Set<string>();
    for (let round = 0; round < 50; round++) {
      const { headers } = await door.send({ headers: { 'mcp-session-id': 'chosen' }, body: initialize() });
      ids.add(headers['mcp-session-id'] ?? 'chosen');
    }
    expect(ids.size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32,}$/);
    expect(await statuses(door, { 'mcp-session-id': 'chosen' })).toEqual([404, 404, 404]);
  });

  it('H17 leaves the session alone that an initialize names', async () => {
    const door = await open(createEverything());
    const first = await openSession(door);
    const { headers } = await door.send({ headers: { 'mcp-session-id': first['mcp-session-id'] }, body: initialize('2025-03-26') });
    expect(headers['mcp-session-id']).not.toBe(first['mcp-session-id']);
    expect((await door.send({ headers: first, body: list })).status).toBe(200);
  });

  it("H18 answers someone else's session as an unknown one, and its owner keeps it", async () => {
    const door = await open(createEverything(), { auth });
    const own = await openSession(door, '2025-11-25', alice);
    const foreign = { ...own, ...bob };
    const unknown = { ...foreign, 'mcp-session-id': '0'.repeat(36) };
    expect(await statuses(door, foreign)).toEqual([404, 404, 404]);
    for (const sent of [{ body: list }, { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } }]) {
      expect((await door.send({ ...sent, headers: foreign })).text).toBe((await door.send({ ...sent, headers: unknown })).text);
    }
    expect((await door.send({ headers: own, body: list })).status).toBe(200);
    expect(await statuses(door, { ...own, authorization: undefined })).toEqual([401, 401, 401]);
    expect((await door.send({ headers: own, body: list })).status).toBe(200);
  });

  it("H18 lets nobody cancel or answer in someone else's session", async () => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    let release: (text: string) => void = () => undefined;
    server.tool('held', {}, () => new Promise<string>((resolve) => (release = resolve)));
    const door = await open(server, { auth });
    const own = await openSession(door, '2025-11-25', alice);
    const running = door.send({ headers: own, body: call(1, 'held') });
    await eventually(() => door.stats.running).toBe(1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await door.send({ headers: { ...own, ...bob }, body: cancel })).status).toBe(404);
    release('whole');
    expect((await running).json.result.content[0].text).toBe('whole');
  });

  it('H19 ends a running call once when its session is deleted, and answers 404 from then on', async () => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    const reasons: unknown[] = [];
    server.tool(
      'held',
      {},
      (_args, ctx) => new Promise<string>(() => ctx.signal.addEventListener('abort', () => reasons.push(ctx.signal.reason))),
    );
    const door = await open(server);
    const own = await openSession(door);
    const running = door.send({ headers: own, body: call(1, 'held') });
    await eventually(() => door.stats.running).toBe(1);
    expect((await door.send({ method: 'DELETE', headers: own })).status).toBe(204);
    const ended = await running;
    expect([ended.status, ended.headers['content-type'], ended.text]).toEqual([200, 'text/event-stream', '']);
    expect(reasons).toHaveLength(1);
    expect((await door.send({ method: 'DELETE', headers: own })).status).toBe(404);
    expect((await door.send({ headers: own, body: call(2, 'held') })).status).toBe(404);
    expect(door.stats).toMatchObject({ running: 0, sessions: 0, sessionsEnded: 1 });
    expect((await door.send({ body: ping })).status).toBe(200);
  });

  it('H19 ends the streams of a session that is deleted', async () => {
    const door = await open(createEverything());
    const own = await openSession(door);
    const stream = await door.open({ method: 'GET', headers: own });
    await stream.next();
    await door.send({ method: 'DELETE', headers: own });
    expect(await stream.next()).toBeUndefined();
    expect(door.stats.streams).toBe(0);
  });

  it('H38 refuses one session too many with 503 and the time to wait, and goes on when one ends', async () => {
    const door = await open(createEverything(), { sessions: { max: 3 } });
    const [first] = [await openSession(door), await openSession(door), await openSession(door)];
    for (let round = 0; round < 20; round++) {
      const { status, headers, json } = await door.send({ body: initialize() });
      expect([status, json.id, json.error.code]).toEqual([503, 0, 503]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(headers).not.toHaveProperty('mcp-session-id');
    }
    expect((await door.send({ headers: first, body: list })).status).toBe(200);
    expect((await door.send(modern('tools/list'))).status).toBe(200);
    await door.send({ method: 'DELETE', headers: first });
    expect((await door.send({ body: initialize() })).status).toBe(200);
  });

  it('H38 makes room when sessions have expired', async () => {
    const door = await open(createEverything(), { sessions: { max: 2, idleMs: 1_000 }, keepAliveMs: 15 });
    await openSession(door);
    await openSession(door);
    await eventually(async () => (await door.send({ body: initialize() })).status).toBe(200);
  });

  it('opens another session for an initialize that names one', async () => {
    const door = await open(createEverything());
    const own = await openSession(door);
    const { status, headers } = await door.send({ headers: own, body: initialize() });
    expect(status).toBe(200);
    expect(headers['mcp-session-id']).not.toBe(own['mcp-session-id']);
  });

  it.each([
    ['without params', rpc(0, 'initialize')],
    ['with a number as its version', initialize(5)],
    ['with an empty version', initialize('')],
  ])('J44 answers initialize %s with -32602 and opens nothing', async (_name, body) => {
    const door = await open(createEverything());
    const { json, headers } = await door.send({ body });
    expect(json).toMatchObject({ id: 0, error: { code: -32602 } });
    expect(headers).not.toHaveProperty('mcp-session-id');
    expect(door.stats).toMatchObject({ sessions: 0, sessionsOpened: 0 });
  });

  it.each(['2099-01-01', '2026-07-28', 'draft'])(
    'J44 answers initialize of %s with its newest revision that has a handshake',
    async (version) => {
      const door = await open(createEverything());
      expect((await door.send({ body: initialize(version) })).json.result.protocolVersion).toBe('2025-11-25');
    },
  );

  it('says 400 to a version it does not speak, and names those it does', async () => {
    const door = await open(createEverything());
    const own = await openSession(door);
    for (const version of ['2025-01-01', '1.0', '', '2025-11-25, 2025-11-25', 'x']) {
      const headers = { ...own, 'mcp-protocol-version': version };
      expect(await statuses(door, headers), version).toEqual([400, 400, 400]);
    }
    expect((await door.send({ headers: own, body: list })).status).toBe(200);
  });

  it('takes the version of the session when none is said', async () => {
    const door = await open(createEverything());
    const own = await openSession(door, '2025-03-26');
    const { json } = await door.send({ headers: { ...own, 'mcp-protocol-version': undefined }, body: [ping, list] });
    expect(json).toHaveLength(2);
  });

  it('J43 executes nothing before the handshake', async () => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    let calls = 0;
    server.tool('count', {}, () => `${++calls}`);
    const door = await open(server);
    expect((await door.send({ body: call(1, 'count') })).status).toBe(400);
    expect((await door.send({ headers: { 'mcp-session-id': 'x' }, body: call(1, 'count') })).status).toBe(404);
    expect(calls).toBe(0);
  });
});

it('H16 answers a header over the limit with 431', async () => {
  const door = await nodeDoor(createEverything());
  const raw = await Raw.open(door.port);
  raw.request({ headers: { 'mcp-session-id': 'a'.repeat(64 * 1024) }, body: list });
  expect((await raw.head()).status).toBe(431);
  await raw.ended;
  expect((await door.send({ body: ping })).status).toBe(200);
});

it.each([
  ['CR', 'abc\rdef'],
  ['NUL', 'abc\0def'],
])('H16 answers a session id with %s by 400, and closes', async (_, id) => {
  const door = await nodeDoor(createEverything());
  const raw = await Raw.open(door.port);
  raw.request({ headers: { 'mcp-session-id': id }, body: list });
  expect((await raw.head()).status).toBe(400);
  await raw.ended;
});

it('H16 takes what comes after CR LF for another header, never for part of an answer', async () => {
  const door = await nodeDoor(createEverything());
  const raw = await Raw.open(door.port);
  raw.request({ headers: { 'mcp-session-id': 'abc\r\nx-injected: yes' }, body: list });
  const { status, headers, text } = await raw.answer();
  expect([status, headers['x-injected'], text.includes('injected')]).toEqual([404, undefined, false]);
});
