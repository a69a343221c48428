// Servers that answer badly: the call ends as it should, and what is odd is warned of, never thrown.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Client, connect, VivariumError, type Warning } from '../../../src/client/index.ts';
import { beLegacy, beModern } from '../../fixtures/rude-manners.mjs';
import { connect as connectTo } from '../doors.ts';
import { failureOf, type Manner, type RudeChannel, rudeHttp, rudePipe, rudeStdio, until } from '../rude.ts';

interface Met {
  readonly client: Client;
  readonly warnings: Warning[];
}

async function met(connecting: Promise<Client>): Promise<Met> {
  const client = await connecting;
  const warnings: Warning[] = [];
  client.on('warning', (warning) => warnings.push(warning));
  onTestFinished(() => client.close());
  return { client, warnings };
}

const ways = {
  pipe: (manner: string) => connect(rudePipe(manner)),
  stdio: (manner: string) => connectTo(rudeStdio(manner)),
  http: async (manner: string) => connectTo((await rudeHttp(manner)).url),
};
const text = (of: string) => [{ type: 'text', text: of }];

describe.each(Object.entries(ways))('over %s', (way, open) => {
  const codes = (warnings: readonly Warning[]) => warnings.map(({ code }) => code);

  it('an answer that comes twice counts once', async () => {
    const { client, warnings } = await met(open('answers twice'));
    expect((await client.callTool('echo')).content).toEqual(text('done'));
    await client.ping();
    // The stream of a request may be closed before the second one is read.
    if (way !== 'http') expect(codes(warnings)).toEqual(['unknown-answer']);
  });

  it('answers to what was not asked are left alone', async () => {
    const { client, warnings } = await met(open('answers what was not asked'));
    expect((await client.callTool('echo')).content).toEqual(text('done'));
    expect(codes(warnings)).toEqual(['unknown-answer', 'unknown-answer']);
  });

  it('an answer to nobody is left alone', async () => {
    const { client, warnings } = await met(open('answers nobody'));
    expect((await client.callTool('echo')).content).toEqual(text('done'));
    expect(codes(warnings)).toEqual(['unknown-answer']);
  });

  it('nonsense is left alone', async () => {
    const { client, warnings } = await met(open('says nonsense'));
    expect((await client.callTool('echo')).content).toEqual(text('done'));
    expect(codes(warnings)).toEqual(['bad-message', 'bad-message']);
  });

  it('a flood of progress is heard in order, and what belongs to nobody is not', async () => {
    const { client } = await met(open('floods progress'));
    const heard: number[] = [];
    const result = await client.callTool('echo', {}, { onProgress: ({ progress }) => heard.push(progress) });
    expect(result.content).toEqual(text('done'));
    expect(heard).toEqual(Array.from({ length: 5_000 }, (_, index) => index + 1));
  });

  it.each(['gives a number for a result', 'gives an array for a result', 'gives a result without content'])(
    'a server that %s breaks the protocol',
    async (manner) => {
      const { client } = await met(open(manner));
      await expect(client.callTool('echo')).rejects.toMatchObject({ code: 'ERR_PROTOCOL' });
      await client.ping();
    },
  );

  it.each(['gives an unknown type of result', 'asks for nothing', 'asks for null'])(
    'a modern server that %s breaks the protocol',
    async (manner) => {
      const { client } = await met(open(manner));
      const error = await failureOf(client.callTool('echo'));
      expect(error).toBeInstanceOf(VivariumError);
      expect(error.code).toBe('ERR_PROTOCOL');
    },
  );

  it('a server that asks for ever is given up', async () => {
    const { client } = await met(open('asks for ever'));
    await expect(client.callTool('echo')).rejects.toMatchObject({ code: 'ERR_ROUNDS' });
  });
});

it('Answers in another order find their requests', async () => {
  const held: (() => void)[] = [];
  const manner: Manner = (message, line) => {
    if (message.method !== 'tools/call') return beLegacy(message, line);
    held.unshift(() => beLegacy(message, line));
    if (held.length === 3) for (const answer of held) answer();
  };
  const { client, warnings } = await met(connect(rudePipe(manner)));
  const results = await Promise.all([1, 2, 3].map((n) => client.callTool('echo', { n })));
  expect(results.map(({ content }) => content)).toEqual([text('{"n":1}'), text('{"n":2}'), text('{"n":3}')]);
  expect(warnings).toEqual([]);
});

it('An answer that comes after it was given up is warned of, and the server was told to stop', async () => {
  let late: () => void = () => undefined;
  const manner: Manner = (message, line) => {
    if (message.method === 'tools/call') late = () => beLegacy(message, line);
    else if (message.method !== undefined && message.id !== undefined) beLegacy(message, line);
  };
  const channel = rudePipe(manner);
  const { client, warnings } = await met(connect(channel));
  const error = await failureOf(client.callTool('echo', {}, { timeouts: { idleMs: 20 } }));
  expect(error).toMatchObject({
    code: 'ERR_TIMEOUT',
    failure: { limit: 'idleMs', target: expect.stringMatching(/./), cause: expect.stringMatching(/./) },
  });
  const call = channel.heard.find(({ method }) => method === 'tools/call');
  expect(channel.heard.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: call.id } });
  late();
  await client.ping();
  expect(warnings).toEqual([{ code: 'late-answer', message: expect.stringContaining(String(call.id)) }]);
});

