// A server over HTTP that was started anew: the client notices, sets everything up again, and repeats only what may be repeated.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Client, ClientEvents, Warning } from '../../../src/client/index.ts';
import { beLegacy, beModern } from '../../fixtures/rude-manners.mjs';
import { connect, sse } from '../doors.ts';
import { restartable } from '../restarts.ts';
import { type Any, failureOf, type Manner, rudeHttp } from '../rude.ts';

interface Watched {
  readonly client: Client;
  readonly reconnected: ClientEvents['reconnected'][];
  readonly warnings: Warning[];
  readonly logs: unknown[];
  /** Settles when it has been set up again. */
  readonly back: Promise<unknown>;
}

async function watch(connecting: Promise<Client>): Promise<Watched> {
  const client = await connecting;
  onTestFinished(() => client.close());
  const reconnected: ClientEvents['reconnected'][] = [];
  const warnings: Warning[] = [];
  const logs: unknown[] = [];
  const back = new Promise((resolve) => client.on('reconnected', resolve));
  client.on('reconnected', (event) => reconnected.push(event));
  client.on('warning', (warning) => warnings.push(warning));
  client.on('log', ({ data }) => logs.push(data));
  return { client, reconnected, warnings, logs, back };
}

const text = (of: string) => [{ type: 'text', text: of }];

describe.each(['2025-03-26', '2025-06-18', '2025-11-25'] as const)('a server of %s that was restarted between calls', (revision) => {
  it('is called as if nothing had happened, and the client says that it was', async () => {
    const notes = await restartable([revision]);
    const { client, reconnected, warnings, back } = await watch(connect(notes.url));
    expect((await client.callTool('write')).content).toEqual(text('write 1'));
    await notes.restart();
    expect((await client.callTool('write')).content).toEqual(text('write 2'));
    await back;
    expect(reconnected).toEqual([{ cause: expect.stringMatching(/./), replayed: expect.any(Number), unknown: 0 }]);
    expect(warnings).toEqual([]);
    await notes.restart();
    expect(await client.listTools()).toHaveLength(4);
    expect(client.revision).toBe(revision);
  });

  it('is told the log level again', async () => {
    const notes = await restartable([revision]);
    const { client, logs, back } = await watch(connect(notes.url));
    await client.setLogLevel('error');
    await client.callTool('log');
    expect(logs).toEqual(['a fault']);
    await notes.restart();
    await client.ping();
    await back;
    await client.callTool('log');
    expect(logs).toEqual(['a fault', 'a fault']);
  });

  it('is subscribed to again', async () => {
    const notes = await restartable([revision]);
    const { client, back } = await watch(connect(notes.url));
    let heard = 0;
    let next: () => void = () => undefined;
    const news = (): Promise<void> =>
      new Promise((resolve) => {
        next = resolve;
      });
    await client.subscribe('note:///a', () => {
      heard++;
      next();
    });
    await Promise.all([news(), client.callTool('touch')]);
    await notes.restart();
    await client.ping();
    await back;
    await Promise.all([news(), client.callTool('touch')]);
    expect(heard).toBe(2);
  });
});

it('Tools are listed as changed after a restart', async () => {
  const notes = await restartable(['2025-06-18']);
  const { client, back } = await watch(connect(notes.url));
  const changed: string[] = [];
  client.on('listChanged', ({ of }) => changed.push(of));
  await notes.restart();
  await client.ping();
  await back;
  expect(changed).toContain('tools');
});

it('A server that speaks another era after its restart is found again', async () => {
  const notes = await restartable(['2025-06-18']);
  const { client } = await watch(connect(notes.url));
  await notes.restart(['2026-07-28']);
  expect((await client.callTool('read')).content).toEqual(text('read 1'));
  expect(client.era).toBe('modern');
  await notes.restart(['2025-11-25']);
  expect((await client.callTool('read')).content).toEqual(text('read 2'));
  expect(client.revision).toBe('2025-11-25');
});

it('A modern server that was restarted between calls is called as if nothing had happened', async () => {
  const notes = await restartable(['2026-07-28']);
  const { client } = await watch(connect(notes.url));
  expect((await client.callTool('write')).content).toEqual(text('write 1'));
  for (let life = 2; life < 5; life++) {
    await notes.restart();
    expect((await client.callTool('write')).content).toEqual(text(`write ${life}`));
  }
});

