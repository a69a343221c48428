// Calls through a pipe: each is answered once or cancelled, runs only when it may, and leaves nothing behind.
import { describe, expect, it } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import { Server } from 'vivarium/server';
import { createEverything } from '../../fixtures/everything.mjs';
import { type Conversation, cancelled, codeOf, converse, textOf, turn } from '../../jsonrpc/conversation.ts';
import { legacy } from '../../matrix/matrix.ts';

const counting = (): { server: Server; calls: string[] } => {
  const calls: string[] = [];
  const server = new Server({ name: 'counting', version: '1.0.0', onError: () => undefined });
  for (const name of ['a', 'b']) server.tool(name, {}, () => `${calls.push(name)}`);
  return { server, calls };
};

describe.each(revisions)('in %s', (revision) => {
  const talking = (server: Server = createEverything()): Promise<Conversation> => converse(server, revision);

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'prompts/__proto__', '\u0000'])(
    'the method %j is not found',
    async (method) => {
      const talk = await talking();
      talk.send(talk.request(1, method));
      expect(await talk.received()).toMatchObject([{ id: 1, error: { code: -32601 } }]);
    },
  );

  it.each(['__proto__', 'toString', 'constructor', ''])('the tool %j is unknown', async (name) => {
    const talk = await talking();
    talk.send(talk.call(1, name));
    expect(await talk.received()).toMatchObject([{ id: 1, error: { code: -32602, message: expect.stringMatching(/unknown/i) } }]);
  });

  it('a call without an id is a notification: no answer, and the tool does not run', async () => {
    const { server, calls } = counting();
    const talk = await talking(server);
    const { id, ...notification } = talk.call(1, 'a') as { id: number };
    talk.send(notification);
    expect(await talk.received()).toEqual([]);
    expect([id, calls]).toEqual([1, []]);
  });

  it('of two equal keys the last is the one that is checked and run', async () => {
    const { server, calls } = counting();
    const talk = await talking(server);
    const text = JSON.stringify(talk.call(2, 'b'));
    talk.send(
      text.replace('"id":2', '"id":1,"id":2').replace('"method":', '"method":"ping","method":').replace('"name":', '"name":"a","name":'),
    );
    expect(await talk.received()).toMatchObject([{ id: 2, result: { content: [{ text: '1' }] } }]);
    expect(calls).toEqual(['b']);
  });

  it('an id in use is refused and the first call is answered once', async () => {
    const talk = await talking();
    talk.send(talk.call(1, 'wait', { ms: 10 }), talk.call(1, 'wait', { ms: 1 }), talk.call('1', 'wait', { ms: 1 }));
    const answers = await talk.received();
    expect(answers).toHaveLength(3);
    expect(answers[0]).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(answers.slice(1).map(textOf)).toEqual(['waited', 'waited']);
    talk.send(talk.call(1, 'wait', { ms: 0 }));
    expect((await talk.received()).map(textOf)).toEqual(['waited']);
  });

  it.each([
    ['an unknown id', { requestId: 77 }],
    ['a finished id', { requestId: 1 }],
    ['an id of another type', { requestId: '2' }],
    ['params 7', 7],
    ['params without an id', {}],
    ['no params', undefined],
    ['an id of null', { requestId: null }],
    ['an object for an id', { requestId: {} }],
    ['__proto__ for an id', { requestId: '__proto__' }],
  ])('a cancellation with %s gets nothing and stops nothing', async (_, params) => {
    const talk = await talking();
    talk.send(talk.call(1, 'echo', { text: 'x' }), talk.call(2, 'wait', { ms: 5 }));
    talk.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    expect((await talk.received()).map(textOf)).toEqual(['x', 'waited']);
    await talk.alive();
  });

  it('a cancelled call is answered by nothing, its signal ends, and its id is free again', async () => {
    const server = createEverything();
    let reason: unknown;
    server.tool('signal', {}, async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reason = signal.reason;
    });
    const talk = await talking(server);
    talk.send(talk.call(1, 'signal'), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'bored' } });
    expect(await talk.received()).toEqual([]);
    expect(reason).toMatchObject({ code: 'ERR_CANCELLED', message: 'bored' });
    talk.send(talk.call(1, 'echo', { text: 'again' }));
    expect((await talk.received()).map(textOf)).toEqual(['again']);
  });

  it('a cancelled call that ends late leaves the call alone that has its id now', async () => {
    const server = createEverything();
    const ends: (() => void)[] = [];
    server.tool('slow', {}, () => new Promise((resolve) => ends.push(() => resolve('done'))));
    const talk = await talking(server);
    talk.send(talk.call(1, 'slow'), cancelled(1), talk.call(1, 'slow'));
    ends[0]?.();
    await turn();
    talk.send(talk.call(1, 'slow'));
    ends[1]?.();
    expect((await talk.received()).map((answer) => codeOf(answer) ?? textOf(answer))).toEqual([-32600, 'done']);
    expect(ends).toHaveLength(2);
  });

  it('the same progress token on two running calls confuses neither', async () => {
    const talk = await talking();
    const steps = (id: number, count: number) => talk.call(id, 'steps', { steps: count }, { progressToken: 'same' });
    talk.send(steps(1, 2), steps(2, 5));
    const received = await talk.received();
    const progress = received.filter((message) => 'method' in message) as {
      params: { progressToken: string; total: number; progress: number };
    }[];
    expect(progress.every(({ params }) => params.progressToken === 'same')).toBe(true);
    for (const total of [2, 5]) {
      const own = progress.filter(({ params }) => params.total === total).map(({ params }) => params.progress);
      expect(own).toEqual(Array.from({ length: total }, (_, index) => index + 1));
    }
    expect(received.filter((message) => 'id' in message).map(textOf)).toEqual(['stepped', 'stepped']);
  });

  it.each([[{}], [1.5], [null], [true], [[1]]])('the progress token %j is refused', async (progressToken) => {
    const { server, calls } = counting();
    const talk = await talking(server);
    talk.send(talk.call(1, 'a', {}, { progressToken }));
    expect(await talk.received()).toMatchObject([{ id: 1, error: { code: -32602 } }]);
    expect(calls).toEqual([]);
  });
});

