// Two endpoints of two servers on one store: a session, a call or a listener may move between them at every step.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { HttpServing } from 'vivarium/serve/node';
import { memoryStore, type Store } from 'vivarium/store/memory';
import { createWatched, type Watched } from '../../fixtures/http-server.mjs';
import { ask, Client, eventually, type Message, type Reply, send } from '../../fixtures/http-wire.mjs';
import { serve } from '../serving.ts';

const versions = ['2025-03-26', '2025-06-18', '2025-11-25'];

let store: Store;
let here: Watched;
let there: Watched;
let a: HttpServing;
let b: HttpServing;

beforeEach(async () => {
  store = memoryStore();
  onTestFinished(() => store.close());
  here = createWatched();
  there = createWatched();
  a = await serve(here, { store, sse: true });
  b = await serve(there, { store, sse: true });
});

const logged = (reply: Reply): unknown[] =>
  reply.messages.filter(({ method }) => method === 'notifications/message').map((m) => m.params.data);
const text = (message: Message): string => message.result?.content[0].text;
const primed = (reply: Reply): Promise<unknown> => reply.until(({ text: said }) => said || undefined);

describe.each(versions)('a session of %s', (version) => {
  it('goes on at either endpoint', async () => {
    const client = new Client(a.url, { version });
    expect((await client.initialize({}, a.url)).protocolVersion).toBe(version);
    expect((await client.notify('notifications/initialized', undefined, b.url)).status).toBe(202);
    for (const { url } of [a, b, a, b, b]) expect(await client.call('echo', { text: url }, url)).toBe(url);
    expect([a.stats.sessions, b.stats.sessions, a.stats.sessionsOpened, b.stats.sessionsOpened]).toEqual([1, 1, 1, 0]);
  });

  it('has the log level that was set at the other endpoint', async () => {
    const client = await Client.connect(a.url, { version });
    await client.request('logging/setLevel', { level: 'error' }, b.url);
    const quiet = await client.begin('count', { key: 'a', count: 2 }, a.url);
    expect([text(await quiet.answer(quiet.id)), logged(quiet)]).toEqual(['counted 2', []]);
    await client.request('logging/setLevel', { level: 'debug' }, a.url);
    const loud = await client.begin('count', { key: 'b', count: 2 }, b.url);
    expect([text(await loud.answer(loud.id)), logged(loud)]).toEqual(['counted 2', [1, 2]]);
  });

  it('hears on its GET stream at one endpoint of a change at the other, exactly once', async () => {
    const client = await Client.connect(a.url, { version });
    await client.request('resources/subscribe', { uri: 'note:///a' }, a.url);
    const stream = await client.listen(undefined, b.url);
    await primed(stream);
    here.server.resourceUpdated('note:///a');
    here.server.resourceUpdated('note:///b');
    await stream.message('notifications/resources/updated');
    await client.request('resources/unsubscribe', { uri: 'note:///a' }, a.url);
    await client.request('resources/subscribe', { uri: 'note:///b' }, a.url);
    there.server.resourceUpdated('note:///a');
    there.server.resourceUpdated('note:///b');
    here.server.tool('new', {}, () => 'new');
    await stream.message('notifications/tools/list_changed');
    await client.end(a.url);
    expect(await stream.ended).toBe('whole');
    expect(stream.messages.map(({ method, params }) => params?.uri ?? method)).toEqual([
      'note:///a',
      'note:///b',
      'notifications/tools/list_changed',
    ]);
  });

  it('answers at one endpoint what a call at the other has asked', async () => {
    const client = await Client.connect(a.url, { version, capabilities: { sampling: {} } });
    for (const [asked, answered] of [
      [a.url, b.url],
      [b.url, a.url],
    ] as const) {
      const call = await client.begin('ask', { key: 'name' }, asked);
      const { id } = await call.message('sampling/createMessage');
      const result = { role: 'assistant', model: 'm', content: { type: 'text', text: `from ${answered}` } };
      expect((await client.respond(id, result, answered)).status).toBe(202);
      expect(text(await call.answer(call.id))).toBe(`asked from ${answered}`);
    }
  });

  it('cancels at one endpoint a call that runs at the other', async () => {
    const client = await Client.connect(a.url, { version });
    const call = await client.begin('wait', { key: 'a', early: true }, a.url);
    await call.message('notifications/message');
    expect((await client.notify('notifications/cancelled', { requestId: call.id, reason: 'enough' }, b.url)).status).toBe(202);
    await here.noted('aborted a');
    expect(await call.ended).toBe('whole');
    expect(call.messages.filter(({ id }) => id !== undefined)).toEqual([]);
    expect(a.stats.running).toBe(0);
  });

  it('resumes at one endpoint the stream of a call that runs at the other', async () => {
    const client = await Client.connect(a.url, { version });
    const call = await client.begin('count', { key: 'a', count: 6, held: true }, a.url);
    await call.until((reply) => (logged(reply).length === 3 ? true : undefined));
    const last = call.events.find(({ data }) => data?.includes('"data":2'))?.id;
    call.close();
    const resumed = await client.listen(last, b.url);
    await resumed.until((reply) => (logged(reply).length === 1 ? true : undefined));
    expect(here.book).not.toContain('done a');
    here.open('a');
    expect(text(await resumed.answer(call.id))).toBe('counted 6');
    expect(await resumed.ended).toBe('whole');
    expect(logged(resumed)).toEqual([3, 4, 5, 6]);
    expect(here.book).not.toContain('aborted a');
  });

  it('ends at one endpoint what runs and listens at the other', async () => {
    const client = await Client.connect(a.url, { version });
    const stream = await client.listen(undefined, a.url);
    const call = await client.begin('wait', { key: 'a', early: true }, a.url);
    await call.message('notifications/message');
    expect((await client.end(b.url)).status).toBe(204);
    await here.noted('aborted a');
    expect([await call.ended, await stream.ended]).toEqual(['whole', 'whole']);
    for (const { url } of [a, b]) {
      expect((await client.start('tools/list', undefined, url)).status).toBe(404);
      expect((await client.end(url)).status).toBe(404);
    }
    expect([a.stats.sessions, a.stats.streams, a.stats.running]).toEqual([0, 0, 0]);
  });
});

