// Many clients at one server: what is meant for one reaches nobody else.
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { createFetchHandler } from 'vivarium/serve/fetch';
import { serveHttp } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { createEverything } from '../../fixtures/everything.mjs';
import { call, clientInfo, type Door, doors, initialize, type Json, modern, nodeDoor, openSession, Raw, rpc, type Sent } from '../http.ts';

/** Says who it speaks to in every message it sends. */
function naming(): Server {
  const server = new Server({ name: 'naming', version: '1.0.0' });
  server.tool('name', { input: { type: 'object', properties: { who: { type: 'string' } } } }, async ({ who }, ctx) => {
    ctx.progress(1, 2, `${who}`);
    ctx.log.info({ who });
    await turn();
    ctx.progress(2, 2, `${who}`);
    return `${who}`;
  });
  return server;
}

const meta = { 'io.modelcontextprotocol/logLevel': 'debug' };

function saidTo(messages: readonly Json[]): unknown[] {
  return messages.map(({ params, result }) => params?.message ?? params?.data?.who ?? result?.content?.[0]?.text);
}

describe.each(doors)('%s', (_, open) => {
  const rounds = 1_000;
  const kinds: [string, Parameters<typeof open>[1], (door: Door, who: string) => Promise<(id: number) => Sent>][] = [
    [
      'sessions',
      {},
      async (door, who) => {
        const headers = await openSession(door);
        await door.send({ headers, body: rpc('level', 'logging/setLevel', { level: 'debug' }) });
        return (id) => ({ headers, body: call(id, 'name', { who }, { progressToken: id }) });
      },
    ],
    ['no sessions', { sessions: false }, async (_door, who) => (id) => ({ body: call(id, 'name', { who }, { progressToken: id }) })],
    [
      '2026-07-28',
      {},
      async (_door, who) => (id) => modern('tools/call', { name: 'name', arguments: { who } }, {}, { ...meta, progressToken: id }, id),
    ],
  ];

  it.each(kinds)('H20 keeps clients with the same ids apart, with %s', async (_kind, options, enter) => {
    const server = naming();
    await server.ready();
    const door = await open(server, options);
    const clients = await Promise.all(['ada', 'bob'].map(async (who) => ({ who, sent: await enter(door, who) })));
    const found = new Set<string>();
    for (let from = 1; from <= rounds; from += 50) {
      const ids = Array.from({ length: 50 }, (_, at) => from + at);
      const calls = ids.flatMap((id) => clients.map(({ who, sent }) => ({ who, id, sent: sent(id) })));
      await Promise.all(
        calls.map(async ({ who, id, sent }) => {
          const { events } = await door.send(sent);
          const messages: Json[] = events.filter(({ data }) => data).map(({ data }) => JSON.parse(data ?? ''));
          const answers = messages.filter((one) => 'result' in one).map((one) => one.id === id);
          const tokens = messages
            .filter(({ method }) => method === 'notifications/progress')
            .map(({ params }) => params.progressToken === id);
          found.add(JSON.stringify([who, ...new Set(saidTo(messages)), answers, tokens]));
        }),
      );
    }
    expect([...found].sort()).toEqual(clients.map(({ who }) => JSON.stringify([who, who, [true], [true, true]])));
    expect(door.stats).toMatchObject({ running: 0, streams: 0, lost: 0 });
  });

  it('H20 keeps the level, the subscriptions and the version of a session from every other', async () => {
    const server = naming();
    const door = await open(server);
    const [quiet, loud] = [await openSession(door, '2025-06-18'), await openSession(door, '2025-11-25')];
    await door.send({ headers: quiet, body: rpc(1, 'logging/setLevel', { level: 'emergency' }) });
    await door.send({ headers: loud, body: rpc(1, 'logging/setLevel', { level: 'debug' }) });
    const logs = async (sent: Sent): Promise<number> => (await door.send(sent)).text.split('"notifications/message"').length - 1;
    expect(await logs({ headers: quiet, body: call(2, 'name', { who: 'x' }, { progressToken: 1 }) })).toBe(0);
    expect(await logs({ headers: loud, body: call(2, 'name', { who: 'x' }) })).toBe(1);
    expect(await logs(modern('tools/call', { name: 'name', arguments: { who: 'x' } }, {}, { progressToken: 1 }))).toBe(0);
    expect(await logs(modern('tools/call', { name: 'name', arguments: { who: 'x' } }, {}, meta))).toBe(1);
  });

  it('H20 asks the client that called, and takes the answer from nobody else', async () => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    const schema = { type: 'object', properties: { who: { type: 'string' } } } as const;
    server.tool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.elicit('who', { message: 'Who?', schema })));
    const door = await open(server);
    const sessions = [
      await openSession(door, '2025-11-25', {}, { elicitation: {} }),
      await openSession(door, '2025-11-25', {}, { elicitation: {} }),
    ];
    const streams = await Promise.all(sessions.map((headers) => door.open({ headers, body: call(1, 'ask') })));
    const questions = await Promise.all(streams.map((stream) => stream.message()));
    const answer = (at: number, id: unknown, who: string): Promise<unknown> =>
      door.send({ headers: sessions[at] ?? {}, body: { jsonrpc: '2.0', id, result: { action: 'accept', content: { who } } } });
    // Each answers the question of the other first: where the ids differ nothing happens, where they are equal it is its own.
    if (questions[0].id !== questions[1].id) {
      await answer(0, questions[1].id, 'wrong');
      await answer(1, questions[0].id, 'wrong');
    }
    await answer(0, questions[0].id, 'ada');
    await answer(1, questions[1].id, 'bob');
    const texts = await Promise.all(streams.map(async (stream) => JSON.parse((await stream.message()).result.content[0].text).content.who));
    expect(texts).toEqual(['ada', 'bob']);
  });
});

