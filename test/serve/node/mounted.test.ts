// The handlers inside of somebody else's server: bodies that were read before, paths that were cut, and fetch by itself.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bearer } from 'vivarium/auth';
import { createFetchHandler } from 'vivarium/serve/fetch';
import { createNodeHandler, type HttpRules, type NodeHandler, toPrometheus } from 'vivarium/serve/node';
import type { Server } from 'vivarium/server';
import { createEverything } from '../../fixtures/everything.mjs';
import { type Answer, call, eventually, initialize, modern, openSession, Raw, rpc, type Sent } from '../http.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

interface Mounted {
  readonly handler: NodeHandler;
  readonly port: number;
  send(sent: Sent): Promise<Answer>;
}

/** `around` is what the server does before it hands the request over. */
async function mount(
  around: (handler: NodeHandler) => Listener,
  rules: HttpRules = {},
  server: Server = createEverything(),
): Promise<Mounted> {
  const handler = createNodeHandler(server, { allowedHosts: ['localhost'], drainMs: 0, ...rules });
  const http = createServer(around(handler));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await handler.close();
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return {
    handler,
    port,
    async send(sent) {
      const raw = await Raw.open(port);
      raw.request(sent);
      const answer = await raw.answer();
      raw.hangUp();
      return answer;
    },
  };
}

/** As express.json() and its kind do it. */
function parsing(parse: (text: string) => unknown): (handler: NodeHandler) => Listener {
  return (handler) => (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      // Later than the end, as after any middleware that waits.
      setImmediate(() => handler(Object.assign(request, { body: parse(text) }), response));
    });
  };
}

/** As the routers of Express do it. */
function routed(prefix: string): (handler: NodeHandler) => Listener {
  return (handler) => (request, response) => {
    const { url = '' } = request;
    handler(Object.assign(request, { originalUrl: url, url: url.startsWith(prefix) ? url.slice(prefix.length) : url }), response);
  };
}

const echo = modern('tools/call', { name: 'echo', arguments: { text: 'ü' } });

