// Listeners and handlers that fail: told to whoever wants to know, and never at the cost of the connection.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Client, type ClientOptions, connect, type Warning } from '../../src/client/index.ts';
import { beLegacy, beModern } from '../fixtures/rude-manners.mjs';
import { failureOf, type Manner, type RudeChannel, rudePipe, until } from './rude.ts';

async function opened(manner: Manner, options?: ClientOptions): Promise<{ client: Client; channel: RudeChannel; warnings: Warning[] }> {
  const channel = rudePipe(manner);
  const client = await connect(channel, options);
  onTestFinished(() => client.close());
  const warnings: Warning[] = [];
  client.on('warning', (warning) => warnings.push(warning));
  return { client, channel, warnings };
}

const fail = (): never => {
  throw new Error('mine');
};
const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'a' } };

describe('a listener that fails', () => {
  it.each([
    ['at once', fail],
    ['later', async () => fail()],
  ])('%s is warned of, and the others hear of the event', async (_, listener) => {
    const { client, channel, warnings } = await opened(beLegacy);
    let heard = 0;
    client.on('log', listener);
    client.on('log', () => heard++);
    channel.say(log);
    await until(() => warnings.length === 1);
    expect(warnings).toEqual([{ code: 'listener', message: 'A listener for "log" failed: mine' }]);
    expect(heard).toBe(1);
    expect((await client.callTool('echo', {})).isError).toBe(false);
  });

  it('when it is warned does not go round in circles, and the others are told', async () => {
    const { client, channel, warnings } = await opened(beLegacy);
    let calls = 0;
    client.on('warning', () => {
      calls++;
      fail();
    });
    client.on('warning', async () => fail());
    channel.say({ jsonrpc: '2.0', id: 'never', result: {} });
    await until(() => warnings.length >= 3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(warnings.map(({ code }) => code)).toEqual(['unknown-answer', 'listener', 'listener']);
    expect(calls).toBe(2);
    expect((await client.callTool('echo', {})).isError).toBe(false);
  });

  it('to progress is warned of, and the call goes on', async () => {
    const { client, warnings } = await opened((message, line) => {
      if (message.method === 'tools/call') {
        const { progressToken } = message.params._meta;
        line.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } });
      }
      return beLegacy(message, line);
    });
    expect((await client.callTool('echo', {}, { onProgress: fail })).isError).toBe(false);
    expect(warnings).toEqual([{ code: expect.any(String), message: expect.stringMatching(/onProgress failed: .*mine/) }]);
  });
});

describe('a handler that returns nothing', () => {
  const asks = {
    'elicitation/create': ['elicit', { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }, "return { action: 'accept'"],
    'sampling/createMessage': ['sample', { messages: [], maxTokens: 1 }, 'return { role, content, model }'],
    'roots/list': ['roots', {}, "return a list such as [{ uri: 'file:"],
  } as const;

  it.each(Object.entries(asks))('is told in words: %s', async (method, [name, params, remedy]) => {
    const handlers = { [name]: () => undefined } as object;
    let error: { message: string } | undefined;
    const { channel } = await opened(
      (message, line) => {
        if (message.id === 'q') error = message.error;
        else beLegacy(message, line);
      },
      { handlers },
    );
    channel.say({ jsonrpc: '2.0', id: 'q', method, params });
    await until(() => error !== undefined);
    expect(error?.message).toContain(`The ${name} handler returned nothing: ${remedy}`);
  });

  it('fails the call where there are rounds', async () => {
    const { client } = await opened(
      (message, line) => {
        if (message.method !== 'tools/call') return beModern(message, line);
        return line.answer({ resultType: 'input_required', inputRequests: { a: { method: 'roots/list', params: {} } } });
      },
      { handlers: { roots: () => undefined as never } },
    );
    expect((await failureOf(client.callTool('echo', {}))).message).toContain('The roots handler returned nothing');
  });
});
