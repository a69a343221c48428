// The end of a process that serves HTTP: what runs is answered, who listens is told, nobody else is let in.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpServing, serveHttp } from 'vivarium/serve/node';
import { memoryStore } from 'vivarium/store/memory';
import { createWatched, type Watched } from '../../fixtures/http-server.mjs';
import { ask, Client, eventually, type Message, type Reply, send } from '../../fixtures/http-wire.mjs';

const fixture = fileURLToPath(new URL('../../fixtures/http-drain.mjs', import.meta.url));
const children: ChildProcess[] = [];

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly lines: string[];
  readonly exit: Promise<readonly [code: number | null, signal: string | null]>;
}

async function start(options: object): Promise<Started> {
  const child = spawn(process.execPath, [fixture, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
  const first = once(reader, 'line');
  reader.on('line', (line) => void lines.push(line));
  const exit = once(child, 'close').then(([code, signal]) => [code, signal] as const);
  const [url] = (await first) as [string];
  return { child, url, lines, exit };
}

afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
});

const text = (message: Message | undefined): string => message?.result?.content[0].text;
const wait = { name: 'wait', arguments: { key: 'all', early: true } };

/** A hundred calls that run and fifty streams, half of each era. */
async function load({ url }: Started): Promise<{ calls: (Reply & { id: number | string })[]; gets: Reply[]; listens: Reply[] }> {
  const calls: (Reply & { id: number | string })[] = [];
  const gets: Reply[] = [];
  const listens: Reply[] = [];
  for (let at = 0; at < 25; at++) {
    const client = await Client.connect(url);
    gets.push(await client.listen());
    for (let i = 0; i < 2; i++) calls.push(await client.begin('wait', wait.arguments));
    for (let i = 0; i < 2; i++) {
      const more = { 'io.modelcontextprotocol/logLevel': 'info' };
      const id = `${at}-${i}`;
      calls.push(Object.assign(await ask(url, id, 'tools/call', wait, { more }), { id }));
    }
    const listen = await ask(url, `listen-${at}`, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    await listen.message('notifications/subscriptions/acknowledged');
    listens.push(listen);
  }
  await Promise.all(calls.map((call) => call.message('notifications/message')));
  return { calls, gets, listens };
}

function refused(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('connect', () => resolve(false));
    socket.on('error', () => resolve(true));
    socket.on('close', () => socket.destroy());
  });
}

async function expectStreamsToEnd(gets: readonly Reply[], listens: readonly Reply[]): Promise<void> {
  for (const get of gets) expect([await get.ended, get.messages]).toEqual(['whole', []]);
  for (const [at, listen] of listens.entries()) {
    const messages = await listen.all();
    expect([listen.over, messages.length]).toEqual(['whole', 2]);
    expect(messages.at(-1)).toMatchObject({ id: `listen-${at}`, result: expect.anything() });
  }
}