describe('createNodeHandler', () => {
  it.each<[string, (text: string) => unknown]>([
    ['as a value', (text) => JSON.parse(text)],
    ['as text', (text) => text],
    ['as bytes', (text) => Buffer.from(text)],
    ['as an array of bytes', (text) => new TextEncoder().encode(text)],
  ])('takes a body that was read before, %s', async (_, parse) => {
    const { send } = await mount(parsing(parse));
    expect((await send(echo)).json.result.content[0].text).toBe('ü');
    const headers = await openSession({ send }, '2025-03-26');
    expect((await send({ headers, body: [rpc(1, 'ping'), rpc(2, 'ping')] })).json).toHaveLength(2);
  });

  it.each<[string, unknown, number]>([
    ['null', null, -32600],
    ['a number', 42, -32600],
    ['an empty object, which is what some parsers make of nothing', {}, -32600],
    ['text that is no JSON', '{', -32700],
    ['bytes that are no UTF-8', Uint8Array.of(0xff), -32700],
    ['a value that is too deep', JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`), -32600],
  ])('refuses %s that was read before', async (_, value, code) => {
    const { send } = await mount(parsing(() => value));
    const answer = await send({ body: rpc(1, 'ping') });
    expect([answer.status, answer.json.id, answer.code]).toEqual([400, null, code]);
  });

  it('refuses text that was read before and is too large', async () => {
    const { send } = await mount(
      parsing((text) => text),
      { maxBodyBytes: 100 },
    );
    expect((await send({ body: rpc(1, 'x'.repeat(200)) })).status).toBe(413);
  });

  it('answers with 500 when the body was read before and left nowhere', async () => {
    const { send } = await mount(parsing(() => undefined));
    const answer = await send(echo);
    expect([answer.status, answer.code]).toEqual([500, -32603]);
  });

  it('survives a body that was read before into what JSON does not have', async () => {
    const cycle: Record<string, unknown> = { ...rpc(1, 'ping') };
    cycle['params'] = cycle;
    const toJSON = (): never => {
      throw new Error('no');
    };
    for (const value of [
      { ...call(1, 'any', { payload: 10n }) },
      cycle,
      { ...rpc(1, 'ping'), toJSON },
      Object.create(null),
      new Map(),
      () => 1,
      Symbol('x'),
    ]) {
      const { send } = await mount(
        parsing(() => value),
        { lenient: true },
      );
      const { status } = await send({ body: '{}' });
      expect([200, 400, 404, 500]).toContain(status);
      expect((await send({ method: 'PUT', body: '{}' })).status).toBe(405);
    }
  });

  it('still looks at the type of a body that was read before', async () => {
    const { send } = await mount(parsing((text) => JSON.parse(text)));
    expect((await send({ ...echo, headers: { ...echo.headers, 'content-type': 'text/plain' } })).status).toBe(415);
  });

  it('works below a router that cuts its own part off the URL', async () => {
    const { send } = await mount(routed('/api'));
    expect((await send({ ...echo, path: '/api/mcp?x=1' })).json.result.content[0].text).toBe('ü');
  });

  it('names the whole path in its challenge, and finds the metadata by it', async () => {
    const auth = bearer(['token-of-alice-0123456789'], { authorizationServers: ['https://as.example'] });
    const { send } = await mount(routed('/api'), { auth });
    const { headers } = await send({ ...echo, path: '/api/mcp' });
    expect(headers['www-authenticate']).toContain('"http://localhost/.well-known/oauth-protected-resource/api/mcp"');
    const { json } = await send({ method: 'GET', path: '/.well-known/oauth-protected-resource/api/mcp' });
    expect(json.resource).toBe('http://localhost/api/mcp');
  });

  it('serves nothing beside the endpoint', async () => {
    const { send } = await mount((handler) => handler, { sessions: false });
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await send({ method: 'GET', path })).status).toBe(405);
  });

  it('leads to HTTP+SSE wherever it is mounted', async () => {
    const { port, send } = await mount((handler) => handler, { sse: true });
    const raw = await Raw.open(port);
    raw.request({ method: 'GET', path: '/deep/sse' });
    const stream = await raw.opened();
    const endpoint = await stream.next();
    expect(endpoint).toMatchObject({ event: 'endpoint', data: expect.stringMatching(/^\/deep\/messages\?sessionId=/) });
    expect((await send({ path: endpoint?.data ?? '', body: initialize('2024-11-05') })).status).toBe(202);
    expect((await stream.message()).result.protocolVersion).toBe('2024-11-05');
  });

  it('counts, and ends everything when it is closed', async () => {
    const { handler, port, send } = await mount((handler) => handler);
    const headers = await openSession({ send });
    const raw = await Raw.open(port);
    raw.request({ method: 'GET', headers });
    const stream = await raw.opened();
    const running = send({ headers, body: call(1, 'deaf') });
    await eventually(() => handler.stats).toMatchObject({ running: 1, streams: 1, sessions: 1 });
    expect(toPrometheus(handler.stats)).toContain('vivarium_http_calls_running 1\n');
    await handler.close();
    while ((await stream.next()) !== undefined);
    expect((await running).status).toBe(200);
    expect(handler.stats).toMatchObject({ running: 0, streams: 0 });
    const late = await send(echo);
    expect([late.status, late.headers['retry-after']]).toEqual([503, '1']);
    await handler.close();
  });
});

describe('createFetchHandler', () => {
  const request = (sent: Sent, init: object = {}): Request =>
    new Request('http://localhost/any/path', {
      method: 'POST',
      headers: { accept: '*/*', 'content-type': 'application/json', ...(sent.headers as Record<string, string>) },
      body: JSON.stringify(sent.body),
      ...init,
    });

  it('serves at whatever path it is called, with the host of the URL', async () => {
    const handler = createFetchHandler(createEverything(), { allowedHosts: ['localhost'] });
    const response = await handler(request(echo));
    expect([response.status, (await response.json()) as object]).toMatchObject([200, { result: { content: [{ text: 'ü' }] } }]);
    const foreign = new Request('http://evil.example/mcp', { method: 'POST', body: '{}' });
    expect((await handler(foreign)).status).toBe(403);
    await handler.close();
  });

  it('reads a body that is a stream, and gives up one that is too large', async () => {
    const handler = createFetchHandler(createEverything(), { allowedHosts: ['localhost'], maxBodyBytes: 10_000 });
    const pieces = [...Buffer.from(JSON.stringify(echo.body))].map((byte) => Uint8Array.of(byte));
    const stream = (chunks: Iterable<Uint8Array>): ReadableStream => ReadableStream.from(chunks);
    expect((await handler(request(echo, { body: stream(pieces), duplex: 'half' }))).status).toBe(200);
    let pulled = 0;
    function* endless(): Iterable<Uint8Array> {
      for (;;) {
        pulled++;
        yield new Uint8Array(1_000);
      }
    }
    expect((await handler(request(echo, { body: stream(endless()), duplex: 'half' }))).status).toBe(413);
    expect(pulled).toBeLessThan(20);
    await handler.close();
  });

  it('settles for a body that fails, and goes on', async () => {
    const handler = createFetchHandler(createEverything(), { allowedHosts: ['localhost'] });
    const failing = new ReadableStream({
      pull: (controller) => controller.error(new Error('reset')),
    });
    const response = await handler(request(echo, { body: failing, duplex: 'half' }));
    expect(response.status).toBe(400);
    expect((await handler(request(echo))).status).toBe(200);
    await handler.close();
  });

  it.each([
    ['2026-07-28', modern('tools/call', { name: 'deaf' })],
    ['2025-03-26', { body: call(1, 'deaf') }],
  ])('settles for a client of %s that has gone before it was answered', async (_, sent) => {
    const handler = createFetchHandler(createEverything(), { allowedHosts: ['localhost'], sessions: false, drainMs: 0 });
    const abort = new AbortController();
    const answered = handler(request(sent, { signal: abort.signal }));
    await eventually(() => handler.stats.running).toBe(1);
    abort.abort();
    await handler.close();
    await Promise.allSettled([answered]);
    expect(handler.stats.running).toBe(0);
  });

  it('answers with 500 when the body was used up', async () => {
    const handler = createFetchHandler(createEverything(), { allowedHosts: ['localhost'] });
    const used = request(echo);
    await used.text();
    expect((await handler(used)).status).toBe(500);
    await handler.close();
  });
});
