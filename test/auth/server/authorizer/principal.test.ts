// What a handler knows of its caller over HTTP: who it is and what was granted, never the credentials themselves.
import { describe, expect, it } from 'vitest';
import { type Authorizer, bearer, type Principal, verifier } from 'vivarium/auth';
import type { BaseContext, Server } from 'vivarium/server';
import { type Answer, call, doors, modern, openSession, rpc } from '../../../serve/http.ts';
import { createServer } from '../../../server/fixture.ts';
import { listen } from '../../fixture.ts';

const tokens = { alice: 'the-token-of-alice', bob: 'the-token-of-bob-and-no-other' };
const byAlice = { authorization: `Bearer ${tokens.alice}` };
const byBob = { authorization: `Bearer ${tokens.bob}` };
const claims = { org: 'garden' };
const auth = bearer({ [tokens.alice]: { id: 'alice', scopes: ['admin'], claims }, [tokens.bob]: { id: 'bob', scopes: [] } });

const isAdmin = (principal: Principal | undefined): boolean => principal?.scopes.includes('admin') ?? false;

function createVisible(): Server {
  const { server } = createServer();
  server.tool('all', {}, () => 'all');
  server.tool('secret', { visible: isAdmin }, () => 'secret');
  server.prompt('all', {}, () => 'all');
  server.prompt('secret', { visible: isAdmin }, () => 'secret');
  server.resource('note:///all', {}, () => 'all');
  server.resource('note:///secret', { visible: isAdmin }, () => 'secret');
  server.resource('note:///{id}/secret', { visible: isAdmin }, () => 'secret');
  return server;
}

const all = [
  ['tools/list', 'tools', 'name'],
  ['prompts/list', 'prompts', 'name'],
  ['resources/list', 'resources', 'uri'],
  ['resources/templates/list', 'resourceTemplates', 'uriTemplate'],
] as const;

describe.each(doors)('a handler at %s', (_, open) => {
  it('is told who calls, with every request anew', async () => {
    const { server } = createServer();
    const seen: (Principal | undefined)[] = [];
    const see = ({ principal }: BaseContext): string => {
      seen.push(principal);
      return 'seen';
    };
    server.tool('tool', {}, (_, ctx) => see(ctx));
    server.prompt('prompt', {}, (_, ctx) => see(ctx));
    server.resource('note:///1', {}, (_, ctx) => see(ctx));
    server.resource('made:///{id}', { list: (ctx) => [{ uri: `made:///${see(ctx)}`, name: 'made' }] }, () => '');
    const door = await open(server, { auth });
    for (const own of [byAlice, byBob]) {
      const session = await openSession(door, '2025-06-18', own);
      for (const [method, params] of [
        ['tools/call', { name: 'tool', arguments: {} }],
        ['prompts/get', { name: 'prompt' }],
        ['resources/read', { uri: 'note:///1' }],
        ['resources/list', {}],
      ] as const) {
        expect(await door.send(modern(method, params, own))).toMatchObject({ status: 200 });
        expect(await door.send({ headers: session, body: rpc(1, method, params) })).toMatchObject({ status: 200 });
      }
    }
    const alice = { id: 'alice', scopes: ['admin'], claims };
    const bob = { id: 'bob', scopes: [] };
    expect(seen).toEqual([...Array(8).fill(alice), ...Array(8).fill(bob)]);
    expect(seen.every((principal) => Object.isFrozen(principal) && Object.isFrozen(principal?.scopes))).toBe(true);
  });

  it('is told that anyone may be calling where nobody is asked', async () => {
    const { server } = createServer();
    server.tool('whoami', {}, (_, { principal }) => JSON.stringify(principal));
    const door = await open(server);
    const { text } = await door.send(modern('tools/call', { name: 'whoami' }, byAlice));
    expect(JSON.parse(JSON.parse(text).result.content[0].text)).toEqual({ id: 'anonymous', scopes: [] });
  });

  it('A08: never sees the token, by no name of a header and nowhere in what it is given', async () => {
    const { server } = createServer();
    const asked = ['authorization', 'Authorization', 'AUTHORIZATION', 'proxy-authorization', 'cookie', 'x-mine', 'X-Mine', 'absent'];
    const seen: unknown[] = [];
    server.tool('look', {}, (args, ctx) => {
      seen.push(asked.map((name) => ctx.header(name)));
      const parts = { args, meta: ctx.meta, client: ctx.client, principal: ctx.principal, session: ctx.sessionId, id: ctx.requestId };
      expect(JSON.stringify([parts, ctx])).not.toContain(tokens.alice);
      return '';
    });
    const door = await open(server, { auth });
    const more = { ...byAlice, 'proxy-authorization': byAlice.authorization, cookie: `t=${tokens.alice}`, 'x-mine': 'mine' };
    expect(await door.send(modern('tools/call', { name: 'look' }, more))).toMatchObject({ json: { result: { isError: false } } });
    const session = await openSession(door, '2025-11-25', more);
    const { json } = await door.send({ headers: { ...session, ...more }, body: call(1, 'look') });
    expect(json.result.isError).toBe(false);
    const none = Array(5).fill(undefined);
    expect(seen).toEqual(Array(2).fill([...none, 'mine', 'mine', undefined]));
  });

  it('A08: sends nothing of it upstream by calling another server', async () => {
    const received: string[] = [];
    const upstream = await listen((request, response) => {
      received.push(JSON.stringify([request.rawHeaders, request.url]));
      response.end('ok');
    });
    const { server } = createServer();
    server.tool('relay', {}, async (_, ctx) => {
      const names = ['authorization', 'cookie', 'x-mine'];
      const known = names.flatMap((name) => (ctx.header(name) === undefined ? [] : [[name, ctx.header(name)] as [string, string]]));
      return (await fetch(`${upstream.url}/${ctx.principal?.id}`, { headers: Object.fromEntries(known) })).text();
    });
    const door = await open(server, { auth });
    const answer = await door.send(modern('tools/call', { name: 'relay' }, { ...byAlice, 'x-mine': 'mine' }));
    expect(answer.json.result.content[0].text).toBe('ok');
    expect(received).toEqual([expect.stringContaining('/alice')]);
    expect(received[0]).toContain('mine');
    expect(received[0]).not.toContain(tokens.alice);
  });
});

