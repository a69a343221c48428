// Where the endpoint is, by which methods, and what is served beside it.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { createEverything } from '../../fixtures/everything.mjs';
import { doors, eventually, initialize, modern, nodeDoor, openSession, Raw, rpc, type Sent } from '../http.ts';

const token = 'token-of-alice-0123456789';
const authorized = { authorization: `Bearer ${token}` };
const list = modern('tools/list');
const at = (path: string, headers: Sent['headers'] = {}): Sent => ({ ...list, path, headers: { ...list.headers, ...headers } });

describe.each(doors)('%s', (_, open) => {
  it.each(['PUT', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND'])('H36 answers %s with 405 and what is allowed', async (method) => {
    const door = await open(createEverything());
    const body = method === 'PUT' || method === 'PATCH' ? rpc(1, 'tools/list') : undefined;
    for (const [headers, allowed] of [
      [{}, 'POST, GET, DELETE'],
      [await openSession(door), 'POST, GET, DELETE'],
      [list.headers ?? {}, 'POST'],
    ] as const) {
      const begun = await door.begin({ method, headers, body });
      const { status, headers: given } = await begun.opened();
      expect([status, given['allow']]).toEqual([405, allowed]);
      begun.hangUp();
    }
  });

  it.each(['GET', 'DELETE'])('H36 answers %s of a client of 2026-07-28 with 405', async (method) => {
    const door = await open(createEverything());
    const { 'mcp-session-id': id } = await openSession(door);
    const { status, headers } = await door.send({ method, headers: { ...list.headers, 'mcp-session-id': id } });
    expect([status, headers['allow']]).toEqual([405, 'POST']);
    expect(door.stats).toMatchObject({ sessions: 1, streams: 0 });
  });
});

it('H36 answers HEAD without a body', async () => {
  const door = await nodeDoor(createEverything());
  const raw = await Raw.open(door.port);
  raw.request({ method: 'HEAD' });
  raw.request({ body: rpc(1, 'ping') });
  expect((await raw.answer(true)).status).toBe(405);
  expect((await raw.answer()).json).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
});

it.each(['TRACE', 'CONNECT', 'FOO'])('H36 executes nothing for %s', async (method) => {
  const door = await nodeDoor(createEverything());
  const raw = await Raw.open(door.port);
  raw.request({ method, headers: list.headers ?? {}, body: list.body });
  await raw.head().then(
    ({ status }) => expect([400, 405]).toContain(status),
    () => undefined,
  );
  expect(door.stats.answers).not.toHaveProperty('200');
});

describe('the path', () => {
  const other = [
    '/mcp/',
    '//mcp',
    '/%6dcp',
    '/mcp/../mcp',
    '/./mcp',
    '/MCP',
    '/mcp;x=1',
    '/mcp%00',
    '/mcp%2f',
    '/',
    '*',
    '/x/mcp',
    '/mcp/x',
    '/mcp#x',
  ];

  it.each(other)('H44 is compared as it is written: %s is another, with a token or without', async (path) => {
    const door = await nodeDoor(createEverything(), { auth: bearer([token]) });
    for (const headers of [{}, authorized]) {
      const { status } = await door.send(at(path, headers));
      expect(status).toBe(404);
    }
  });

  it.each(['mcp', '\\mcp', '//localhost/mcp', 'ftp://localhost/mcp', 'http:/mcp', 'http://localhost//mcp', 'http://localhost/mcp#x'])(
    'H44 is never taken out of a target in another form: %s',
    async (path) => {
      const door = await nodeDoor(createEverything(), { auth: bearer([token]) });
      for (const headers of [{}, authorized]) expect([400, 404]).toContain((await door.send(at(path, headers))).status);
    },
  );

  it('may be part of a whole URL, whose host then counts and not that of the field', async () => {
    const door = await nodeDoor(createEverything(), { auth: bearer([token]) });
    const status = async (target: string, host: string): Promise<number> => (await door.send(at(target, { ...authorized, host }))).status;
    for (const own of ['http://localhost/mcp', 'HTTP://LOCALHOST/mcp', 'https://localhost:1/mcp', 'http://127.0.0.1/mcp?x=1']) {
      expect(await status(own, 'localhost'), own).toBe(200);
      expect(await status(own, 'evil.example'), own).toBe(200);
      expect((await door.send(at(own))).status, own).toBe(401);
    }
    for (const other of ['http://evil.example/mcp', 'http:///mcp', 'http://localhost@evil.example/mcp', 'http://localhost,evil/mcp'])
      expect([400, 403], other).toContain(await status(other, 'localhost'));
    expect(await status('http://localhost', 'localhost')).toBe(404);
  });

  it('H44 may have a query, which changes nothing', async () => {
    const door = await nodeDoor(createEverything(), { auth: bearer([token]) });
    for (const path of ['/mcp?', '/mcp?x=/mcp', '/mcp?a=1?b=2']) {
      expect((await door.send(at(path, authorized))).status).toBe(200);
      expect((await door.send(at(path))).status).toBe(401);
    }
  });

  it('H44 is what the option says', async () => {
    const door = await nodeDoor(createEverything(), { path: '/api/v1/mcp' });
    expect((await door.send(at('/api/v1/mcp'))).status).toBe(200);
    expect((await door.send(at('/mcp'))).status).toBe(404);
  });

  it.each(['mcp', '', '/a b', '/a?b', '/a#b', 'http://localhost/mcp'])('refuses to listen at %j', async (path) => {
    await expect(nodeDoor(createEverything(), { path })).rejects.toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
  });

  it('says where the endpoint is to who asks elsewhere', async () => {
    const door = await nodeDoor(createEverything());
    expect((await door.send(at('/'))).json.error).toEqual({ code: 404, message: expect.stringContaining('/mcp') });
  });

  it('is not asked about before the origin', async () => {
    const door = await nodeDoor(createEverything());
    expect((await door.send(at('/nowhere', { origin: 'http://evil.example' }))).status).toBe(403);
  });
});

