// Listening to servers that make it hard: those without a stream, those that end it at once, and those that never say yes.
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Channel, type Client, connect } from '../../../src/client/index.ts';
import { beLegacy, beModern } from '../../fixtures/rude-manners.mjs';
import { connect as connectTo, sse } from '../doors.ts';
import { restartable } from '../restarts.ts';
import { failureOf, type Line, type Manner, type Reply, type RudeChannel, rudeHttp, rudePipe, until } from '../rude.ts';

async function opened(connecting: Promise<Client>): Promise<Client> {
  const client = await connecting;
  onTestFinished(() => client.close());
  return client;
}

const text = (of: string) => [{ type: 'text', text: of }];

/** How long was waited for what, so far as somebody set a timer for it. */
function delays(): () => (number | undefined)[] {
  const timer = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timer.mockRestore());
  return () => timer.mock.calls.map(([, ms]) => ms);
}

/** With sessions, and a GET for the test. */
const inSessions =
  (get: (response: ServerResponse) => void): Reply =>
  (message, response, request) => {
    if (message?.method === 'initialize') response.setHeader('mcp-session-id', `s${Math.random()}`);
    if (request.method !== 'GET') return false;
    get(response);
    return true;
  };

it('A server with sessions that knows no GET is called all the same, in one session', async () => {
  const { url, heard } = await rudeHttp(
    beLegacy,
    inSessions((response) => response.writeHead(404).end('Cannot GET')),
  );
  const client = await opened(connectTo(url));
  const odd: unknown[] = [];
  for (const name of ['closed', 'reconnected', 'warning'] as const) client.on(name, (event) => odd.push(event));
  client.on('listChanged', () => undefined);
  for (let n = 0; n < 3; n++) {
    expect((await client.callTool('echo', { n })).content).toEqual(text(`{"n":${n}}`));
    expect(await client.listTools()).toHaveLength(2);
  }
  expect(odd).toEqual([]);
  expect(heard.filter(({ message }) => message.method === 'initialize')).toHaveLength(1);
});

