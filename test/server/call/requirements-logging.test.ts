// Logging as the requirement lists have it: levels, who sets them, and what a message carries.
import { describe, expect, it } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import type { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { legacy, matrix } from '../../matrix/matrix.ts';
import { ask, createServer, handshake, modern, openWire, type Reply } from '../fixture.ts';

/** Those of RFC 5424, from the least to the most severe. */
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** Its tool says something at every level. */
function createTalking(): Server {
  const { server } = createServer();
  server.tool('talk', {}, (_, ctx) => {
    for (const level of levels) ctx.log(level, `at ${level}`);
  });
  server.tool('fail', {}, (_, ctx) => {
    ctx.log.error({ error: 'Connection failed', details: { host: 'localhost', port: 5432 } }, 'database');
    for (const data of ['text', 5, null, [1, { a: false }]]) ctx.log.error(data);
  });
  return server;
}

const heard = (messages: readonly Reply[]) => messages.filter(({ method }) => method === 'notifications/message');

it('the capability is declared as an object by a server that can log', async () => {
  const { result } = await ask(createWire(createTalking()), 'initialize', handshake());
  expect(result.capabilities.logging).toEqual({});
  const discovered = await ask(createWire(createTalking()), 'server/discover', { _meta: modern() });
  expect(discovered.result.capabilities.logging).toEqual({});
});

describe('logging/setLevel', () => {
  matrix('lets through what is at least as severe', { revisions: legacy }, async ({ connect }) => {
    const link = await connect(createTalking());
    for (const [at, level] of levels.entries()) {
      expect((await link.request('logging/setLevel', { level })).result).toEqual({});
      await link.call('talk');
      expect(heard(await link.rest()).map(({ params }) => params.level)).toEqual(levels.slice(at));
    }
  });

  it('of the example is answered by an empty result', async () => {
    const wire = await openWire(createTalking());
    await wire.quiet();
    wire.send('{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}\n');
    expect(await wire.quiet()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it.each([undefined, 'verbose', 'INFO', '', 5, null, 'toString'])('knows no level %j', async (level) => {
    const wire = await openWire(createTalking());
    expect((await ask(wire, 'logging/setLevel', { level })).error.code).toBe(-32602);
  });

  it('is for its own connection', async () => {
    const server = createTalking();
    const [quiet, loud] = [await openWire(server), await openWire(server)];
    await ask(quiet, 'logging/setLevel', { level: 'emergency' });
    await ask(loud, 'logging/setLevel', { level: 'debug' });
    for (const [wire, count] of [
      [quiet, 1],
      [loud, 8],
    ] as const) {
      await ask(wire, 'tools/call', { name: 'talk' });
      expect(heard((await wire.quiet()) as Reply[])).toHaveLength(count);
    }
  });
});

describe('notifications/message', () => {
  matrix('has a level, data of any kind, and a logger where one was named', {}, async ({ connect, revision }) => {
    const link = await connect(createTalking());
    await link.call('fail', {}, revision === '2026-07-28' ? { [metaKeys.logLevel]: 'error' } : {});
    expect(heard(await link.rest()).map(({ params }) => params)).toEqual([
      { level: 'error', logger: 'database', data: { error: 'Connection failed', details: { host: 'localhost', port: 5432 } } },
      ...['text', 5, null, [1, { a: false }]].map((data) => ({ level: 'error', data })),
    ]);
  });

  matrix('is sent only for requests that carry a level, where there is no session', { revisions: ['2026-07-28'] }, async ({ connect }) => {
    const link = await connect(createTalking());
    await link.call('talk');
    expect(await link.rest()).toEqual([]);
    await link.call('talk', {}, { [metaKeys.logLevel]: 'critical' });
    expect(heard(await link.rest()).map(({ params }) => params.level)).toEqual(['critical', 'alert', 'emergency']);
  });
});
