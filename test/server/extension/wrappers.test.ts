// Wrappers around every request: in order, with everything in sight, able to refuse, and free when there are none.
import { describe, expect, it } from 'vitest';
import { type AroundCall, RpcError } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { matrix } from '../../matrix/matrix.ts';
import { ask, createServer, defer, handshake, modern, openWire, type Reply, text, turn } from '../fixture.ts';

function createFull(): ReturnType<typeof createServer> {
  const made = createServer();
  made.server.tool('hello', {}, () => 'Hello');
  made.server.tool('fails', {}, () => {
    throw new Error('broken');
  });
  made.server.resource('note:///a', {}, () => 'a');
  made.server.prompt('greet', {}, () => 'Hello');
  return made;
}

matrix('the first wrapper is the outermost, and the handler the innermost', {}, async ({ connect }) => {
  const { server } = createServer();
  const steps: string[] = [];
  server.tool('hello', {}, () => {
    steps.push('handler');
    return 'Hello';
  });
  for (const name of ['a', 'b', 'c']) {
    server.around(async (_call, next) => {
      steps.push(`${name} in`);
      const result = await next();
      steps.push(`${name} out`);
      return result;
    });
  }
  const link = await connect(server);
  steps.length = 0;
  expect((await link.call('hello')).result.content).toEqual([text('Hello')]);
  expect(steps).toEqual(['a in', 'b in', 'c in', 'handler', 'c out', 'b out', 'a out']);
});

matrix('a wrapper that only looks changes nothing', {}, async ({ connect }) => {
  const [bare, wrapped] = [createFull(), createFull()];
  wrapped.server.around((_call, next) => next());
  wrapped.server.around(async (_call, next) => next());
  const [one, other] = [await connect(bare.server), await connect(wrapped.server)];
  const requests: [string, object][] = [
    ['tools/list', {}],
    ['tools/call', { name: 'hello' }],
    ['tools/call', { name: 'fails' }],
    ['tools/call', { name: 'unheard-of' }],
    ['tools/call', { name: 'hello', arguments: { stray: 1 } }],
    ['resources/list', {}],
    ['resources/read', { uri: 'note:///a' }],
    ['resources/read', { uri: 'note:///none' }],
    ['prompts/get', { name: 'greet' }],
    ['prompts/get', { name: 'unheard-of' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'a', value: '' } }],
    ['unheard/of', {}],
  ];
  for (const [method, params] of requests) expect(await other.request(method, params)).toEqual(await one.request(method, params));
  expect(wrapped.told).toEqual(bare.told);
});

matrix('a wrapper can refuse, and the handler never runs', {}, async ({ connect }) => {
  const { server, told } = createServer();
  let ran = 0;
  server.tool('hello', {}, () => `${++ran}`);
  server.around(({ method }, next) => {
    if (method === 'tools/call') throw new RpcError(-32099, 'Too many', { data: { retryAfter: 3 } });
    return next();
  });
  const link = await connect(server);
  expect((await link.call('hello')).error).toEqual({ code: -32099, message: 'Too many', data: { retryAfter: 3 } });
  expect((await link.request('tools/list')).result.tools).toHaveLength(1);
  expect([ran, told]).toEqual([0, []]);
});

matrix('a result of the wrapper itself is a whole one in every revision', {}, async ({ connect }) => {
  const { server } = createFull();
  server.around(async (call, next) => (call.name === 'hello' ? { content: [text('Instead')] } : next()));
  const link = await connect(server);
  const { result } = await link.call('hello');
  expect(result.content).toEqual([text('Instead')]);
  expect(result.resultType).toBe(link.modern ? 'complete' : undefined);
});