describe('a client that only listens begins anew ever more slowly', () => {
  it('where a session is forgotten as soon as it is made', async () => {
    const waited = delays();
    let gets = 0;
    // A stream, and when that ends nobody knows the session: so each time.
    const { url, heard } = await rudeHttp(
      beLegacy,
      inSessions((response) => {
        if (gets++ % 2 === 1) response.writeHead(404).end();
        else response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\nid: 1\ndata: \n\n');
      }),
    );
    const client = await opened(connectTo(url));
    client.on('listChanged', () => undefined);
    await vi.waitFor(() => expect(heard.filter(({ message }) => message.method === 'initialize').length).toBeGreaterThanOrEqual(6), {
      timeout: 60_000,
    });
    expect(waited()).toEqual(expect.arrayContaining([200, 400, 800]));
  });

  it('where the stream of HTTP+SSE ends right after the handshake', async () => {
    const waited = delays();
    let stream: ServerResponse | undefined;
    let listens = false;
    const { url, heard } = await rudeHttp('legacy', (message, response, request) => {
      if (request.method === 'GET') {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
        stream.write('event: endpoint\ndata: /mcp\n\n');
        return true;
      }
      response.writeHead(202).end();
      if (message.method === 'notifications/initialized' && listens) stream?.end();
      const answer = (result: unknown): void =>
        void stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n\n`);
      if (message.method === 'initialize')
        answer({ protocolVersion: '2024-11-05', capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'x', version: '1' } });
      return true;
    });
    const client = await opened(connect(sse(url), { revision: '2024-11-05' }));
    client.on('listChanged', () => undefined);
    listens = true;
    stream?.end();
    await vi.waitFor(() => expect(heard.filter(({ message }) => message.method === 'initialize').length).toBeGreaterThanOrEqual(6), {
      timeout: 60_000,
    });
    expect(waited()).toEqual(expect.arrayContaining([100, 200, 400, 800]));
  });
});

it('A client that only listens does so again when the server is back, however long that took', async () => {
  const notes = await restartable(['2024-11-05'], { sse: true });
  const client = await opened(connect(sse(notes.sseUrl)));
  const warnings: string[] = [];
  client.on('warning', ({ code }) => warnings.push(code));
  let heard = 0;
  let back = 0;
  await client.subscribe('note:///a', () => heard++);
  client.on('reconnected', () => back++);
  await notes.stop();
  await vi.waitFor(() => expect(warnings).toContain('recovery'), { timeout: 60_000 });
  await notes.restart();
  await vi.waitFor(() => expect(back).toBe(1), { timeout: 60_000 });
  notes.server().resourceUpdated('note:///a');
  await until(() => heard === 1);
});

it('A client that only listens notices when the new connection ends before it is set up', async () => {
  const channels: RudeChannel[] = [];
  const open = async (): Promise<Channel> => {
    const second = channels.length === 1;
    const channel = rudePipe((message, line) => {
      beLegacy(message, line);
      if (second && message.method === 'initialize') queueMicrotask(() => channel.end({ wanted: false }));
    });
    channels.push(channel);
    const { kind: _, ...nameless } = channel;
    return nameless;
  };
  const client = await opened(connect({ target: 'mine', open }));
  client.on('listChanged', () => undefined);
  channels[0]?.end({ wanted: false });
  await vi.waitFor(() => expect(channels).toHaveLength(3), { timeout: 60_000 });
});

describe.each([
  ['a pipe', (manner: Manner, options: object) => connect(rudePipe(manner), options)],
  ['HTTP', async (manner: Manner, options: object) => connectTo((await rudeHttp(manner)).url, options)],
])('over %s a subscription that is not acknowledged', (_, open) => {
  it('is given up after idleMs, and the next one is not kept waiting', async () => {
    let mute = true;
    const manner: Manner = (message, line) => {
      if (message.method !== 'subscriptions/listen') return message.id === undefined ? undefined : beModern(message, line);
      if (!mute) acknowledge(message.id, line);
    };
    const client = await opened(open(manner, { timeouts: { idleMs: 2_000 } }));
    const both = ['note:///a', 'note:///b'].map((uri) => failureOf(client.subscribe(uri, () => undefined)));
    for (const error of await Promise.all(both)) {
      expect(error.code).toBe('ERR_TIMEOUT');
      expect(error.message).toContain('subscriptions/listen within 2000 ms (idleMs)');
    }
    mute = false;
    const subscription = await client.subscribe('note:///c', () => undefined);
    await subscription[Symbol.asyncDispose]();
  });
});

function acknowledge(id: unknown, line: Line): void {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  line.say({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications: {} } });
}

describe('a listening request that the server ends', () => {
  const ears = (): { manner: Manner; open: Line[]; lists: () => number } => {
    const open: Line[] = [];
    let lists = 0;
    const manner: Manner = (message, line) => {
      if (message.method === 'tools/list') {
        lists++;
        return line.answer({ resultType: 'complete', tools: [], ttlMs: 60_000, cacheScope: 'private' });
      }
      if (message.method !== 'subscriptions/listen') return message.id === undefined ? undefined : beModern(message, line);
      open.push(line);
      acknowledge(message.id, line);
    };
    return { manner, open, lists: () => lists };
  };

  it('leaves a gap in which anything may have changed: nothing is kept, and lists are told of as changed', async () => {
    const { manner, open, lists } = ears();
    const client = await opened(connect(rudePipe(manner)));
    const changed: string[] = [];
    client.on('listChanged', ({ of }) => changed.push(of));
    await until(() => open.length === 1);
    for (let time = 0; time < 2; time++) await client.listTools();
    expect([lists(), changed]).toEqual([1, []]);
    open[0]?.answer({ resultType: 'complete' });
    await until(() => changed.length > 0);
    expect(changed).toEqual(['tools']);
    await client.listTools();
    expect(lists()).toBe(2);
  });

  it('is made again after a second each time, where it was good for long', async () => {
    const { manner, open } = ears();
    const client = await opened(connect(rudePipe(manner)));
    await client.subscribe('note:///a', () => undefined);
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    for (let time = 1; time <= 6; time++) {
      await vi.advanceTimersByTimeAsync(60_000);
      open[time - 1]?.answer({ resultType: 'complete' });
      await vi.advanceTimersByTimeAsync(999);
      expect(open).toHaveLength(time);
      await vi.advanceTimersByTimeAsync(1);
      expect(open).toHaveLength(time + 1);
    }
  });
});
