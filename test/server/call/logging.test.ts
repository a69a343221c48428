// What a handler logs reaches the client at the level it asked for: of the connection, or of the one request.
import { describe, expect, it } from 'vitest';
import { logLevels, metaKeys } from 'vivarium/protocol';
import type { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { legacy, matrix } from '../../matrix/matrix.ts';
import { createServer, defer, modern, openWire, type Reply, turn } from '../fixture.ts';

/** Tools that log: at every level, by the methods, and what the test gives them. */
function createLogging(): ReturnType<typeof createServer> {
  const made = createServer();
  made.server.tool('all', {}, (_args, ctx) => {
    for (const level of logLevels) ctx.log(level, { level }, 'the-logger');
    return 'logged';
  });
  made.server.tool('short', {}, (_args, ctx) => {
    ctx.log.debug('d');
    ctx.log.info('i', 'named');
    ctx.log.warning(['w']);
    ctx.log.error(null);
    return 'logged';
  });
  return made;
}

const logged = (messages: readonly object[]) =>
  (messages as Reply[]).filter(({ method }) => method === 'notifications/message').map(({ params }) => params);
const levels = (messages: readonly object[]) => logged(messages).map(({ level }) => level);
const from = (level: (typeof logLevels)[number]) => logLevels.slice(logLevels.indexOf(level));

matrix('a client that set no level hears of info and above', { revisions: legacy }, async ({ connect }) => {
  const link = await connect(createLogging().server);
  await link.call('all');
  expect(levels(await link.rest())).toEqual(from('info'));
});

matrix('a level holds for what comes after it, and for this connection alone', { revisions: legacy }, async ({ connect }) => {
  const { server } = createLogging();
  const one = await connect(server);
  const other = await connect(server);
  for (const level of logLevels) {
    expect((await one.request('logging/setLevel', { level })).result).toEqual({});
    await one.call('all');
    expect(levels(await one.rest())).toEqual(from(level));
  }
  await other.call('all');
  expect(levels(await other.rest())).toEqual(from('info'));
});

matrix('a level that does not exist is refused and changes nothing', { revisions: legacy }, async ({ connect }) => {
  const link = await connect(createLogging().server);
  await link.request('logging/setLevel', { level: 'error' });
  for (const level of ['loud', 'Info', '', 3, null, undefined, ['info']]) {
    expect((await link.request('logging/setLevel', { level })).error?.code).toBe(-32602);
  }
  await link.call('all');
  expect(levels(await link.rest())).toEqual(from('error'));
});

matrix('there is a method for each common level, and a logger has a name if it wants one', {}, async ({ connect }) => {
  const link = await connect(createLogging().server);
  if (!link.modern) await link.request('logging/setLevel', { level: 'debug' });
  await link.call('short', {}, link.modern ? { [metaKeys.logLevel]: 'debug' } : {});
  expect(logged(await link.rest())).toEqual([
    { level: 'debug', data: 'd' },
    { level: 'info', logger: 'named', data: 'i' },
    { level: 'warning', data: ['w'] },
    { level: 'error', data: null },
  ]);
});

matrix('a modern request hears nothing unless it carries a level, whatever others carry', { revisions: ['2026-07-28'] }, async (cell) => {
  const link = await cell.connect(createLogging().server);
  for (const level of logLevels) {
    await link.call('all', {}, { [metaKeys.logLevel]: level });
    expect(levels(await link.rest())).toEqual(from(level));
    await link.call('all');
    expect(await link.rest()).toEqual([]);
  }
});

matrix('a modern request with a level that does not exist is refused', { revisions: ['2026-07-28'] }, async ({ connect }) => {
  const link = await connect(createLogging().server);
  for (const level of ['loud', 'INFO', '', 3, null, {}]) {
    const { error } = await link.call('all', {}, { [metaKeys.logLevel]: level });
    expect(error).toMatchObject({ code: -32602, data: { details: expect.stringContaining('must be one of debug') } });
  }
  expect(await link.rest()).toEqual([]);
});

matrix('setLevel does not exist in 2026-07-28', { revisions: ['2026-07-28'] }, async ({ connect }) => {
  const link = await connect(createLogging().server);
  expect((await link.request('logging/setLevel', { level: 'debug' })).error?.code).toBe(-32601);
});

describe('two eras on one wire', () => {
  const call = (server: Server, _meta: object = {}) => [server, { name: 'all', arguments: {}, _meta }] as const;

  it('never hear at the level of the other', async () => {
    const [server, params] = call(createLogging().server);
    const wire = await openWire(server);
    await wire.request('logging/setLevel', { level: 'debug' });
    await wire.request('tools/call', { ...params, _meta: modern() });
    expect(logged(await wire.quiet())).toEqual([]);
    await wire.request('tools/call', { ...params, _meta: { ...modern(), [metaKeys.logLevel]: 'alert' } });
    expect(levels(await wire.quiet())).toEqual(['alert', 'emergency']);
    await wire.request('tools/call', params);
    expect(levels(await wire.quiet())).toEqual(logLevels);
    await wire.close();
  });

  it('keep a level in _meta of a legacy request without effect', async () => {
    const [server, params] = call(createLogging().server, { [metaKeys.logLevel]: 'alert' });
    const wire = await openWire(server);
    await wire.request('tools/call', params);
    expect(levels(await wire.quiet())).toEqual(from('info'));
    await wire.close();
  });

  it('keep calls that run at the same time apart', async () => {
    const { server } = createServer();
    const go = defer();
    server.tool('later', {}, async (_args, ctx) => {
      await go.promise;
      ctx.log.info(ctx.requestId);
      return 'done';
    });
    const wire = createWire(server);
    const send = (id: string, meta: object) =>
      wire.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'later', _meta: { ...modern(), ...meta } } });
    send('silent', {});
    send('loud', { [metaKeys.logLevel]: 'debug' });
    send('picky', { [metaKeys.logLevel]: 'error' });
    go.resolve();
    expect(logged(await wire.quiet()).map(({ data }) => data)).toEqual(['loud']);
    await wire.close();
  });
});