describe('a GET stream', () => {
  it('that was cut at one endpoint goes on at the other, and back, without loss or doubles', async () => {
    const client = await Client.connect(a.url);
    await client.request('resources/subscribe', { uri: 'note:///a' });
    const heard: unknown[] = [];
    let last: string | undefined;
    for (let round = 0; round < 6; round++) {
      const { url } = round % 2 === 0 ? a : b;
      const stream = await client.listen(last, url);
      await primed(stream);
      if (round > 0) await stream.message('notifications/resources/updated');
      (round % 3 === 0 ? here : there).server.resourceUpdated('note:///a');
      await stream.until(({ messages }) => (messages.length === (round > 0 ? 2 : 1) ? true : undefined));
      heard.push(...stream.messages);
      last = stream.events.at(-1)?.id;
      stream.close();
      await eventually(() => a.stats.streams + b.stats.streams === 0);
      // While nobody listens.
      (round % 2 === 0 ? here : there).server.resourceUpdated('note:///a');
    }
    expect(heard).toHaveLength(11);
  });

  it('stays what is told of changes when a Last-Event-ID of nobody is refused elsewhere', async () => {
    const client = await Client.connect(a.url);
    const stream = await client.listen(undefined, a.url);
    await primed(stream);
    for (const id of ['g0-0', 'p0-0', `${stream.events[0]?.id}9`]) expect((await client.listen(id, b.url)).status).toBe(400);
    here.server.tool('new', {}, () => 'new');
    await stream.message('notifications/tools/list_changed');
  });

  it('that is newer takes over from the other endpoint: each message goes to one of them (H23)', async () => {
    const client = await Client.connect(a.url);
    const first = await client.listen(undefined, a.url);
    await primed(first);
    const second = await client.listen(undefined, b.url);
    await primed(second);
    here.server.tool('new', {}, () => 'new');
    await second.message('notifications/tools/list_changed');
    await client.end();
    expect([(await first.all()).length, (await second.all()).length]).toEqual([0, 1]);
  });
});

it('questions of many calls at both endpoints are answered anywhere, each by its own answer', async () => {
  const client = await Client.connect(a.url, { capabilities: { sampling: {} } });
  const urls = [a.url, b.url];
  await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const call = await client.begin('ask', { key: `${at}` }, urls[at % 2]);
      const { id, params } = await call.message('sampling/createMessage');
      const content = { type: 'text', text: params.messages[0].content.text };
      await client.respond(id, { role: 'assistant', model: 'm', content }, urls[(at >> 1) % 2]);
      expect(text(await call.answer(call.id))).toBe(`asked ${at}`);
    }),
  );
});

