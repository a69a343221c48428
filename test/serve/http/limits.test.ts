// Bodies that are too large or lie about it, requests that take for ever, and bytes that are hardly HTTP.
import { describe, expect, it } from 'vitest';
import { Server } from 'vivarium/server';
import { createEverything } from '../../fixtures/everything.mjs';
import { call, doors, eventually, modern, nodeDoor, openSession, Raw, rpc } from '../http.ts';

const ping = rpc(1, 'ping');
const limit = 10_000;
const large = { jsonrpc: '2.0', id: 1, method: 'ping', params: { padding: 'x'.repeat(limit) } };
const head = (...lines: string[]): string =>
  `${['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Accept: */*', ...lines].join('\r\n')}\r\n\r\n`;

describe.each(doors)('%s', (_, open) => {
  it('H09 refuses a body over the limit with 413, in every revision, and goes on', async () => {
    const door = await open(createEverything(), { maxBodyBytes: limit });
    const session = await openSession(door);
    for (const [headers, id] of [
      [{}, { id: null }],
      [session, {}],
      [{ 'mcp-protocol-version': '2025-06-18' }, { id: null }],
      [{ 'mcp-protocol-version': '2026-07-28' }, {}],
    ] as const) {
      const { status, json } = await door.send({ headers, body: large });
      expect([status, json]).toEqual([
        413,
        { jsonrpc: '2.0', ...id, error: { code: 413, message: expect.stringContaining('maxBodyBytes') } },
      ]);
    }
    expect((await door.send({ body: ping })).status).toBe(200);
  });

  it('H09 serves a body that is as large as it may be, to the byte', async () => {
    const text = JSON.stringify(ping);
    const door = await open(createEverything(), { maxBodyBytes: text.length });
    expect((await door.send({ body: text })).status).toBe(200);
    expect((await door.send({ body: `${text} ` })).status).toBe(413);
    const wide = '{"jsonrpc":"2.0","id":"ä","method":"ping"}';
    const byCharacters = await open(createEverything(), { maxBodyBytes: wide.length });
    expect((await byCharacters.send({ body: wide })).status).toBe(413);
    const byBytes = await open(createEverything(), { maxBodyBytes: wide.length + 1 });
    expect((await byBytes.send({ body: wide })).status).toBe(200);
  });

  it.each(['maxBodyBytes', 'maxStreams', 'keepAliveMs', 'stallMs', 'retryMs', 'maxRunning', 'maxUnreadBytes'])(
    'refuses to start with %s of nonsense',
    async (option) => {
      for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
        await expect(open(createEverything(), { [option]: value })).rejects.toThrow(
          expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(option) }),
        );
      }
    },
  );

  it('answers a call too many in one session with 429', async () => {
    const door = await open(createEverything(), { maxRunning: 2 });
    const headers = await openSession(door);
    const running = [await door.begin({ headers, body: call(1, 'deaf') }), await door.begin({ headers, body: call(2, 'deaf') })];
    await eventually(() => door.stats.running).toBe(2);
    const third = await door.send({ headers, body: call(3, 'deaf') });
    expect([third.status, third.json.id, third.headers['retry-after']]).toEqual([429, 3, '1']);
    expect((await door.send({ headers: await openSession(door), body: call(1, 'echo', { text: 'x' }) })).status).toBe(200);
    for (const one of running) one.hangUp();
  });
});

