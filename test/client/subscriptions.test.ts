// What servers tell: subscriptions, changed lists, and results that may be kept, in both eras and over every transport.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Client, connect } from '../../src/client/index.ts';
import { beModern } from '../fixtures/rude-manners.mjs';
import { type Any, failureOf, type Line, type Manner, rudePipe, until } from './rude.ts';
import { all, fits, visit, ways } from './ways.ts';

const cases = ways.flatMap((way) => all.filter((revision) => fits(way, revision)).map((revision) => [way, revision] as const));

describe.each(cases)('over %s, in %s', (way, revision) => {
  it('a subscription calls back until it is disposed of', async () => {
    const { client } = await visit(way, { revisions: [revision] });
    const heard: string[] = [];
    const first = await client.subscribe('note:///a', () => heard.push('a'));
    const second = await client.subscribe('note:///b', () => heard.push('b'));
    await client.callTool('touch', { uri: 'note:///a' });
    await until(() => heard.length === 1);
    await client.callTool('touch', { uri: 'note:///b' });
    await until(() => heard.length === 2);
    await first[Symbol.asyncDispose]();
    await client.callTool('touch', { uri: 'note:///a' });
    await client.callTool('touch', { uri: 'note:///b' });
    await until(() => heard.length === 3);
    expect(heard).toEqual(['a', 'b', 'b']);
    await second[Symbol.asyncDispose]();
  });

  it('two listeners share a subscription', async () => {
    const { client } = await visit(way, { revisions: [revision] });
    let one = 0;
    let two = 0;
    const first = await client.subscribe('note:///a', () => one++);
    await client.subscribe('note:///a', () => two++);
    await first[Symbol.asyncDispose]();
    await client.callTool('touch', { uri: 'note:///a' });
    await until(() => two === 1);
    expect(one).toBe(0);
  });

  it('a changed list is told of', async () => {
    const { client } = await visit(way, { revisions: [revision] });
    const changed: string[] = [];
    client.on('listChanged', ({ of }) => changed.push(of));
    // In the newer era listening begins with the listener, and nothing says when it has.
    for (let tool = 0; !changed.includes('tools'); tool++) {
      await client.callTool('grow', { name: `grown${tool}` });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect((await client.listTools()).map(({ name }) => name)).toContain('grown0');
  });
});

async function opened(connecting: Promise<Client>): Promise<Client> {
  const client = await connecting;
  onTestFinished(() => client.close());
  return client;
}

describe('listening in the newer era', () => {
  /** Counts open listening requests, and refuses one for a certain resource. */
  function ears(): { manner: Manner; open: Map<unknown, Line>; filters: Any[] } {
    const open = new Map<unknown, Line>();
    const filters: Any[] = [];
    const manner: Manner = (message, line) => {
      if (message.method === 'notifications/cancelled') open.delete(message.params.requestId);
      if (message.method !== 'subscriptions/listen') return message.id === undefined ? undefined : beModern(message, line);
      const { notifications } = message.params;
      if (notifications.resourceSubscriptions?.includes('note:///secret')) return line.refuse(-32602, 'No such resource');
      filters.push(notifications);
      open.set(message.id, line);
      const _meta = { 'io.modelcontextprotocol/subscriptionId': message.id };
      line.say({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications } });
    };
    return { manner, open, filters };
  }

  it('is one request for all, renewed without a gap', async () => {
    const { manner, open, filters } = ears();
    const channel = rudePipe(manner);
    const client = await opened(connect(channel));
    const a = await client.subscribe('note:///a', () => undefined);
    await client.subscribe('note:///b', () => undefined);
    expect(filters.at(-1)).toEqual({ resourceSubscriptions: ['note:///a', 'note:///b'] });
    expect(open.size).toBe(1);
    const order = channel.heard.map(({ method }) => method).filter((method) => /listen|cancelled/.test(method));
    expect(order).toEqual(['subscriptions/listen', 'subscriptions/listen', 'notifications/cancelled']);
    await a[Symbol.asyncDispose]();
    expect(filters.at(-1)).toEqual({ resourceSubscriptions: ['note:///b'] });
    expect(open.size).toBe(1);
  });

  it('goes on for the others when one is refused', async () => {
    const { manner, open } = ears();
    const channel = rudePipe(manner);
    const client = await opened(connect(channel));
    let heard = 0;
    const a = await client.subscribe('note:///a', () => heard++);
    expect(await failureOf(client.subscribe('note:///secret', () => undefined))).toMatchObject({ code: -32602 });
    const [id] = [...open.keys()];
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
    channel.say({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note:///a', _meta } });
    await client.ping();
    expect(heard).toBe(1);
    await a[Symbol.asyncDispose]();
    expect(open.size).toBe(0);
  });

  it('ends when nobody listens any more', async () => {
    const { manner, open } = ears();
    const client = await opened(connect(rudePipe(manner)));
    const a = await client.subscribe('note:///a', () => undefined);
    await a[Symbol.asyncDispose]();
    expect(open.size).toBe(0);
  });
});

describe('results that may be kept', () => {
  const counting = (ttlMs: number): { manner: Manner; count: Record<string, number> } => {
    const count: Record<string, number> = {};
    const manner: Manner = (message, line) => {
      count[message.method] = (count[message.method] ?? 0) + 1;
      const keep = { resultType: 'complete', ttlMs, cacheScope: 'private' };
      if (message.method === 'tools/list') line.answer({ ...keep, tools: [] });
      else if (message.method === 'resources/read')
        line.answer({ ...keep, contents: [{ uri: message.params.uri, text: `${count['resources/read']}` }] });
      else beModern(message, line);
    };
    return { manner, count };
  };

  it('are kept for as long as the server says, and asked for again when it says they changed', async () => {
    const { manner, count } = counting(3_600_000);
    const channel = rudePipe(manner);
    const client = await opened(connect(channel));
    for (let time = 0; time < 3; time++) await client.listTools();
    expect(count['tools/list']).toBe(1);
    channel.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await client.ping();
    await client.listTools();
    expect(count['tools/list']).toBe(2);
    for (const uri of ['note:///a', 'note:///a', 'note:///b']) await client.readResource(uri);
    expect(count['resources/read']).toBe(2);
    channel.say({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note:///a' } });
    await client.ping();
    for (const uri of ['note:///a', 'note:///b']) await client.readResource(uri);
    expect(count['resources/read']).toBe(3);
  });

  it.each([0, -1])('are not kept where they hold for %s ms', async (ttlMs) => {
    const { manner, count } = counting(ttlMs);
    const client = await opened(connect(rudePipe(manner)));
    for (let time = 0; time < 3; time++) await client.listTools();
    expect(count['tools/list']).toBe(3);
  });

  it('are not kept where the client does not want it', async () => {
    const { manner, count } = counting(3_600_000);
    const client = await opened(connect(rudePipe(manner), { cache: false }));
    for (let time = 0; time < 3; time++) await client.listTools();
    expect(count['tools/list']).toBe(3);
  });

  it('are not kept where they changed while they were on their way', async () => {
    let asked = 0;
    const manner: Manner = (message, line) => {
      if (message.method !== 'tools/list') return beModern(message, line);
      asked++;
      line.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      line.answer({ resultType: 'complete', tools: [], ttlMs: 3_600_000, cacheScope: 'private' });
    };
    const client = await opened(connect(rudePipe(manner)));
    await client.listTools();
    await client.listTools();
    expect(asked).toBe(2);
  });

  it('of a real server are kept until it says otherwise', async () => {
    const { client } = await visit('memory', { revisions: ['2026-07-28'], cache: { ttlMs: 3_600_000 } });
    let asked = 0;
    const before = await client.listTools();
    client.on('notification', ({ method }) => {
      if (method === 'notifications/tools/list_changed') asked++;
    });
    client.on('listChanged', () => undefined);
    await client.callTool('grow', { name: 'grown' });
    if (asked === 0) expect((await client.listTools()).length).toBe(before.length);
    for (let tool = 0; asked === 0; tool++) {
      await client.callTool('grow', { name: `grown${tool}` });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await client.listTools()).length).toBeGreaterThan(before.length);
  });
});
