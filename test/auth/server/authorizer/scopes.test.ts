// How far a token reaches, over HTTP: the step-up challenge, and changes that count from the next request on.
import { describe, expect, it } from 'vitest';
import { type Authorizer, bearer, type Principal, verifier } from 'vivarium/auth';
import type { Server } from 'vivarium/server';
import { type Answer, call, type Door, doors, modern, openSession, rpc, type Sent } from '../../../serve/http.ts';
import { createServer } from '../../../server/fixture.ts';

const issuer = 'https://as.example';
const tokens = { narrow: 'narrow-token-of-alice', half: 'half-token-of-alice', wide: 'wide-token-of-alice' };
const needed = ['notes:read', 'notes:write'];
const narrow = { authorization: `Bearer ${tokens.narrow}` };
const half = { authorization: `Bearer ${tokens.half}` };
const wide = { authorization: `Bearer ${tokens.wide}` };

/** The same user with tokens that reach differently far. */
const byList = (required: readonly string[] = []): Authorizer =>
  bearer(
    {
      [tokens.narrow]: { id: 'alice', scopes: [...required] },
      [tokens.half]: { id: 'alice', scopes: [...required, 'notes:read'] },
      [tokens.wide]: { id: 'alice', scopes: [...required, ...needed, 'else'] },
    },
    { authorizationServers: [issuer], scopes: [...needed, 'admin'], required },
  );

function scoped(options: object = {}): { readonly server: Server; readonly ran: string[] } {
  const { server } = createServer(options);
  const ran: string[] = [];
  server.tool('save', { scopes: needed }, () => {
    ran.push('save');
    return 'saved';
  });
  server.tool('slow', { scopes: needed }, async (_, ctx) => {
    await Promise.resolve();
    ctx.progress(1);
    return 'slowly';
  });
  server.prompt('write', { scopes: needed }, () => 'Write.');
  server.resource('note:///1', { scopes: needed }, () => 'one');
  server.resource('note:///all/{id}', { scopes: needed }, ({ id }) => id);
  server.tool('free', {}, () => 'free');
  return { server, ran };
}

const address = (door: Door): string => {
  const origin = door.port === 0 ? 'http://localhost' : `http://localhost:${door.port}`;
  return `${origin}/.well-known/oauth-protected-resource/mcp`;
};

function expectStepUp(answer: Answer, door: Door, scopes: readonly string[] = needed): void {
  expect(answer.status).toBe(403);
  const challenge = answer.headers['www-authenticate'] ?? '';
  expect(challenge).toMatch(/^Bearer /);
  expect(challenge).toContain('error="insufficient_scope"');
  expect(/\bscope="([^"]*)"/.exec(challenge)?.[1]?.split(' ').sort()).toEqual([...scopes].sort());
  expect(challenge).toContain(`resource_metadata="${address(door)}"`);
  expect(answer.headers['content-type']).toBe('application/json');
  expect(answer.json).toMatchObject({ id: 1, error: { code: 403, message: 'Forbidden', data: { scopes: needed } } });
}

/** One request for everything that has scopes, in the era of the headers. */
const requests: readonly (readonly [what: string, method: string, params: object])[] = [
  ['a tool', 'tools/call', { name: 'save', arguments: {} }],
  ['a tool that takes time', 'tools/call', { name: 'slow', arguments: {}, _meta: { progressToken: 1 } }],
  ['a prompt', 'prompts/get', { name: 'write' }],
  ['a resource', 'resources/read', { uri: 'note:///1' }],
  ['a resource of a template', 'resources/read', { uri: 'note:///all/2' }],
];