describe('a wrapper', () => {
  it('sees method, name, params and context', async () => {
    const { server } = createFull();
    const seen: AroundCall[] = [];
    server.around((call, next) => {
      seen.push(call);
      return next();
    });
    const wire = await openWire(server, '2025-06-18');
    await ask(wire, 'tools/call', { name: 'hello', arguments: {}, _meta: { progressToken: 1 } });
    await ask(wire, 'resources/read', { uri: 'note:///a' });
    await ask(wire, 'tools/list', { _meta: modern() });
    expect(seen.map(({ method, name }) => [method, name])).toEqual([
      ['tools/call', 'hello'],
      ['resources/read', 'note:///a'],
      ['tools/list', undefined],
    ]);
    expect(seen[0]?.params).toEqual({ name: 'hello', arguments: {}, _meta: { progressToken: 1 } });
    expect(seen.map(({ ctx }) => ctx.revision)).toEqual(['2025-06-18', '2025-06-18', '2026-07-28']);
    expect(seen[0]?.ctx).toMatchObject({ requestId: 2, era: 'legacy', meta: { progressToken: 1 } });
    expect('name' in (seen[2] as AroundCall)).toBe(false);
    await wire.close();
  });

  it('is not called for initialize, for what does not exist, for what is malformed, nor for notifications', async () => {
    const { server } = createFull();
    const seen: string[] = [];
    server.around((call, next) => {
      seen.push(call.method);
      return next();
    });
    const wire = createWire(server);
    await ask(wire, 'ping');
    await ask(wire, 'tools/list');
    await ask(wire, 'initialize', handshake());
    wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } });
    await ask(wire, 'initialize', handshake());
    await ask(wire, 'unheard/of');
    await ask(wire, 'tools/call', { name: 3 });
    await ask(wire, 'server/discover');
    expect(seen).toEqual([]);
    await ask(wire, 'server/discover', { _meta: modern() });
    expect(seen).toEqual(['server/discover']);
    await wire.close();
  });

  it('can measure how long a request takes, also one that fails', async () => {
    const { server } = createFull();
    const go = defer();
    server.tool('slow', {}, () => go.promise.then(() => 'done'));
    const times: [string | undefined, number][] = [];
    server.around(async ({ name }, next) => {
      const began = performance.now();
      try {
        return await next();
      } finally {
        times.push([name, performance.now() - began]);
      }
    });
    const wire = await openWire(server);
    setTimeout(() => go.resolve(), 30);
    await ask(wire, 'tools/call', { name: 'slow' });
    await ask(wire, 'prompts/get', { name: 'unheard-of' });
    expect(times.map(([name]) => name)).toEqual(['slow', 'unheard-of']);
    expect(times[0]?.[1]).toBeGreaterThan(20);
    await wire.close();
  });

  it('can turn an error into a result, and a failure into an error', async () => {
    const { server } = createFull();
    server.around(async (call, next) => {
      if (call.name === 'hello') throw RpcError.internal();
      return next().catch(() => ({ contents: [] }));
    });
    const wire = await openWire(server);
    expect((await ask(wire, 'resources/read', { uri: 'note:///none' })).result).toEqual({ contents: [] });
    expect((await ask(wire, 'tools/call', { name: 'hello' })).error.code).toBe(-32603);
    await wire.close();
  });

  it.each([
    ['throws', () => Promise.reject(new Error('secret'))],
    ['forgets to give the result back', async () => undefined],
    ['gives back something that is no object', async () => 'Hello'],
  ])('that %s costs an internal error, and its author is told', async (_what, wrapper) => {
    const { server, told } = createFull();
    server.around(wrapper as never);
    const wire = await openWire(server);
    const answer = await ask(wire, 'tools/call', { name: 'hello' });
    expect(answer.error).toEqual({ code: -32603, message: 'Internal error' });
    expect(told).toHaveLength(1);
    await wire.close();
  });

  it('can be cancelled while it waits, and the client is answered by nothing', async () => {
    const { server } = createFull();
    let aborted = false;
    server.around(({ ctx }) => {
      ctx.signal.addEventListener('abort', () => {
        aborted = true;
      });
      return new Promise(() => undefined);
    });
    const wire = await openWire(server);
    wire.send({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'hello' } });
    await turn();
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } });
    expect([await wire.quiet(), aborted]).toEqual([[], true]);
    await wire.close();
  });
});

describe('without a wrapper', () => {
  it('what needs no time is answered before send returns', async () => {
    const { server } = createFull();
    const wire = await openWire(server);
    const answered: unknown[] = [];
    wire.send({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'hello' } });
    expect(wire.transcript.text()).toContain('"id":"a","result"');
    wire.send({ jsonrpc: '2.0', id: 'b', method: 'tools/list' });
    for (let at = 0; at < 2; at++) answered.push(((await wire.next()) as Reply).id);
    expect(answered).toEqual(['a', 'b']);
    await wire.close();
  });
});
