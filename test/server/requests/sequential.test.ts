// A server that works on one request of a connection at a time.
import { expect, it } from 'vitest';
import { createWire, type Wire } from 'vivarium/testing';
import { matrix, pipes } from '../../matrix/matrix.ts';
import { createServer, handshake } from '../fixture.ts';

/** `slow` waits until it is let go of; `count` tells how many ran at the most. */
function createGated(): { server: ReturnType<typeof createServer>['server']; open: () => void; most: () => number } {
  const { server } = createServer({ sequential: true });
  const gates: (() => void)[] = [];
  let running = 0;
  let most = 0;
  server.tool('slow', {}, async (_, ctx) => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve, reject) => {
      gates.push(resolve);
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
    }).finally(() => running--);
    return 'slow';
  });
  server.tool('quick', {}, () => 'quick');
  return { server, open: () => gates.shift()?.(), most: () => most };
}

const idsOf = async (wire: Wire, count: number): Promise<unknown[]> => {
  const ids: unknown[] = [];
  while (ids.length < count) ids.push(((await wire.next()) as { id: unknown }).id);
  return ids;
};

const calling = (id: number, name: string): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

it('sequential answers everything in its order, errors too, and a ping at once', async () => {
  const { server, open, most } = createGated();
  await using wire = createWire(server);
  await wire.request('initialize', handshake('2025-03-26'));
  wire.send(calling(11, 'slow'));
  wire.send(calling(12, 'quick'));
  wire.send({ jsonrpc: '2.0', id: 13, method: 'tools/list' });
  wire.send({ jsonrpc: '2.0', id: 14, method: 'unknown' });
  wire.send(calling(15, 'slow'));
  wire.send(calling(16, 'quick'));
  wire.send({ jsonrpc: '2.0', id: 17, method: 'ping' });
  expect(await idsOf(wire, 1)).toEqual([17]);
  open();
  expect(await idsOf(wire, 4)).toEqual([11, 12, 13, 14]);
  open();
  expect(await idsOf(wire, 2)).toEqual([15, 16]);
  expect(most()).toBe(1);
  expect(await wire.quiet()).toEqual([]);
});

it('sequential goes on with what waits when what runs is cancelled, and forgets what waits when that is', async () => {
  const { server } = createGated();
  await using wire = createWire(server);
  await wire.request('initialize', handshake('2025-03-26'));
  const cancel = (requestId: number): void => wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  wire.send(calling(11, 'slow'));
  wire.send(calling(12, 'quick'));
  wire.send(calling(13, 'quick'));
  wire.send(calling(13, 'quick'));
  expect(await wire.next()).toMatchObject({ id: 13, error: { code: -32600 } });
  cancel(12);
  cancel(11);
  expect(await idsOf(wire, 1)).toEqual([13]);
  wire.send(calling(14, 'quick'));
  expect(await idsOf(wire, 1)).toEqual([14]);
});

matrix('sequential serves one after the other what came together', { transports: pipes }, async ({ connect }) => {
  const { server, open, most } = createGated();
  const link = await connect(server);
  const ids = [link.start('tools/call', { name: 'slow' }), link.start('tools/call', { name: 'quick' })];
  ids.push(link.start('tools/call', { name: 'slow' }));
  const first = link.answer(ids[0]);
  open();
  await first;
  await link.answer(ids[1]);
  open();
  expect((await link.answer(ids[2])).result.content[0].text).toBe('slow');
  expect(most()).toBe(1);
});

matrix('sequential goes on beside a client that listens', { revisions: ['2026-07-28'], transports: pipes }, async ({ connect }) => {
  const { server } = createGated();
  const link = await connect(server);
  link.start('subscriptions/listen', { notifications: { toolsListChanged: true } });
  await link.notification('notifications/subscriptions/acknowledged');
  expect((await link.call('quick')).result.content[0].text).toBe('quick');
});