describe('a storm of changed lists', () => {
  const storm = (channel: RudeChannel): void => {
    for (let n = 0; n < 10_000; n++) channel.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  };

  it('leads to two refetches at a time at most, for a listener that fetches each time', async () => {
    let open = 0;
    let most = 0;
    let asked = 0;
    const manner: Manner = (message, line) => {
      if (message.method !== 'tools/list') return beLegacy(message, line);
      most = Math.max(most, ++open);
      asked++;
      setTimeout(() => {
        open--;
        beLegacy(message, line);
      }, 5);
    };
    const channel = rudePipe(manner);
    const { client } = await met(connect(channel));
    const fetches: Promise<unknown>[] = [];
    client.on('listChanged', ({ of }) => {
      if (of === 'tools') fetches.push(client.listTools());
    });
    storm(channel);
    await until(() => asked > 0);
    await client.ping();
    await until(() => open === 0);
    await Promise.all(fetches);
    expect(most).toBeLessThanOrEqual(2);
    expect(asked).toBeLessThan(100);
  });

  it('does not swallow a change that comes after it', async () => {
    const channel = rudePipe(beLegacy);
    const { client } = await met(connect(channel));
    let told = 0;
    client.on('listChanged', () => told++);
    storm(channel);
    await until(() => told > 0);
    const sofar = told;
    channel.say({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await until(() => told > sofar);
  });
});

describe('lists', () => {
  const listing = (answer: (cursor: string | undefined) => object, base = beLegacy): Manner => {
    return (message, line) => {
      if (message.method === 'tools/list') line.answer({ resultType: 'complete', ...answer(message.params?.cursor) });
      else base(message, line);
    };
  };

  it.each([{}, { tools: 'echo' }, { tools: { 0: 'echo' } }, { tools: null }, { tools: [null] }, { tools: ['echo'] }])(
    'that are none break the protocol: %j',
    async (answer) => {
      const { client } = await met(connect(rudePipe(listing(() => answer))));
      const error = await failureOf(client.listTools());
      expect(error).toBeInstanceOf(VivariumError);
      expect(error.code).toBe('ERR_PROTOCOL');
    },
  );

  it('that never end are cut', async () => {
    let page = 0;
    const { client } = await met(connect(rudePipe(listing(() => ({ tools: [], nextCursor: `${++page}` }))), { limits: { pages: 20 } }));
    await expect(client.listTools()).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
    expect(page).toBe(20);
  });

  it('that are large together are cut, however few they are', async () => {
    let page = 0;
    const padding = 'x'.repeat(8 * 1024 * 1024);
    const { client } = await met(connect(rudePipe(listing(() => ({ tools: [], padding, nextCursor: `${++page}` })))));
    await expect(client.listTools()).rejects.toMatchObject({ code: 'ERR_TOO_LARGE', message: expect.stringContaining('64 MB') });
    expect(page).toBe(8);
  });

  it('that go round in circles are noticed', async () => {
    const next: Record<string, string> = { a: 'b', b: 'c', c: 'a' };
    let pages = 0;
    const circle = listing((cursor) => {
      pages++;
      return { tools: [], nextCursor: cursor === undefined ? 'a' : next[cursor] };
    });
    const { client } = await met(connect(rudePipe(circle)));
    await expect(client.listTools()).rejects.toMatchObject({ code: 'ERR_PROTOCOL' });
    expect(pages).toBeLessThanOrEqual(5);
  });

  it('that go round in circles do not hold up a call that has to know the tools', async () => {
    const next: Record<string, string> = { a: 'b', b: 'c', c: 'a' };
    let pages = 0;
    const circle = listing((cursor) => {
      pages++;
      return { tools: [], nextCursor: cursor === undefined ? 'a' : next[cursor] };
    }, beModern);
    const { client } = await met(connectTo((await rudeHttp(circle)).url));
    await client.callTool('echo').catch(() => undefined);
    expect(pages).toBeLessThanOrEqual(5);
  });

  it('of 100,000 tools are read', async () => {
    const tools = Array.from({ length: 100_000 }, (_, n) => ({ name: `t${n}`, inputSchema: { type: 'object' } }));
    const { client } = await met(connect(rudePipe(listing(() => ({ tools })))));
    expect(await client.listTools()).toHaveLength(100_000);
  });
});

describe('an answer whose id is of the wrong type', () => {
  const misnaming =
    (wrong: (id: number) => unknown, where: string): Manner =>
    (message, line) => {
      const answer = (result: unknown): void => line.say({ jsonrpc: '2.0', id: wrong(message.id as number), result });
      beLegacy(message, message.method === where ? { ...line, answer } : line);
    };

  it.each<[string, (id: number) => unknown, string]>([
    ['a string', String, 'the id "2"'],
    ['null', () => null, 'the id null'],
    ['a fraction', (id) => id + 0.5, 'the id 2.5'],
    ['an object', (id) => ({ id }), 'the id {…}'],
    ['left out', () => undefined, 'no id'],
    ['one that was never used', (id) => id + 1_000, 'the id 1002'],
  ])('(%s) is named at once while connecting', async (_what, wrong, said) => {
    const error = await failureOf(connect(rudePipe(misnaming(wrong, 'initialize'))));
    expect(error).toMatchObject({
      code: 'ERR_PROTOCOL',
      message: expect.stringContaining(`answered initialize, whose id is 2, with ${said}:`),
    });
  });

  it('is named at once when a call is answered so, and over HTTP, too', async () => {
    const manner = misnaming(String, 'tools/call');
    for (const connecting of [connect(rudePipe(manner)), connectTo((await rudeHttp(manner)).url)]) {
      const { client } = await met(connecting);
      expect(await failureOf(client.callTool('echo'))).toMatchObject({
        code: 'ERR_PROTOCOL',
        message: expect.stringMatching(/answered tools\/call, whose id is \d+, with the id "\d+"/),
      });
    }
  });
});
