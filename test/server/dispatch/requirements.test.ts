// The examples of the requirement lists, message by message: envelopes, handshake, ping, cancellation, progress, errors.
import { describe, expect, it } from 'vitest';
import { parseMessage } from 'vivarium/protocol';
import { createWire, type Wire } from 'vivarium/testing';
import { legacy, matrix } from '../../matrix/matrix.ts';
import { ask, chunk, createServer, createSmall, handshake, openWire, type Reply, text, turn } from '../fixture.ts';

/** A server with something of everything. */
function createFull(): ReturnType<typeof createServer>['server'] {
  const { server } = createServer();
  server.tool('hello', {}, () => 'Hello');
  server.resource('note:///a', { name: 'a' }, () => 'A');
  server.resource('note:///{id}', { name: 'any', complete: { id: () => ['a', 'b'] } }, ({ id }) => id);
  server.prompt('greet', {}, () => 'Say hello');
  return server;
}

/** Nothing waits to be announced any more. */
async function settled(wire: Wire): Promise<Wire> {
  await wire.quiet();
  return wire;
}

describe('a request', () => {
  it('keeps its string id when its method is unknown', async () => {
    const wire = await settled(await openWire(createSmall()));
    wire.send('{"jsonrpc":"2.0","id":"123","method":"example_method","params":{"first":"value"}}\n');
    expect(await wire.quiet()).toMatchObject([{ jsonrpc: '2.0', id: '123', error: { code: -32601 } }]);
  });

  matrix('has params, none, or more of them than are known', { revisions: legacy }, async ({ connect }) => {
    const link = await connect(createSmall());
    for (const [id, more] of [{}, { params: {} }, { params: { unheardOf: [1, null] } }].entries()) {
      link.send({ jsonrpc: '2.0', id: `ping ${id}`, method: 'ping', ...more });
      expect((await link.answer(`ping ${id}`)).result).toEqual({});
      link.send({ jsonrpc: '2.0', id: `list ${id}`, method: 'tools/list', ...more });
      expect((await link.answer(`list ${id}`)).result.tools).toHaveLength(1);
    }
  });

  it('is told from others by the value and the type of its id', async () => {
    const { server } = createServer();
    server.tool('it', {}, async (_, ctx) => `${typeof ctx.requestId} ${ctx.requestId}`);
    const wire = await settled(await openWire(server));
    const ids = [1, '1', 'abc', 0, '', -1];
    wire.send(chunk(...ids.map((id) => ({ id, method: 'tools/call', params: { name: 'it' } }))));
    const answers = (await wire.quiet()) as Reply[];
    expect(answers.map(({ id, result }) => [id, result.content[0].text])).toEqual(ids.map((id) => [id, `${typeof id} ${id}`]));
  });

  it('without an id is none, and a list that is asked for so is not given', async () => {
    const wire = await settled(await openWire(createFull()));
    for (const method of ['resources/list', 'prompts/list', 'tools/list']) {
      wire.send(chunk({ method, params: { cursor: 'eyJwYWdlIjogM30=' } }));
    }
    expect(await wire.quiet()).toEqual([]);
  });
});

describe('a result', () => {
  matrix('is an object, whatever was asked', {}, async ({ connect }) => {
    const link = await connect(createFull());
    const asked: [string, object?][] = [
      ['tools/list'],
      ['tools/call', { name: 'hello' }],
      ['resources/list'],
      ['resources/templates/list'],
      ['resources/read', { uri: 'note:///a' }],
      ['prompts/list'],
      ['prompts/get', { name: 'greet' }],
      ['completion/complete', { ref: { type: 'ref/resource', uri: 'note:///{id}' }, argument: { name: 'id', value: '' } }],
      ...(link.modern
        ? [['server/discover'] as [string]]
        : ([
            ['ping'],
            ['logging/setLevel', { level: 'error' }],
            ['resources/subscribe', { uri: 'note:///a' }],
            ['resources/unsubscribe', { uri: 'note:///a' }],
          ] as [string, object?][])),
    ];
    for (const [method, params] of asked) {
      const { result, error } = await link.request(method, params);
      expect(error, method).toBeUndefined();
      expect(Object.prototype.toString.call(result), method).toBe('[object Object]');
    }
  });
});

describe('an error', () => {
  it('needs no data', () => {
    const error = { code: -32602, message: 'Invalid params' };
    expect(parseMessage({ jsonrpc: '2.0', id: '123', error })).toEqual({ kind: 'response', id: '123', error });
  });

  matrix('of a missing parameter names it', {}, async ({ connect }) => {
    const link = await connect(createFull());
    for (const [method, name] of [
      ['tools/call', 'name'],
      ['prompts/get', 'name'],
      ['resources/read', 'uri'],
    ] as const) {
      expect((await link.request(method)).error).toEqual({
        code: -32602,
        message: 'Invalid params',
        data: { details: `Missing required parameter: ${name}` },
      });
    }
  });
});

