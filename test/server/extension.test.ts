// Extensions: what they may add, who gets to see it, and what they cannot touch.
import { describe, expect, it } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import { type Extension, type ExtensionHost, RpcError, type Server, type Trait } from 'vivarium/server';
import { createWire, type Wire } from 'vivarium/testing';
import { ask, createServer, modern, openWire, type Reply, text, turn } from './fixture.ts';

const id = 'com.example/stars';
const declaring = (settings: object = {}) => modern({ extensions: { [id]: settings } });
const starred = (settings: unknown, meta?: Readonly<Record<string, unknown>>): Trait => ({
  extension: id,
  settings,
  ...(meta !== undefined && { meta }),
});

function create(install: (host: ExtensionHost) => void, more: Partial<Extension> = {}): ReturnType<typeof createServer> {
  const made = createServer();
  made.server.use({ id, install, ...more });
  return made;
}

async function once(server: Server, method: string, params: object): Promise<Reply> {
  const wire = createWire(server);
  const answer = await ask(wire, method, params);
  await wire.close();
  return answer;
}

describe('the id of an extension', () => {
  const nothing = () => undefined;

  it.each(['com.example/stars', 'a/b', 'io.modelcontextprotocol/ui', 'com.example.deep-er/x_1.2-3'])('may be %s', (good) => {
    expect(() => createServer().server.use({ id: good, install: nothing })).not.toThrow();
  });

  it.each(['', 'stars', '/stars', 'com.example/', '.com/x', 'com./x', '-com/x', 'com example/x', 'com.example/a b', 'a/b/c', 'a/b\n'])(
    'cannot be %j',
    (bad) => {
      expect(() => createServer().server.use({ id: bad, install: nothing })).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
    },
  );

  it('can be used once', () => {
    const { server } = create(nothing);
    expect(() => server.use({ id, install: nothing })).toThrow(expect.objectContaining({ code: 'ERR_DUPLICATE' }));
  });

  it('is not declared when the extension fails to install', async () => {
    const { server } = createServer();
    const install = () => {
      throw new Error('no');
    };
    expect(() => server.use({ id, install })).toThrow('no');
    expect((await once(server, 'server/discover', { _meta: modern() })).result.capabilities.extensions).toBeUndefined();
    expect(() => server.use({ id, install: nothing })).not.toThrow();
  });
});

describe('the capability', () => {
  it.each([
    ['the settings', { max: 3 }, { max: 3 }],
    ['an empty object', undefined, {}],
  ])('is %s under the id, in discover and in initialize', async (_what, settings, declared) => {
    const { server } = create(() => undefined, settings === undefined ? {} : { settings });
    expect((await once(server, 'server/discover', { _meta: modern() })).result.capabilities.extensions).toEqual({ [id]: declared });
    const wire = createWire(server);
    const clientInfo = { name: 'test', version: '1' };
    const { result } = await ask(wire, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    expect(result.capabilities.extensions).toEqual({ [id]: declared });
    await wire.close();
  });
});

describe('a method', () => {
  const echo = (host: ExtensionHost) =>
    host.method('stars/count', { params: [['of', 'string']] }, ({ of }, ctx) => ({ of, declared: host.declared(ctx) }));

  it('is served to clients that declare the extension, with their settings at hand', async () => {
    const { server } = create(echo);
    const { result } = await once(server, 'stars/count', { of: 'a', _meta: declaring({ theirs: 1 }) });
    expect(result).toMatchObject({ of: 'a', declared: { theirs: 1 }, resultType: 'complete' });
    expect(result._meta[metaKeys.serverInfo]).toEqual({ name: 'tested', version: '1.0.0' });
  });

  it.each([
    ['declare nothing', {}],
    ['declare another', { extensions: { 'com.example/other': {} } }],
    ['declare it with no object', { extensions: { [id]: true } }],
  ])('is refused to clients that %s', async (_what, capabilities) => {
    const { server } = create(echo);
    const { error } = await once(server, 'stars/count', { of: 'a', _meta: modern(capabilities) });
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [id]: {} } } } });
  });

  it('checks its params, and exists in the revisions it was given', async () => {
    const { server } = create((host) => {
      echo(host);
      host.method('stars/old', { revisions: ['2025-11-25'] }, async () => ({ old: true }));
    });
    expect((await once(server, 'stars/count', { of: 3, _meta: declaring() })).error.code).toBe(-32602);
    expect((await once(server, 'stars/old', { _meta: declaring() })).error.code).toBe(-32601);
    const wire = await openWire(server, '2025-11-25', { extensions: { [id]: {} } });
    expect((await ask(wire, 'stars/old')).result).toEqual({ old: true });
    expect((await ask(wire, 'stars/count', { of: 'a' })).error.code).toBe(-32601);
    await wire.close();
  });

  it('that throws is answered with its error, or an internal one', async () => {
    const { server, told } = create((host) => {
      host.method('stars/refuse', {}, () => {
        throw new RpcError(-32050, 'No stars');
      });
      host.method('stars/break', {}, () => Promise.reject(new Error('secret')));
    });
    expect((await once(server, 'stars/refuse', { _meta: declaring() })).error).toEqual({ code: -32050, message: 'No stars' });
    expect((await once(server, 'stars/break', { _meta: declaring() })).error).toEqual({ code: -32603, message: 'Internal error' });
    expect(told).toHaveLength(1);
  });

  it.each([
    'initialize',
    'ping',
    'server/discover',
    'tools/call',
    'tools/new',
    'logging/setLevel',
    'subscriptions/listen',
    'notifications/cancelled',
    'stars/count',
  ])('cannot be %s, which exists already', (name) => {
    const install = (host: ExtensionHost) => {
      echo(host);
      host.method(name, {}, () => ({}));
    };
    expect(() => create(install)).toThrow(expect.objectContaining({ code: 'ERR_DUPLICATE' }));
  });

  it.each(['tasks/get', 'tasks/cancel'])('may be %s in 2026-07-28, where the core has none', async (name) => {
    const { server } = create((host) => host.method(name, {}, () => ({ mine: true })));
    expect((await once(server, name, { taskId: 't', _meta: declaring() })).result).toMatchObject({ mine: true });
  });
});