describe('one server', () => {
  it('H21 is served in several places at once, and keeps their clients apart', async () => {
    const server = naming();
    await server.ready();
    const [first, second] = [await nodeDoor(server), await nodeDoor(server)];
    const fetched = createFetchHandler(server, { allowedHosts: ['localhost'] });
    const wire = createWire(server);
    await wire.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    const [one, two] = [await openSession(first), await openSession(second)];
    expect((await second.send({ headers: one, body: rpc(1, 'tools/list') })).status).toBe(404);
    expect((await first.send({ method: 'DELETE', headers: two })).status).toBe(404);
    const answers = await Promise.all([
      first.send({ headers: one, body: call(1, 'name', { who: 'ada' }, { progressToken: 1 }) }),
      second.send({ headers: two, body: call(1, 'name', { who: 'bob' }, { progressToken: 1 }) }),
    ]);
    for (const [at, who] of ['ada', 'bob'].entries()) {
      const messages = answers[at]?.events.filter(({ data }) => data).map(({ data }) => JSON.parse(data ?? '')) ?? [];
      expect(new Set(saidTo(messages))).toEqual(new Set([who]));
    }
    expect(JSON.stringify(await wire.request('tools/call', { name: 'name', arguments: { who: 'eve' } }))).toContain('eve');
    await first.close();
    expect((await second.send({ headers: two, body: rpc(2, 'tools/list') })).status).toBe(200);
    await fetched.close();
    expect((await second.send({ headers: two, body: rpc(3, 'tools/list') })).status).toBe(200);
  });

  it('H21 refuses a port that is in use, and says so', async () => {
    await using first = await serveHttp(naming(), { port: 0, signals: false });
    await expect(serveHttp(naming(), { port: first.port, signals: false })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(`port ${first.port} is in use`) }),
    );
  });
});

describe('names that end up in headers', () => {
  const token = 'token-of-alice-0123456789';

  it.each(['a\r\nb', 'a\nb', 'a"b', 'a\\b', 'a b', ''])('H28 refuses the scope %j where it is written', (scope) => {
    expect(() => bearer([token], { required: [scope] })).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
  });

  it.each(['a\r\nb', 'a\nb', 'a b', 'ä', 'a"b'])(
    'H28 carries a tool called %j through a header that is wrapped, or refuses it at once',
    async (name) => {
      const server = new Server({ name: 'x', version: '1.0.0' });
      try {
        server.tool(name, {}, () => 'called');
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_CONFIG' });
        return;
      }
      const door = await nodeDoor(server);
      const wrapped = `=?base64?${Buffer.from(name).toString('base64')}?=`;
      expect((await door.send(modern('tools/call', { name }, { 'mcp-name': wrapped }))).json.result.content[0].text).toBe('called');
    },
  );

  it('H28 splits no answer by what a client sends', async () => {
    const door = await nodeDoor(createEverything(), { auth: bearer([token]), cors: ['*'] });
    const evil = 'x\r\nx-injected: yes\r\n\r\nHTTP/1.1 200 OK\r\n\r\n';
    const escaped = encodeURIComponent(evil);
    const headers = { authorization: `Bearer ${token}` };
    const raw = await Raw.open(door.port);
    raw.request({ path: `/mcp?x=${escaped}`, headers, body: rpc(evil, evil, { name: evil, uri: evil }) });
    raw.request({
      headers,
      body: rpc(1, 'initialize', { protocolVersion: evil, clientInfo: { name: evil, version: evil }, capabilities: {} }),
    });
    raw.request({ headers, body: initialize(evil) });
    raw.request({ path: `/.well-known/oauth-protected-resource/${escaped}`, method: 'GET' });
    for (let at = 0; at < 4; at++) {
      const answer = await raw.answer();
      expect(answer.headers).not.toHaveProperty('x-injected');
      expect(answer.json).toBeDefined();
    }
    expect(raw.rest).toBe('');
  });
});

describe('H46 what a proxy would say', () => {
  const auth = bearer(['token-of-alice-0123456789'], { authorizationServers: ['https://as.example'] });
  const forwarded = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-prefix': '/evil',
    'x-original-url': '/evil',
    forwarded: 'host=evil.example;proto=https',
  };

  it.each(doors)('changes nothing in the challenge of %s', async (_, open) => {
    const door = await open(createEverything(), { auth });
    const plain = await door.send(modern('tools/list'));
    const proxied = await door.send(modern('tools/list', {}, forwarded));
    expect([plain.status, proxied.status]).toEqual([401, 401]);
    expect(proxied.headers['www-authenticate']).toBe(plain.headers['www-authenticate']);
    expect(plain.headers['www-authenticate']).toMatch(
      /resource_metadata="http:\/\/localhost(?::\d+)?\/\.well-known\/oauth-protected-resource\/mcp"/,
    );
  });

  it.each(doors)('changes nothing in the metadata of %s', async (_, open) => {
    const door = await open(createEverything(), { auth });
    const path = '/.well-known/oauth-protected-resource/mcp';
    const { status, json, text } = await door.send({ method: 'GET', path, headers: forwarded });
    expect([status, json.resource]).toEqual([200, expect.stringMatching(/^http:\/\/localhost(?::\d+)?\/mcp$/)]);
    expect(text).not.toContain('evil');
  });

  it.each(doors)('is replaced by publicUrl in %s', async (_, open) => {
    const door = await open(createEverything(), { auth, publicUrl: 'https://api.example/public/mcp' });
    const { headers } = await door.send(modern('tools/list', {}, forwarded));
    expect(headers['www-authenticate']).toContain(
      'resource_metadata="https://api.example/.well-known/oauth-protected-resource/public/mcp"',
    );
  });
});
