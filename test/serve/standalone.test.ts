// Event streams of the 2025 revisions: what they carry, how events are named, and how a stream that was cut goes on.
import { beforeEach, describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { createWatched, type Watched } from '../fixtures/http-server.mjs';
import { ask, Client, eventually, type Reply, type WireEvent } from '../fixtures/http-wire.mjs';
import { serve } from './serving.ts';

let watched: Watched;

/** A client that hears of updates of note:///a. */
async function subscriber(url: string, version = '2025-11-25', token?: string): Promise<Client> {
  const client = await Client.connect(url, { version, ...(token !== undefined && { token }) });
  await client.request('resources/subscribe', { uri: 'note:///a' });
  return client;
}

const logged = (reply: Reply): unknown[] =>
  reply.messages.filter(({ method }) => method === 'notifications/message').map((m) => m.params.data);
const lastId = (reply: Reply): string => reply.events.findLast(({ id }) => id !== undefined)?.id as string;
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

beforeEach(() => {
  watched = createWatched();
});

describe.each([
  ['2025-03-26', false],
  ['2025-06-18', false],
  ['2025-11-25', true],
] as const)('a stream of %s', (version, primed) => {
  it(`of GET begins ${primed ? 'with a priming event that says when to come back' : 'without an event of no data'}`, async () => {
    const { url } = await serve(watched, { retryMs: 321 });
    const client = await subscriber(url, version);
    const stream = await client.listen();
    expect([stream.status, stream.streams, stream.headers['x-accel-buffering']]).toEqual([200, true, 'no']);
    await stream.until(({ text }) => text || undefined);
    watched.server.resourceUpdated('note:///a');
    const [first] = await stream.until(({ events, messages }) => (messages.length > 0 ? events : undefined));
    if (primed) expect(first).toEqual({ id: expect.stringMatching(/-0$/), retry: '321', data: '' });
    else expect(first?.data).toContain('notifications/resources/updated');
    expect(stream.events.filter(({ retry }) => retry !== undefined)).toHaveLength(primed ? 1 : 0);
  });

  it(`of a call begins ${primed ? 'with a priming event' : 'without one'} and ends with the answer`, async () => {
    const { url } = await serve(watched, { retryMs: 321 });
    const client = await Client.connect(url, { version });
    const reply = await client.begin('count', { key: 'a', count: 3 });
    await reply.ended;
    if (primed) expect(reply.events[0]).toEqual({ id: expect.stringMatching(/-0$/), retry: '321', data: '' });
    expect(reply.events.filter(({ data, retry }) => data === '' || retry !== undefined)).toHaveLength(primed ? 1 : 0);
    expect(logged(reply)).toEqual([1, 2, 3]);
    expect(reply.messages.at(-1)).toMatchObject({ id: reply.id, result: { content: [{ text: 'counted 3' }] } });
  });

  it('names itself in the ids of its events, which differ everywhere in a session', async () => {
    const { url } = await serve(watched);
    const client = await subscriber(url, version);
    const stream = await client.listen();
    await stream.until(({ text }) => text || undefined);
    const calls = await Promise.all([1, 2].map((key) => client.begin('count', { key: `${key}`, count: 4 })));
    for (const call of calls) await call.ended;
    watched.server.resourceUpdated('note:///a');
    await stream.message('notifications/resources/updated');
    const ids = [stream, ...calls].map(({ events }) => events.map(({ id }) => id as string));
    const names = ids.map((some) => new Set(some.map((id) => id.slice(0, id.lastIndexOf('-')))));
    for (const name of names) expect(name.size).toBe(1);
    expect(new Set(names.flatMap((name) => [...name])).size).toBe(3);
    expect(new Set(ids.flat()).size).toBe(ids.flat().length);
    expect(ids.flat().every((id) => /^[\x21-\x7e]+$/.test(id))).toBe(true);
  });

  it('that was cut goes on after the event that is named, with that stream only', async () => {
    const { url, stats: _ } = await serve(watched);
    const client = await subscriber(url, version);
    const other = await client.listen();
    const call = await client.begin('count', { key: 'a', count: 6, held: true });
    await call.until((reply) => (logged(reply).length === 3 ? true : undefined));
    const last = call.events.find(({ data }) => data?.includes('"data":2')) as WireEvent;
    call.close();
    watched.server.resourceUpdated('note:///a');
    await other.message('notifications/resources/updated');
    watched.open('a');
    await watched.noted('done a');
    const resumed = await client.listen(last.id);
    expect(resumed.status).toBe(200);
    expect(await resumed.ended).toBe('whole');
    expect(logged(resumed)).toEqual([3, 4, 5, 6]);
    expect(resumed.messages.at(-1)).toMatchObject({ id: call.id, result: { content: [{ text: 'counted 6' }] } });
    expect(resumed.messages.some(({ method }) => method === 'notifications/resources/updated')).toBe(false);
  });

  it('can be resumed from its last event, and then only ends', async () => {
    const { url } = await serve(watched);
    const client = await Client.connect(url, { version });
    const call = await client.begin('count', { key: 'a', count: 2 });
    await call.ended;
    const resumed = await client.listen(lastId(call));
    expect([resumed.status, await resumed.ended, resumed.messages]).toEqual([200, 'whole', []]);
  });
});

describe('two GET streams of a session', () => {
  it('are both open, and each message goes to the newest only, exactly once (H23)', async () => {
    const serving = await serve(watched);
    const { url } = serving;
    const client = await subscriber(url);
    const first = await client.listen();
    await first.until(({ events }) => events[0]);
    watched.server.resourceUpdated('note:///a');
    await first.message('notifications/resources/updated');
    const second = await client.listen();
    await second.until(({ events }) => events[0]);
    for (let i = 2; i <= 4; i++) {
      watched.server.resourceUpdated('note:///a');
      await second.until(({ messages }) => (messages.length === i - 1 ? true : undefined));
    }
    expect([first.over, first.messages.length, second.messages.length]).toEqual([undefined, 1, 3]);
    second.close();
    await eventually(() => serving.stats.streams === 1);
    watched.server.resourceUpdated('note:///a');
    await first.until(({ messages }) => (messages.length === 2 ? true : undefined));
  });

  it('of two sessions are told each for themselves', async () => {
    const { url } = await serve(watched);
    const clients = await Promise.all([subscriber(url), subscriber(url)]);
    const streams = await Promise.all(clients.map((client) => client.listen()));
    for (const stream of streams) await stream.until(({ events }) => events[0]);
    watched.server.resourceUpdated('note:///a');
    for (const stream of streams) await stream.message('notifications/resources/updated');
    await clients[0]?.end();
    await clients[1]?.end();
    for (const stream of streams) expect(await stream.all()).toHaveLength(1);
  });
});

describe('Last-Event-ID', () => {
  it('of another stream, session or user, or of nobody, gives no foreign event (H24)', async () => {
    const ann = 'token-of-ann-0123456789';
    const bob = 'token-of-bob-0123456789';
    const { url } = await serve(watched, { auth: bearer({ [ann]: { id: 'ann' }, [bob]: { id: 'bob' } }) });
    const mine = await subscriber(url, '2025-11-25', ann);
    const sibling = await subscriber(url, '2025-11-25', ann);
    const foreign = await subscriber(url, '2025-11-25', bob);
    const secrets = await Promise.all([sibling, foreign].map((client) => client.begin('count', { key: 'secret', count: 3 })));
    const streams = await Promise.all([sibling, foreign].map((client) => client.listen()));
    for (const reply of secrets) await reply.ended;
    for (const stream of streams) await stream.until(({ events }) => events[0]);
    const ids = [...secrets, ...streams].map(({ events }) => events[0]?.id as string);
    const garbage = [
      'zzz',
      '../../x',
      'p-1',
      'g0-0',
      `${ids[0]}9`,
      `${ids[0]?.replace(/-0$/, '--1')}`,
      'x'.repeat(8_000),
      '0',
      '-',
      '%00',
      ' ',
    ];
    for (const id of [...ids, ...garbage]) {
      const reply = await mine.listen(id);
      expect([id, reply.status, await reply.ended]).toEqual([id, 400, 'whole']);
      expect(reply.messages[0]?.error.data).toEqual({ reason: 'unknown_event' });
      expect(reply.text).not.toContain('secret');
    }
    // And nobody lost anything by it.
    watched.server.resourceUpdated('note:///a');
    for (const stream of streams) await stream.message('notifications/resources/updated');
  });

  it('that is larger than any header is refused by HTTP itself (H24)', async () => {
    const { url } = await serve(watched);
    const client = await Client.connect(url);
    expect((await client.listen('x'.repeat(20_000))).status).toBe(431);
    expect(await client.call('echo', { text: 'alive' })).toBe('alive');
  });

  it('beyond what has been written is unknown', async () => {
    const { url } = await serve(watched);
    const client = await Client.connect(url);
    const call = await client.begin('count', { key: 'a', count: 2 });
    await call.ended;
    const reply = await client.listen(lastId(call).replace(/\d+$/, '999'));
    expect([reply.status, (await reply.all())[0]?.error.data]).toEqual([400, { reason: 'unknown_event' }]);
  });

  it.each([
    ['count', { maxCount: 5 }, {}],
    ['bytes', { maxBytes: 2_000 }, { size: 500 }],
  ])('of an event whose successors were trimmed by %s is an explicit error', async (_, events, args) => {
    const { url } = await serve(watched, { events });
    const client = await Client.connect(url);
    const call = await client.begin('count', { key: 'a', count: 20, ...args });
    await call.ended;
    expect(logged(call)).toHaveLength(20);
    const reply = await client.listen(call.events[0]?.id);
    expect([reply.status, (await reply.all())[0]?.error.data]).toEqual([400, { reason: 'events_trimmed' }]);
    const kept = await client.listen(call.events.at(-3)?.id);
    expect([kept.status, (await kept.all()).length]).toEqual([200, 2]);
  });

  it('of an event that is too old is an explicit error', async () => {
    const { url } = await serve(watched, { events: { maxAgeMs: 10 }, keepAliveMs: 20 });
    const client = await subscriber(url);
    const stream = await client.listen();
    const { id } = await stream.until(({ events }) => events[0]);
    watched.server.resourceUpdated('note:///a');
    await stream.message('notifications/resources/updated');
    stream.close();
    await eventually(async () => {
      const reply = await client.listen(id);
      if (reply.status === 200) return reply.close();
      return (await reply.all())[0]?.error.data.reason === 'events_trimmed';
    }, 'events that are too old');
  });

  it('means nothing where no events are kept', async () => {
    const { url } = await serve(watched, { events: false });
    const client = await subscriber(url);
    const stream = await client.listen();
    await stream.until(({ comments }) => comments || undefined);
    watched.server.resourceUpdated('note:///a');
    await stream.message('notifications/resources/updated');
    expect(stream.events.every(({ id }) => id === undefined)).toBe(true);
    expect((await client.listen('g0-0')).status).toBe(400);
  });
});

it('a resumed stream brings all that was missed, however much it is', async () => {
  const serving = await serve(watched);
  const { url } = serving;
  const client = await Client.connect(url);
  const call = await client.begin('count', { key: 'a', count: 100, size: 5_000, held: true });
  const { id } = await call.until(({ events }) => events[0]);
  call.close();
  await eventually(() => serving.stats.streams === 0);
  const half = await client.listen(id);
  await half.until((reply) => (logged(reply).length === 50 ? true : undefined), 'fifty events');
  expect(half.over).toBeUndefined();
  watched.open('a');
  await half.answer(call.id);
  expect(logged(half).map((line) => Number.parseInt(line as string, 10))).toEqual(numbers(1, 100));
  expect(serving.stats.cutOff).toBe(0);
});

it('streams that nobody came back for are not kept without end', async () => {
  const serving = await serve(watched);
  const { url } = serving;
  const client = await subscriber(url);
  const ids: (string | undefined)[] = [];
  for (let i = 0; i < 300; i++) {
    const stream = await client.listen();
    ids.push((await stream.until(({ events }) => events[0])).id);
    stream.close();
  }
  await eventually(() => serving.stats.streams === 0);
  expect((await client.listen(ids[0])).status).toBe(400);
  expect((await client.listen(ids.at(-1))).status).toBe(200);
});

it('a call may let its client go, who comes back for the answer, only from 2025-11-25 on', async () => {
  const { url } = await serve(watched);
  const old = await Client.connect(url, { version: '2025-06-18' });
  const first = old.start('tools/call', { name: 'detach', arguments: { key: 'old' } });
  await watched.noted('detached false');
  watched.open('old');
  expect((await (await first).all())[0]?.result.content[0].text).toBe('back old');
  const client = await Client.connect(url);
  const call = await client.start('tools/call', { name: 'detach', arguments: { key: 'new' } });
  expect([await call.ended, call.messages]).toEqual(['whole', []]);
  expect(call.events.findLast(({ retry }) => retry !== undefined)?.retry).toBe('20');
  const resumed = await client.listen(lastId(call));
  watched.open('new');
  expect((await resumed.answer(call.id)).result.content[0].text).toBe('back new');
});

it.each(['2025-03-26', '2025-11-25', '2026-07-28'])('whatever a tool says stays one message of %s (H27)', async (version) => {
  const { url } = await serve(watched, { stream: 'always' });
  const evil = 'a\nb\rc\r\nd\u2028e\u2029f\0g\u0085h\n\nevent: endpoint\ndata: http://evil.example\n\nid: g0-0\nretry: 1\n\n: x';
  watched.server.tool('evil', {}, async (_, ctx) => {
    ctx.log.info(evil);
    return evil;
  });
  const more = { 'io.modelcontextprotocol/logLevel': 'info' };
  const client = version === '2026-07-28' ? undefined : await Client.connect(url, { version });
  const reply = client === undefined ? await ask(url, 1, 'tools/call', { name: 'evil' }, { more }) : await client.begin('evil');
  const [note, answer, ...others] = (await reply.all()).filter(({ id, method }) => id ?? method);
  expect([note?.params.data, answer?.result.content[0].text, others]).toEqual([evil, evil, []]);
  expect(reply.events.filter(({ event }) => event !== 'message')).toHaveLength(version === '2025-11-25' ? 1 : 0);
});
