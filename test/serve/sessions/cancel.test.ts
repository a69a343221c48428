// What ends a call before its answer: hanging up, cancelling, silence; and calls of two clients that look alike.
import { Agent, type ClientRequest } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { createWatched, type Watched } from '../../fixtures/http-server.mjs';
import { ask, Client, eventually, type Message, type Reply, send } from '../../fixtures/http-wire.mjs';
import { serve } from '../serving.ts';

const legacyVersions = ['2025-03-26', '2025-06-18', '2025-11-25'];
const token = 'token-of-ann-0123456789';

let watched: Watched;

beforeEach(() => {
  watched = createWatched();
});

const text = (message: Message): string => message.result?.content[0].text;
const wait = (key: string, early = false): object => ({ name: 'wait', arguments: { key, early } });
const cancelled = (requestId: unknown): object => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

/** Sends a request and hangs up once its call has begun, before anything was answered: by a reset, which the server sees at once: a plain end could be that of one side only. */
async function hangUp(key: string, send1: (onRequest: (outgoing: ClientRequest) => void) => Promise<unknown>): Promise<void> {
  let outgoing: ClientRequest | undefined;
  const failed = send1((one) => {
    outgoing = one;
  }).then(
    () => false,
    () => true,
  );
  await watched.noted(`begun ${key}`);
  outgoing?.socket?.resetAndDestroy();
  expect(await failed).toBe(true);
}

describe('hanging up', () => {
  it('cancels a call of 2026-07-28, whether or not its stream has begun (H37)', async () => {
    const serving = await serve(watched);
    await hangUp('silent', (onRequest) => ask(serving.url, 1, 'tools/call', wait('silent'), { onRequest }));
    await watched.noted('aborted silent');
    const more = { 'io.modelcontextprotocol/logLevel': 'info' };
    const reply = await ask(serving.url, 2, 'tools/call', wait('early', true), { more });
    await reply.message('notifications/message');
    reply.close();
    await watched.noted('aborted early');
    await watched.noted('done early');
    await eventually(() => serving.stats.running === 0 && serving.stats.streams === 0);
    expect(reply.messages).toHaveLength(1);
  });

  it('ends a listener of 2026-07-28', async () => {
    const serving = await serve(watched);
    const stream = await ask(serving.url, 1, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    await stream.message('notifications/subscriptions/acknowledged');
    stream.close();
    await eventually(() => serving.stats.running === 0 && serving.stats.streams === 0);
    watched.server.tool('new', {}, () => 'new');
    const next = await ask(serving.url, 1, 'tools/call', { name: 'new' });
    expect(text(await next.answer(1))).toBe('new');
  });

  it.each(legacyVersions)('is no cancellation in a session of %s: the answer can be fetched (H37)', async (version) => {
    const serving = await serve(watched);
    const client = await Client.connect(serving.url, { version });
    await hangUp('silent', (onRequest) => {
      const body = { jsonrpc: '2.0', id: 'silent', method: 'tools/call', params: wait('silent') };
      return client.post(body, serving.url, { onRequest });
    });
    const reply = await client.begin('wait', { key: 'early', early: true });
    await reply.message('notifications/message');
    reply.close();
    await eventually(() => serving.stats.streams === 0);
    watched.open('silent');
    watched.open('early');
    await watched.noted('done silent');
    await watched.noted('done early');
    expect(watched.book.filter((line) => line.startsWith('aborted'))).toEqual([]);
    const resumed = await client.listen(reply.events.at(-1)?.id);
    expect(text(await resumed.answer(reply.id))).toBe('waited early');
    // Nothing of the other call had arrived, so nobody could come back for it.
    expect(serving.stats).toMatchObject({ running: 0, lost: 1 });
  });

  it.each(legacyVersions)('is no cancellation of %s without sessions either', async (version) => {
    const serving = await serve(watched, { sessions: false });
    await hangUp('a', (onRequest) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: wait('a') };
      return send(serving.url, { body, onRequest, headers: { 'mcp-protocol-version': version } });
    });
    watched.open('a');
    await watched.noted('done a');
    expect(watched.book).not.toContain('aborted a');
  });
});

describe('notifications/cancelled', () => {
  it.each(legacyVersions)('reaches a call of %s from any request, and its POST ends as an empty event stream', async (version) => {
    const serving = await serve(watched);
    const client = await Client.connect(serving.url, { version });
    const silent = client.start('tools/call', wait('a'));
    await watched.noted('begun a');
    expect((await client.notify('notifications/cancelled', { requestId: client.next - 1, reason: 'enough' })).status).toBe(202);
    await watched.noted('aborted a');
    const reply = await silent;
    expect([reply.status, reply.streams, await reply.ended, reply.text]).toEqual([200, true, 'whole', '']);
    expect((await client.notify('notifications/cancelled', { requestId: 999 })).status).toBe(202);
    expect((await client.notify('notifications/cancelled', {})).status).toBe(202);
    expect(await client.call('echo', { text: 'alive' })).toBe('alive');
  });

  it('of one session reaches no call of another with the same id', async () => {
    const { url } = await serve(watched);
    const [one, two] = [await Client.connect(url), await Client.connect(url)];
    const calls = [one, two].map((client, at) => client.start('tools/call', wait(`${at}`)));
    await watched.noted('begun 0');
    await watched.noted('begun 1');
    await one.notify('notifications/cancelled', { requestId: 1 });
    await watched.noted('aborted 0');
    watched.open('1');
    const reply = (await calls[1]) as Reply;
    expect(text(await reply.answer(1))).toBe('waited 1');
    expect(watched.book).not.toContain('aborted 1');
  });

  it.each([
    ['2025-11-25', { sessions: false }],
    ['2026-07-28', {}],
  ] as const)('reaches a call of %s without a session where it is known whose it is', async (version, options) => {
    const bob = 'token-of-bob-0123456789';
    const { url } = await serve(watched, { auth: bearer({ [token]: { id: 'ann' }, [bob]: { id: 'bob' } }), ...options });
    const as = (whose: string): object => ({ 'mcp-protocol-version': version, authorization: `Bearer ${whose}` });
    const start = (whose: string, key: string): Promise<Reply> =>
      version === '2026-07-28'
        ? ask(url, 7, 'tools/call', wait(key), { headers: { authorization: `Bearer ${whose}` } })
        : send(url, { body: { jsonrpc: '2.0', id: 7, method: 'tools/call', params: wait(key) }, headers: { ...as(whose) } });
    const anns = start(token, 'ann');
    const bobs = start(bob, 'bob');
    await watched.noted('begun ann');
    await watched.noted('begun bob');
    expect((await send(url, { body: cancelled(7), headers: { ...as(token) } })).status).toBe(202);
    await watched.noted('aborted ann');
    watched.open('bob');
    expect(text(await (await bobs).answer(7))).toBe('waited bob');
    expect((await (await anns).all()).filter(({ result }) => result !== undefined)).toEqual([]);
    expect(watched.book).not.toContain('aborted bob');
  });
});

