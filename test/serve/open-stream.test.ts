// Event streams: each message on one of them, whole, and nobody else's; and clients that go away.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { Server } from 'vivarium/server';
import { createEverything } from '../fixtures/everything.mjs';
import { call, type Door, doors, type Event, eventually, modern, nodeDoor, type Opened, openSession, rpc, type Sent } from './http.ts';

const alice = { authorization: 'Bearer token-of-alice-0123456789' };
const bob = { authorization: 'Bearer token-of-bob-0123456789ab' };
const auth = bearer({ 'token-of-alice-0123456789': { id: 'alice' }, 'token-of-bob-0123456789ab': { id: 'bob' } });

const listen = (headers: Sent['headers'], last?: string): Sent => ({
  method: 'GET',
  headers: { ...headers, ...(last !== undefined && { 'last-event-id': last }) },
});

interface Talking {
  readonly server: Server;
  readonly aborted: unknown[];
  /** Lets every call that is held go on. */
  release(): void;
}

/** `talk` reports once, then waits until it is released. */
function talking(): Talking {
  const aborted: unknown[] = [];
  const waiting: (() => void)[] = [];
  const server = new Server({ name: 'talking', version: '1.0.0', onError: () => undefined });
  server.tool('talk', {}, async (_, ctx) => {
    ctx.signal.addEventListener('abort', () => aborted.push(ctx.requestId));
    ctx.progress(1, 2, 'first');
    await new Promise<void>((resolve) => waiting.push(resolve));
    ctx.progress(2, 2, 'second');
    return 'answer';
  });
  server.tool('hold', {}, async (_, ctx) => {
    ctx.signal.addEventListener('abort', () => aborted.push(ctx.requestId));
    await new Promise<void>((resolve) => waiting.push(resolve));
    return 'held';
  });
  return { server, aborted, release: () => waiting.splice(0).forEach((one) => void one()) };
}

async function rest(stream: Opened): Promise<Event[]> {
  const events: Event[] = [];
  for (let event = await stream.next(); event !== undefined; event = await stream.next()) events.push(event);
  return events;
}

/** A call whose first report has come, cut there; the id of that report is where it is resumed. */
async function cutCall(door: Door, headers: Sent['headers'], id = 1): Promise<string> {
  const stream = await door.open({ headers: headers ?? {}, body: call(id, 'talk', {}, { progressToken: id }) });
  let event = await stream.next();
  while (event !== undefined && !event.data) event = await stream.next();
  stream.hangUp();
  return event?.id ?? '';
}