describe.each(doors)('what is visible to some, at %s', (_, open) => {
  it('is in their lists only, in either era, and the lists are not to be shared', async () => {
    const door = await open(createVisible(), { auth });
    for (const [own, count] of [
      [byAlice, 2],
      [byBob, 1],
    ] as const) {
      const session = await openSession(door, '2025-11-25', own);
      for (const [method, member, key] of all) {
        const now = await door.send(modern(method, {}, own));
        const before = await door.send({ headers: session, body: rpc(1, method) });
        const names = (answer: Answer): string[] => answer.json.result[member].map((one: Record<string, string>) => one[key]);
        const expected = member === 'resourceTemplates' ? count - 1 : count;
        expect([method, names(now)]).toEqual([method, names(before)]);
        expect(names(now)).toHaveLength(expected);
        expect(names(now).some((name) => name.includes('secret'))).toBe(own === byAlice);
        expect(now.json.result.cacheScope).toBe('private');
      }
    }
  });

  it('is to the others exactly what does not exist', async () => {
    const door = await open(createVisible(), { auth });
    const session = await openSession(door, '2025-11-25', byBob);
    const uses = [
      ['tools/call', { name: 'secret' }, { name: 'absent' }],
      ['prompts/get', { name: 'secret' }, { name: 'absent' }],
      ['resources/read', { uri: 'note:///secret' }, { uri: 'note:///absent' }],
      ['resources/read', { uri: 'note:///1/secret' }, { uri: 'note:///1/absent' }],
    ] as const;
    for (const [method, hidden, absent] of uses) {
      const told = ({ status, text }: Answer): string => `${status} ${text.replaceAll(/\b(?:secret|absent)\b/g, '*')}`;
      expect(told(await door.send(modern(method, hidden, byBob)))).toBe(told(await door.send(modern(method, absent, byBob))));
      const legacy = (params: object): Promise<Answer> => door.send({ headers: session, body: rpc(1, method, params) });
      expect(told(await legacy(hidden))).toBe(told(await legacy(absent)));
      expect((await door.send(modern(method, hidden, byAlice))).json).toHaveProperty('result');
    }
  });

  it('follows the token of the request: what was granted since is seen at once', async () => {
    let scopes: string[] = [];
    const changing: Authorizer = verifier(() => ({ id: 'alice', scopes }));
    const door = await open(createVisible(), { auth: changing });
    const session = await openSession(door, '2025-11-25', byAlice);
    const list = async (): Promise<number> => (await door.send({ headers: session, body: rpc(1, 'tools/list') })).json.result.tools.length;
    expect(await list()).toBe(1);
    scopes = ['admin'];
    expect(await list()).toBe(2);
    scopes = [];
    expect(await list()).toBe(1);
    expect((await door.send({ headers: session, body: call(1, 'secret') })).json.error.code).toBe(-32602);
  });

  it('does not run with a filter that throws, and its failure is not told', async () => {
    const { server, told } = createServer();
    server.tool(
      'fails',
      {
        visible: () => {
          throw new Error('password');
        },
      },
      () => 'ran',
    );
    const door = await open(server, { auth });
    for (const sent of [modern('tools/call', { name: 'fails' }, byBob), modern('tools/list', {}, byBob)]) {
      const { text } = await door.send(sent);
      expect(JSON.parse(text)).toHaveProperty('error');
      expect(text).not.toContain('password');
    }
    expect(told.length).toBeGreaterThan(0);
    expect(await door.send(modern('ping', {}, byBob))).toMatchObject({ status: 404 });
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['0', 0],
    ['a word', 'yes'],
    ['a promise', Promise.resolve(true)],
  ])('is shown for true alone: anything but true hides it, such as %s', async (_what, verdict) => {
    const { server } = createServer();
    const visible = (): boolean => verdict as boolean;
    server.tool('all', {}, () => 'all');
    server.tool('secret', { visible }, () => 'secret');
    server.prompt('all', {}, () => 'all');
    server.prompt('secret', { visible }, () => 'secret');
    server.resource('note:///all', {}, () => 'all');
    server.resource('note:///secret', { visible }, () => 'secret');
    server.resource('note:///{id}/secret', { visible }, () => 'secret');
    const door = await open(server, { auth });
    for (const [method] of all) expect((await door.send(modern(method, {}, byAlice))).text).not.toContain('secret');
    for (const [method, params] of [
      ['tools/call', { name: 'secret' }],
      ['prompts/get', { name: 'secret' }],
      ['resources/read', { uri: 'note:///secret' }],
      ['resources/read', { uri: 'note:///1/secret' }],
    ] as const) {
      expect((await door.send(modern(method, params, byAlice))).json).toHaveProperty('error');
    }
  });
});