describe('a question to the client that is never answered (H41)', () => {
  it.each(legacyVersions)('times out in %s, and nothing is left of it', async (version) => {
    watched = createWatched({ asking: { ttlMs: 50 } });
    const serving = await serve(watched);
    const client = await Client.connect(serving.url, { version, capabilities: { sampling: {} } });
    const call = await client.begin('ask', { key: 'a' });
    const { id } = await call.message('sampling/createMessage');
    expect((await call.message('notifications/cancelled')).params.requestId).toBe(id);
    expect((await call.answer(call.id)).result.isError).toBe(true);
    expect((await client.respond(id, { late: true })).status).toBe(202);
    expect(await client.call('echo', { text: 'alive' })).toBe('alive');
    expect(serving.stats).toMatchObject({ running: 0, streams: 0 });
  });

  it('by a client that has vanished times out too, and lets the session expire', async () => {
    watched = createWatched({ asking: { ttlMs: 50 } });
    const serving = await serve(watched, { sessions: { idleMs: 4_000 } });
    const client = await Client.connect(serving.url, { capabilities: { sampling: {} } });
    const calls = await Promise.all(Array.from({ length: 50 }, (_, at) => client.begin('ask', { key: `${at}` })));
    for (const call of calls) await call.message('sampling/createMessage');
    for (const call of calls) call.close();
    await eventually(() => serving.stats.running === 0, 'no call');
    await eventually(() => serving.stats.sessions === 0, 'no session');
    expect(watched.book.filter((line) => line.startsWith('done'))).toEqual([]);
  });

  it('ends at once when the session is deleted', async () => {
    const serving = await serve(watched);
    const client = await Client.connect(serving.url, { capabilities: { sampling: {} } });
    const call = await client.begin('ask', { key: 'a' });
    await call.message('sampling/createMessage');
    await client.end();
    expect(await call.ended).toBe('whole');
    expect(call.messages.filter(({ result, error }) => result ?? error)).toEqual([]);
    await eventually(() => serving.stats.running === 0);
  });
});

describe('two clients with the same ids 1 to 1000 at once (H20)', () => {
  const count = 1_000;
  const agent = new Agent({ keepAlive: true });

  afterAll(() => agent.destroy());

  async function crowd(start: (who: string, id: number, params: object) => Promise<Reply>): Promise<void> {
    const one = async (who: string, id: number): Promise<void> => {
      const said = `${who} ${id}`;
      const params = { name: 'said', arguments: { text: said }, _meta: { progressToken: said } };
      const messages = await (await start(who, id, params)).all();
      expect(
        messages.map(({ params: sent, result, id: answered }) => [answered, sent?.progressToken ?? sent?.data, result?.content[0].text]),
      ).toEqual([
        [undefined, said, undefined],
        [undefined, said, undefined],
        [id, undefined, said],
      ]);
    };
    watched.server.tool('said', { input: { type: 'object', properties: { text: { type: 'string' } } } }, async ({ text: said }, ctx) => {
      ctx.log.info(said);
      await new Promise((resolve) => setImmediate(resolve));
      ctx.progress(1);
      return said as string;
    });
    for (let from = 1; from <= count; from += 50) {
      const ids = Array.from({ length: 50 }, (_, at) => from + at);
      await Promise.all(ids.flatMap((id) => [one('ann', id), one('bob', id)]));
    }
  }

  it('with sessions hear only of their own calls', async () => {
    const serving = await serve(watched);
    const clients: Record<string, Client> = { ann: await Client.connect(serving.url), bob: await Client.connect(serving.url) };
    await crowd((who, id, params) =>
      (clients[who] as Client).post({ jsonrpc: '2.0', id, method: 'tools/call', params }, serving.url, { agent }),
    );
    expect(serving.stats).toMatchObject({ running: 0, streams: 0 });
  });

  it('without sessions hear only of their own calls', async () => {
    const { url } = await serve(watched, { sessions: false });
    const headers = { 'mcp-protocol-version': '2025-06-18' };
    await crowd((_, id, params) => send(url, { body: { jsonrpc: '2.0', id, method: 'tools/call', params }, headers, agent }));
  });

  it('of 2026-07-28 hear only of their own calls', async () => {
    const { url } = await serve(watched);
    await crowd((_, id, params) => {
      const { _meta, ...rest } = params as { _meta: object };
      return ask(url, id, 'tools/call', rest, { agent, more: { ..._meta, 'io.modelcontextprotocol/logLevel': 'info' } });
    });
  });
});
