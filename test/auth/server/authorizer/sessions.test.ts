// Sessions, handles and calls belong to whoever opened them: to anyone else they do not exist.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import type { Server } from 'vivarium/server';
import { type Answer, call, type Door, doors, modern, openSession, rpc, type Sent } from '../../../serve/http.ts';
import { createServer, type Deferred, defer } from '../../../server/fixture.ts';

const tokens = { a: 'the-token-of-user-a', b: 'the-token-of-user-b', c: 'another-token-of-user-a' };
const byA = { authorization: `Bearer ${tokens.a}` };
const byB = { authorization: `Bearer ${tokens.b}` };
/** The same user with another token. */
const byC = { authorization: `Bearer ${tokens.c}` };
const auth = bearer({ [tokens.a]: { id: 'a' }, [tokens.b]: { id: 'b' }, [tokens.c]: { id: 'a' } });

interface Made {
  readonly server: Server;
  /** By name, calls that wait until the test lets them go. */
  readonly waiting: Map<string, { readonly gate: Deferred<string>; readonly signal: AbortSignal }>;
  started(name: string): Promise<void>;
}

function made(): Made {
  const { server } = createServer();
  const waiting: Made['waiting'] = new Map();
  const starts = new Map<string, Deferred<void>>();
  const start = (name: string): Deferred<void> => {
    const known = starts.get(name) ?? defer();
    starts.set(name, known);
    return known;
  };
  server.tool('whoami', {}, (_, ctx) => ctx.principal?.id ?? 'nobody');
  const input = { type: 'object', properties: { as: { type: 'string' } }, required: ['as'] } as const;
  server.tool('wait', { input }, ({ as }, ctx) => {
    const gate = defer<string>();
    waiting.set(as, { gate, signal: ctx.signal });
    ctx.signal.addEventListener('abort', () => gate.resolve('aborted'));
    start(as).resolve();
    return gate.promise;
  });
  server.tool('list', { maxBytes: 2_000 }, (_, ctx) => Array.from({ length: 500 }, (_unused, at) => `${ctx.principal?.id} ${at}`));
  server.resource('note:///1', {}, () => 'one');
  return { server, waiting, started: (name) => start(name).promise };
}

const textOf = ({ json }: Answer): string => json.result.content[0].text;

/** The same in everything a stranger could compare. */
const told = ({ status, json }: Answer): unknown => [status, json];

