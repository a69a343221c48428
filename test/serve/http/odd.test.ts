// Clients that speak HTTP in ways that are rare and right, or rare and wrong.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Authorizer } from 'vivarium/auth';
import { Server } from 'vivarium/server';
import { createEverything } from '../../fixtures/everything.mjs';
import { call, doors, eventually, initialize, modern, nodeDoor, openSession, Raw, rpc } from '../http.ts';

const ping = JSON.stringify(rpc(1, 'ping'));
const echo = modern('tools/call', { name: 'echo', arguments: { text: 'x' } });

function holding(): { readonly server: Server; readonly aborted: unknown[]; release(): void } {
  const aborted: unknown[] = [];
  const waiting: (() => void)[] = [];
  const server = new Server({ name: 'holding', version: '1.0.0' });
  server.tool('hold', {}, (_, ctx) => {
    ctx.signal.addEventListener('abort', () => aborted.push(ctx.requestId));
    return new Promise<string>((resolve) => waiting.push(() => resolve('held')));
  });
  return { server, aborted, release: () => waiting.splice(0).forEach((one) => void one()) };
}

describe('a connection', () => {
  it('H37 that is closed by a client that has gone aborts a call of 2026-07-28, and a session goes on', async () => {
    const { server, aborted, release } = holding();
    const door = await nodeDoor(server);
    const headers = await openSession(door);
    for (const [at, sent] of [{ headers, body: call(1, 'hold') }, modern('tools/call', { name: 'hold' }, {}, {}, 2)].entries()) {
      const raw = await Raw.open(door.port);
      raw.request(sent);
      await eventually(() => door.stats.running).toBe(at + 1);
      raw.socket.destroy();
    }
    await eventually(() => aborted).toEqual([2]);
    release();
    await eventually(() => door.stats).toMatchObject({ running: 0 });
    expect(aborted).toEqual([2]);
  });

  it('H37 that closes aborts every call of 2026-07-28 on it, those that wait for their turn too', async () => {
    const { server, aborted } = holding();
    const door = await nodeDoor(server);
    const raw = await Raw.open(door.port);
    for (const id of ['first', 'second', 'third']) raw.request(modern('tools/call', { name: 'hold' }, {}, {}, id));
    await eventually(() => door.stats.running).toBe(3);
    raw.hangUp();
    await eventually(() => aborted).toEqual(['first', 'second', 'third']);
    await eventually(() => door.stats.running).toBe(0);
  });

  it('that asks for another protocol is served in this one', async () => {
    const door = await nodeDoor(createEverything());
    const raw = await Raw.open(door.port);
    raw.request({
      ...echo,
      headers: { ...echo.headers, connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' },
    });
    expect((await raw.answer()).status).toBe(200);
    const socket = await Raw.open(door.port);
    socket.request({ method: 'GET', headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' } });
    expect((await socket.answer()).status).toBe(400);
  });

  it('that waits for 100 Continue is told to go on', async () => {
    const door = await nodeDoor(createEverything());
    const raw = await Raw.open(door.port);
    raw.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\nExpect: 100-continue\r\nContent-Length: ${ping.length}\r\n\r\n`,
    );
    expect((await raw.head()).status).toBe(100);
    raw.write(ping);
    expect((await raw.answer()).status).toBe(200);
  });

  it('of HTTP/1.0 is answered and closed', async () => {
    const door = await nodeDoor(createEverything());
    const raw = await Raw.open(door.port);
    raw.write(
      `POST /mcp HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: ${ping.length}\r\n\r\n${ping}`,
    );
    expect((await raw.answer()).json).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    await raw.ended;
  });
});

describe('a header', () => {
  it.each([
    ['twice the same', ['2026-07-28', '2026-07-28']],
    ['two versions of one era', ['2026-07-28', '2099-01-01']],
    ['two eras', ['2025-11-25', '2026-07-28']],
    ['two eras the other way', ['2026-07-28', '2025-11-25']],
  ])('H35 with a version that comes twice is answered with 400: %s', async (_, [first, second]) => {
    const door = await nodeDoor(createEverything());
    const raw = await Raw.open(door.port);
    raw.request({ ...echo, headers: { ...echo.headers, 'mcp-protocol-version': first, 'MCP-Protocol-Version': second } });
    expect((await raw.answer()).status).toBe(400);
  });

  it.each(['mcp-method', 'mcp-name'])('H29 called %s that comes twice is answered with -32020', async (name) => {
    const door = await nodeDoor(createEverything());
    const raw = await Raw.open(door.port);
    const value = echo.headers?.[name];
    raw.request({ ...echo, headers: { ...echo.headers, [name]: value, [name.toUpperCase()]: 'other' } });
    const { status, code } = await raw.answer();
    expect([status, code]).toEqual([400, -32020]);
  });

  it('H15 with a session that comes twice is answered with 400', async () => {
    const door = await nodeDoor(createEverything());
    const headers = await openSession(door);
    const raw = await Raw.open(door.port);
    raw.request({ headers: { ...headers, 'MCP-Session-ID': headers['mcp-session-id'] }, body: rpc(1, 'tools/list') });
    expect((await raw.answer()).status).toBe(400);
  });

  it.each(doors)('of a request is never something an object inherits, with %s', async (_, open) => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    server.tool('inherited', {}, (_args, ctx) => JSON.stringify(names.map((name) => ctx.header(name) === undefined)));
    const door = await open(server);
    const { json } = await door.send(modern('tools/call', { name: 'inherited' }));
    expect(json.result.content[0].text).toBe(JSON.stringify(names.map(() => true)));
  });
});

describe.each(doors)('%s', (_, open) => {
  it('answers a body in a coding it does not know with 415', async () => {
    const door = await open(createEverything());
    const body = gzipSync(JSON.stringify(initialize()));
    for (const coding of ['gzip', 'br', 'deflate']) {
      expect((await door.send({ headers: { 'content-encoding': coding }, body })).status).toBe(415);
    }
    expect((await door.send({ headers: { 'content-encoding': 'identity' }, body: initialize() })).status).toBe(200);
  });

  it('H28 sends no challenge that would split the answer, and goes on', async () => {
    const evil = 'Bearer realm="x"\r\nx-injected: yes';
    const refused = { status: 401, error: 'invalid_token', description: 'no\r\nno "quoted"', challenge: evil } as const;
    const auths: Authorizer[] = [
      { admit: () => ({ refused }), stepUp: () => ({ ...refused, status: 403 }) },
      { admit: async () => ({ refused }), stepUp: () => ({ ...refused, status: 403 }) },
    ];
    for (const auth of auths) {
      const door = await open(createEverything({ onError: () => undefined }), { auth });
      const { status, headers, json } = await door.send({ body: initialize() });
      expect([401, 500, 503]).toContain(status);
      expect(headers).not.toHaveProperty('x-injected');
      expect(json.error).toBeDefined();
    }
  });

  it('H28 carries a prompt of any name through a header that is wrapped', async () => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    const names = ['a\r\nb', 'ä "quoted"', '=?base64?YQ==?='].filter((name) => {
      try {
        server.prompt(name, {}, () => 'said');
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_CONFIG' });
        return false;
      }
    });
    const door = await open(server);
    for (const name of names) {
      const { status } = await door.send(
        modern('prompts/get', { name }, { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` }),
      );
      expect([name, status]).toEqual([name, 200]);
    }
  });

  it('answers with streams alone when told so, and refuses without', async () => {
    const door = await open(createEverything(), { stream: 'always' });
    const first = await door.send({ body: initialize() });
    expect([first.status, first.headers['content-type'], first.events.length]).toEqual([200, 'text/event-stream', 1]);
    const headers = { 'mcp-session-id': first.headers['mcp-session-id'] };
    for (const sent of [echo, { headers, body: call(1, 'echo', { text: 'x' }) }, { headers, body: rpc(1, 'ping') }]) {
      const answer = await door.send(sent);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
      expect(answer.events.map(({ data }) => JSON.parse(data ?? '').id)).toEqual([1]);
    }
    const refused = await door.send({ headers, body: '{' });
    expect([refused.status, refused.headers['content-type']]).toEqual([400, 'application/json']);
    const unknown = await door.send(modern('ping'));
    expect([unknown.status, unknown.headers['content-type']]).toEqual([404, 'application/json']);
  });

  it('starts no more calls of a batch than may run in a session', async () => {
    const { server, release } = holding();
    let started = 0;
    server.tool('count', {}, () => {
      started++;
      return new Promise<string>(() => undefined);
    });
    const door = await open(server, { maxRunning: 2 });
    const headers = await openSession(door, '2025-03-26');
    const begun = await door.begin({ headers, body: Array.from({ length: 20 }, (_, id) => call(id, 'count')) });
    expect((await door.send({ body: rpc(1, 'ping') })).status).toBe(200);
    expect(started).toBeLessThanOrEqual(2);
    begun.hangUp();
    release();
  });

  it('answers 503 when authorization fails by itself, at once or later', async () => {
    const told: unknown[] = [];
    const fail = (): never => {
      throw new Error('secret of the house');
    };
    for (const admit of [fail, async () => fail()]) {
      const server = createEverything({ onError: (error) => void told.push(error) });
      const door = await open(server, { auth: { admit, stepUp: fail } });
      const answer = await door.send({ body: initialize() });
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
      expect(answer.text).not.toContain('secret');
    }
    expect(told).toHaveLength(2);
  });
});
