// What one caller may hold at a time, and what all may: who is told what, and what is counted.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { Server } from 'vivarium/server';
import { Account, Load } from '../../../src/serve/limits/limits.ts';
import { createEverything } from '../../fixtures/everything.mjs';
import { call, doors, eventually, modern, nodeDoor, openSession, rpc } from '../http.ts';

const tokens = { alice: 'alice-alice-alice', mallory: 'mallory-mallory-mallory' };
const auth = bearer({ [tokens.alice]: { id: 'alice' }, [tokens.mallory]: { id: 'mallory' } });
const as = (who: keyof typeof tokens): Record<string, string> => ({ authorization: `Bearer ${tokens[who]}` });
const hold = (who: keyof typeof tokens, id: number) => modern('tools/call', { name: 'hold', arguments: {} }, as(who), {}, id);
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

/** With a tool that ends when it is given up, and not before. */
function holding(): Server {
  const server = new Server({ name: 's', version: '1' });
  server.tool(
    'hold',
    { input: { type: 'object' } },
    (_, ctx) => new Promise<string>((resolve) => ctx.signal.addEventListener('abort', () => resolve('gone'))),
  );
  server.tool('echo', { input: { type: 'object' } }, () => 'x');
  return server;
}

describe.each(doors)('%s', (_, open) => {
  it('refuses one call too many of a caller with 429, of everyone with 503, and counts both', async () => {
    const door = await open(holding(), { auth, perCaller: { maxRunning: 2 }, maxTotalRunning: 3 });
    const running = [await door.begin(hold('mallory', 1)), await door.begin(hold('mallory', 2))];
    await eventually(() => door.stats.running).toBe(2);
    const third = await door.send(hold('mallory', 3));
    expect([third.status, third.code, third.json.id, third.headers['retry-after']]).toEqual([429, 429, 3, '1']);
    running.push(await door.begin(hold('alice', 4)));
    await eventually(() => door.stats.running).toBe(3);
    const fifth = await door.send(hold('alice', 5));
    expect([fifth.status, fifth.code, fifth.json.id, fifth.headers['retry-after']]).toEqual([503, 503, 5, '1']);
    expect(door.stats.refused).toMatchObject({ caller_running: 1, running: 1, caller_bytes: 0 });
    for (const one of running) one.hangUp();
    await eventually(() => door.stats).toMatchObject({ running: 0, heldBytes: 0 });
  });

  it('refuses a request for which a caller has no memory left, and takes it when there is room', async () => {
    const door = await open(holding(), { auth, maxBodyBytes: 100_000, perCaller: { maxBytes: 400_000 } });
    const large = (id: number) => modern('tools/call', { name: 'hold', arguments: { text: 'x'.repeat(90_000) } }, as('mallory'), {}, id);
    const first = await door.begin(large(1));
    await eventually(() => door.stats.running).toBe(1);
    const second = await door.begin(large(2));
    await eventually(() => door.stats.running).toBe(2);
    const third = await door.send(large(3));
    expect([third.status, third.code]).toEqual([429, 429]);
    expect((await door.send({ ...modern('tools/call', { name: 'echo', arguments: { text: 'x' } }, as('alice')) })).status).toBe(200);
    first.hangUp();
    second.hangUp();
    await eventually(() => door.stats.heldBytes).toBe(0);
    expect(door.stats.refused['caller_bytes']).toBe(1);
  });

  it('refuses a body that takes more memory than a caller may have with 413', async () => {
    const door = await open(createEverything(), { perCaller: { maxBytes: 1_000_000 } });
    const list = Array.from({ length: 20_000 }, () => ({}));
    const answer = await door.send(modern('tools/call', { name: 'echo', arguments: { list } }));
    expect([answer.status, answer.json.error.message]).toEqual([413, expect.stringContaining('perCaller.maxBytes')]);
  });

  it('refuses one session too many of a caller with 429, and gives the place back when one ends', async () => {
    const door = await open(createEverything(), { auth, perCaller: { maxSessions: 2 } });
    const first = await door.send({ headers: as('mallory'), body: initialize });
    expect((await door.send({ headers: as('mallory'), body: initialize })).status).toBe(200);
    const third = await door.send({ headers: as('mallory'), body: initialize });
    expect([third.status, third.code, third.json.id, third.headers['retry-after']]).toEqual([429, 429, 0, '30']);
    expect((await door.send({ headers: as('alice'), body: initialize })).status).toBe(200);
    await door.send({ method: 'DELETE', headers: { ...as('mallory'), 'mcp-session-id': first.headers['mcp-session-id'] } });
    expect((await door.send({ headers: as('mallory'), body: initialize })).status).toBe(200);
    expect(door.stats.refused['caller_sessions']).toBe(1);
  });

  it('refuses one stream too many of a caller with 429, and of a session', async () => {
    const door = await open(createEverything(), { auth, perCaller: { maxStreams: 1 } });
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, as('mallory'));
    const stream = await door.open(listen);
    const second = await door.send(listen);
    expect([second.status, second.headers['retry-after']]).toEqual([429, '5']);
    stream.hangUp();
    await eventually(() => door.stats.streams).toBe(0);
    const other = await open(createEverything());
    const headers = await openSession(other);
    const streams = [];
    for (let at = 0; at < 16; at++) streams.push(await other.open({ method: 'GET', headers }));
    const last = await other.send({ method: 'GET', headers });
    expect([last.status, other.stats.refused['session_streams']]).toEqual([429, 1]);
    for (const one of streams) one.hangUp();
  });

  it('counts the bytes of a session, and what it subscribes to, until it ends', async () => {
    const server = new Server({ name: 's', version: '1' });
    server.resource('note:///{id}', { name: 'note' }, () => 'x');
    const door = await open(server);
    const headers = await openSession(door);
    const before = door.stats.heldBytes;
    expect(before).toBeGreaterThan(0);
    await door.send({ headers, body: rpc(1, 'resources/subscribe', { uri: `note:///${'x'.repeat(1_000)}` }) });
    expect(door.stats.heldBytes).toBeGreaterThan(before + 2_000);
    await door.send({ method: 'DELETE', headers });
    expect(door.stats.heldBytes).toBe(0);
  });

  it('keeps counting the bytes of a call that was given up until its handler has ended', async () => {
    const server = new Server({ name: 's', version: '1' });
    let end: () => void = () => undefined;
    const late = new Promise<string>((resolve) => {
      end = () => resolve('late');
    });
    server.tool('stubborn', {}, () => late);
    const door = await open(server);
    const begun = await door.begin(modern('tools/call', { name: 'stubborn' }));
    await eventually(() => door.stats.running).toBe(1);
    begun.hangUp();
    await eventually(() => door.stats.running).toBe(0);
    expect(door.stats.heldBytes).toBeGreaterThan(10_000);
    end();
    await eventually(() => door.stats.heldBytes).toBe(0);
  });

  it.each([
    [{ perCaller: { maxRunnin: 1 } }, 'perCaller has no "maxRunnin"'],
    [{ perCaller: { maxBytes: 0 } }, 'perCaller.maxBytes must be an integer'],
    [{ maxTotalBytes: 1.5 }, 'maxTotalBytes must be an integer'],
    [{ perCaller: { maxRunning: 10 }, maxTotalRunning: 9 }, 'perCaller.maxRunning is 10, more than maxTotalRunning (9)'],
    [{ perCaller: { maxStreams: 10 }, maxStreams: 9 }, 'perCaller.maxStreams is 10, more than maxStreams (9)'],
    [{ perCaller: { maxSessions: 10 }, sessions: { max: 9 } }, 'perCaller.maxSessions is 10, more than sessions.max (9)'],
    [{ perCaller: { maxBytes: 10_000 }, maxTotalBytes: 9_000 }, 'perCaller.maxBytes is 10000, more than maxTotalBytes (9000)'],
    [{ perCaller: { maxBytes: 1_000 }, maxBodyBytes: 2_000 }, 'maxBodyBytes is 2000, more than perCaller.maxBytes (1000)'],
    [
      { maxRunning: 10_000, maxTotalRunning: 9_000, perCaller: { maxRunning: 9_000 } },
      'maxRunning is 10000, more than maxTotalRunning (9000)',
    ],
  ])('refuses to start with %j', async (options, message) => {
    await expect(open(createEverything(), options as object)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(message) }),
    );
  });

  it('raises the limits that follow from one that was raised', async () => {
    const door = await open(createEverything(), { maxBodyBytes: 100_000_000, maxRunning: 20_000 });
    expect((await door.send({ body: rpc(1, 'ping') })).status).toBe(200);
  });
});

