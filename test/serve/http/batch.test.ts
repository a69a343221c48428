// Batches of 2025-03-26 over HTTP, with and without a session; and every other revision that has none.
import { describe, expect, it } from 'vitest';
import { Server } from 'vivarium/server';
import { createEverything } from '../../fixtures/everything.mjs';
import { call, type Door, doors, eventually, initialize, type Json, openSession, rpc, type Sent } from '../http.ts';

const ping = rpc(1, 'ping');
const note = { jsonrpc: '2.0', method: 'notifications/unknown' };
const ids = (json: Json): unknown[] => json.map(({ id }: { id: unknown }) => id);

describe.each(doors)('%s', (_, open) => {
  const kinds: [string, Parameters<typeof open>[1], (door: Door) => Promise<Sent['headers']>][] = [
    ['in a session', {}, (door) => openSession(door, '2025-03-26')],
    [
      'in a session that says no version',
      {},
      async (door) => ({ ...(await openSession(door, '2025-03-26')), 'mcp-protocol-version': undefined }),
    ],
    ['without sessions', { sessions: false }, async () => ({})],
    ['without sessions that says its version', { sessions: false }, async () => ({ 'mcp-protocol-version': '2025-03-26' })],
    ['in lenient mode', { lenient: true }, async () => ({})],
  ];

  describe.each(kinds)('%s', (_kind, options, enter) => {
    it('J04 answers a batch with an array', async () => {
      const door = await open(createEverything(), options);
      const headers = await enter(door);
      const one = await door.send({ headers, body: [ping] });
      expect([one.status, one.headers['content-type'], one.json]).toEqual([
        200,
        'application/json',
        [{ jsonrpc: '2.0', id: 1, result: {} }],
      ]);
      const two = await door.send({ headers, body: [ping, note, rpc(2, 'tools/list'), call('c', 'echo', { text: 'x' })] });
      expect(ids(two.json).sort()).toEqual([1, 2, 'c']);
    });

    it('J04 answers each bad member by itself, and no batch at all with -32600', async () => {
      const door = await open(createEverything(), options);
      const headers = await enter(door);
      const mixed = await door.send({ headers, body: [ping, 7, [ping], { id: 3 }] });
      expect(mixed.status).toBe(200);
      expect(mixed.json.map((one: Json) => [one.id, one.error?.code])).toEqual(
        expect.arrayContaining([
          [1, undefined],
          [null, -32600],
          [null, -32600],
          [3, -32600],
        ]),
      );
      const empty = await door.send({ headers, body: [] });
      expect([empty.status, empty.json]).toMatchObject([400, { id: null, error: { code: -32600 } }]);
      const long = await door.send({ headers, body: Array.from({ length: 10_000 }, (_, id) => rpc(id, 'ping')) });
      expect([long.status, long.json]).toMatchObject([400, { id: null, error: { code: -32600 } }]);
    });

    it('answers a batch of notifications and responses with 202 and nothing', async () => {
      const door = await open(createEverything(), options);
      const headers = await enter(door);
      const { status, text } = await door.send({ headers, body: [note, note, { jsonrpc: '2.0', id: 9, result: {} }] });
      expect([status, text]).toEqual([202, '']);
    });

    it('takes no initialize in a batch', async () => {
      const door = await open(createEverything(), options);
      const headers = await enter(door);
      const before = door.stats.sessionsOpened;
      const answer = await door.send({ headers, body: [initialize('2025-03-26'), ping] });
      expect(answer.json.find(({ id }: Json) => id === 0).error.code).toBe(-32600);
      expect(answer.headers).not.toHaveProperty('mcp-session-id');
      expect(door.stats.sessionsOpened).toBe(before);
    });
  });

  it('sends progress of a batch on a stream, and its answers as one event', async () => {
    const door = await open(createEverything());
    const headers = await openSession(door, '2025-03-26');
    const answer = await door.send({ headers, body: [call(1, 'steps', { steps: 2 }, { progressToken: 'p' }), rpc(2, 'ping')] });
    expect(answer.headers['content-type']).toBe('text/event-stream');
    const messages = answer.events.filter(({ data }) => data).map(({ data }) => JSON.parse(data ?? ''));
    expect(messages.slice(0, -1).every(({ method }: Json) => method === 'notifications/progress')).toBe(true);
    expect(ids(messages.flat().filter((one: Json) => 'result' in one)).sort()).toEqual([1, 2]);
  });

  it('cancels a member of a batch that runs', async () => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    server.tool('held', {}, () => new Promise<string>(() => undefined));
    const door = await open(server);
    const headers = await openSession(door, '2025-03-26');
    const running = door.send({ headers, body: [call(1, 'held'), rpc(2, 'ping')] });
    await eventually(() => door.stats.running).toBe(1);
    await door.send({ headers, body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } });
    expect(ids((await running).json)).toEqual([2]);
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('H14 refuses a batch in a session of %s with 400 and -32600', async (revision) => {
    const door = await open(createEverything());
    const headers = await openSession(door, revision);
    for (const body of [[ping], []]) {
      const answer = await door.send({ headers, body });
      expect([answer.status, answer.code]).toEqual([400, -32600]);
      if (revision < '2025-11-25') expect(answer.json.id).toBeNull();
      else expect(answer.json).not.toHaveProperty('id');
    }
  });

  it.each(['2025-06-18', '2025-11-25'])('H14 refuses a batch without a session that says %s', async (version) => {
    const door = await open(createEverything(), { sessions: false });
    const answer = await door.send({ headers: { 'mcp-protocol-version': version }, body: [ping] });
    expect([answer.status, answer.code]).toEqual([400, -32600]);
  });

  it('refuses a batch that belongs to no session', async () => {
    const door = await open(createEverything());
    const answer = await door.send({ body: [ping] });
    expect([answer.status, answer.json]).toMatchObject([400, { id: null, error: { code: -32600 } }]);
  });
});
