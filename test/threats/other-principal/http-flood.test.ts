// One principal floods a server of 512 MB over HTTP: the process lives, others are served, and what was refused is counted.
import { describe, expect, it } from 'vitest';
import { type Flooded, flood, initialize, inLanes, modern, post, tally } from './flood.ts';

const mebibyte = 1024 * 1024;
const limits = { timeout: 240_000 };

/** The server lives, and somebody else notices nothing. */
async function expectServed(server: Flooded): Promise<void> {
  const answer = await server.call('alice', 'echo', { text: 'still here' });
  expect([answer?.status, answer?.text]).toEqual([200, expect.stringContaining('still here')]);
  const session = await server.send(initialize('alice'));
  expect(session?.status).toBe(200);
  expect(server.alive).toBe(true);
}

async function running(server: Flooded): Promise<number> {
  return Number(/calls_running (\d+)/.exec(await server.metrics())?.[1]);
}

async function held(server: Flooded): Promise<number> {
  return Number(/held_bytes (\d+)/.exec(await server.metrics())?.[1]);
}

async function openSession(server: Flooded, version: string): Promise<string[]> {
  const answer = await server.send(initialize('mallory', version, { elicitation: {} }));
  return answer?.status === 200 ? [`Mcp-Session-Id: ${answer.headers['mcp-session-id']}`] : [];
}