describe('a body on the wire', () => {
  it('H09 is refused by its length alone, before any of it was sent, and the connection closes', async () => {
    const door = await nodeDoor(createEverything(), { maxBodyBytes: limit });
    const raw = await Raw.open(door.port);
    raw.write(head(`Content-Length: ${10 ** 12}`));
    const { status, headers, code } = await raw.answer();
    expect([status, code, headers['connection']]).toEqual([413, 413, 'close']);
    await raw.ended;
  });

  it('H09 is refused in the middle when it comes in chunks, and the connection closes', async () => {
    const door = await nodeDoor(createEverything(), { maxBodyBytes: limit });
    const raw = await Raw.open(door.port);
    raw.write(head('Transfer-Encoding: chunked'));
    for (let sent = 0; sent <= limit; sent += 1_000) raw.write(`3e8\r\n${'x'.repeat(1_000)}\r\n`);
    const { status, headers } = await raw.answer();
    expect([status, headers['connection']]).toEqual([413, 'close']);
    await raw.ended;
  });

  it('H09 is read by who is refused even while it is still being sent', async () => {
    const door = await nodeDoor(createEverything(), { maxBodyBytes: limit });
    const raw = await Raw.open(door.port);
    raw.write(head(`Content-Length: ${4 * 1024 * 1024}`));
    raw.write(Buffer.alloc(4 * 1024 * 1024, 'x'));
    expect((await raw.answer()).status).toBe(413);
    await raw.ended;
    expect((await door.send({ body: ping })).status).toBe(200);
  });

  it('H09 leaves a connection whole for who goes on writing after the refusal, so that the answer is not lost in a reset', async () => {
    const door = await nodeDoor(createEverything(), { maxBodyBytes: limit });
    const raw = await Raw.open(door.port);
    const errors: string[] = [];
    raw.socket.on('error', (error) => errors.push(error.message));
    raw.write(head('Transfer-Encoding: chunked'));
    const piece = `3e8\r\n${'x'.repeat(1_000)}\r\n`;
    for (let sent = 0; sent <= limit; sent += 1_000) raw.write(piece);
    expect((await raw.answer()).status).toBe(413);
    // Each turn gives the server the time to close, as it did.
    for (let turn = 0; turn < 20; turn++) {
      raw.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    raw.write('0\r\n\r\n');
    await raw.ended;
    expect(errors).toEqual([]);
  });

  /** A call that is executed wherever it is served. */
  const calling = (name: string): string => {
    const { headers = {}, body } = modern('tools/call', { name, arguments: {} });
    const text = JSON.stringify(body);
    return `${head(...Object.entries(headers).map((pair) => pair.join(': ')), `Content-Length: ${text.length}`)}${text}`;
  };
  const behind = calling('count').repeat(3);
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const fields = Array.from({ length: 120 }, (_, at) => `X-${at}: 1`);
  const long = 'x'.repeat(limit + 1);
  it.each([
    ['by its length', 413, [head(`Content-Length: ${limit + 1}`), long]],
    ['in the middle', 413, [head('Transfer-Encoding: chunked'), chunk(long), '0\r\n\r\n']],
    ['for what it expects', 417, [head('Expect: magic', 'Content-Length: 5'), '12345']],
    ['for two names', 400, [head('Host: other', 'Content-Length: 5'), '12345']],
    ['for its many fields', 431, [head(...fields, 'Content-Length: 5'), '12345']],
  ] as const)('H09 is the last that a connection serves when it is refused %s: nothing behind it is executed', async (_, status, parts) => {
    for (const pieces of [[`${parts.join('')}${behind}`], [parts[0], `${parts.slice(1).join('')}${behind}`]]) {
      let calls = 0;
      const server = new Server({ name: 'counts', version: '1' });
      server.tool('count', {}, () => String(++calls));
      const door = await nodeDoor(server, { maxBodyBytes: limit });
      const raw = await Raw.open(door.port);
      for (const piece of pieces) {
        raw.write(piece);
        // As a packet of its own.
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await raw.answer()).status).toBe(status);
      await raw.ended;
      expect(raw.rest).not.toContain('HTTP/1.1');
      expect(calls).toBe(0);
      (await Raw.open(door.port)).write(behind);
      await eventually(() => calls).toBe(3);
    }
  });

  it('H09 ends a connection that is flooded behind a request that was refused, while an earlier call still runs', async () => {
    const server = new Server({ name: 'waits', version: '1' });
    let begun = 0;
    server.tool('wait', {}, (_input, { signal }) => {
      begun++;
      return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('')));
    });
    const door = await nodeDoor(server);
    const raw = await Raw.open(door.port);
    raw.socket.on('error', () => undefined);
    raw.write(calling('wait'));
    await eventually(() => begun).toBe(1);
    raw.write(`${head('Expect: magic', 'Content-Length: 0')}${calling('wait').repeat(100)}`);
    await raw.ended;
    expect([begun, (await door.send({ body: ping })).status]).toEqual([1, 200]);
  });

  it('H09 executes nothing when it is shorter than it says', async () => {
    const door = await nodeDoor(createEverything(), { bodyMs: 100, headersMs: 500 });
    const raw = await Raw.open(door.port);
    const text = JSON.stringify(ping);
    raw.write(`${head(`Content-Length: ${text.length + 1}`)}${text}`);
    raw.socket.end();
    await raw.ended;
    expect(raw.rest).not.toContain('200 OK');
    expect((await door.send({ body: ping })).status).toBe(200);
  });

  it('H09 ends where it says, and the rest is no request', async () => {
    const door = await nodeDoor(createEverything());
    const raw = await Raw.open(door.port);
    const text = JSON.stringify(ping);
    raw.write(`${head(`Content-Length: ${text.length}`)}${text}`);
    expect((await raw.answer()).status).toBe(200);
    raw.write('trailing garbage\r\n\r\n');
    expect((await raw.head()).status).toBe(400);
    await raw.ended;
  });

  it('comes in any pieces', async () => {
    const door = await nodeDoor(createEverything());
    const raw = await Raw.open(door.port);
    const { body, headers } = modern('tools/call', { name: 'echo', arguments: { text: '🦎 ü' } });
    const bytes = Buffer.from(JSON.stringify(body));
    raw.write(head('Transfer-Encoding: chunked', ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`)));
    for (const byte of bytes) raw.write(Buffer.concat([Buffer.from('1\r\n'), Uint8Array.of(byte), Buffer.from('\r\n')]));
    raw.write('0\r\n\r\n');
    expect((await raw.answer()).json.result.content[0].text).toBe('🦎 ü');
  });

  it.each(['gzip, chunked', 'xchunked', 'deflate, chunked', 'identity, chunked', 'chunked, chunked', 'GZIP,chunked'])(
    'refuses Transfer-Encoding: %s, and does not read it as if it were plain',
    async (coding) => {
      const door = await nodeDoor(createEverything());
      const raw = await Raw.open(door.port);
      const text = JSON.stringify(ping);
      raw.write(`${head(`Transfer-Encoding: ${coding}`)}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`);
      expect([400, 501]).toContain((await raw.head()).status);
      await raw.ended;
      expect(door.stats.answers).not.toHaveProperty('200');
    },
  );

  it.each([
    ['both a length and chunks', head('Content-Length: 5', 'Transfer-Encoding: chunked')],
    ['chunks and a length', head('Transfer-Encoding: chunked', 'Content-Length: 5')],
    ['two lengths', head('Content-Length: 5', 'Content-Length: 6')],
    ['two equal lengths', head('Content-Length: 2', 'Content-Length: 2')],
    ['a list of lengths', head('Content-Length: 5, 6')],
    ['a negative length', head('Content-Length: -5')],
    ['a length with a sign', head('Content-Length: +5')],
    ['a hexadecimal length', head('Content-Length: 0x5')],
    ['a coding after chunked', head('Transfer-Encoding: chunked, identity')],
    ['bare LF', 'POST /mcp HTTP/1.1\nHost: localhost\nContent-Length: 2\n\n{}'],
    ['bare CR', 'POST /mcp HTTP/1.1\rHost: localhost\r\r'],
    ['bare LF in a header', 'POST /mcp HTTP/1.1\r\nHost: localhost\nX: y\r\nContent-Length: 2\r\n\r\n{}'],
    ['a folded header', head('X-Folded: a', ' b', 'Content-Length: 2')],
    ['a blank before the colon', head('X-Blank : a', 'Content-Length: 2')],
    ['a header without a name', head(': a', 'Content-Length: 2')],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('H12 with %s is answered with 400 and closed, and nothing is executed', async (_, bytes) => {
    const door = await nodeDoor(createEverything());
    const raw = await Raw.open(door.port);
    raw.write(`${bytes}${JSON.stringify(ping)}`);
    expect((await raw.head()).status).toBe(400);
    await raw.ended;
    expect(door.stats.answers).not.toHaveProperty('200');
    expect((await door.send({ body: ping })).status).toBe(200);
  });

  it('H12 with chunks that are none is never executed', async () => {
    const door = await nodeDoor(createEverything());
    for (const chunks of ['zz\r\n{}\r\n', '2\r\n{}xx', '-2\r\n{}\r\n0\r\n\r\n', '2;\n{}\r\n0\r\n\r\n']) {
      const raw = await Raw.open(door.port);
      raw.write(`${head('Transfer-Encoding: chunked')}${chunks}`);
      await raw.ended;
      expect(raw.rest, chunks).not.toMatch(/ 200 /);
    }
    expect((await door.send({ body: ping })).status).toBe(200);
  });
});

describe('one connection', () => {
  it('serves requests that come at once in their order', async () => {
    const server = createEverything();
    const door = await nodeDoor(server);
    const raw = await Raw.open(door.port);
    raw.request(modern('tools/call', { name: 'wait', arguments: { ms: 20 } }, {}, {}, 'slow'));
    for (let id = 0; id < 20; id++) raw.request(modern('tools/call', { name: 'echo', arguments: { text: `${id}` } }, {}, {}, id));
    raw.request({ method: 'PUT', body: '{}' });
    raw.request({ body: '{' });
    raw.request({ body: ping });
    const ids: unknown[] = [];
    for (let at = 0; at < 24; at++) {
      const { status, json } = await raw.answer();
      ids.push(status === 200 ? json.id : status);
    }
    expect(ids).toEqual(['slow', ...Array.from({ length: 20 }, (_, id) => id), 405, 400, 1]);
  });

  it('stays usable after every refusal but the one for size', async () => {
    const door = await nodeDoor(createEverything(), { maxBodyBytes: limit });
    const raw = await Raw.open(door.port);
    for (const headers of [
      { origin: 'http://evil.example' },
      { 'content-type': 'text/plain' },
      { accept: 'text/html' },
      { 'mcp-session-id': 'x' },
    ]) {
      raw.request({ headers, body: rpc(1, 'tools/list') });
      expect((await raw.answer()).status).toBeGreaterThanOrEqual(400);
    }
    raw.request({ body: ping });
    expect((await raw.answer()).status).toBe(200);
  });

  it('is not left in the middle of a body that nobody has read', async () => {
    const door = await nodeDoor(createEverything(), { maxBodyBytes: limit });
    const raw = await Raw.open(door.port);
    // Refused by its head: the body must not become the next request.
    raw.request({ method: 'PUT', body: `POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n${'x'.repeat(200_000)}` });
    raw.request({ body: ping });
    expect((await raw.answer()).status).toBe(405);
    expect((await raw.answer()).json).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });
});

describe('H11 a slow client', () => {
  it.each([
    ['a head that never ends', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
    ['half a request line', 'POST /m'],
    ['a body that never ends', head('Content-Length: 100')],
    ['chunks that never end', `${head('Transfer-Encoding: chunked')}1\r\n{\r\n`],
  ])('with %s is closed at the deadline while others are served', async (_, bytes) => {
    const door = await nodeDoor(createEverything(), { headersMs: 500, bodyMs: 100 });
    const slow = await Promise.all(Array.from({ length: 20 }, () => Raw.open(door.port)));
    for (const raw of slow) raw.write(bytes);
    const drip = setInterval(
      () => slow.forEach((raw) => void (raw.socket.writable && raw.write(bytes.includes('chunked') ? '1\r\nx\r\n' : 'x'))),
      15,
    );
    const served = await Promise.all(Array.from({ length: 20 }, () => door.send({ body: ping })));
    expect(served.every(({ status }) => status === 200)).toBe(true);
    await Promise.all(slow.map((raw) => raw.ended));
    clearInterval(drip);
    for (const raw of slow) expect(raw.rest === '' || / (?:408|400) /.test(raw.rest)).toBe(true);
    expect((await door.send({ body: ping })).status).toBe(200);
  });

  it('that is idle between requests is closed, one that is served is not', async () => {
    const door = await nodeDoor(createEverything(), { idleMs: 200 });
    const idle = await Promise.all(Array.from({ length: 50 }, () => Raw.open(door.port)));
    for (const raw of idle) raw.request({ body: ping });
    for (const raw of idle) expect((await raw.answer()).status).toBe(200);
    const busy = door.send(modern('tools/call', { name: 'wait', arguments: { ms: 500 } }));
    await Promise.all(idle.map((raw) => raw.ended));
    expect((await busy).json.result.content[0].text).toBe('waited');
  });

  it('cannot take more connections than there may be', async () => {
    const door = await nodeDoor(createEverything(), { maxConnections: 2 });
    const [first] = [await Raw.open(door.port), await Raw.open(door.port)];
    const third = await Raw.open(door.port);
    await third.ended;
    first.request({ body: ping });
    expect((await first.answer()).status).toBe(200);
  });

  it('does not hold up a server that closes', async () => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    const door = await nodeDoor(server);
    const raw = await Raw.open(door.port);
    raw.write(head('Content-Length: 100'));
    const idle = await Raw.open(door.port);
    await door.close();
    await Promise.all([raw.ended, idle.ended]);
  });
});
