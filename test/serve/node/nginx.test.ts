// Behind nginx as it comes, buffering included: events arrive at once, silence does not end a stream, and hanging up is heard.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HttpServing, serveHttp } from 'vivarium/serve/node';
import { notRun } from '../../../scripts/prepare.mjs';
import { createWatched, type Watched } from '../../fixtures/http-server.mjs';
import { ask, Client, eventually, type Message, send } from '../../fixtures/http-wire.mjs';

/** nginx gives up on a server that says nothing for so long. */
const readTimeoutMs = 2_000;

/** As nginx speaks it to servers unless told otherwise, and as it may be told to. */
const versions = ['1.0', '1.1'];

describe.skipIf(notRun('nginx')).each(versions)('behind nginx, by HTTP/%s', (version) => {
  let folder: string;
  let nginx: ChildProcess;
  let watched: Watched;
  let serving: HttpServing;
  let url: string;
  /** Where nginx finds the server: the same for all tests. */
  let port: number;
  let complaints = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'nginx-'));
    port = await freePort();
    const front = await freePort();
    url = `http://127.0.0.1:${front}/mcp`;
    writeFileSync(join(folder, 'nginx.conf'), configuration(front, port, version));
    nginx = spawn('nginx', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    nginx.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    const failed = once(nginx, 'exit').then(([code]) => Promise.reject(new Error(`nginx ended with ${code}: ${complaints}`)));
    const ready = eventually(() =>
      send(url, { method: 'GET' }).then(
        () => true,
        () => false,
      ),
    );
    await Promise.race([ready, failed]);
    failed.catch(() => undefined);
  });

  afterAll(async () => {
    if (nginx?.exitCode === null) {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
    }
    rmSync(folder, { recursive: true });
  });

  beforeEach(async () => {
    watched = createWatched();
    serving = await serveHttp(watched.server, { port, signals: false, drainMs: 0, keepAliveMs: 300, sse: true });
  });

  afterEach(() => serving.close());

  const text = (message: Message): string => message.result?.content[0].text;

  it('every event arrives as it is sent, on every kind of stream', async () => {
    const client = await Client.connect(url);
    const get = await client.listen();
    await get.until(({ events }) => events[0]);
    const listen = await ask(url, 'sub', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    await listen.message('notifications/subscriptions/acknowledged');
    const sse = await send(new URL('/sse', url).href, { method: 'GET' });
    await sse.until(({ events }) => events[0]);
    watched.server.tool('new', {}, () => 'new');
    await get.message('notifications/tools/list_changed');
    await listen.message('notifications/tools/list_changed');
    const call = await client.begin('wait', { key: 'a', early: true });
    // The call still runs: a proxy that gathers its answer would have nothing to show yet.
    await call.message('notifications/message');
    watched.open('a');
    expect(text(await call.answer(call.id))).toBe('waited a');
    // The proxy keeps to itself what was meant for it.
    for (const reply of [get, listen, call]) expect(reply.headers).not.toHaveProperty('x-accel-buffering');
  });

  it('streams and calls outlive its patience by far (H39)', async () => {
    const client = await Client.connect(url);
    const get = await client.listen();
    const listen = await ask(url, 'sub', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    const old = client.start('tools/call', { name: 'wait', arguments: { key: 'a' } });
    const modern = ask(url, 'slow', 'tools/call', { name: 'wait', arguments: { key: 'a' } });
    const comments = Math.ceil((readTimeoutMs * 2) / 300);
    const streams = [get, listen, await old, await modern];
    await Promise.all(streams.map((reply) => reply.until((one) => (one.comments >= comments ? true : undefined))));
    expect(streams.map(({ over }) => over)).toEqual([undefined, undefined, undefined, undefined]);
    watched.open('a');
    expect(text(await (await old).answer(client.next - 1))).toBe('waited a');
    expect(text(await (await modern).answer('slow'))).toBe('waited a');
    watched.server.tool('new', {}, () => 'new');
    await get.message('notifications/tools/list_changed');
    await listen.message('notifications/tools/list_changed');
  });

  it('a server that says nothing is given up by it: so the test above means something', async () => {
    await serving.close();
    serving = await serveHttp(watched.server, { port, signals: false, drainMs: 0, keepAliveMs: 600_000 });
    const reply = await ask(url, 'slow', 'tools/call', { name: 'wait', arguments: { key: 'a' } });
    expect(reply.status).toBe(504);
    await watched.noted('aborted a');
  });

  it('a client that hangs up cancels its call of 2026-07-28, and none of before (H37)', async () => {
    const client = await Client.connect(url);
    const old = await client.begin('wait', { key: 'old', early: true });
    await old.message('notifications/message');
    const more = { 'io.modelcontextprotocol/logLevel': 'info' };
    const modern = await ask(url, 1, 'tools/call', { name: 'wait', arguments: { key: 'new', early: true } }, { more });
    await modern.message('notifications/message');
    const last = old.events.at(-1)?.id;
    old.close();
    modern.close();
    await watched.noted('aborted new');
    await eventually(() => serving.stats.streams === 0);
    watched.open('old');
    await watched.noted('done old');
    expect(watched.book).not.toContain('aborted old');
    const resumed = await client.listen(last);
    expect(text(await resumed.answer(old.id))).toBe('waited old');
  });

  it('a client that hangs up before its call said anything cancels it too', async () => {
    let hangUp = (): unknown => undefined;
    const onRequest = (outgoing: { destroy(): unknown }): void => {
      hangUp = () => outgoing.destroy();
    };
    const call = ask(url, 1, 'tools/call', { name: 'wait', arguments: { key: 'a' } }, { onRequest }).catch(() => undefined);
    await watched.noted('begun a');
    hangUp();
    await watched.noted('aborted a');
    await call;
  });

  it('HTTP+SSE works through it', async () => {
    const stream = await send(new URL('/sse', url).href, { method: 'GET' });
    const { data } = await stream.until(({ events }) => events[0]);
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const sent = await send(new URL(data as string, url).href, { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } });
    expect(sent.status).toBe(202);
    expect((await stream.answer(1)).result.protocolVersion).toBe('2024-11-05');
  });
});

function configuration(front: number, behind: number, version: string): string {
  return `
pid nginx.pid;
error_log stderr error;
worker_processes 1;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${front};
    location / {
      proxy_pass http://127.0.0.1:${behind};
      proxy_http_version ${version};
      ${version === '1.1' ? 'proxy_set_header Connection "";' : ''}
      proxy_read_timeout ${readTimeoutMs}ms;
    }
  }
}
`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => void server.close(resolve));
  return port;
}