describe('one principal cannot exhaust the server', limits, () => {
  it('by listening with filters of 4 MiB', async () => {
    const server = await flood();
    const uris = Array.from({ length: 1_000 }, (_, at) => `note:///${at}/${'x'.repeat(4_000)}`);
    const request = modern('mallory', 'subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
    const answers = await inLanes(160, () => server.send(request));
    const counts = tally(answers);
    expect(counts['429']).toBeGreaterThan(100);
    expect(counts['200']).toBeGreaterThan(0);
    const refused = answers.find((answer) => answer?.status === 429);
    expect([refused?.headers['retry-after'], JSON.parse(refused?.text ?? '').error.code]).toEqual(['1', 429]);
    await expectServed(server);
    expect((await server.refused())['caller_bytes']).toBe(counts['429']);
  });

  it('by subscribing to a thousand long URIs in each of many sessions', async () => {
    const server = await flood();
    const subscribe = (from: number): object[] =>
      Array.from({ length: 500 }, (_, at) => ({
        jsonrpc: '2.0',
        id: at,
        method: 'resources/subscribe',
        params: { uri: `note:///${from + at}/${'ж'.repeat(3_900)}` },
      }));
    const bodies = [JSON.stringify(subscribe(0)), JSON.stringify(subscribe(500))];
    const answers = await inLanes(
      60,
      async () => {
        const session = await openSession(server, '2025-03-26');
        const done = [];
        for (const body of bodies) done.push(await server.send(post('mallory', body, session)));
        return done;
      },
      4,
    );
    expect(tally(answers.flat())['429']).toBeGreaterThan(60);
    await expectServed(server);
    expect((await server.refused())['caller_bytes']).toBeGreaterThan(60);
  });

  it('by opening all sessions, or sessions with much to say', async () => {
    const server = await flood();
    const plain = await inLanes(1_100, () => server.send(initialize('mallory')), 16);
    expect(tally(plain)).toEqual({ 200: 1_000, 429: 100 });
    expect((await server.refused())['caller_sessions']).toBe(100);
    await expectServed(server);
    const other = await flood();
    const talkative = initialize('mallory', '2025-11-25', { experimental: { x: { y: Array.from({ length: 20_000 }, () => ({})) } } });
    const answers = await inLanes(700, () => other.send(talkative), 16);
    expect(tally(answers)['429']).toBeGreaterThan(500);
    await expectServed(other);
  });

  it('by pipelining twenty thousand calls', async () => {
    const server = await flood();
    const calls = Buffer.concat(
      Array.from({ length: 1_000 }, (_, at) => modern('mallory', 'tools/call', { name: 'hold', arguments: {} }, at)),
    );
    await inLanes(20, async () => (await server.open()).write(calls), 20);
    await expect.poll(async () => (await server.refused())['caller_running'], { timeout: 60_000 }).toBeGreaterThan(100);
    await expectServed(server);
    expect(await running(server)).toBeLessThanOrEqual(1_025);
  });

  it('by batches of calls', async () => {
    const server = await flood();
    const batch = JSON.stringify(
      Array.from({ length: 1_000 }, (_, at) => ({
        jsonrpc: '2.0',
        id: at,
        method: 'tools/call',
        params: { name: 'hold', arguments: { pad: 'x'.repeat(1_000) } },
      })),
    );
    const sessions = await inLanes(20, () => openSession(server, '2025-03-26'), 4);
    // One of them runs; the others would be too many.
    const answers = await inLanes(20, (at) => server.send(post('mallory', batch, sessions[at]), 20_000), 20);
    expect(tally(answers)['429']).toBe(19);
    await expectServed(server);
    expect((await server.refused())['caller_running']).toBe(19);
  });

  it('by calls whose parameters are large, or dense', async () => {
    const server = await flood();
    const large = modern('mallory', 'tools/call', { name: 'hold', arguments: { text: 'x'.repeat(4 * mebibyte - 2_000) } });
    const dense = modern('mallory', 'tools/call', { name: 'hold', arguments: { list: Array.from({ length: 100_000 }, () => ({})) } });
    const densest = modern('mallory', 'tools/call', { name: 'hold', arguments: { list: Array.from({ length: 1_000_000 }, () => ({})) } });
    expect((await server.send(densest))?.status).toBe(413);
    await inLanes(90, async (at) => (await server.open()).write([large, dense, densest][at % 3] as Buffer), 30);
    await expect.poll(async () => (await server.refused())['caller_bytes'], { timeout: 60_000 }).toBeGreaterThan(30);
    await expectServed(server);
  });

  it('by calls that it gives up and whose handlers go on', async () => {
    const server = await flood();
    const call = modern('mallory', 'tools/call', { name: 'deaf', arguments: { list: Array.from({ length: 20_000 }, () => ({})) } });
    const sockets = await inLanes(60, async () => {
      const socket = await server.open();
      socket.write(call);
      return socket;
    });
    await expect.poll(async () => (await server.refused())['caller_bytes'], { timeout: 60_000 }).toBeGreaterThan(20);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => running(server), { timeout: 60_000 }).toBe(0);
    expect(tally(await inLanes(10, () => server.send(call)))).toEqual({ 429: 10 });
    await expectServed(server);
  });

  it('by bodies that it never finishes', async () => {
    const server = await flood();
    const request = post('mallory', 'x'.repeat(4 * mebibyte - 1));
    const partial = request.subarray(0, request.length - 1);
    await inLanes(300, async () => (await server.open()).write(partial), 60);
    await expect.poll(async () => (await server.refused())['caller_bytes'], { timeout: 60_000 }).toBeGreaterThan(250);
    await expectServed(server);
    expect(server.memory ?? 0).toBeLessThan(900);
  });

  it('by bodies in chunks of one byte', async () => {
    const server = await flood();
    const before = server.memory ?? 0;
    const head = post('mallory', '').toString().replace('Content-Length: 0', 'Transfer-Encoding: chunked');
    const bytes = Buffer.from('1\r\nx\r\n'.repeat(500_000));
    const sockets = await inLanes(4, async () => {
      const socket = await server.open();
      socket.write(head);
      await new Promise((resolve) => socket.write(bytes, resolve));
      return socket;
    });
    // All of it is here, and is paid for.
    await expect.poll(() => held(server), { timeout: 60_000 }).toBeGreaterThan(4 * 500_000);
    expect(await held(server)).toBeLessThan(4 * 510_000);
    await expectServed(server);
    // Two million buffers of one byte would be 300 MiB.
    expect((server.memory ?? 0) - before).toBeLessThan(150);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => held(server), { timeout: 60_000 }).toBeLessThan(100_000);
  });

  it('by heads that wait for a body', async () => {
    const server = await flood({ perCaller: { maxBytes: 1_000_000 }, maxBodyBytes: 100_000 });
    const head = post('mallory', 'x'.repeat(100), [`X-Padding: ${'x'.repeat(8_000)}`]).subarray(0, -100);
    await inLanes(100, async () => (await server.open()).write(head));
    await expect.poll(async () => (await server.refused())['caller_bytes']).toBeGreaterThan(30);
    expect(await held(server)).toBeLessThan(1_000_000);
    await expectServed(server);
  });

  it('by large answers that it does not read', async () => {
    const server = await flood();
    const request = modern('mallory', 'tools/call', { name: 'large', arguments: { size: 4 * mebibyte } });
    await inLanes(
      300,
      async () => {
        const socket = await server.open();
        socket.pause();
        socket.write(request);
      },
      60,
    );
    await expect
      .poll(async () => Object.values(await server.refused()).reduce((sum, count) => sum + count, 0), { timeout: 120_000 })
      .toBeGreaterThan(200);
    await expectServed(server);
    expect(server.memory ?? 0).toBeLessThan(900);
  });

  it('by answers to questions of the server', async () => {
    const server = await flood();
    const session = await openSession(server, '2025-11-25');
    const ask = async (at: number): Promise<string> => {
      const socket = await server.open();
      socket.write(post('mallory', { jsonrpc: '2.0', id: at, method: 'tools/call', params: { name: 'ask', arguments: {} } }, session));
      let said = '';
      for await (const chunk of socket) {
        said += String(chunk);
        const id = /"id":"([0-9a-f]+-\d+)"/.exec(said)?.[1];
        if (id !== undefined) return id;
      }
      return '';
    };
    const ids = await inLanes(200, ask, 8);
    const content = { name: 'x'.repeat(3 * mebibyte) };
    const answers = await inLanes(
      200,
      (at) => server.send(post('mallory', { jsonrpc: '2.0', id: ids[at], result: { action: 'accept', content } }, session)),
      8,
    );
    expect(tally(answers)['429']).toBeGreaterThan(150);
    await expectServed(server);
  });

  it('by ids and progress tokens that come back with every message', async () => {
    const server = await flood();
    const long = 'x'.repeat(100_000);
    const id = await server.send(modern('mallory', 'tools/call', { name: 'echo', arguments: {} }, long));
    expect([id?.status, JSON.parse(id?.text ?? '').error.code]).toEqual([400, -32600]);
    const token = await server.send(modern('mallory', 'tools/call', { name: 'echo', arguments: {}, _meta: { progressToken: long } }));
    expect(JSON.parse(token?.text ?? '').error).toMatchObject({ code: -32602, data: { details: expect.stringContaining('1024') } });
    await expectServed(server);
  });

  it('by calls over HTTP+SSE', async () => {
    const server = await flood();
    const stream = await server.open();
    let said = '';
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
    stream.write('GET /sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer mallory-mallory-mallory\r\n\r\n');
    await expect.poll(() => said).toMatch(/data: \S+/);
    const path = /data: (\S+)/.exec(said)?.[1] ?? '';
    const send = (body: object | string) => server.send(post('mallory', body, [], path));
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'flood', version: '1' } };
    expect((await send({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params }))?.status).toBe(202);
    const text = 'x'.repeat(3 * mebibyte);
    const answers = await inLanes(
      200,
      (id) => send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'hold', arguments: { text } } }),
      8,
    );
    expect(tally(answers)['429']).toBeGreaterThan(150);
    await expectServed(server);
  });
});