describe('a notification', () => {
  it('of the server has a method and no id', async () => {
    const { server } = createServer();
    server.tool('it', {}, (_, ctx) => {
      ctx.progress(1);
      ctx.log.info('said');
    });
    server.resource('note:///a', {}, () => 'A');
    server.prompt('greet', {}, () => 'Hello');
    await turn();
    const wire = await openWire(server);
    await ask(wire, 'resources/subscribe', { uri: 'note:///a' });
    await ask(wire, 'tools/call', { name: 'it', _meta: { progressToken: 1 } });
    server.tool('more', {}, () => 'x');
    server.resource('note:///b', {}, () => 'B');
    server.prompt('part', {}, () => 'Goodbye');
    server.resourceUpdated('note:///a');
    const sent = (await wire.quiet()) as Reply[];
    expect(sent.map(({ method }) => method).sort()).toEqual([
      'notifications/message',
      'notifications/progress',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
    for (const message of sent) expect(message).not.toHaveProperty('id');
  });

  it('that is unknown is let pass', async () => {
    const wire = await settled(await openWire(createSmall()));
    wire.send('{"jsonrpc":"2.0","method":"notifications/example","params":{"first":"value"}}\n');
    expect(await wire.quiet()).toEqual([]);
    expect((await ask(wire, 'ping')).result).toEqual({});
  });

  it('is not answered, however many there are', async () => {
    const wire = await settled(await openWire(createSmall()));
    for (let count = 0; count < 100; count++) wire.send(chunk({ method: 'notifications/example' }));
    wire.send(chunk({ id: 'last', method: 'ping' }));
    expect(await wire.quiet()).toEqual([{ jsonrpc: '2.0', id: 'last', result: {} }]);
  });

  it.each([
    ['without params', {}],
    ['with empty params', { params: {} }],
    ['with params that nobody knows', { params: { _meta: { 'example.com/a': 1 }, unheardOf: true } }],
  ])('of initialized is taken %s, and not answered', async (_, more) => {
    const server = createSmall();
    await turn();
    const wire = createWire(server);
    await wire.request('initialize', handshake());
    wire.send(chunk({ method: 'notifications/initialized', ...more }));
    expect(await wire.quiet()).toEqual([]);
    server.tool('more', {}, () => 'x');
    // Only who has confirmed the handshake is told.
    expect(await wire.quiet()).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
  });
});

describe('the handshake', () => {
  it('of the example is answered in its revision, with the capabilities of everything there is', async () => {
    const wire = createWire(createFull());
    const capabilities = { roots: { listChanged: true }, sampling: {} };
    const params = { protocolVersion: '2024-11-05', capabilities, clientInfo: { name: 'ExampleClient', version: '1.0.0' } };
    wire.send(chunk({ id: 1, method: 'initialize', params }));
    expect(await wire.quiet()).toMatchObject([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: '2024-11-05',
          capabilities: {
            logging: {},
            prompts: { listChanged: true },
            resources: { subscribe: true, listChanged: true },
            tools: { listChanged: true },
          },
          serverInfo: { name: 'tested', version: '1.0.0' },
        },
      },
    ]);
  });

  matrix('has no counterpart at the end', {}, async ({ connect }) => {
    const link = await connect(createSmall());
    for (const method of ['shutdown', 'exit']) expect((await link.request(method)).error?.code).toBe(-32601);
    expect((await link.call('hello')).result.isError).toBe(false);
  });
});

it('a ping of the example is answered by an empty result', async () => {
  const wire = await settled(await openWire(createSmall()));
  wire.send('{"jsonrpc":"2.0","id":"123","method":"ping"}\n');
  expect(await wire.quiet()).toEqual([{ jsonrpc: '2.0', id: '123', result: {} }]);
});

it('a ping is answered while calls run', async () => {
  const { server } = createServer();
  server.tool('never', {}, () => new Promise<string>(() => undefined));
  const wire = await settled(await openWire(server));
  wire.send(chunk({ id: 'long', method: 'tools/call', params: { name: 'never' } }, { id: 'soon', method: 'ping' }));
  expect(await wire.next()).toEqual({ jsonrpc: '2.0', id: 'soon', result: {} });
});

it('a cancellation of the example ends the call it names', async () => {
  const { server } = createServer();
  let reason: unknown;
  server.tool('long', {}, async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    reason = signal.reason;
    return 'too late';
  });
  const wire = await settled(await openWire(server));
  wire.send('{"jsonrpc":"2.0","id":"123","method":"tools/call","params":{"name":"long"}}\n');
  wire.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"123","reason":"User requested cancellation"}}\n');
  expect(await wire.quiet()).toEqual([]);
  expect(reason).toMatchObject({ code: 'ERR_CANCELLED', message: 'User requested cancellation' });
});

it('progress of the example carries its token, the progress and the total', async () => {
  const { server } = createServer();
  server.tool('long', {}, (_, ctx) => {
    ctx.progress(50, 100);
    return 'done';
  });
  const wire = await settled(await openWire(server));
  wire.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long","_meta":{"progressToken":"abc123"}}}\n');
  expect(await wire.quiet()).toEqual([
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'abc123', progress: 50, total: 100 } },
    { jsonrpc: '2.0', id: 1, result: { content: [text('done')], isError: false } },
  ]);
});