describe.each(doors)('%s', (_, open) => {
  it('H23 opens two streams in one session, and sends each message on the newest alone', async () => {
    const server = createEverything();
    const door = await open(server);
    const headers = await openSession(door);
    const first = await door.open(listen(headers));
    await first.next();
    const second = await door.open(listen(headers));
    await second.next();
    expect(door.stats.streams).toBe(2);
    server.tool('new', {}, () => 'x');
    expect((await second.message()).method).toBe('notifications/tools/list_changed');
    second.hangUp();
    await eventually(() => door.stats.streams).toBe(1);
    server.tool('newer', {}, () => 'x');
    expect((await first.message()).method).toBe('notifications/tools/list_changed');
    await door.send({ method: 'DELETE', headers });
    expect((await rest(first)).filter(({ data }) => data)).toEqual([]);
  });

  it('H24 resumes a stream where it was cut, and only for its owner', async () => {
    const { server, release } = talking();
    const door = await open(server, { auth });
    const own = await openSession(door, '2025-11-25', alice);
    const last = await cutCall(door, own);
    const others = await openSession(door, '2025-11-25', bob);
    const again = await openSession(door, '2025-11-25', alice);
    expect((await door.send(listen(others, last))).status).toBe(400);
    expect((await door.send(listen(again, last))).status).toBe(400);
    expect((await door.send(listen({ ...own, ...bob }, last))).status).toBe(404);
    const resumed = await door.open(listen(own, last));
    expect(resumed.status).toBe(200);
    release();
    const events = (await rest(resumed)).filter(({ data }) => data).map(({ data }) => JSON.parse(data ?? ''));
    expect(events.map(({ params, result }) => params?.message ?? result.content[0].text)).toEqual(['second', 'answer']);
  });

  it('H24 keeps the streams of one session apart', async () => {
    const { server, release } = talking();
    const door = await open(server);
    const headers = await openSession(door);
    const lasts = [await cutCall(door, headers, 1), await cutCall(door, headers, 2)];
    release();
    for (const [at, last] of lasts.entries()) {
      const messages = (await rest(await door.open(listen(headers, last))))
        .filter(({ data }) => data)
        .map(({ data }) => JSON.parse(data ?? ''));
      expect(messages.map(({ id, params }) => id ?? params.progressToken)).toEqual([at + 1, at + 1]);
    }
  });

  it.each(['zzz', '', '../../x', 'p-1', 'g0000000000-1', 'p0000000000z-0', '1', '__proto__-1', `p${'0'.repeat(8_000)}-1`, "p1-1' OR 1=1"])(
    'H24 answers the event %s with 400',
    async (last) => {
      const { server } = talking();
      const door = await open(server);
      const headers = await openSession(door);
      await cutCall(door, headers);
      const { status, json } = await door.send(listen(headers, last));
      expect([status, json.error.code]).toEqual([400, 400]);
      await eventually(() => door.stats.streams).toBe(0);
    },
  );

  it('H24 answers an event that has not been sent yet with 400', async () => {
    const { server } = talking();
    const door = await open(server);
    const headers = await openSession(door);
    const last = await cutCall(door, headers);
    expect((await door.send(listen(headers, last.replace(/\d+$/, '999')))).status).toBe(400);
  });

  it.each([
    ['2025-03-26', false],
    ['2025-06-18', false],
    ['2025-11-25', true],
  ])('begins a stream of %s with an event that only has an id: %s', async (revision, primed) => {
    const { server, release } = talking();
    const door = await open(server, { retryMs: 1234 });
    const headers = await openSession(door, revision);
    const stream = await door.open({ headers, body: call(1, 'talk', {}, { progressToken: 1 }) });
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    expect(stream.headers['cache-control']).toContain('no-cache');
    const first = await stream.next();
    if (primed) expect(first).toEqual({ id: expect.stringMatching(/-0$/), retry: '1234', data: '' });
    else expect(first).toMatchObject({ event: 'message', id: expect.any(String), data: expect.stringContaining('first') });
    release();
    const ids = (await rest(stream)).map(({ id }) => id);
    expect(new Set([first?.id, ...ids]).size).toBe(ids.length + 1);
  });

  it.each([
    'a\nb',
    'a\rb',
    'a\r\nb',
    'a\u2028b\u2029c\u0085d',
    'x\n\nevent: endpoint\ndata: http://evil\n\n',
    '\n\n: \nid: 1\nretry: 1\n\n',
    '\0',
  ])('H27 carries the text %j in one event', async (text) => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    server.tool('say', {}, (_, ctx) => {
      ctx.progress(1, 2, text);
      ctx.log.info(text, text);
      return text;
    });
    const door = await open(server);
    const headers = await openSession(door);
    await door.send({ headers, body: rpc(0, 'logging/setLevel', { level: 'debug' }) });
    for (const sent of [
      { headers, body: call(1, 'say', {}, { progressToken: text }) },
      modern('tools/call', { name: 'say' }, {}, { progressToken: text }),
    ]) {
      const answer = await door.send(sent);
      const messages = answer.events.filter(({ data }) => data).map(({ data }) => JSON.parse(data ?? ''));
      expect(messages[0].params).toMatchObject({ progressToken: text, message: text });
      expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ type: 'text', text }] } });
      for (const event of answer.events) expect(['message', undefined]).toContain(event.event);
    }
  });

  it('H37 goes on with a call of a session whose client has gone, and lets it come back for the answer', async () => {
    const { server, aborted, release } = talking();
    const door = await open(server);
    const headers = await openSession(door);
    const last = await cutCall(door, headers);
    release();
    await eventually(() => door.stats.running).toBe(0);
    const messages = (await rest(await door.open(listen(headers, last)))).filter(({ data }) => data);
    expect(messages.map(({ data }) => JSON.parse(data ?? '').result?.content[0].text)).toEqual([undefined, 'answer']);
    expect(aborted).toEqual([]);
  });

  it('H37 aborts a call of 2026-07-28 whose client has gone, on a stream and before it', async () => {
    const { server, aborted } = talking();
    const door = await open(server);
    const before = await door.begin(modern('tools/call', { name: 'hold' }, {}, {}, 'before'));
    await eventually(() => door.stats.running).toBe(1);
    before.hangUp();
    await eventually(() => aborted).toEqual(['before']);
    const during = await door.open(modern('tools/call', { name: 'talk' }, {}, { progressToken: 1 }, 'during'));
    await during.message();
    during.hangUp();
    await eventually(() => aborted).toEqual(['before', 'during']);
    await eventually(() => door.stats).toMatchObject({ running: 0, streams: 0 });
  });

  it('H39 refuses a stream too many with 503, and counts it', async () => {
    const { server } = talking();
    const door = await open(server, { maxStreams: 2 });
    const headers = await openSession(door);
    const subscribe = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const streams = [await door.open(listen(headers)), await door.open(subscribe)];
    for (const sent of [listen(headers), subscribe]) {
      const answer = await door.send(sent);
      expect([answer.status, answer.json.error.code]).toEqual([503, 503]);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(door.stats).toMatchObject({ streams: 2, answers: expect.objectContaining({ 503: 2 }) });
    for (const stream of streams) stream.hangUp();
    await eventually(() => door.stats.streams).toBe(0);
    const free = await door.open(listen(headers));
    expect(free.status).toBe(200);
    free.hangUp();
  });

  it('H39 breaks silence with comments, on every kind of stream', async () => {
    const { server } = talking();
    const door = await open(server, { keepAliveMs: 15, sse: true });
    const headers = await openSession(door);
    const streams = [
      await door.open(listen(headers)),
      await door.open(modern('subscriptions/listen', { notifications: { toolsListChanged: true } })),
      await door.open(modern('tools/call', { name: 'hold' })),
      await door.open({ headers, body: call(1, 'hold') }),
      await door.open({ method: 'GET', path: '/sse' }),
    ];
    for (const stream of streams) {
      for (let comments = 0; comments < 3; ) if ((await stream.next())?.comment !== undefined) comments++;
      stream.hangUp();
    }
  });

  it('H41 gives up a question that nobody answers, and forgets it', async () => {
    const failed: unknown[] = [];
    const server = new Server({ name: 'x', version: '1.0.0', asking: { ttlMs: 40 }, onError: (error) => void failed.push(error) });
    server.tool(
      'ask',
      {},
      async (_, ctx) => (await ctx.elicit('sure', { message: 'Sure?', schema: { type: 'object', properties: {} } })).action,
    );
    const door = await open(server);
    const headers = await openSession(door, '2025-11-25', {}, { elicitation: {} });
    const stream = await door.open({ headers, body: call(1, 'ask') });
    const question = await stream.message();
    expect(question.method).toBe('elicitation/create');
    let message = await stream.message();
    while (message.id !== 1) message = await stream.message();
    expect(message.result?.isError ?? message.error !== undefined).toBe(true);
    const late = await door.send({ headers, body: { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: {} } } });
    expect(late.status).toBe(202);
    expect(door.stats.running).toBe(0);
    const vanishing = await door.open({ headers, body: call(2, 'ask') });
    await vanishing.message();
    vanishing.hangUp();
    await eventually(() => door.stats).toMatchObject({ running: 0, streams: 0 });
  });
});

it('H24 answers an event of 10 MB with 431', async () => {
  const door = await nodeDoor(createEverything());
  const headers = await openSession(door);
  const stream = await door.begin(listen(headers, 'x'.repeat(10 * 1024 * 1024)));
  await expect(stream.opened().then(({ status }) => status)).resolves.toBe(431);
  expect((await door.send({ body: rpc(1, 'ping') })).status).toBe(200);
});
