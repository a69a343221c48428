// Subscriptions of the legacy revisions: whoever asked for a URI hears of it, and no one else.
import { describe, expect, it } from 'vitest';
import type { Message } from '../../matrix/link.ts';
import { legacy, matrix } from '../../matrix/matrix.ts';
import { ask, createServer, openWire } from '../fixture.ts';

function create(): ReturnType<typeof createServer> {
  const made = createServer();
  made.server.resource('note:///a', {}, () => 'x');
  made.server.resource('note:///{id}', {}, () => 'x');
  return made;
}

const updated = (uri: string): Message => ({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }) as Message;

describe('a subscription', () => {
  matrix('is to one URI, and ends', { revisions: legacy }, async ({ connect }) => {
    const { server } = create();
    const link = await connect(server);
    const other = await connect(server);
    server.resourceUpdated('note:///a');
    expect(await link.rest()).toEqual([]);
    for (const uri of ['note:///a', 'note:///b']) expect((await link.request('resources/subscribe', { uri })).result).toEqual({});
    server.resourceUpdated('note:///a');
    server.resourceUpdated('note:///c');
    expect(await link.rest()).toEqual([updated('note:///a')]);
    expect((await link.request('resources/unsubscribe', { uri: 'note:///a' })).result).toEqual({});
    server.resourceUpdated('note:///a');
    server.resourceUpdated('note:///b');
    expect(await link.rest()).toEqual([updated('note:///b')]);
    expect(await other.rest()).toEqual([]);
  });

  matrix('made twice is one, and ended twice is ended', { revisions: legacy }, async ({ connect }) => {
    const { server } = create();
    const link = await connect(server);
    const uri = 'note:///a';
    for (let i = 0; i < 2; i++) await link.request('resources/subscribe', { uri });
    for (let i = 0; i < 3; i++) server.resourceUpdated(uri);
    expect(await link.rest()).toEqual([updated(uri)]);
    for (let i = 0; i < 2; i++) expect((await link.request('resources/unsubscribe', { uri })).result).toEqual({});
    server.resourceUpdated(uri);
    expect(await link.rest()).toEqual([]);
  });

  matrix('needs a URI', { revisions: legacy }, async ({ connect }) => {
    const link = await connect(create().server);
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      for (const params of [{}, { uri: 5 }, { uri: null }]) expect((await link.request(method, params)).error?.code).toBe(-32602);
    }
  });

  it('is one of at most 1,000, which may all be made again', async () => {
    const wire = await openWire(create().server);
    for (let i = 0; i < 1_000; i++) await ask(wire, 'resources/subscribe', { uri: `note:///${i}` });
    const { error } = await ask(wire, 'resources/subscribe', { uri: 'note:///more' });
    expect(error).toMatchObject({ code: -32602, data: { details: 'A client subscribes to at most 1000 URIs' } });
    expect((await ask(wire, 'resources/subscribe', { uri: 'note:///0' })).result).toEqual({});
    await ask(wire, 'resources/unsubscribe', { uri: 'note:///0' });
    expect((await ask(wire, 'resources/subscribe', { uri: 'note:///more' })).result).toEqual({});
  });

  matrix('does not exist in the modern revision', { revisions: ['2026-07-28'] }, async ({ connect }) => {
    const link = await connect(create().server);
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      expect((await link.request(method, { uri: 'note:///a' })).error?.code).toBe(-32601);
    }
  });
});
