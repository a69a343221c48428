// subscriptions/listen as it is on the wire: what is acknowledged, what is told, to whom and with which tag.
import { describe, expect, it } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import type { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import type { Link } from '../matrix/link.ts';
import { matrix } from '../matrix/matrix.ts';
import { createServer, modern, openWire, type Reply, turn } from './fixture.ts';

const only = { revisions: ['2026-07-28'] } as const;
const tag = (id: string | number) => ({ [metaKeys.subscriptionId]: id });
const acknowledged = (id: string | number, notifications: object) => ({
  jsonrpc: '2.0',
  method: 'notifications/subscriptions/acknowledged',
  params: { _meta: tag(id), notifications },
});
const told = (id: string | number, method: string, about: object = {}) => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  params: { ...about, _meta: tag(id) },
});

function createFull(): Server {
  const { server } = createServer();
  server.tool('hello', {}, () => 'Hello');
  server.resource('note:///a', {}, () => 'a');
  server.prompt('greet', {}, () => 'Hello');
  return server;
}

/** One change of each kind, in this order. */
async function changeAll(server: Server): Promise<void> {
  server.tool(`t${Math.random()}`, {}, () => '');
  server.resource(`note:///r${Math.random()}`, {}, () => '');
  server.prompt(`p${Math.random()}`, {}, () => '');
  server.resourceUpdated('note:///a');
  server.resourceUpdated('note:///b');
  await turn();
}

const all = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['note:///a'],
};

/** Listens, and gives the id back once that was acknowledged. */
async function listening(link: Link, notifications: object, honoured: object = notifications): Promise<number> {
  // What was registered before is news too, until the end of the turn.
  await turn();
  const id = link.start('subscriptions/listen', { notifications });
  expect(await link.next()).toEqual(acknowledged(id, honoured));
  return id;
}

matrix('a listener is acknowledged first, and then told what it asked for', only, async ({ connect }) => {
  const server = createFull();
  const link = await connect(server);
  const id = await listening(link, all);
  await changeAll(server);
  expect(await link.rest()).toEqual([
    told(id, 'tools/list_changed'),
    told(id, 'resources/list_changed'),
    told(id, 'prompts/list_changed'),
    told(id, 'resources/updated', { uri: 'note:///a' }),
  ]);
});

const members = [
  ['toolsListChanged', 'tools/list_changed'],
  ['resourcesListChanged', 'resources/list_changed'],
  ['promptsListChanged', 'prompts/list_changed'],
] as const;

for (const [member, method] of members) {
  matrix(`a listener that asks for ${member} alone hears of nothing else`, only, async ({ connect }) => {
    const server = createFull();
    const link = await connect(server);
    const id = await listening(link, { [member]: true });
    await changeAll(server);
    expect(await link.rest()).toEqual([told(id, method)]);
  });
}

matrix('a listener that asks for nothing, or says no, hears nothing', only, async ({ connect }) => {
  const server = createFull();
  const link = await connect(server);
  await listening(link, {});
  await listening(link, { toolsListChanged: false, resourceSubscriptions: [], unheardOf: true }, { resourceSubscriptions: [] });
  await changeAll(server);
  expect(await link.rest()).toEqual([]);
});

matrix('only what the server offers is honoured', only, async ({ connect }) => {
  const { server } = createServer();
  server.tool('hello', {}, () => 'Hello');
  const link = await connect(server);
  const id = await listening(link, all, { toolsListChanged: true });
  server.resourceUpdated('note:///a');
  server.tool('more', {}, () => '');
  expect(await link.rest()).toEqual([told(id, 'tools/list_changed')]);
});

matrix('only the URIs that were named are told of, each by its own', only, async ({ connect }) => {
  const server = createFull();
  const link = await connect(server);
  const id = await listening(link, { resourceSubscriptions: ['note:///b', 'note:///c'] });
  for (const uri of ['note:///a', 'note:///c', 'note:///b', 'note:///bb', 'note:///']) server.resourceUpdated(uri);
  expect(await link.rest()).toEqual(['note:///c', 'note:///b'].map((uri) => told(id, 'resources/updated', { uri })));
});