it('streams that nobody came back for are not kept without end, wherever they were', async () => {
  const client = await Client.connect(a.url);
  const ids: (string | undefined)[] = [];
  for (let i = 0; i < 300; i++) {
    const stream = await client.listen(undefined, i % 2 === 0 ? a.url : b.url);
    ids.push((await stream.until(({ events }) => events[0])).id);
    stream.close();
  }
  await eventually(() => a.stats.streams + b.stats.streams === 0);
  for (const { url } of [a, b]) expect((await client.listen(ids[0], url)).status).toBe(400);
  expect((await client.listen(ids.at(-1), a.url)).status).toBe(200);
});

it('a session outlives the endpoint where it began', async () => {
  const client = await Client.connect(a.url);
  const stream = await client.listen(undefined, a.url);
  const { id } = await stream.until(({ events }) => events[0]);
  await a.close();
  expect(await stream.ended).toBe('whole');
  const resumed = await client.listen(id, b.url);
  expect(resumed.status).toBe(200);
  there.server.tool('new', {}, () => 'new');
  await resumed.message('notifications/tools/list_changed');
  expect(await client.call('echo', { text: 'still' }, b.url)).toBe('still');
});

describe('2026-07-28', () => {
  it('a listener at one endpoint hears of a change at either exactly once', async () => {
    const filter = { toolsListChanged: true, resourceSubscriptions: ['note:///a'] };
    const stream = await ask(b.url, 'sub', 'subscriptions/listen', { notifications: filter });
    await stream.message('notifications/subscriptions/acknowledged');
    here.server.tool('new', {}, () => 'new');
    await stream.message('notifications/tools/list_changed');
    here.server.resourceUpdated('note:///a');
    await stream.message('notifications/resources/updated');
    there.server.resourceUpdated('note:///a');
    await stream.until(({ messages }) => (messages.length === 4 ? true : undefined));
    await b.close();
    const messages = await stream.all();
    expect(messages).toHaveLength(5);
    expect(messages.at(-1)).toMatchObject({ id: 'sub', result: {} });
  });

  it('the rounds of a call may be served by different endpoints', async () => {
    const capabilities = { elicitation: {} };
    const params = { name: 'form', arguments: { key: 'k' } };
    let state: string | undefined;
    const rounds = [
      [a.url, undefined],
      [b.url, { first: { action: 'accept', content: { name: 'Ada' } } }],
      [a.url, { second: { action: 'accept', content: { name: 'Bob' } } }],
    ] as const;
    for (const [round, [url, inputResponses]] of rounds.entries()) {
      const more = inputResponses === undefined ? {} : { inputResponses, requestState: state };
      const reply = await ask(url, round, 'tools/call', { ...params, ...more }, { capabilities });
      const { result } = await reply.answer(round);
      if (round === 2) expect(result.content[0].text).toBe('Ada Bob');
      else expect(Object.keys(result.inputRequests)).toEqual([['first'], ['second']][round]);
      state = result.requestState;
    }
  });
});

it('HTTP+SSE: the stream is at one endpoint, and messages reach it through the other', async () => {
  const stream = await send(new URL('/sse', a.url).href, { method: 'GET' });
  const { data: target } = await stream.until(({ events }) => events.find(({ event }) => event === 'endpoint'));
  const post = async (body: object, { url }: HttpServing): Promise<number> => {
    const reply = await send(new URL(target as string, url).href, { body: { jsonrpc: '2.0', ...body } });
    await reply.ended;
    return reply.status;
  };
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  expect(await post({ id: 1, method: 'initialize', params }, b)).toBe(202);
  expect((await stream.answer(1)).result.protocolVersion).toBe('2024-11-05');
  expect(await post({ method: 'notifications/initialized' }, b)).toBe(202);
  for (const [id, serving] of [
    [2, a],
    [3, b],
  ] as const) {
    expect(await post({ id, method: 'tools/call', params: { name: 'echo', arguments: { text: `${id}` } } }, serving)).toBe(202);
    expect(text(await stream.answer(id))).toBe(`${id}`);
  }
  await post({ id: 4, method: 'tools/call', params: { name: 'wait', arguments: { key: 'sse' } } }, b);
  await here.noted('begun sse');
  expect(await post({ method: 'notifications/cancelled', params: { requestId: 4 } }, b)).toBe(202);
  await here.noted('aborted sse');
  there.server.tool('new', {}, () => 'new');
  await stream.message('notifications/tools/list_changed');
  stream.close();
  await eventually(() => a.stats.sessions === 0);
  expect(await post({ id: 5, method: 'ping' }, b)).toBe(404);
  expect(await post({ id: 5, method: 'ping' }, a)).toBe(404);
});