it('a response to a question counts until the call that asked has ended', async () => {
  const server = new Server({ name: 's', version: '1' });
  server.tool('ask', {}, async (_, ctx) => {
    await ctx.elicit('name', { message: 'Who?', schema: { type: 'object', properties: { name: { type: 'string' } } } });
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
  });
  const door = await nodeDoor(server);
  const headers = await openSession(door, '2025-11-25', {}, { elicitation: {} });
  const stream = await door.open({ headers, body: call(1, 'ask') });
  const { id } = await stream.message();
  const before = door.stats.heldBytes;
  await door.send({ headers, body: { jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'x'.repeat(50_000) } } } });
  expect(door.stats.heldBytes).toBeGreaterThan(before + 100_000);
  await door.send({ headers, body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } });
  await eventually(() => door.stats.heldBytes).toBeLessThan(before);
});

it('an account adds to that of everyone, and a load gives back exactly what it took', () => {
  const all = new Account({ maxRunning: 3, maxStreams: 1, maxSessions: 1, maxBytes: 100_000 });
  const own = new Account({ maxRunning: 2, maxStreams: 1, maxSessions: 1, maxBytes: 50_000 }, all);
  const load = new Load(own, 2, 1_000);
  expect([own.running, all.running, own.bytes === all.bytes, own.refuses(1, 0), own.refuses(0, 50_000)]).toEqual([
    2,
    2,
    true,
    'caller_running',
    'caller_bytes',
  ]);
  load.began();
  load.hold(500);
  load.answered();
  expect([own.running, own.idle]).toEqual([0, false]);
  load.ended();
  expect([own.idle, all.idle]).toEqual([true, true]);
});
