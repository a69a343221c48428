// Who may knock: names of this server, web pages, and what a browser is told.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { createFetchHandler } from 'vivarium/serve/fetch';
import { createNodeHandler, type HttpRules, serveHttp } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
import { type Answer, type Doorway, doors, initialize, modern, nodeDoor, openSession, Raw, type Sent } from './http.ts';

const token = 'token-of-alice-0123456789';

function counting(): { readonly server: Server; readonly calls: () => number } {
  let calls = 0;
  const server = new Server({ name: 'gated', version: '1.0.0' });
  server.tool('count', {}, () => `${++calls}`);
  return { server, calls: () => calls };
}

const post = modern('tools/call', { name: 'count' });
const to = (headers: Sent['headers']): Sent => ({ ...post, headers: { ...post.headers, ...headers } });

async function statusOf(door: Doorway, rules: HttpRules, headers: Sent['headers']): Promise<number> {
  const { send } = await door(counting().server, rules);
  return (await send(to(headers))).status;
}

describe.each(doors)('%s', (_, open) => {
  it.each([
    ['H01 refuses the origin of a foreign page', 'http://evil.example'],
    ['H02 refuses the origin null', 'null'],
    ['refuses an origin that only begins like ours', 'http://localhost.evil.example'],
    ['refuses an origin with our name as its user', 'http://localhost@evil.example'],
    ['refuses an origin that is empty', ''],
    ['refuses two origins in one', 'http://localhost, http://evil.example'],
    ['refuses an origin of another kind', 'file://localhost'],
    ['refuses the origin of an extension', 'chrome-extension://localhost'],
  ])('%s by every method, and nothing is executed', async (_name, origin) => {
    const { server, calls } = counting();
    const door = await open(server, { sse: true });
    const session = await openSession(door);
    const answers: Answer[] = [
      await door.send(to({ origin })),
      await door.send({
        headers: { ...session, origin },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count' } },
      }),
      await door.send({ headers: { origin }, body: initialize() }),
      await door.send({ method: 'GET', headers: { ...session, origin } }),
      await door.send({ method: 'DELETE', headers: { ...session, origin } }),
      await door.send({ method: 'OPTIONS', headers: { origin } }),
      await door.send({ method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }),
      await door.send({ method: 'GET', path: '/sse', headers: { origin } }),
      await door.send({ path: '/messages?sessionId=x', headers: { origin }, body: initialize() }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(403));
    expect(answers.filter(({ headers }) => 'access-control-allow-origin' in headers)).toEqual([]);
    expect(calls()).toBe(0);
    expect((await door.send({ headers: session, body: { jsonrpc: '2.0', id: 2, method: 'ping' } })).status).toBe(200);
    expect(door.stats.sessionsOpened).toBe(1);
  });

  it('answers a refused page with an error that names what to allow, without control characters', async () => {
    const { send } = await open(counting().server);
    const { json, headers } = await send(to({ origin: 'http://evil.example' }));
    expect(headers['content-type']).toBe('application/json');
    expect(json).toEqual({ jsonrpc: '2.0', id: null, error: { code: 403, message: expect.stringContaining('"http://evil.example"') } });
  });

  it.each([
    ['H03 refuses a foreign name', 'evil.example', 403],
    ['H03 refuses a foreign name with our port', 'evil.example:3000', 403],
    ['refuses a name that ends like ours', 'x.localhost', 403],
    ['refuses a name with a dot behind it', 'localhost.', 403],
    ['refuses another address of this machine', '127.0.0.2', 403],
    ['refuses the address of everywhere', '0.0.0.0', 403],
    ['lets localhost in', 'localhost', 200],
    ['lets it in with any port', 'localhost:1', 200],
    ['lets it in in capitals', 'LOCALHOST:3000', 200],
    ['lets the address in', '127.0.0.1:3000', 200],
    ['lets IPv6 in', '[::1]', 200],
    ['lets IPv6 in with a port', '[::1]:3000', 200],
  ])('%s', async (_name, host, status) => {
    expect(await statusOf(open, {}, { host })).toBe(status);
  });

  it.each<[string, readonly string[], string, number]>([
    ['lets in the name it was given', ['api.example'], 'api.example', 200],
    ['ignores the case of both', ['API.example'], 'api.EXAMPLE:443', 200],
    ['then refuses loopback', ['api.example'], 'localhost', 403],
    ['holds on to a port it was given', ['api.example:8443'], 'api.example:8443', 200],
    ['holds on to a port against another', ['api.example:8443'], 'api.example:8444', 403],
    ['holds on to a port against none', ['api.example:8443'], 'api.example', 403],
    ['lets any name in for a star', ['*'], 'whatever.example:99', 200],
    ['lets an IPv6 address in', ['[2001:db8::1]'], '[2001:db8::1]:8080', 200],
  ])('with allowedHosts %s', async (_name, allowedHosts, host, status) => {
    expect(await statusOf(open, { allowedHosts }, { host })).toBe(status);
  });

  it.each<[string, HttpRules, string, number]>([
    ['lets a page of loopback in', {}, 'http://localhost:6274', 200],
    ['lets a page of loopback in over https', {}, 'https://127.0.0.1', 200],
    ['lets a page of loopback in over IPv6', {}, 'http://[::1]:3000', 200],
    ['lets a page in that it was told of', { allowedOrigins: ['https://app.example'] }, 'https://app.example', 200],
    ['ignores the case of an origin', { allowedOrigins: ['https://App.example/'] }, 'https://APP.example', 200],
    ['drops a default port', { allowedOrigins: ['https://app.example:443'] }, 'https://app.example', 200],
    ['tells schemes apart', { allowedOrigins: ['https://app.example'] }, 'http://app.example', 403],
    ['tells ports apart', { allowedOrigins: ['https://app.example'] }, 'https://app.example:8443', 403],
    ['then refuses other pages of loopback', { allowedOrigins: ['https://app.example'] }, 'http://localhost:6274', 403],
    ['then lets a page of this very server in', { allowedOrigins: ['https://app.example'] }, 'http://localhost', 200],
    ['lets any page in for a star', { allowedOrigins: ['*'] }, 'https://any.example', 200],
    ['lets in what has CORS', { cors: ['https://app.example'] }, 'https://app.example', 200],
    ['lets no page in under any name', { allowedHosts: ['*'] }, 'http://localhost', 403],
    ['lets no page of loopback in elsewhere', { allowedHosts: ['localhost', 'api.example'] }, 'http://127.0.0.1:6274', 403],
  ])('%s', async (_name, rules, origin, status) => {
    expect(await statusOf(open, rules, { origin })).toBe(status);
  });

  it.each([
    ['allowedOrigins', 'app.example'],
    ['allowedOrigins', 'https://app.example/path'],
    ['cors', 'null'],
    ['cors', 'https://*.example'],
    ['allowedHosts', '*.example'],
    ['allowedHosts', 'https://api.example'],
    ['allowedHosts', 'api.example/mcp'],
    ['allowedHosts', ''],
  ])('refuses to start with %s of %s', async (option, value) => {
    await expect(open(counting().server, { [option]: [value] })).rejects.toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
  });
});

describe.each(doors)('CORS by %s', (_, open) => {
  const cors = ['https://app.example', 'https://other.example'];
  const preflight = (origin: string, headers: Sent['headers'] = {}): Sent => ({
    method: 'OPTIONS',
    headers: { accept: undefined, origin, 'access-control-request-method': 'POST', ...headers },
  });

  it('answers the preflight of a listed page', async () => {
    const { send } = await open(counting().server, { cors });
    const asked = 'content-type,mcp-protocol-version, mcp-method, mcp-name, mcp-param-region, authorization, last-event-id';
    const { status, headers, text } = await send(preflight('https://app.example', { 'access-control-request-headers': asked }));
    expect([status, text]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-methods': 'GET, POST, DELETE',
      vary: 'origin',
    });
    expect(headers['access-control-allow-headers']?.split(/, */)).toEqual(asked.split(/, */));
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('allows only headers that MCP has', async () => {
    const { send } = await open(counting().server, { cors });
    const { headers } = await send(preflight('https://app.example', { 'access-control-request-headers': 'cookie, x-evil, Content-Type' }));
    expect(headers['access-control-allow-headers']).toBe('Content-Type');
  });

  it('H43 tells an unlisted page nothing', async () => {
    const { send } = await open(counting().server, { cors });
    const { status, headers } = await send(preflight('https://evil.example'));
    expect(status).toBe(403);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('H43 tells any page a star, and never lets it bring credentials', async () => {
    const { send } = await open(counting().server, { cors: ['*'] });
    for (const sent of [preflight('https://any.example'), to({ origin: 'https://any.example' })]) {
      const { status, headers } = await send(sent);
      expect(status).toBeLessThan(300);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('needs no token for a preflight, and shows the challenge to the page', async () => {
    const { send } = await open(counting().server, { cors, auth: bearer([token]) });
    expect((await send(preflight('https://app.example'))).status).toBe(204);
    const { status, headers } = await send(to({ origin: 'https://app.example' }));
    expect(status).toBe(401);
    expect(headers['access-control-allow-origin']).toBe('https://app.example');
    expect(headers['access-control-expose-headers']?.split(', ')).toEqual(expect.arrayContaining(['www-authenticate', 'mcp-session-id']));
  });

  it('shows a listed page its session and every error', async () => {
    const door = await open(counting().server, { cors });
    const origin = 'https://other.example';
    const answers = [
      await door.send({ headers: { origin }, body: initialize() }),
      await door.send({ headers: { origin }, body: '{' }),
      await door.send({ headers: { origin, accept: 'text/html' }, body: initialize() }),
      await door.send({ method: 'PUT', headers: { origin }, body: '{}' }),
      await door.send({ headers: { origin, 'mcp-session-id': 'unknown' }, body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 406, 405, 404]);
    for (const { headers } of answers) {
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers['access-control-expose-headers']).toContain('mcp-session-id');
    }
  });

  it('shows a listed page its streams', async () => {
    const door = await open(counting().server, { cors });
    const session = await openSession(door);
    const stream = await door.open({ method: 'GET', headers: { ...session, origin: 'https://app.example' } });
    expect(stream.headers).toMatchObject({ 'access-control-allow-origin': 'https://app.example', vary: 'origin' });
    stream.hangUp();
  });

  it('tells caches that the origin matters, even when there is none', async () => {
    const { send } = await open(counting().server, { cors });
    const { headers } = await send(post);
    expect(headers['vary']).toBe('origin');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('says nothing of CORS when there is none', async () => {
    const { send } = await open(counting().server);
    const { headers } = await send(to({ origin: 'http://localhost' }));
    expect(Object.keys(headers).filter((name) => /^(?:vary|access-control)/.test(name))).toEqual([]);
  });

  it('answers OPTIONS that is no preflight with 405', async () => {
    const { send } = await open(counting().server, { cors });
    const { status, headers } = await send({ method: 'OPTIONS', headers: { origin: 'https://app.example' } });
    expect([status, headers['allow']]).toEqual([405, 'POST, GET, DELETE']);
  });
});

describe('listening', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'api.example'])('H05 refuses %s without auth', async (host) => {
    const started = serveHttp(counting().server, { host, port: 0, signals: false, allowedHosts: ['api.example'] });
    await expect(started).rejects.toThrow(expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining('auth') }));
  });

  it('H05 listens on 127.0.0.1 unless told otherwise', async () => {
    await using http = await serveHttp(counting().server, { port: 0, signals: false });
    expect(http.url).toBe(`http://127.0.0.1:${http.port}/mcp`);
  });

  it('H05 listens everywhere when told that this is insecure, to the names it was given', async () => {
    const options = { host: '0.0.0.0', port: 0, signals: false, insecure: true } as const;
    await expect(serveHttp(counting().server, options)).rejects.toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
    const { send } = await nodeDoor(counting().server, { ...options, allowedHosts: ['api.example'] });
    expect((await send(to({ host: 'api.example' }))).status).toBe(200);
    expect((await send(to({ host: 'localhost' }))).status).toBe(403);
  });

  it('H05 listens everywhere with auth, under any name', async () => {
    const { send } = await nodeDoor(counting().server, { host: '0.0.0.0', auth: bearer([token]) });
    expect((await send(to({ host: 'any.example', authorization: `Bearer ${token}` }))).status).toBe(200);
    expect((await send(to({ host: 'any.example' }))).status).toBe(401);
    expect((await send(to({ host: 'any.example', origin: 'http://any.example', authorization: `Bearer ${token}` }))).status).toBe(403);
  });

  it('answers at the URL it names, on any address of loopback', async () => {
    await using http = await serveHttp(counting().server, { host: '127.0.0.2', port: 0, signals: false });
    const raw = await Raw.open(http.port, '127.0.0.2');
    raw.request(to({ host: new URL(http.url).host }));
    expect((await raw.answer()).status).toBe(200);
  });

  it('refuses options that nobody knows', async () => {
    const complaint = expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining('allowedOrigin') });
    const typo = { allowedHosts: ['localhost'], allowedOrigin: ['https://app.example'] };
    await expect(serveHttp(counting().server, { ...typo, port: 0, signals: false }).then((http) => http.close())).rejects.toThrow(
      complaint,
    );
    expect(() => createNodeHandler(counting().server, typo)).toThrow(complaint);
    expect(() => createFetchHandler(counting().server, typo)).toThrow(complaint);
  });

  it.each(['api.example', 'ftp://api.example', 'https://api.example/mcp?x', 'https://api.example/mcp#x', ''])(
    'refuses to start with publicUrl of %j',
    async (publicUrl) => {
      await expect(nodeDoor(counting().server, { publicUrl })).rejects.toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
    },
  );

  it('refuses a handler that was not told its names', () => {
    const complaint = expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining('allowedHosts') });
    expect(() => createNodeHandler(counting().server, {})).toThrow(complaint);
    expect(() => createFetchHandler(counting().server, {})).toThrow(complaint);
  });

  it.each([
    ['no Host', ''],
    ['an empty Host', 'Host: \r\n'],
    ['a Host with a path', 'Host: localhost/evil.example\r\n'],
    ['a Host with a user', 'Host: localhost@evil.example\r\n'],
    ['two names in one Host', 'Host: localhost, evil.example\r\n'],
    ['a Host that is a list of ports', 'Host: localhost:1:2\r\n'],
  ])('answers %s with 4xx, and nothing is executed', async (_name, host) => {
    const { server, calls } = counting();
    const door = await nodeDoor(server);
    const raw = await Raw.open(door.port);
    const headers = Object.entries(post.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
    const body = JSON.stringify(post.body);
    raw.write(
      `POST /mcp HTTP/1.1\r\n${host}${headers.join('')}Content-Type: application/json\r\nAccept: */*\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect([400, 403]).toContain((await raw.answer()).status);
    expect(calls()).toBe(0);
  });

  it('answers two Host headers with 400', async () => {
    const { server, calls } = counting();
    const door = await nodeDoor(server);
    const raw = await Raw.open(door.port);
    raw.request({ ...post, headers: { ...post.headers, Host: 'evil.example' } });
    expect((await raw.answer()).status).toBe(400);
    expect(calls()).toBe(0);
  });
});