describe('somebody without a token cannot exhaust the server', limits, () => {
  const fields = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at.toString(36)}:`);
  const head = (count: number): Buffer => post('nobody', 'x'.repeat(100), fields(count)).subarray(0, -100);

  it('by heads with thousands of fields that wait for a body', async () => {
    const server = await flood();
    const before = server.memory ?? 0;
    expect((await server.send(head(1_900)))?.status).toBe(431);
    expect((await server.send(head(90)))?.status).toBe(401);
    const sockets = await inLanes(
      1_500,
      async () => {
        const socket = await server.open();
        socket.resume().write(head(1_900));
        return socket;
      },
      50,
    );
    // Node would keep each for 45 seconds.
    await expect.poll(() => sockets.filter(({ closed }) => !closed).length).toBe(0);
    await expectServed(server);
    // With their fields they would take 90 KB each.
    expect((server.memory ?? 0) - before).toBeLessThan(100);
  });

  it.each([
    ['a token', 401, post('nobody', 'x'.repeat(100))],
    ['a place', 404, post('mallory', 'x'.repeat(100), [], '/elsewhere')],
    ['a type', 415, Buffer.from(String(post('mallory', 'x'.repeat(100))).replace('application/json', 'text/plain'))],
    ['a known origin', 403, post('mallory', 'x'.repeat(100), ['Origin: http://evil.example'])],
    ['an expectation that can be met', 417, post('mallory', 'x'.repeat(100), ['Expect: wonders'])],
  ])('by requests without %s whose body never comes', async (_, status, request) => {
    const server = await flood();
    const socket = await server.open();
    let said = '';
    socket.on('data', (chunk) => {
      said += String(chunk);
    });
    socket.write(request.subarray(0, -100));
    await expect.poll(() => socket.closed).toBe(true);
    expect(said).toContain(`HTTP/1.1 ${status}`);
  });

  it('by fields that hide a second token', async () => {
    const server = await flood();
    const hidden = post('alice', '{}', [...fields(99), 'Authorization: Bearer mallory-mallory-mallory']);
    expect((await server.send(hidden))?.status).toBe(431);
  });
});