describe.each(doors)('A06: a scope that lacks, at %s', (_, open) => {
  it.each(requests)(
    'is named with all that it takes for %s, and the same call succeeds with a wider token',
    async (_what, method, params) => {
      const { server, ran } = scoped();
      const door = await open(server, { auth: byList() });
      for (const own of [narrow, half]) expectStepUp(await door.send(modern(method, params, own)), door);
      expect(ran).toEqual([]);
      expect((await door.send(modern(method, params, wide))).text).not.toContain('"error"');
      for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25']) {
        const session = await openSession(door, revision, narrow);
        const sent = (own: object): Sent => ({ headers: { ...session, ...own }, body: rpc(1, method, params) });
        expectStepUp(await door.send(sent({})), door);
        expectStepUp(await door.send(sent(half)), door);
        // Whoever comes back with more goes on in the same session.
        const answer = await door.send(sent(wide));
        expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"result"')]);
        expectStepUp(await door.send(sent({})), door);
      }
    },
  );

  it('is a challenge too where every answer is a stream', async () => {
    const door = await open(scoped().server, { auth: byList(), stream: 'always' });
    expectStepUp(await door.send(modern('tools/call', { name: 'save' }, narrow)), door);
    expect(await door.send(modern('tools/call', { name: 'save' }, wide))).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
    });
  });

  it('is named without sessions as well', async () => {
    const door = await open(scoped().server, { auth: byList(), sessions: false });
    const sent = (own: object): Sent => ({ headers: { ...own, 'mcp-protocol-version': '2025-06-18' }, body: call(1, 'save') });
    expectStepUp(await door.send(sent(narrow)), door);
    expect(await door.send(sent(wide))).toMatchObject({ status: 200, json: { result: { content: [{ text: 'saved' }] } } });
  });

  it('is named when a resource or a prompt is reached through a tool', async () => {
    const { server } = scoped({ expose: { resources: true, prompts: true } });
    const door = await open(server, { auth: byList() });
    for (const params of [
      { name: 'resource_read', arguments: { uri: 'note:///1' } },
      { name: 'prompt_write', arguments: {} },
    ]) {
      expectStepUp(await door.send(modern('tools/call', params, narrow)), door);
      expect(await door.send(modern('tools/call', params, wide))).toMatchObject({ status: 200 });
    }
  });

  it('names what everything needs beside what this needs', async () => {
    const door = await open(scoped().server, { auth: byList(['mcp']) });
    expectStepUp(await door.send(modern('tools/call', { name: 'save' }, narrow)), door, ['mcp', ...needed]);
  });

  it('costs nothing else: what needs no scope is answered, and lists are whole', async () => {
    const door = await open(scoped().server, { auth: byList() });
    expect(await door.send(modern('tools/call', { name: 'free' }, narrow))).toMatchObject({ status: 200 });
    const { tools } = (await door.send(modern('tools/list', {}, narrow))).json.result;
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['save', 'slow', 'free']);
    // A made-up name is unknown, not forbidden.
    expect(await door.send(modern('tools/call', { name: 'nope' }, narrow))).toMatchObject({ status: 200, code: -32602 });
  });

  it('that everything needs is refused before anything is read', async () => {
    const auth = verifier(() => ({ id: 'alice', scopes: ['else'] }), { required: ['mcp'], authorizationServers: [issuer] });
    const door = await open(scoped().server, { auth });
    for (const sent of [modern('ping', {}, narrow), { headers: narrow, body: 'no JSON' }]) {
      const answer = await door.send(sent);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([403, expect.stringContaining('scope="mcp"')]);
    }
  });

  it('is named for who wants to subscribe, to complete, or to use a method of an extension', async () => {
    const { server } = scoped();
    server.resource('typed:///{id}', { scopes: needed, complete: { id: () => ['secret'] } }, ({ id }) => id);
    const id = 'com.example/x';
    server.use({ id, install: (host) => void host.method(id, { scopes: needed }, () => ({ done: true })) });
    const door = await open(server, { auth: byList() });
    const completing = { ref: { type: 'ref/resource', uri: 'typed:///{id}' }, argument: { name: 'id', value: '' } };
    const session = await openSession(door, '2025-11-25', narrow);
    for (const [method, params] of [
      ['resources/subscribe', { uri: 'note:///1' }],
      ['resources/subscribe', { uri: 'note:///all/2' }],
      ['completion/complete', completing],
    ] as const) {
      const sent = (own: object): Sent => ({ headers: { ...session, ...own }, body: rpc(1, method, params) });
      expectStepUp(await door.send(sent({})), door);
      expect((await door.send(sent(wide))).json).toHaveProperty('result');
    }
    expectStepUp(await door.send(modern('completion/complete', completing, narrow)), door);
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [id]: {} } } };
    expectStepUp(await door.send(modern(id, {}, narrow, meta)), door);
    expect((await door.send(modern(id, {}, wide, meta))).json.result).toMatchObject({ done: true });
  });

  it('keeps what is made by a list from whoever may not read it', async () => {
    const { server } = scoped();
    const list = (): { uri: string; name: string }[] => [{ uri: 'made:///secret', name: 'secret' }];
    server.resource('made:///{id}', { scopes: needed, list }, ({ id }) => id);
    const door = await open(server, { auth: byList() });
    expect((await door.send(modern('resources/list', {}, half))).text).not.toContain('secret');
    expect((await door.send(modern('resources/list', {}, wide))).text).toContain('secret');
  });

  it('costs a member of a batch its own answer only', async () => {
    const { server, ran } = scoped();
    const door = await open(server, { auth: byList() });
    const session = await openSession(door, '2025-03-26', narrow);
    const { status, json } = await door.send({ headers: session, body: [call(1, 'save'), call(2, 'free')] });
    expect([status, json]).toMatchObject([
      200,
      [
        { id: 1, error: { code: 403, data: { scopes: needed } } },
        { id: 2, result: { content: [{ text: 'free' }] } },
      ],
    ]);
    expect(ran).toEqual([]);
  });

  it('is told on the stream of 2024-11-05, and the wider token goes on there', async () => {
    const { server, ran } = scoped();
    const door = await open(server, { auth: byList(), sse: true });
    const stream = await door.open({ method: 'GET', path: '/sse', headers: narrow });
    const path = (await stream.next())?.data ?? '';
    const post = (body: object, headers: Sent['headers'] = narrow): Promise<Answer> => door.send({ path, headers, body });
    await post(rpc(0, 'initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c', version: '1' } }));
    await stream.message();
    expect(await post(call(1, 'save'))).toMatchObject({ status: 202 });
    expect(await stream.message()).toMatchObject({ id: 1, error: { code: 403, data: { scopes: needed } } });
    await post(call(2, 'save'), wide);
    expect(await stream.message()).toMatchObject({ id: 2, result: { content: [{ text: 'saved' }] } });
    expect(ran).toEqual(['save']);
  });
});