describe('while a validator loads', () => {
  // A dialect loads once in a process, so each revision here has one of its own.
  it.each([
    ['2025-06-18', 'http://json-schema.org/draft-07/schema#'],
    ['2026-07-28', 'https://json-schema.org/draft/2019-09/schema'],
  ] as const)('calls keep their order and can be cancelled, in %s', async (revision, $schema) => {
    const server = new Server({ name: 'schemas', version: '1.0.0' });
    const calls: number[] = [];
    server.tool(
      'at',
      { input: { $schema, type: 'object', properties: { at: { type: 'integer' } } } },
      ({ at }) => `${calls.push(at as number)}`,
    );
    server.tool('now', {}, () => `${calls.push(0)}`);
    const talk = await converse(server, revision);
    talk.send(...[1, 2, 3].map((at) => talk.call(at, 'at', { at })), talk.call(4, 'now'), talk.call(5, 'at', { at: 'x' }));
    talk.send(talk.call(3, 'now'), cancelled(2));
    const answers = await talk.received();
    expect(answers.map((answer) => (answer as { id: number }).id)).toEqual([3, 1, 3, 4, 5]);
    expect(answers.map(codeOf)).toEqual([-32600, undefined, undefined, undefined, undefined]);
    expect(answers[4]).toMatchObject({ result: { isError: true } });
    expect(calls).toEqual([1, 3, 0]);
    await talk.alive();
  });
});

describe('before the handshake', () => {
  it('a ping is answered, and nothing else is done', async () => {
    const { server, calls } = counting();
    const talk = await converse(server);
    talk.send(talk.request(1, 'ping'), talk.call(2, 'a'), talk.request(3, 'tools/list'), {
      jsonrpc: '2.0',
      method: 'notifications/initialized',
    });
    talk.send(talk.call(4, 'a'));
    expect((await talk.received()).map(codeOf)).toEqual([undefined, -32602, -32602, -32602]);
    expect(calls).toEqual([]);
  });

  const good = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };

  it.each([
    [undefined],
    [{}],
    [{ ...good, protocolVersion: 5 }],
    [{ ...good, protocolVersion: '' }],
    [{ ...good, protocolVersion: null }],
    [{ ...good, capabilities: 7 }],
    [{ ...good, clientInfo: {} }],
    [{ ...good, clientInfo: [] }],
  ])('initialize with the params %j is refused and can be repeated', async (params) => {
    const talk = await converse(createEverything());
    talk.send({ jsonrpc: '2.0', id: 1, method: 'initialize', ...(params && { params }) }, talk.request(2, 'initialize', good));
    expect(await talk.received()).toMatchObject([
      { id: 1, error: { code: -32602 } },
      { id: 2, result: { protocolVersion: '2025-06-18' } },
    ]);
  });

  it.each(['2099-01-01', '1999-01-01', '2026-07-28', 'x', '__proto__'])(
    'initialize with the version %s gets the newest legacy one',
    async (protocolVersion) => {
      const talk = await converse(createEverything());
      talk.send(talk.request(1, 'initialize', { ...good, protocolVersion }));
      expect(await talk.received()).toMatchObject([{ id: 1, result: { protocolVersion: '2025-11-25' } }]);
    },
  );

  it('a modern initialize is an unknown method and no handshake', async () => {
    const talk = await converse(createEverything(), '2026-07-28');
    talk.send(talk.request(1, 'initialize', good), talk.request(2, 'ping'), { jsonrpc: '2.0', id: 3, method: 'tools/list' });
    expect((await talk.received()).map(codeOf)).toEqual([-32601, -32601, -32602]);
  });
});

describe.each(legacy)('the handshake of %s', (revision: Revision) => {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'a', version: '1' } };

  it('cannot be cancelled', async () => {
    const talk = await converse(createEverything());
    const request = talk.request(1, 'initialize', params);
    talk.send(`${JSON.stringify(request)}\n${JSON.stringify(cancelled(1))}\n${JSON.stringify(talk.request(2, 'tools/list'))}`);
    expect(await talk.received()).toMatchObject([
      { id: 1, result: { protocolVersion: revision } },
      { id: 2, result: { tools: expect.any(Array) } },
    ]);
  });

  it('happens once', async () => {
    const talk = await converse(createEverything(), revision);
    talk.send(talk.request(1, 'initialize', { ...params, protocolVersion: '2024-11-05' }));
    expect(await talk.received()).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    await talk.alive();
  });
});