describe.each(doors)('H18: the session of A at %s', (_, open) => {
  it('is unknown to B by POST, GET and DELETE, exactly as one that never was', async () => {
    const { server } = made();
    const door = await open(server, { auth });
    const session = await openSession(door, '2025-11-25', byA);
    const never = { ...session, 'mcp-session-id': '0'.repeat((session['mcp-session-id'] ?? '').length) };
    const sent: readonly Sent[] = [
      { body: call(7, 'whoami') },
      { body: { jsonrpc: '2.0', method: 'notifications/initialized' } },
      { body: { jsonrpc: '2.0', id: 1, result: {} } },
      { method: 'GET' },
      { method: 'GET', headers: { 'last-event-id': 'g1-1' } },
      { method: 'DELETE' },
    ];
    for (const one of sent) {
      const foreign = await door.send({ ...one, headers: { ...one.headers, ...session, ...byB } });
      expect([one, foreign.status]).toEqual([one, 404]);
      expect(told(foreign)).toEqual(told(await door.send({ ...one, headers: { ...one.headers, ...never, ...byB } })));
    }
    expect(textOf(await door.send({ headers: session, body: call(1, 'whoami') }))).toBe('a');
    expect(door.stats).toMatchObject({ sessions: 1, sessionsEnded: 0 });
  });

  it('is that of the user and not of the token: a new one goes on in it', async () => {
    const door = await open(made().server, { auth });
    const session = await openSession(door, '2025-11-25', byA);
    expect(textOf(await door.send({ headers: { ...session, ...byC }, body: call(1, 'whoami') }))).toBe('a');
    expect(await door.send({ method: 'DELETE', headers: { ...session, ...byC } })).toMatchObject({ status: 204 });
    expect(await door.send({ headers: session, body: call(1, 'whoami') })).toMatchObject({ status: 404 });
  });

  it('has its calls and its streams left alone by B', async () => {
    const { server, waiting, started } = made();
    const door = await open(server, { auth });
    const session = await openSession(door, '2025-11-25', byA);
    const listening = await door.open({ method: 'GET', headers: session });
    const primed = await listening.next();
    const running = door.send({ headers: session, body: call(7, 'wait', { as: 'a' }) });
    await started('a');
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    expect(await door.send({ headers: { ...session, ...byB }, body: cancel })).toMatchObject({ status: 404 });
    // In a session of B's own the id is another call's, and nobody's event.
    const own = await openSession(door, '2025-11-25', byB);
    expect(await door.send({ headers: own, body: cancel })).toMatchObject({ status: 202 });
    const stolen = await door.send({ method: 'GET', headers: { ...own, 'last-event-id': primed?.id } });
    expect([stolen.status, stolen.json.error.data]).toEqual([400, { reason: 'unknown_event' }]);
    expect(await door.send({ method: 'DELETE', headers: { ...session, ...byB } })).toMatchObject({ status: 404 });
    expect(waiting.get('a')?.signal.aborted).toBe(false);
    waiting.get('a')?.gate.resolve('done');
    expect(textOf(await running)).toBe('done');
    server.tool('new', {}, () => '');
    expect(await listening.message()).toMatchObject({ method: 'notifications/tools/list_changed' });
    expect(await door.send({ headers: session, body: rpc(8, 'ping') })).toMatchObject({ status: 200 });
  });

  it('is unknown to B over HTTP+SSE too, and B hears nothing of it', async () => {
    const door = await open(made().server, { auth, sse: true });
    expect(await door.send({ method: 'GET', path: '/sse' })).toMatchObject({ status: 401 });
    const stream = await door.open({ method: 'GET', path: '/sse', headers: byA });
    const path = (await stream.next())?.data as string;
    const ping = rpc(1, 'ping');
    expect(await door.send({ path, body: ping })).toMatchObject({ status: 401 });
    const foreign = await door.send({ path, headers: byB, body: rpc(2, 'ping') });
    const never = await door.send({ path: `/messages?sessionId=${'0'.repeat(36)}`, headers: byB, body: rpc(2, 'ping') });
    expect([foreign.status, told(foreign)]).toEqual([404, told(never)]);
    expect(await door.send({ path, headers: byC, body: ping })).toMatchObject({ status: 202 });
    expect(await stream.message()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });
});

describe.each(doors)('A28: the rest of a large result of A at %s', (_, open) => {
  it('is to B what a handle that never was is', async () => {
    const door = await open(made().server, { auth });
    const whole = JSON.stringify((await door.send(modern('tools/call', { name: 'list' }, byA))).json);
    const uri = /vivarium:\/\/rest\/[\w-]+(?:[/?#][\w=&-]+)*/.exec(whole)?.[0] as string;
    expect(uri).toBeDefined();
    const read = (of: string, own: object): Promise<Answer> => door.send(modern('resources/read', { uri: of }, { ...own }));
    expect(JSON.stringify((await read(uri, byA)).json.result)).toContain('a 4');
    const foreign = await read(uri, byB);
    const guessed = uri.replace(/(rest\/)[\w-]+/, (text, prefix: string) => `${prefix}${'0'.repeat(text.length - prefix.length)}`);
    const never = await read(guessed, byB);
    expect(foreign.json.error.code).toBe(-32602);
    expect(JSON.stringify(told(foreign)).replaceAll(uri, '*')).toBe(JSON.stringify(told(never)).replaceAll(guessed, '*'));
    expect(JSON.stringify(told(foreign))).not.toContain('a 4');
    expect(JSON.stringify((await read(uri, byC)).json.result)).toContain('a 4');
  });
});

describe.each(doors)('a cancellation without sessions at %s', (_, open) => {
  const cancel = (own: object, requestId: unknown, version = '2025-11-25'): Sent => ({
    headers: { ...own, 'mcp-protocol-version': version },
    body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'enough' } },
  });
  const wait = (own: object, id: unknown, as: string): Sent => ({
    headers: { ...own, 'mcp-protocol-version': '2025-11-25' },
    body: call(id, 'wait', { as }),
  });

  async function begin(door: Door, { started }: Made, calls: readonly (readonly [own: object, id: unknown, as: string])[]) {
    const answers = calls.map(([own, id, as]) => door.send(wait(own, id, as)));
    await Promise.all(calls.map(([, , as]) => started(as)));
    return answers;
  }

  it('reaches the call of the same user, and never that of another', async () => {
    const one = made();
    const door = await open(one.server, { auth, sessions: false });
    const [first, second, third] = await begin(door, one, [
      [byA, 7, 'a7'],
      [byB, 7, 'b7'],
      [byA, '7', 'a"7"'],
    ]);
    // The last of A's tokens is another one: it is the user that counts.
    expect(await door.send(cancel(byC, 7))).toMatchObject({ status: 202, text: '' });
    const aborted = (): (boolean | undefined)[] => ['a7', 'b7', 'a"7"'].map((as) => one.waiting.get(as)?.signal.aborted);
    expect(aborted()).toEqual([true, false, false]);
    expect(one.waiting.get('a7')?.signal.reason).toMatchObject({ code: 'ERR_CANCELLED', message: 'enough' });
    // A call that was cancelled has no answer.
    expect((await first)?.text).toBe('');
    for (const as of ['b7', 'a"7"']) one.waiting.get(as)?.gate.resolve(`${as} done`);
    expect([textOf((await second) as Answer), textOf((await third) as Answer)]).toEqual(['b7 done', 'a"7" done']);
    expect(door.stats.running).toBe(0);
  });

  it('is for nobody where two calls of the user have the id, or none has', async () => {
    const one = made();
    const door = await open(one.server, { auth, sessions: false });
    const answers = await begin(door, one, [
      [byA, 1, 'first'],
      [byC, 1, 'second'],
    ]);
    for (const id of [1, 2, null, {}, 1.5]) expect(await door.send(cancel(byA, id))).toMatchObject({ status: 202 });
    expect([...one.waiting.values()].map(({ signal }) => signal.aborted)).toEqual([false, false]);
    for (const { gate } of one.waiting.values()) gate.resolve('done');
    expect((await Promise.all(answers)).map(textOf)).toEqual(['done', 'done']);
  });

  it('is for nobody where nobody is asked who they are', async () => {
    const one = made();
    const door = await open(one.server, { sessions: false });
    const [answer] = await begin(door, one, [[{}, 7, 'x']]);
    expect(await door.send(cancel({}, 7))).toMatchObject({ status: 202 });
    expect(one.waiting.get('x')?.signal.aborted).toBe(false);
    one.waiting.get('x')?.gate.resolve('done');
    expect(textOf((await answer) as Answer)).toBe('done');
  });

  it('reaches a call of 2026-07-28 of the same user only', async () => {
    const one = made();
    const door = await open(one.server, { auth });
    const sent = (own: object, as: string): Promise<Answer> =>
      door.send(modern('tools/call', { name: 'wait', arguments: { as } }, { ...own }, {}, 7));
    const [first, second] = [sent(byA, 'a'), sent(byB, 'b')];
    await Promise.all([one.started('a'), one.started('b')]);
    expect(await door.send(cancel(byB, 7, '2026-07-28'))).toMatchObject({ status: 202 });
    expect([one.waiting.get('a')?.signal.aborted, one.waiting.get('b')?.signal.aborted]).toEqual([false, true]);
    one.waiting.get('a')?.gate.resolve('done');
    expect(textOf(await first)).toBe('done');
    expect((await second).text).toBe('');
  });
});
