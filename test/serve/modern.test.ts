// 2026-07-28 over HTTP: every check in its order, and each of them against those that come later.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { metaKeys } from 'vivarium/protocol';
import { Server } from 'vivarium/server';
import { type Answer, type Door, type Doorway, doors, initialize, modern, openSession, rpc, type Sent } from './http.ts';

const token = 'token-of-alice-0123456789';

function createServer(): { readonly server: Server; readonly seen: unknown[] } {
  const seen: unknown[] = [];
  const server = new Server({ name: 'strict', version: '1.0.0', onError: () => undefined });
  const input = {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, count: { type: 'integer' } },
    required: ['count'],
  };
  server.tool('ask', { input, needs: ['elicitation'] }, (args) => {
    seen.push(args);
    return 'asked';
  });
  server.tool('plain', {}, (_, ctx) => {
    seen.push(ctx.header('mcp-method'));
    return 'done';
  });
  server.resource('note:///ä', { name: 'umlaut' }, () => 'text');
  return { server, seen };
}

/** Everything a request says; a step of the ladder repairs one thing. */
interface Spoken {
  readonly http?: { readonly method?: string; readonly path?: string };
  readonly headers: Sent['headers'];
  readonly message?: { readonly jsonrpc?: unknown; readonly method: string; readonly params?: Record<string, unknown> };
  readonly text?: string;
}

const version = metaKeys.protocolVersion;
const capabilities = metaKeys.clientCapabilities;
const big = 'x'.repeat(3_000);