describe('SIGTERM with 100 running calls and 50 streams (H40)', () => {
  it('lets calls finish, each answered once, ends listeners with their result, and exits with 0', async () => {
    const started = await start({ drainMs: 20_000, openAfterMs: 300 });
    const { calls, gets, listens } = await load(started);
    started.child.kill('SIGTERM');
    await expectStreamsToEnd(gets, listens);
    // The streams have ended, the calls have not: nobody new is let in meanwhile.
    expect(await refused(started.url)).toBe(true);
    for (const call of calls) {
      const answers = (await call.all()).filter(({ method }) => method === undefined);
      expect([call.over, answers.length, answers[0]?.id, text(answers[0])]).toEqual(['whole', 1, call.id, 'waited all']);
    }
    expect(await started.exit).toEqual([0, null]);
    expect(started.lines.at(-1)).toBe('shut down');
  });

  it('aborts calls that outlive the grace, ends each cleanly, and exits with 0', async () => {
    const started = await start({ drainMs: 300 });
    const { calls, gets, listens } = await load(started);
    started.child.kill('SIGTERM');
    await expectStreamsToEnd(gets, listens);
    for (const call of calls) {
      const answers = (await call.all()).filter(({ method }) => method === undefined);
      expect(call.over).toBe('whole');
      // A call of a session was cancelled and has no answer; one of 2026-07-28 is told why.
      expect(answers.length).toBe(typeof call.id === 'number' ? 0 : 1);
      expect(answers.every(({ id, error }) => id === call.id && error !== undefined)).toBe(true);
    }
    expect(await started.exit).toEqual([0, null]);
  });

  it('ends at once when it is asked a second time', async () => {
    const started = await start({ drainMs: 600_000 });
    const { gets, listens } = await load(started);
    started.child.kill('SIGTERM');
    await expectStreamsToEnd(gets, listens);
    started.child.kill('SIGTERM');
    const [code, signal] = await started.exit;
    expect(code !== 0 || signal !== null).toBe(true);
    expect(started.lines).not.toContain('shut down');
  });
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends an idle server with 0, connections that are kept alive included',
  async (signal) => {
    const started = await start({});
    const idle = connect(Number(new URL(started.url).port), '127.0.0.1');
    await once(idle, 'connect');
    const { host } = new URL(started.url);
    idle.write(`GET /healthz HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    await once(idle, 'data');
    started.child.kill(signal);
    expect(await started.exit).toEqual([0, null]);
    idle.destroy();
  },
);

describe('close()', () => {
  let watched: Watched;
  let serving: HttpServing;

  beforeEach(async () => {
    watched = createWatched();
    serving = await serveHttp(watched.server, { port: 0, signals: false, drainMs: 20_000, sse: true });
  });

  it('answers on a connection that is still open with 503', async () => {
    const client = await Client.connect(serving.url);
    const running = await client.begin('wait', { key: 'a', early: true });
    const { port } = serving;
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    let said = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
    });
    const gone = once(socket, 'close');
    const ask503 = `GET /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\nmcp-session-id: ${client.session}\r\n`;
    // Half a request is no idle connection.
    socket.write(ask503);
    await eventually(() => watched.book.includes('begun a'));
    const closed = serving.close();
    socket.write('\r\n');
    await gone;
    expect(said).toMatch(/^HTTP\/1\.1 503 /);
    expect(said).toMatch(/\r\nretry-after: 1\r\n/i);
    watched.open('a');
    expect(text(await running.answer(running.id))).toBe('waited a');
    await closed;
    expect(serving.stats).toMatchObject({ running: 0, streams: 0 });
    await serving.closed;
  });

  it('lets calls over HTTP+SSE finish too', async () => {
    const stream = await send(new URL('/sse', serving.url).href, { method: 'GET' });
    const { data } = await stream.until(({ events }) => events[0]);
    const target = new URL(data as string, serving.url).href;
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    await send(target, { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } });
    await send(target, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    await send(target, { body: { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'wait', arguments: { key: 'a' } } } });
    await watched.noted('begun a');
    const closed = serving.close();
    watched.open('a');
    expect(text(await stream.answer(2))).toBe('waited a');
    expect(await stream.ended).toBe('whole');
    await closed;
  });

  it('ends streams that are resumed elsewhere, and nothing is lost between', async () => {
    const store = memoryStore();
    const [a, b] = await Promise.all(
      [createWatched(), createWatched()].map(async (one) => {
        const served = await serveHttp(one.server, { port: 0, signals: false, drainMs: 20_000, store });
        return { ...one, url: served.url, close: () => served.close() };
      }),
    );
    if (a === undefined || b === undefined) throw new Error('there are two');
    const client = await Client.connect(a.url);
    const stream = await client.listen();
    const { id } = await stream.until(({ events }) => events[0]);
    const call = client.start('tools/call', { name: 'wait', arguments: { key: 'a' } });
    await a.noted('begun a');
    const closed = a.close();
    expect(await stream.ended).toBe('whole');
    b.server.tool('new', {}, () => 'new');
    a.server.prompt('new', {}, () => 'new');
    await new Promise((resolve) => void setImmediate(resolve));
    const resumed = await client.listen(id, b.url);
    await resumed.message('notifications/tools/list_changed');
    await resumed.message('notifications/prompts/list_changed');
    a.open('a');
    expect(text(await (await call).answer(client.next - 1))).toBe('waited a');
    await Promise.all([closed, b.close(), serving.close()]);
  });

  it('may be called twice, and closes once', async () => {
    await Promise.all([serving.close(), serving.close()]);
    await serving[Symbol.asyncDispose]();
    await serving.closed;
    await expect(send(serving.url, { method: 'GET' })).rejects.toThrow(/ECONNREFUSED/);
  });
});