describe('beside the endpoint', () => {
  it.each([
    ['/healthz', 'ok\n'],
    ['/readyz', 'ready\n'],
  ])('%s needs no token and says so in plain text', async (path, text) => {
    const door = await nodeDoor(createEverything(), { auth: bearer([token]) });
    const answer = await door.send({ method: 'GET', path, headers: { accept: undefined } });
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
    expect((await door.send({ path, body: '{}' })).status).toBe(405);
    expect((await door.send({ path, body: '{}' })).headers['allow']).toBe('GET, HEAD');
    expect((await door.send({ method: 'GET', path, headers: { host: 'evil.example' } })).status).toBe(403);
  });

  it('HEAD says how it is without saying it', async () => {
    const door = await nodeDoor(createEverything());
    const raw = await Raw.open(door.port);
    raw.request({ method: 'HEAD', path: '/healthz' });
    expect((await raw.answer(true)).status).toBe(200);
    raw.request({ method: 'GET', path: '/healthz' });
    expect((await raw.answer()).text).toBe('ok\n');
  });

  it('/metrics is there when asked for', async () => {
    const without = await nodeDoor(createEverything());
    expect((await without.send({ method: 'GET', path: '/metrics' })).status).toBe(404);
    const door = await nodeDoor(createEverything(), { metrics: true });
    await door.send({ body: initialize() });
    await door.send({ body: '{' });
    const { status, headers, text } = await door.send({ method: 'GET', path: '/metrics' });
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
    expect(text).toMatch(/^vivarium_http_sessions 1$/m);
    expect(text).toMatch(/^vivarium_http_answers_total\{status="400"\} 1$/m);
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:status="\d+"|limit="\w+")\})? \d+)$/);
  });

  it('/readyz says closing from the moment it closes, while calls still run', async () => {
    const server = createEverything();
    let release: (text: string) => void = () => undefined;
    server.tool('hold', {}, () => new Promise<string>((resolve) => (release = resolve)));
    const door = await nodeDoor(server, { drainMs: 20_000 });
    const headers = await openSession(door);
    const waiting = await Raw.open(door.port);
    waiting.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n');
    const late = await Raw.open(door.port);
    late.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n');
    const running = door.send({ headers, body: rpc(1, 'tools/call', { name: 'hold' }) });
    await eventually(() => door.stats.running).toBe(1);
    const closed = door.close();
    waiting.write('\r\n');
    const ready = await waiting.answer();
    expect([ready.status, ready.text, ready.headers['connection']]).toEqual([503, 'closing\n', 'close']);
    const ping = JSON.stringify(rpc(2, 'ping'));
    late.write(`Content-Length: ${ping.length}\r\n\r\n${ping}`);
    const refused = await late.answer();
    expect([refused.status, refused.headers['retry-after'], refused.headers['connection']]).toEqual([503, '1', 'close']);
    release('held');
    expect((await running).json.result.content[0].text).toBe('held');
    await closed;
  });

  it('is nothing else', async () => {
    const door = await nodeDoor(createEverything());
    for (const path of ['/sse', '/messages', '/health', '/healthz/', '/favicon.ico', '/.well-known/oauth-protected-resource']) {
      expect((await door.send({ method: 'GET', path })).status, path).toBe(404);
    }
  });
});