matrix('two listeners get a copy each, on one connection and on two', only, async ({ connect }) => {
  const server = createFull();
  const [one, other] = [await connect(server), await connect(server)];
  const first = await listening(one, { toolsListChanged: true });
  const second = await listening(one, { toolsListChanged: true, promptsListChanged: true });
  const third = await listening(other, { promptsListChanged: true });
  server.tool('more', {}, () => '');
  server.prompt('more', {}, () => '');
  expect(await one.rest()).toEqual([
    told(first, 'tools/list_changed'),
    told(second, 'tools/list_changed'),
    told(second, 'prompts/list_changed'),
  ]);
  expect(await other.rest()).toEqual([told(third, 'prompts/list_changed')]);
});

matrix('cancelling one ends it silently, and leaves the others', only, async ({ connect }) => {
  const server = createFull();
  const link = await connect(server);
  const first = await listening(link, { toolsListChanged: true });
  const second = await listening(link, { toolsListChanged: true });
  link.notify('notifications/cancelled', { requestId: first, reason: 'enough' });
  await changeAll(server);
  expect(await link.rest()).toEqual([told(second, 'tools/list_changed')]);
  link.notify('notifications/cancelled', { requestId: second });
  await changeAll(server);
  expect(await link.rest()).toEqual([]);
});

const bad: readonly (readonly [string, unknown])[] = [
  ['no filter', undefined],
  ['a filter that is no object', ['toolsListChanged']],
  ['a filter that is null', null],
  ['a string for a boolean', { toolsListChanged: 'true' }],
  ['a number for a boolean', { promptsListChanged: 1 }],
  ['null for a boolean', { resourcesListChanged: null }],
  ['one URI', { resourceSubscriptions: 'note:///a' }],
  ['URIs that are no strings', { resourceSubscriptions: ['note:///a', 1] }],
  ['too many URIs', { resourceSubscriptions: Array.from({ length: 1_001 }, (_, at) => `note:///${at}`) }],
];

describe('a listener', () => {
  it.each(bad)('is refused with %s', async (_what, notifications) => {
    const server = createFull();
    const wire = createWire(server);
    const answer = (await wire.request('subscriptions/listen', { notifications, _meta: modern() })) as Reply;
    expect(answer.error.code).toBe(-32602);
    await changeAll(server);
    expect(await wire.quiet()).toEqual([]);
    await wire.close();
  });

  it.each([0, 7, '', '0', 'listen:1', 'ü'])('with the id %j has it in every tag, of the same type', async (id) => {
    const server = createFull();
    await turn();
    const wire = createWire(server);
    wire.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications: all, _meta: modern() } });
    expect(await wire.next()).toEqual(acknowledged(id, all));
    server.resourceUpdated('note:///a');
    expect(await wire.next()).toEqual(told(id, 'resources/updated', { uri: 'note:///a' }));
    const ended = [wire.next(), wire.next()];
    await wire.close();
    expect((await ended[0]) as Reply).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
    expect((await ended[1]) as Reply).toMatchObject({ id, result: { resultType: 'complete', _meta: tag(id) } });
  });

  it('cannot take an id that is in use, and the one that has it goes on', async () => {
    const server = createFull();
    const wire = createWire(server);
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: all, _meta: modern() } };
    wire.send(listen);
    await wire.next();
    wire.send(listen);
    expect((await wire.next()) as Reply).toMatchObject({ id: 1, error: { code: -32600 } });
    await turn();
    await wire.quiet();
    server.resourceUpdated('note:///a');
    expect(await wire.next()).toEqual(told(1, 'resources/updated', { uri: 'note:///a' }));
    await wire.close();
  });

  it('does not exist for a legacy client, whose changes come untagged on the same wire', async () => {
    const server = createFull();
    await turn();
    const wire = await openWire(server);
    expect(((await wire.request('subscriptions/listen', { notifications: all })) as Reply).error.code).toBe(-32601);
    wire.send({ jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params: { notifications: all, _meta: modern() } });
    expect(await wire.next()).toEqual(acknowledged('l', all));
    await wire.request('resources/subscribe', { uri: 'note:///b' });
    await changeAll(server);
    expect(await wire.quiet()).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
      told('l', 'tools/list_changed'),
      { jsonrpc: '2.0', method: 'notifications/resources/list_changed' },
      told('l', 'resources/list_changed'),
      { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' },
      told('l', 'prompts/list_changed'),
      told('l', 'resources/updated', { uri: 'note:///a' }),
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note:///b' } },
    ]);
    await wire.close();
  });
});

matrix('a modern client that does not listen hears of no change', only, async ({ connect }) => {
  const server = createFull();
  const link = await connect(server);
  await link.request('tools/list');
  await changeAll(server);
  expect(await link.rest()).toEqual([]);
});