it('A modern server is listened to again after its restart', async () => {
  const notes = await restartable(['2026-07-28']);
  const { client } = await watch(connect(notes.url));
  let next: () => void = () => undefined;
  await client.subscribe('note:///a', () => next());
  await notes.restart();
  const news = new Promise<void>((resolve) => {
    next = resolve;
  });
  let over = false;
  void news.then(() => {
    over = true;
  });
  // When it listens again is its own affair.
  while (!over) {
    await client.callTool('touch');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

it('A server of HTTP+SSE that was restarted between calls is called as if nothing had happened', async () => {
  const notes = await restartable(['2024-11-05'], { sse: true });
  const { client, back } = await watch(connect(sse(notes.sseUrl)));
  expect((await client.callTool('write')).content).toEqual(text('write 1'));
  await notes.restart();
  expect((await client.callTool('write')).content).toEqual(text('write 2'));
  await back;
});

it('A server that is gone for good is told of as such, and the client goes on when it is back', async () => {
  const notes = await restartable(['2025-06-18']);
  const { client, warnings } = await watch(connect(notes.url));
  await notes.stop();
  const error = await failureOf(client.callTool('write'));
  expect(error.code).toBe('ERR_CONNECT');
  expect(error.message).toContain('Nothing listens there');
  expect(error.failure).toMatchObject({ phase: 'request', target: notes.url });
  expect(warnings).toEqual([]);
  await notes.restart();
  expect((await client.callTool('write')).content).toEqual(text('write 1'));
});

it('Without recovery the session stays lost', async () => {
  const notes = await restartable(['2025-06-18']);
  const { client, reconnected } = await watch(connect(notes.url, { recover: false }));
  await notes.restart();
  // Also what only reads is not sent again.
  for (const ask of [() => client.callTool('read'), () => client.listTools(), () => client.ping()]) {
    const error = await failureOf(ask());
    expect(error.code).toBe('ERR_CONNECT');
    expect(error.failure).toMatchObject({ phase: 'request', status: 404, target: notes.url });
  }
  expect(notes.runs).toEqual({});
  expect(reconnected).toEqual([]);
});

describe.each([
  ['legacy', beLegacy],
  ['modern', beModern],
] as const)('a %s server that dies under a call', (_era, polite) => {
  const dying = (): { manner: Manner; calls: Any[] } => {
    const calls: Any[] = [];
    const manner: Manner = (message, line) => {
      if (message.method !== 'tools/call') return polite(message, line);
      calls.push(message.params.name);
      if (calls.length === 1) line.die(1);
      else polite(message, line);
    };
    return { manner, calls };
  };

  it('is not called again where that could do something twice', async () => {
    const { manner, calls } = dying();
    const { client } = await watch(connect((await rudeHttp(manner)).url));
    const error = await failureOf(client.callTool('echo', { a: 1 }));
    expect(error.code).toBe('ERR_OUTCOME_UNKNOWN');
    expect(error.failure).toMatchObject({ phase: 'request' });
    expect(calls).toEqual(['echo']);
    expect((await client.callTool('echo', { a: 2 })).content).toEqual(text('{"a":2}'));
  });

  it('is called again where that only reads', async () => {
    const { manner, calls } = dying();
    const { client } = await watch(connect((await rudeHttp(manner)).url));
    await client.listTools();
    expect((await client.callTool('look', { a: 1 })).content).toEqual(text('{"a":1}'));
    expect(calls).toEqual(['look', 'look']);
  });

  it('leaves the other calls alone', async () => {
    const { manner: dies } = dying();
    let answer: () => void = () => undefined;
    let begun: () => void = () => undefined;
    const slowly = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const manner: Manner = (message, line) => {
      if (message.method !== 'tools/call' || message.params.name !== 'slow') return dies(message, line);
      answer = () => polite(message, line);
      begun();
    };
    const { client, reconnected } = await watch(connect((await rudeHttp(manner)).url));
    const slow = client.callTool('slow', { a: 1 });
    await slowly;
    expect((await failureOf(client.callTool('echo', { a: 2 }))).code).toBe('ERR_OUTCOME_UNKNOWN');
    answer();
    expect((await slow).content).toEqual(text('{"a":1}'));
    expect(reconnected).toEqual([]);
  });

  it('is not called for ever where it dies each time', async () => {
    let calls = 0;
    const manner: Manner = (message, line) => {
      if (message.method !== 'tools/call') return polite(message, line);
      calls++;
      line.die(1);
    };
    const { client } = await watch(connect((await rudeHttp(manner)).url));
    await client.listTools();
    const error = await failureOf(client.callTool('look'));
    expect(error.code).toMatch(/^ERR_(?:CONNECT|CLOSED|OUTCOME_UNKNOWN)$/);
    expect(calls).toBe(2);
  });
});

it('Old servers that say 400 for a session they forgot are greeted again', async () => {
  let sessions = 0;
  const current = (): string => `s${sessions}`;
  const { url, heard } = await rudeHttp(beLegacy, (message, response, request) => {
    if (message?.method === 'initialize') {
      sessions++;
      response.setHeader('mcp-session-id', current());
      return false;
    }
    if (request.method === 'GET' || message?.method === 'server/discover' || request.headers['mcp-session-id'] === current()) return false;
    const error = { code: -32000, message: 'Bad Request: Server not initialized' };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    return true;
  });
  const { client, back } = await watch(connect(url));
  sessions = 10;
  expect((await client.callTool('echo', { a: 1 })).content).toEqual(text('{"a":1}'));
  await back;
  expect(heard.filter(({ message }) => message.method === 'initialize')).toHaveLength(2);
});

it('Many calls that lose the session at the same time make one new one', async () => {
  const notes = await restartable(['2025-06-18']);
  const { client, reconnected, back } = await watch(connect(notes.url));
  await client.listTools();
  await notes.restart();
  const results = await Promise.all(Array.from({ length: 20 }, () => client.callTool('read')));
  await back;
  expect(results.every(({ isError }) => !isError)).toBe(true);
  expect(reconnected).toHaveLength(1);
});