/** Each step: what is wrong, what that is answered with, and the repair that leads to the next. */
const ladder: readonly (readonly [wrong: string, status: number, code: number | undefined, repair: (spoken: Spoken) => Spoken])[] = [
  ['a foreign Host', 403, 403, (s) => ({ ...s, headers: { ...s.headers, host: 'localhost' } })],
  ['a foreign Origin', 403, 403, (s) => ({ ...s, headers: { ...s.headers, origin: 'http://localhost' } })],
  ['a method that is not allowed', 405, 405, (s) => ({ ...s, http: { method: 'POST' } })],
  ['no token', 401, 401, (s) => ({ ...s, headers: { ...s.headers, authorization: `Bearer ${token}` } })],
  ['a body that is not JSON by its type', 415, 415, (s) => ({ ...s, headers: { ...s.headers, 'content-type': 'application/json' } })],
  ['an Accept without events', 406, 406, (s) => ({ ...s, headers: { ...s.headers, accept: '*/*' } })],
  ['a body that is too large', 413, 413, (s) => ({ ...s, text: '{"jsonrpc":' })],
  ['a body that is not JSON', 400, -32700, ({ text: _, ...s }) => s],
  ['a message of no JSON-RPC', 400, -32600, (s) => ({ ...s, message: { ...s.message, method: 'tools/call', jsonrpc: '2.0' } })],
  [
    'neither a handshake nor a revision, which is no era',
    400,
    -32602,
    (s) => ({ ...s, headers: { ...s.headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': undefined } }),
  ],
  ['no Mcp-Method', 400, -32020, (s) => ({ ...s, headers: { ...s.headers, 'mcp-method': 'tools/list' } })],
  ['no Mcp-Name', 400, -32020, (s) => ({ ...s, headers: { ...s.headers, 'mcp-name': 'other' } })],
  ['no _meta', 400, -32602, (s) => withMeta(s, {})],
  ['no version in _meta', 400, -32602, (s) => withMeta(s, { [version]: '2099-01-01' })],
  [
    'another version in _meta, which is not supported either',
    400,
    -32020,
    (s) => ({ ...s, headers: { ...s.headers, 'mcp-protocol-version': '2099-01-01' } }),
  ],
  ['another Mcp-Method', 400, -32020, (s) => ({ ...s, headers: { ...s.headers, 'mcp-method': 'tools/call' } })],
  ['another Mcp-Name', 400, -32020, (s) => ({ ...s, headers: { ...s.headers, 'mcp-name': 'ask' } })],
  ['another Mcp-Param-Region', 400, -32020, (s) => ({ ...s, headers: { ...s.headers, 'mcp-param-region': 'eu' } })],
  [
    'a version that is not supported',
    400,
    -32022,
    (s) => withMeta({ ...s, headers: { ...s.headers, 'mcp-protocol-version': '2026-07-28' } }, { [version]: '2026-07-28' }),
  ],
  ['no client capabilities', 400, -32602, (s) => withMeta(s, { [version]: '2026-07-28', [capabilities]: {} })],
  ['a capability that the client lacks', 400, -32021, (s) => withMeta(s, { [version]: '2026-07-28', [capabilities]: { elicitation: {} } })],
  [
    'arguments that do not fit',
    200,
    undefined,
    (s) => ({
      ...s,
      message: { ...s.message, method: 'tools/call', params: { ...s.message?.params, arguments: { region: 'eu', count: 1 } } },
    }),
  ],
];

function withMeta(spoken: Spoken, _meta: object): Spoken {
  return { ...spoken, message: { method: 'tools/call', ...spoken.message, params: { ...spoken.message?.params, _meta } } };
}

const worst: Spoken = {
  http: { method: 'PUT' },
  // Mcp-Method is wrong too.
  headers: {
    host: 'evil.example',
    origin: 'http://evil.example',
    'content-type': 'text/plain',
    accept: 'text/html',
    'mcp-method': 'tools/list',
  },
  text: big,
  message: { method: 'tools/call', params: { name: 'ask', arguments: { region: 'eu', count: 'many' } } },
};

const toSent = ({ http, headers, text, message }: Spoken): Sent => ({
  ...http,
  headers: headers ?? {},
  body: text ?? { id: 7, ...message },
});

async function openStrict(open: Doorway): Promise<{ readonly door: Door; readonly seen: unknown[] }> {
  const { server, seen } = createServer();
  await server.ready();
  return { door: await open(server, { auth: bearer([token]), maxBodyBytes: 2_000 }), seen };
}

describe.each(doors)('the order of checks in %s', (_, open) => {
  it('is that of the specification: everything is wrong, and is repaired one by one', async () => {
    const { door, seen } = await openStrict(open);
    let spoken = worst;
    const found: unknown[] = [];
    for (const [wrong, , , repair] of ladder) {
      const answer = await door.send(toSent(spoken));
      found.push([wrong, answer.status, answer.code]);
      spoken = repair(spoken);
    }
    expect(found).toEqual(ladder.map(([wrong, status, code]) => [wrong, status, code]));
    expect(seen).toEqual([]);
    const last = await door.send(toSent(spoken));
    expect([last.status, last.json.result.isError ?? false]).toEqual([200, false]);
    expect(seen).toEqual([{ region: 'eu', count: 1 }]);
  });

  it('finds each fault alone too', async () => {
    const { door } = await openStrict(open);
    const good = ladder.reduce<Spoken>((spoken, [, , , repair]) => repair(spoken), worst);
    const without = (name: string): Spoken => ({ ...good, headers: { ...good.headers, [name]: undefined } });
    const alone: [Spoken, number, number][] = [
      [without('authorization'), 401, 401],
      [without('accept'), 406, 406],
      [without('mcp-protocol-version'), 400, -32020],
      [without('mcp-method'), 400, -32020],
      [without('mcp-name'), 400, -32020],
      [without('mcp-param-region'), 400, -32020],
      [withMeta(good, { [capabilities]: { elicitation: {} } }), 400, -32602],
      [withMeta(good, { [version]: '2026-07-28' }), 400, -32602],
      [withMeta(good, { [version]: '2026-07-28', [capabilities]: 7 }), 400, -32602],
      [withMeta(good, { [version]: 20260728, [capabilities]: {} }), 400, -32020],
    ];
    for (const [spoken, status, code] of alone) {
      const answer = await door.send(toSent(spoken));
      expect([answer.status, answer.code], JSON.stringify(spoken)).toEqual([status, code]);
    }
  });

  it('repeats the id in every error of a request that could be read', async () => {
    const { door } = await openStrict(open);
    let spoken = worst;
    for (const [wrong, , code, repair] of ladder) {
      if (code !== undefined && code < 0 && code !== -32700) expect((await door.send(toSent(spoken))).json.id, wrong).toBe(7);
      spoken = repair(spoken);
    }
  });
});

describe.each(doors)('%s', (_, open) => {
  const enter = async (): Promise<Door> => open(createServer().server);
  const refused = ({ status, json }: Answer): unknown[] => [status, json.error?.code, json.id];

  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'nothing/like/it',
    '__proto__',
    'constructor',
    'toString',
  ])('answers %s with 404 and -32601', async (method) => {
    const door = await enter();
    const params = { protocolVersion: '2025-11-25', clientInfo: { name: 'x', version: '1' }, capabilities: {}, uri: 'a:b', level: 'info' };
    const answer = await door.send(modern(method, params));
    expect(refused(answer)).toEqual([404, -32601, 1]);
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
    expect(door.stats.sessionsOpened).toBe(0);
  });

  it('answers a method whose feature nobody offers with 404 and -32601', async () => {
    const door = await enter();
    for (const method of ['prompts/list', 'prompts/get', 'completion/complete']) {
      expect(refused(await door.send(modern(method, { name: 'x' }))), method).toEqual([404, -32601, 1]);
    }
  });

  it('answers parameters that are no strings by the checks of the method', async () => {
    const door = await enter();
    expect((await door.send(modern('tools/call', { name: 7 }, { 'mcp-name': '7' }))).code).toBe(-32602);
    expect((await door.send(modern('tools/call', {}, { 'mcp-name': 'x' }))).code).toBe(-32602);
    expect((await door.send(modern('resources/read', { uri: null }, { 'mcp-name': 'null' }))).code).toBe(-32602);
  });

  it('takes an initialize that names its revision in _meta for no handshake, and one that does not for one, whatever its headers', async () => {
    const door = await enter();
    const sent = modern('initialize', {}, { 'mcp-protocol-version': undefined });
    expect((await door.send(sent)).status).toBe(400);
    expect(door.stats.sessionsOpened).toBe(0);
    for (const headers of [
      { 'mcp-method': 'initialize' },
      { 'mcp-method': 'tools/list', 'mcp-name': 'echo' },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'initialize' },
    ]) {
      const answer = await door.send({ headers, body: initialize() });
      expect([answer.status, answer.json.result?.protocolVersion], JSON.stringify(headers)).toEqual([200, '2025-11-25']);
    }
    const unknown = { headers: { 'mcp-protocol-version': '2099-01-01' }, body: initialize() };
    expect((await door.send(unknown)).status).toBe(400);
  });

  it.each([
    ['Mcp-Method', { 'mcp-method': 'tools/list' }],
    ['the case of Mcp-Method', { 'mcp-method': 'Tools/Call' }],
    ['Mcp-Name', { 'mcp-name': 'ask' }],
    ['the case of Mcp-Name', { 'mcp-name': 'Plain' }],
    ['an empty Mcp-Name', { 'mcp-name': '' }],
    ['an older version', { 'mcp-protocol-version': '2025-11-25' }],
    ['a later version', { 'mcp-protocol-version': '2099-01-01' }],
    ['no version at all', { 'mcp-protocol-version': 'draft' }],
    ['two methods', { 'mcp-method': 'tools/call, tools/call' }],
  ])('H29 refuses %s that differs from the body with -32020', async (_name, headers) => {
    const door = await enter();
    expect(refused(await door.send(modern('tools/call', { name: 'plain' }, headers)))).toEqual([400, -32020, 1]);
  });

  it('H29 compares the URI of a resource, wrapped where it must be', async () => {
    const door = await enter();
    const read = (name: string | undefined): Promise<Answer> =>
      door.send(modern('resources/read', { uri: 'note:///ä' }, { 'mcp-name': name }));
    expect((await read(`=?base64?${Buffer.from('note:///ä').toString('base64')}?=`)).status).toBe(200);
    expect(refused(await read(`=?base64?${Buffer.from('note:///a').toString('base64')}?=`))).toEqual([400, -32020, 1]);
    expect(refused(await read('note:///a'))).toEqual([400, -32020, 1]);
    expect(refused(await read(undefined))).toEqual([400, -32020, 1]);
  });

  it('H30 reads names of headers in any case, and blanks around values', async () => {
    const door = await enter();
    const { body } = modern('tools/call', { name: 'plain' });
    const headers = { 'MCP-PROTOCOL-version': '2026-07-28', 'mCP-mETHOD': 'tools/call', 'Mcp-Name': 'plain' };
    expect((await door.send({ headers, body })).status).toBe(200);
    expect((await door.send({ headers: { ...headers, 'Mcp-Name': ' \t plain \t ' }, body })).status).toBe(200);
  });

  it('H30 asks for no Mcp-Name where the method has none', async () => {
    const door = await enter();
    for (const method of ['tools/list', 'server/discover', 'resources/list', 'completion/complete']) {
      expect((await door.send(modern(method))).code, method).not.toBe(-32020);
    }
  });

  it('H35 answers a version it does not speak with -32022 and those it does', async () => {
    const door = await enter();
    const answer = await door.send(modern('tools/list', {}, { 'mcp-protocol-version': '2099-01-01' }, { [version]: '2099-01-01' }));
    expect(refused(answer)).toEqual([400, -32022, 1]);
    expect(answer.json.error.data).toEqual({ supported: ['2026-07-28'], requested: '2099-01-01' });
    const { json } = await door.send(modern('server/discover'));
    expect(json.result.supportedVersions).toEqual(answer.json.error.data.supported);
  });

  it('H35 answers a version header that comes twice with 400', async () => {
    const door = await enter();
    const twice = modern('tools/list', {}, { 'mcp-protocol-version': '2026-07-28, 2026-07-28' });
    expect((await door.send(twice)).status).toBe(400);
  });

  it('H35 answers a version that only the body says with 400', async () => {
    const door = await enter();
    const bare = modern('tools/list', {}, { 'mcp-protocol-version': undefined, 'mcp-method': undefined });
    expect(refused(await door.send(bare))).toEqual([400, -32020, 1]);
  });

  it('tells a request of no era both ways in, though a gateway added Mcp-Method', async () => {
    const door = await enter();
    const answer = await door.send({ headers: { 'mcp-method': 'tools/list' }, body: rpc(1, 'tools/list') });
    expect(refused(answer)).toEqual([400, -32602, 1]);
    expect(JSON.stringify(answer.json.error)).toMatch(/initialize.*_meta/);
  });

  it.each([
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } }],
    ['a broken response', { jsonrpc: '2.0', id: 1, result: {}, error: {} }],
  ])('H45 answers %s with 400', async (_name, body) => {
    const door = await enter();
    const answer = await door.send({ headers: { 'mcp-protocol-version': '2026-07-28' }, body });
    expect([answer.status, answer.code]).toEqual([400, -32600]);
    expect(answer.json).not.toHaveProperty('id');
  });

  it.each([
    ['a batch', [rpc(1, 'tools/list')]],
    ['an empty batch', []],
  ])('H14 answers %s with 400 and -32600', async (_name, body) => {
    const door = await enter();
    const answer = await door.send({ headers: { 'mcp-protocol-version': '2026-07-28' }, body });
    expect([answer.status, answer.code]).toEqual([400, -32600]);
    expect(answer.json).not.toHaveProperty('id');
  });

  it('answers a notification with 202 and nothing', async () => {
    const door = await enter();
    const { body } = modern('notifications/cancelled', { requestId: 1 });
    const { id: _id, ...notification } = body as { id: number };
    const answer = await door.send({ headers: { 'mcp-protocol-version': '2026-07-28' }, body: notification });
    expect([answer.status, answer.text]).toEqual([202, '']);
    expect(answer.headers).not.toHaveProperty('content-type');
  });

  it('takes no notice of a session, and gives none', async () => {
    const door = await enter();
    const session = await openSession(door);
    for (const id of [session['mcp-session-id'], 'unknown', 'ill formed', '__proto__']) {
      const answer = await door.send(modern('tools/call', { name: 'plain' }, { 'mcp-session-id': id, 'last-event-id': 'zzz' }));
      expect(answer.status).toBe(200);
      expect(answer.headers).not.toHaveProperty('mcp-session-id');
    }
    expect(door.stats.sessionsOpened).toBe(1);
  });

  it('lets a handler see headers, and never the credentials', async () => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    server.tool('headers', {}, (_, ctx) =>
      JSON.stringify([ctx.header('mcp-name'), ctx.header('authorization') ?? null, ctx.header('cookie') ?? null]),
    );
    const door = await open(server, { auth: bearer([token]) });
    const { json } = await door.send(modern('tools/call', { name: 'headers' }, { authorization: `Bearer ${token}`, cookie: 'a=b' }));
    expect(JSON.parse(json.result.content[0].text)).toEqual(['headers', null, null]);
  });
});