describe('what is logged', () => {
  async function logging(log: (ctx: { log: { info(data: unknown): void } }) => void): Promise<[readonly object[], readonly unknown[]]> {
    const { server, told } = createServer();
    server.tool('log', {}, (_args, ctx) => {
      log(ctx);
      return 'done';
    });
    const wire = await openWire(server);
    expect((await wire.request('tools/call', { name: 'log' })).result).toMatchObject({ isError: false });
    const heard = logged(await wire.quiet());
    await wire.close();
    return [heard, told];
  }
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;

  it.each([
    ['a BigInt', 1n],
    ['a cycle', cycle],
    ['an object that refuses', { toJSON: () => Promise.reject.call(undefined) }],
    ['a function', () => undefined],
    ['a symbol', Symbol('s')],
  ])('is dropped and reported when it is %s, and the call goes on', async (_what, data) => {
    const [heard, told] = await logging((ctx) => {
      ctx.log.info(data);
      ctx.log.info('after');
    });
    expect(heard).toEqual([{ level: 'info', data: 'after' }]);
    expect(told).toMatchObject([{ info: { method: 'tools/call' } }]);
  });

  it('is null where there is nothing to say', async () => {
    const [heard] = await logging((ctx) => ctx.log.info(undefined));
    expect(heard).toEqual([{ level: 'info', data: null }]);
  });

  it('is dropped at a level that does not exist', async () => {
    const [heard, told] = await logging((ctx) => (ctx.log as unknown as (level: string, data: unknown) => void)('loud', 1));
    expect([heard, told]).toEqual([[], []]);
  });

  it('is dropped after the answer and after a cancellation', async () => {
    const { server, told } = createServer();
    const logs: (() => void)[] = [];
    server.tool('quick', {}, (_args, ctx) => {
      logs.push(() => ctx.log.error('too late'));
      return 'done';
    });
    server.tool('slow', {}, (_args, ctx) => {
      logs.push(() => ctx.log.error('too late'));
      return new Promise(() => undefined);
    });
    const wire = await openWire(server);
    await wire.request('tools/call', { name: 'quick' });
    wire.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'slow' } });
    await turn();
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
    for (const log of logs) log();
    expect(logs).toHaveLength(2);
    expect(await wire.quiet()).toEqual([]);
    expect(told).toEqual([]);
    await wire.close();
  });
});