describe.each(doors)('A07: a token at %s', (_, open) => {
  /** What the issuer says of the one token there is. */
  function changing(): { readonly auth: Authorizer; is(now: Principal | undefined): void } {
    let now: Principal | undefined = { id: 'alice', scopes: [...needed] };
    return {
      auth: verifier(async () => now, { authorizationServers: [issuer] }),
      is: (next) => {
        now = next;
      },
    };
  }

  it('that is narrowed in mid-session reaches less far from the next request on', async () => {
    const { server, ran } = scoped();
    const { auth, is } = changing();
    const door = await open(server, { auth });
    const session = await openSession(door, '2025-11-25', wide);
    const save = (): Promise<Answer> => door.send({ headers: session, body: call(1, 'save') });
    expect(await save()).toMatchObject({ status: 200 });
    is({ id: 'alice', scopes: ['notes:read'] });
    expectStepUp(await save(), door);
    expectStepUp(await door.send(modern('tools/call', { name: 'save' }, wide)), door);
    is({ id: 'alice', scopes: needed });
    expect(await save()).toMatchObject({ status: 200 });
    expect(ran).toEqual(['save', 'save']);
  });

  it('that is revoked in mid-session opens nothing any more, and the session waits for a good one', async () => {
    const { server, ran } = scoped();
    const { auth, is } = changing();
    const door = await open(server, { auth });
    const session = await openSession(door, '2025-11-25', wide);
    is(undefined);
    for (const sent of [{ body: call(1, 'free') }, { method: 'GET' }, { method: 'DELETE' }]) {
      expect(await door.send({ headers: session, ...sent })).toMatchObject({ status: 401 });
    }
    expect(door.stats.sessions).toBe(1);
    is({ id: 'alice', scopes: needed });
    expect(await door.send({ headers: session, body: call(1, 'save') })).toMatchObject({ status: 200 });
    expect(ran).toEqual(['save']);
  });

  it('that is narrowed no longer brings news of what it does not reach', async () => {
    const { server } = scoped();
    const { auth, is } = changing();
    const door = await open(server, { auth });
    const session = await openSession(door, '2025-11-25', wide);
    const listening = await door.open({ method: 'GET', headers: session });
    const uris = ['note:///1', 'note:///all/2'];
    server.resource('note:///free', {}, () => 'free');
    for (const uri of [...uris, 'note:///free']) {
      expect(await door.send({ headers: session, body: rpc(1, 'resources/subscribe', { uri }) })).toMatchObject({ status: 200 });
    }
    is({ id: 'alice', scopes: [] });
    await door.send({ headers: session, body: rpc(2, 'ping') });
    for (const uri of [...uris, 'note:///free']) server.resourceUpdated(uri);
    const heard: string[] = [];
    while (heard.at(-1) !== 'note:///free') {
      const { method, params } = await listening.message();
      if (method === 'notifications/resources/updated') heard.push(params.uri);
    }
    expect(heard).toEqual(['note:///free']);
  });

  it('that is narrow listens to what it reaches only', async () => {
    const { server } = scoped();
    server.resource('note:///free', {}, () => 'free');
    const door = await open(server, { auth: byList() });
    const uris = ['note:///1', 'note:///all/2', 'note:///free'];
    const sent = modern('subscriptions/listen', { notifications: { resourceSubscriptions: uris } }, half);
    const listening = await door.open(sent);
    const granted = await listening.message();
    expect(granted.params.notifications).toEqual({ resourceSubscriptions: ['note:///free'] });
    for (const uri of uris) server.resourceUpdated(uri);
    expect(await listening.message()).toMatchObject({ method: 'notifications/resources/updated', params: { uri: 'note:///free' } });
    listening.hangUp();
  });
});
