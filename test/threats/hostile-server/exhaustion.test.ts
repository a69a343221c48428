// A hostile server sends more than any client could use: without end, very deep, very long, very many.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Client, connect, modelView, type Warning } from '../../../src/client/index.ts';
import { failureOf, type Manner, type RudeChannel, rudePipe, until } from '../../client/rude.ts';
import { beLegacy } from '../../fixtures/rude-manners.mjs';

interface Met {
  readonly client: Client;
  readonly channel: RudeChannel;
  readonly warnings: Warning[];
}

async function met(answers: Readonly<Record<string, (params: { cursor?: string }) => object>>): Promise<Met> {
  const manner: Manner = (message, line) => {
    const answer = answers[message.method as string];
    if (answer === undefined) beLegacy(message, line);
    else line.answer(answer(message.params ?? {}));
  };
  const channel = rudePipe(manner);
  const client = await connect(channel);
  onTestFinished(() => client.close());
  const warnings: Warning[] = [];
  client.on('warning', (warning) => warnings.push(warning));
  return { client, channel, warnings };
}

/** As deep as a structured clone takes it in this test; what comes as text can be far deeper. */
function deep(levels: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

describe('a client of a hostile server', () => {
  it('refuses an answer that is too deep to be handled, and takes one that is not', async () => {
    let levels = 990;
    const { client } = await met({ 'tools/call': () => ({ content: [], structuredContent: { deep: deep(levels) } }) });
    expect((await client.callTool('t')).structuredContent).toBeDefined();
    levels = 1_500;
    const failure = await failureOf(client.callTool('t'));
    expect(failure).toMatchObject({
      code: 'ERR_TOO_LARGE',
      message: 'The answer of the server to tools/call is nested deeper than 1000 levels',
    });
  });

  it('answers a question that is too deep with an error, and warns of a notification that is', async () => {
    const { channel, warnings } = await met({});
    channel.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: { message: deep(1_500) } });
    channel.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: deep(1_500) } });
    await until(() => warnings.length > 1);
    expect(channel.heard.at(-1)).toMatchObject({ id: 'q', error: { code: -32600 } });
    expect(warnings).toEqual(
      Array(2).fill({ code: 'bad-message', message: 'The server sent a message that is nested deeper than 1000 levels' }),
    );
  });

  it.each(['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'] as const)(
    'stops reading %s that has no last page',
    async (method) => {
      const key = {
        'tools/list': 'tools',
        'resources/list': 'resources',
        'resources/templates/list': 'resourceTemplates',
        'prompts/list': 'prompts',
      };
      const { client } = await met({
        initialize: () => ({
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, resources: {}, prompts: {} },
          serverInfo: { name: 's', version: '1' },
        }),
        [method]: ({ cursor = '0' }) => ({ [key[method]]: [{ name: cursor }], nextCursor: String(Number(cursor) + 1) }),
      });
      const read = async (): Promise<void> => {
        for await (const page of client.pages(method)) void page;
      };
      expect(await failureOf(read())).toMatchObject({ code: 'ERR_TOO_LARGE', message: expect.stringContaining('more than 1000 pages') });
    },
  );

  it('stops reading a list of more than a hundred thousand entries', async () => {
    const { client } = await met({
      'tools/list': ({ cursor = '0' }) => ({
        tools: Array.from({ length: 10_000 }, (_, n) => ({ name: `${cursor}-${n}`, inputSchema: {} })),
        nextCursor: String(Number(cursor) + 1),
      }),
    });
    expect(await failureOf(client.listTools())).toMatchObject({
      code: 'ERR_TOO_LARGE',
      message: expect.stringContaining('more than 100000 entries'),
    });
  });

  it('shows a model a result of very many texts and values in time that grows as they do', async () => {
    const timeOf = (many: number): number => {
      const content = Array.from({ length: many }, (_, n) => ({ type: 'text' as const, text: `text ${n}` }));
      const structuredContent = Object.fromEntries(content.map((_, n) => [`p${n}`, `value ${n}`]));
      const times = Array.from({ length: 3 }, () => {
        const start = performance.now();
        expect(modelView({ content, structuredContent })).toHaveLength(1);
        return performance.now() - start;
      });
      return Math.min(...times);
    };
    timeOf(1_000);
    // Linear is 4, quadratic is 16.
    expect(timeOf(40_000) / timeOf(10_000)).toBeLessThan(11);
  });

  it('goes on answering while a hundred thousand notifications come in', { timeout: 120_000 }, async () => {
    const { client, channel } = await met({});
    let heard = 0;
    client.on('notification', () => {
      heard += 1;
    });
    const kinds = ['notifications/tools/list_changed', 'notifications/resources/updated', 'notifications/progress', 'notifications/x'];
    for (let n = 0; n < 100_000; n++)
      channel.say({ jsonrpc: '2.0', method: kinds[n % 4], params: { uri: `note:///${n}`, progressToken: n } });
    await client.ping();
    await until(() => heard === 75_000);
  });
});
