// Answers and messages that would do harm if they were taken at their word, and questions that come too early.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Channel, type Client, connect, type Warning } from '../../../src/client/index.ts';
import { beLegacy, beModern } from '../../fixtures/rude-manners.mjs';
import { connect as connectTo } from '../doors.ts';
import { type Any, failureOf, type Manner, type RudeChannel, rudeHttp, rudePipe, until } from '../rude.ts';

async function opened(connecting: Promise<Client>): Promise<Client> {
  const client = await connecting;
  onTestFinished(() => client.close());
  return client;
}

describe('a server that allows everything to be kept', () => {
  const kept = { ttlMs: 1e9, cacheScope: 'public' };

  it('is asked all the same whether it is there, and what it says of itself', async () => {
    const manner: Manner = (message, line) => {
      beModern(message, { ...line, answer: (result) => line.answer({ ...(result as object), ...kept }) });
    };
    const server = await rudeHttp(manner);
    const client = await opened(connectTo(server.url));
    const asked = (): number => server.heard.filter(({ message }) => message.method === 'server/discover').length;
    await client.ping();
    await client.ping();
    await client.discover();
    await client.discover();
    expect(asked()).toBe(5);
    await server.close();
    expect((await failureOf(client.ping())).code).toBe('ERR_CONNECT');
    expect((await failureOf(client.discover())).code).toBe('ERR_CONNECT');
  });

  const reading = async (length: number): Promise<{ client: Client; reads: string[] }> => {
    const reads: string[] = [];
    const manner: Manner = (message, line) => {
      if (message.method !== 'resources/read') return beModern(message, line);
      const { uri } = message.params;
      reads.push(uri);
      line.answer({ resultType: 'complete', contents: [{ uri, text: 'x'.repeat(length) }], ...kept });
    };
    return { client: await opened(connect(rudePipe(manner))), reads };
  };

  it('fills no memory with large results', async () => {
    const { client, reads } = await reading(1024 * 1024 + 1);
    for (let time = 0; time < 2; time++) await client.readResource('note:///a');
    expect(reads).toHaveLength(2);
  });

  it('fills no memory with many results: the oldest are forgotten', async () => {
    const { client, reads } = await reading(1_000_000);
    const uris = Array.from({ length: 20 }, (_, n) => `note:///${n}`);
    for (const uri of uris) await client.readResource(uri);
    reads.length = 0;
    await client.readResource('note:///19');
    await client.readResource('note:///0');
    expect(reads).toEqual(['note:///0']);
  });

  it('is read again as it was, whatever somebody did with the result', async () => {
    const { client, reads } = await reading(10);
    const first = (await client.readResource('note:///a')) as Any;
    first.contents.length = 0;
    const second = (await client.readResource('note:///a')) as Any;
    second.contents[0].text = 'mine';
    expect((await client.readResource('note:///a')).contents).toEqual([{ uri: 'note:///a', text: 'x'.repeat(10) }]);
    expect(reads).toHaveLength(1);
  });
});

it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
  'A result of the type "%s" is of no type that anybody knows',
  async (resultType) => {
    const manner: Manner = (message, line) =>
      message.method === 'server/discover' ? beModern(message, line) : line.answer({ resultType, tools: [], content: [] });
    const client = await opened(connect(rudePipe(manner), { extensions: [{ id: 'a.example/b', results: {} }] }));
    for (const call of [client.listTools(), client.callTool('echo')]) {
      const error = await failureOf(call);
      expect(error.code).toBe('ERR_PROTOCOL');
      expect(error.message).toContain(`unknown type "${resultType}"`);
    }
  },
);

it.each([undefined, {}, { data: 'a' }, { level: 5, data: 'a' }])(
  'A log message without a level is warned of, and not handed out: %j',
  async (params) => {
    const channel = rudePipe(beLegacy);
    const client = await opened(connect(channel));
    const warnings: Warning[] = [];
    const levels: string[] = [];
    client.on('warning', (warning) => warnings.push(warning));
    client.on('log', ({ level }) => levels.push(level));
    channel.say({ jsonrpc: '2.0', method: 'notifications/message', ...(params !== undefined && { params }) });
    channel.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'b' } });
    await until(() => levels.length > 0);
    expect(levels).toEqual(['info']);
    expect(warnings).toEqual([{ code: 'bad-message', message: expect.stringContaining('without a level') }]);
  },
);

describe('a question that comes together with the answer to initialize', () => {
  const handlers = { roots: () => [{ uri: 'file:///home' }] };
  const question = { jsonrpc: '2.0', id: 'q', method: 'roots/list' };
  const reply = { jsonrpc: '2.0', id: 'q', result: { roots: [{ uri: 'file:///home' }] } };

  /** In one breath with the answer, on the side that `before` says. */
  const curious =
    (before: boolean, answers: unknown[] = []): Manner =>
    (message, line) => {
      if (message.id === 'q') answers.push(message);
      if (message.method === undefined) return;
      if (message.method === 'initialize' && before) line.say(question);
      beLegacy(message, line);
      if (message.method === 'initialize' && !before) line.say(question);
    };

  it('is answered', async () => {
    const channel = rudePipe(curious(false));
    await opened(connect(channel, { handlers }));
    await vi.waitFor(() => expect(channel.heard).toContainEqual(reply), 60_000);
  });

  it('is answered over HTTP, where it comes first', async () => {
    const answers: unknown[] = [];
    await opened(connectTo((await rudeHttp(curious(true, answers))).url, { handlers }));
    await vi.waitFor(() => expect(answers).toEqual([reply]), 60_000);
  });

  it('is answered where it was asked, when the connection is a new one', async () => {
    const channels: RudeChannel[] = [];
    const open = async (): Promise<Channel> => {
      const channel = rudePipe(channels.length === 0 ? beLegacy : curious(false));
      channels.push(channel);
      return channel;
    };
    const client = await opened(connect({ target: 'mine', open }, { handlers, restart: { max: 1 } }));
    channels[0]?.end({ wanted: false });
    await client.ping();
    await vi.waitFor(() => expect(channels[1]?.heard).toContainEqual(reply), 60_000);
    expect(channels[0]?.heard).not.toContainEqual(reply);
  });
});

it('A connector whose channels do not say what they are is opened again', async () => {
  const channels: RudeChannel[] = [];
  const open = async (): Promise<Channel> => {
    const channel = rudePipe(beLegacy);
    channels.push(channel);
    const { kind: _, ...nameless } = channel;
    return nameless;
  };
  const client = await opened(connect({ target: 'mine', open }));
  const ended = new Promise((resolve) => client.on('closed', resolve));
  channels[0]?.end({ wanted: false });
  await ended;
  expect((await client.callTool('echo', { n: 1 })).content).toEqual([{ type: 'text', text: '{"n":1}' }]);
  expect(channels).toHaveLength(2);
});