describe('a notification', () => {
  async function listening(wire: Wire, value: unknown): Promise<Reply> {
    const params = { notifications: { starIds: value }, _meta: declaring() };
    wire.send({ jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params });
    return (await wire.next()) as Reply;
  }
  function createTelling() {
    let tell: (value: unknown, params?: object) => void = () => undefined;
    const { server } = create((host) => {
      tell = host.notification('notifications/stars', { listen: 'starIds', all: true });
    });
    return { server, tell };
  }

  it('reaches those who listen for its value, tagged', async () => {
    const { server, tell } = createTelling();
    const wire = createWire(server);
    expect((await listening(wire, ['a', 'b'])).params.notifications).toEqual({ starIds: ['a', 'b'] });
    tell('c', { starId: 'c' });
    tell('b', { starId: 'b' });
    tell('a');
    const _meta = { [metaKeys.subscriptionId]: 'l' };
    expect(await wire.quiet()).toEqual([
      { jsonrpc: '2.0', method: 'notifications/stars', params: { starId: 'b', _meta } },
      { jsonrpc: '2.0', method: 'notifications/stars', params: { _meta } },
    ]);
    await wire.close();
  });

  it('reaches those who listen for all of them, the last state last, and no legacy client', async () => {
    const { server, tell } = createTelling();
    const wire = await openWire(server);
    await listening(wire, true);
    for (const state of ['on', 'off', 'on']) tell('a', { state });
    const states = ((await wire.quiet()) as Reply[]).map(({ params }) => params.state);
    expect(states.at(-1)).toBe('on');
    expect(states).toContain('off');
    await wire.close();
  });

  it('cannot be listened for by a client that did not declare the extension', async () => {
    const { server } = createTelling();
    const { error } = await once(server, 'subscriptions/listen', { notifications: { starIds: ['a'] }, _meta: modern() });
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [id]: {} } } } });
  });

  it.each(['toolsListChanged', 'resourceSubscriptions', 'otherIds'])('cannot take the member %s of someone else', (listen) => {
    const { server } = createServer();
    server.use({
      id: 'com.example/other',
      install: (host) => void host.notification('notifications/other', { listen: 'otherIds', all: true }),
    });
    const install = (host: ExtensionHost) => void host.notification('notifications/stars', { listen });
    expect(() => server.use({ id, install })).toThrow(expect.objectContaining({ code: 'ERR_DUPLICATE' }));
  });
});

describe('what an extension registers itself', () => {
  it('is there as if the author had registered it', async () => {
    const { server } = create((host) => {
      host.tool('star', {}, () => 'a star');
      host.resource('star:///a', {}, () => 'a');
      host.prompt('starry', {}, () => 'Hello');
    });
    await turn();
    const { result } = await once(server, 'tools/call', { name: 'star', _meta: modern() });
    expect(result.content).toEqual([text('a star')]);
    expect((await once(server, 'resources/read', { uri: 'star:///a', _meta: modern() })).result.contents[0].text).toBe('a');
  });

  it('shows the _meta of traits only to those who declared the extension', async () => {
    const { server } = create((host) => void host.tool('star', { with: [starred(1, { 'com.example/star': 1 })] }, () => ''));
    for (const [_meta, shown] of [
      [declaring(), { 'com.example/star': 1 }],
      [modern(), undefined],
      [declaring(), { 'com.example/star': 1 }],
    ] as const) {
      expect((await once(server, 'tools/list', { _meta })).result.tools[0]._meta).toEqual(shown);
    }
  });
});
