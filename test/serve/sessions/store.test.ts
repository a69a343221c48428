// A store that takes its time, and one that fails: sessions of the 2025 revisions wait for it, and survive it.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpServing, serveHttp } from 'vivarium/serve/node';
import { memoryStore, type Store } from 'vivarium/store/memory';
import { createDice } from '../../fixtures/http-cutter.mjs';
import { createWatched, type Watched } from '../../fixtures/http-server.mjs';
import { Client, eventually, handshake, type Message, type Reply, send } from '../../fixtures/http-wire.mjs';

const dice = createDice(Math.floor(Math.random() * 2 ** 31));

/** As a store elsewhere would be: everything takes a while, and fails as long as `broken` says so. */
function distant(store: Store): { readonly store: Store; broken: boolean } {
  const later = async <T>(value: () => T | Promise<T>): Promise<T> => {
    await sleep(dice(4));
    if (far.broken) throw new Error('The store is away');
    return value();
  };
  const { sessions, events } = store;
  const far = {
    broken: false,
    store: {
      ...store,
      sessions: {
        create: (...args) => later(() => sessions.create(...args)),
        load: (...args) => later(() => sessions.load(...args)),
        save: (...args) => later(() => sessions.save(...args)),
        touch: (...args) => later(() => sessions.touch(...args)),
        remove: (...args) => later(() => sessions.remove(...args)),
        count: () => later(() => sessions.count()),
      },
      events: {
        ...events,
        begin: (...args) => events.begin(...args),
        follow: (...args) => later(() => events.follow(...args)),
      },
      put: (...args) => later(() => store.put(...args)),
      get: (...args) => later(() => store.get(...args)),
    } satisfies Store,
  };
  return far;
}

let watched: Watched[];
let servings: HttpServing[];
let far: ReturnType<typeof distant>;
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

beforeEach(async () => {
  process.on('unhandledRejection', note);
  unhandled.length = 0;
  far = distant(memoryStore());
  watched = [createWatched(), createWatched()];
  servings = await Promise.all(
    watched.map(({ server }) => serveHttp(server, { port: 0, signals: false, drainMs: 0, sse: true, store: far.store, keepAliveMs: 100 })),
  );
});

afterEach(async () => {
  far.broken = false;
  for (const serving of servings) await serving.close();
  await far.store.close();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

const url = (at: number): string => servings[at]?.url as string;
const text = (message: Message): string => message.result?.content[0].text;
const logged = (reply: Reply): unknown[] =>
  reply.messages.filter(({ method }) => method === 'notifications/message').map((m) => m.params.data);

describe('a store that takes its time', () => {
  it('has what was said before the next request is answered, at either endpoint', async () => {
    for (let round = 0; round < 10; round++) {
      const client = new Client(url(0));
      await client.initialize({}, url(round % 2));
      await client.notify('notifications/initialized', undefined, url((round + 1) % 2));
      await client.request('logging/setLevel', { level: 'error' }, url(1));
      const quiet = await client.begin('count', { key: 'a', count: 1 }, url(0));
      expect([text(await quiet.answer(quiet.id)), logged(quiet)]).toEqual(['counted 1', []]);
      await client.request('logging/setLevel', { level: 'debug' }, url(0));
      const loud = await client.begin('count', { key: 'a', count: 1 }, url(1));
      expect([text(await loud.answer(loud.id)), logged(loud)]).toEqual(['counted 1', [1]]);
      expect((await client.end(url(round % 2))).status).toBe(204);
      expect((await client.start('tools/list', undefined, url((round + 1) % 2))).status).toBe(404);
    }
  });

  it('lets streams be resumed while events come', async () => {
    const client = await Client.connect(url(0));
    const call = await client.begin('count', { key: 'a', count: 300, paced: true }, url(0));
    const heard: unknown[] = [];
    let last = (await call.until(({ events }) => events[0])).id as string;
    call.close();
    heard.push(...logged(call));
    last = call.events.at(-1)?.id ?? last;
    for (let round = 0; ; round++) {
      const reply = await client.listen(last, url(round % 2));
      expect(reply.status).toBe(200);
      await reply.until(({ events, over }) => (events.length > 20 || over !== undefined ? true : undefined)).catch(() => undefined);
      if (reply.over === undefined) reply.close();
      heard.push(...logged(reply));
      last = reply.events.findLast(({ id }) => id !== undefined)?.id ?? last;
      if (reply.messages.some(({ id }) => id === call.id)) break;
    }
    expect(heard).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
  });

  it('serves five hundred requests at once', async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, (_, at) => Client.connect(url(at % 2))));
    const answers = await Promise.all(
      clients.flatMap((client, who) => Array.from({ length: 50 }, (_, at) => client.call('later', { text: `${who} ${at}` }, url(at % 2)))),
    );
    expect(answers).toEqual(clients.flatMap((_, who) => Array.from({ length: 50 }, (_none, at) => `${who} ${at}`)));
  });
});

describe('a store that fails', () => {
  it('costs the request a 503 with Retry-After, and nothing else', async () => {
    const client = await Client.connect(url(0));
    const stream = await client.listen(undefined, url(0));
    const { id } = await stream.until(({ events }) => events[0]);
    const running = await client.begin('wait', { key: 'a', early: true }, url(0));
    await running.message('notifications/message');
    far.broken = true;
    const replies = [
      await send(url(1), { body: handshake('2025-11-25') }),
      await client.start('tools/list'),
      await client.notify('notifications/cancelled', { requestId: running.id }),
      await client.listen(undefined, url(1)),
      await client.listen(id, url(1)),
      await client.end(),
    ];
    for (const reply of replies) expect([reply.status, reply.headers['retry-after']]).toEqual([503, '1']);
    watched[0]?.open('a');
    expect(text(await running.answer(running.id))).toBe('waited a');
    expect(servings[0]?.stats.running).toBe(0);
    await stream.until(({ comments }) => (comments > 3 ? true : undefined));
    far.broken = false;
    watched[0]?.server.tool('new', {}, () => 'new');
    await stream.message('notifications/tools/list_changed');
    expect(await client.call('echo', { text: 'again' }, url(1))).toBe('again');
  });

  it('in the middle of a request leaves the session as it was or as it was asked to be', async () => {
    const client = await Client.connect(url(0));
    for (let round = 0; round < 20; round++) {
      const set = client.start('logging/setLevel', { level: round % 2 === 0 ? 'error' : 'debug' });
      await sleep(dice(6));
      far.broken = true;
      const { status } = await set;
      far.broken = false;
      expect([200, 503]).toContain(status);
      expect(await client.call('echo', { text: `${round}` }, url(round % 2))).toBe(`${round}`);
    }
  });

  it('does not end a stream of HTTP+SSE', async () => {
    const stream = await send(new URL('/sse', url(0)).href, { method: 'GET' });
    const { data } = await stream.until(({ events }) => events[0]);
    far.broken = true;
    await stream.until(({ comments }) => (comments > 3 ? true : undefined));
    const sent = await send(new URL(data as string, url(0)).href, { body: handshake('2024-11-05') });
    expect(sent.status).toBe(202);
    await stream.answer('hello');
    expect([404, 503]).toContain((await send(new URL(data as string, url(1)).href, { body: handshake('2024-11-05') })).status);
    stream.close();
    await eventually(() => servings[0]?.stats.streams === 0);
  });
});
