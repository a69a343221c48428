// Whether a message is ours to answer, in which era, and what is said when it is not.
import { describe, expect, it } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import { metaKeys } from 'vivarium/protocol';
import { createWire } from 'vivarium/testing';
import { legacy, matrix } from '../matrix/matrix.ts';
import { ask, chunk, createServer, createSmall, defer, handshake, modern, openWire, type Reply } from './fixture.ts';

describe('a request that belongs to no era', () => {
  it.each(['tools/list', 'tools/call', 'server/discover', 'logging/setLevel', 'unknown-method'])(
    'is refused with both ways in: %s',
    async (method) => {
      const wire = createWire(createSmall());
      for (const params of [undefined, {}, { _meta: {} }, { _meta: { progressToken: 1 } }]) {
        const { error } = await ask(wire, method, params);
        expect(error.code).toBe(-32602);
        expect(error.data.details).toContain('initialize');
        expect(error.data.details).toContain(metaKeys.protocolVersion);
        expect(error.data.details).toContain(metaKeys.clientCapabilities);
      }
    },
  );
});

describe('a modern request', () => {
  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'tasks/list', 'roots/list'])(
    'finds no %s',
    async (method) => {
      for (const wire of [createWire(createSmall()), await openWire(createSmall())]) {
        const { error } = await ask(wire, method, { ...handshake(), level: 'info', uri: 'a:b', _meta: modern() });
        expect(error).toEqual({ code: -32601, message: 'Method not found', data: `Method '${method}' is not supported` });
      }
    },
  );

  it.each(['2025-11-25', '2024-11-05', '2027-01-01', '', 'latest'])('of version %j is told the versions there are', async (version) => {
    const { error } = await ask(createWire(createSmall()), 'tools/list', { _meta: modern({}, version) });
    expect(error.code).toBe(-32022);
    expect(error.data).toEqual({ supported: ['2026-07-28'], requested: version });
    expect(error.message).toContain('2025-11-25');
  });

  it('of an unsupported version is refused for that before anything else', async () => {
    const wire = createWire(createSmall());
    const _meta = { [metaKeys.protocolVersion]: '2027-01-01' };
    expect((await ask(wire, 'unknown-method', { _meta })).error.code).toBe(-32022);
    expect((await ask(wire, 'tools/call', { _meta })).error.code).toBe(-32022);
  });

  it.each([[42], [null], [['2026-07-28']]])('names %j as no version', async (version) => {
    const { error } = await ask(createWire(createSmall()), 'tools/list', { _meta: modern({}, version) });
    expect(error.code).toBe(-32602);
    expect(error.data.details).toContain(metaKeys.protocolVersion);
  });

  it.each([[undefined], [null], [[]], ['all'], [true]])('needs capabilities and gets none from %j', async (capabilities) => {
    const _meta = { [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientCapabilities]: capabilities };
    const { error } = await ask(createWire(createSmall()), 'tools/list', { _meta });
    expect(error.code).toBe(-32602);
    expect(error.data.details).toContain(metaKeys.clientCapabilities);
  });

  it('need not say who asks', async () => {
    const { server } = createServer();
    server.tool('who', {}, (_, ctx) => `${ctx.client.info?.name}`);
    const { result } = await ask(createWire(server), 'tools/call', { name: 'who', _meta: modern() });
    expect(result.content[0].text).toBe('undefined');
  });

  it('gets resultType and the server in every result', async () => {
    const wire = createWire(createSmall());
    for (const [method, params] of [['server/discover'], ['tools/list'], ['tools/call', { name: 'hello' }]] as const) {
      const { result } = await ask(wire, method, { ...params, _meta: modern() });
      expect(result.resultType).toBe('complete');
      expect(result._meta).toEqual({ [metaKeys.serverInfo]: { name: 'tested', version: '1.0.0' } });
    }
  });
});

describe('both eras on one connection', () => {
  it.each(legacy)('see nothing of each other: %s and 2026-07-28', async (revision) => {
    const { server } = createServer();
    server.tool('seen', {}, (_, ctx) =>
      JSON.stringify([
        ctx.revision,
        ctx.era,
        ctx.client.info?.name ?? null,
        ctx.client.capabilities,
        ctx.can('sampling'),
        ctx.can('roots'),
      ]),
    );
    const wire = createWire(server);
    const seen = async (meta?: object): Promise<unknown> => {
      const { result } = await ask(wire, 'tools/call', { name: 'seen', ...(meta && { _meta: meta }) });
      return JSON.parse(result.content[0].text);
    };
    const now = { ...modern({ roots: {} }), [metaKeys.clientInfo]: { name: 'now', version: '2' } };
    expect(await seen(now)).toEqual(['2026-07-28', 'modern', 'now', { roots: {} }, false, true]);
    await ask(wire, 'initialize', handshake(revision, { sampling: {} }));
    for (let round = 0; round < 2; round++) {
      expect(await seen()).toEqual([revision, 'legacy', 'test', { sampling: {} }, true, false]);
      expect(await seen(now)).toEqual(['2026-07-28', 'modern', 'now', { roots: {} }, false, true]);
      expect(await seen(modern())).toEqual(['2026-07-28', 'modern', null, {}, false, false]);
    }
    expect(((await ask(wire, 'tools/list')) as Reply).result).not.toHaveProperty('ttlMs');
    expect(((await ask(wire, 'tools/list', { _meta: modern() })) as Reply).result.ttlMs).toBe(0);
  });
});

describe('a server of some revisions', () => {
  const some = (...list: Revision[]) => createWire(createSmall({ revisions: list }));

  it('that are legacy has no other era', async () => {
    const wire = some('2024-11-05', '2025-06-18');
    expect((await ask(wire, 'server/discover', { _meta: modern() })).error.code).toBe(-32602);
    expect((await ask(wire, 'initialize', handshake('2025-11-25'))).result.protocolVersion).toBe('2025-06-18');
    expect((await ask(wire, 'server/discover', { _meta: modern() })).error.code).toBe(-32601);
    const { result } = await ask(wire, 'tools/list', { _meta: modern() });
    expect(result).not.toHaveProperty('resultType');
  });

  it('echoes only what it serves', async () => {
    expect((await ask(some('2024-11-05', '2025-06-18'), 'initialize', handshake('2025-03-26'))).result.protocolVersion).toBe('2025-06-18');
    expect((await ask(some('2024-11-05'), 'initialize', handshake('2025-11-25'))).result.protocolVersion).toBe('2024-11-05');
    expect((await ask(some('2024-11-05', '2025-06-18'), 'initialize', handshake('2024-11-05'))).result.protocolVersion).toBe('2024-11-05');
    // The order in which they are given says nothing.
    expect((await ask(some('2025-06-18', '2024-11-05'), 'initialize', handshake('x'))).result.protocolVersion).toBe('2025-06-18');
  });

  it('that is modern refuses a handshake and names its version', async () => {
    const wire = some('2026-07-28');
    const { error } = await ask(wire, 'initialize', handshake('2025-06-18'));
    expect(error.code).toBe(-32022);
    expect(error.data).toEqual({ supported: ['2026-07-28'], requested: '2025-06-18' });
    expect((await ask(wire, 'tools/list')).error.code).toBe(-32602);
    expect((await ask(wire, 'tools/list', { _meta: modern() })).result.tools).toHaveLength(1);
    const refused = (await ask(wire, 'tools/list', { _meta: modern({}, '2025-06-18') })).error;
    expect(refused.data.supported).toEqual(['2026-07-28']);
    expect(refused.message).not.toContain('initialize');
  });

  it('names only the way in that exists', async () => {
    const old = (await ask(some('2025-06-18'), 'tools/list')).error.data.details;
    expect(old).toContain('initialize');
    expect(old).not.toContain(metaKeys.protocolVersion);
    const now = (await ask(some('2026-07-28'), 'tools/list')).error.data.details;
    expect(now).toContain(metaKeys.protocolVersion);
    expect(now).not.toContain('initialize');
  });
});

describe('a request that is not ours to answer', () => {
  matrix('names the method it does not know', {}, async ({ connect }) => {
    const link = await connect(createSmall());
    for (const method of ['unknown-method', 'toString', '__proto__', 'resources/list', 'notifications/initialized', 'tools/List']) {
      expect((await link.request(method)).error).toEqual({
        code: -32601,
        message: 'Method not found',
        data: `Method '${method}' is not supported`,
      });
    }
  });

  matrix('has no tools to list when there are none', {}, async ({ connect }) => {
    const link = await connect(createServer().server);
    expect((await link.request('tools/list')).error?.code).toBe(-32601);
  });

  matrix('has parameters of the wrong shape', {}, async ({ connect }) => {
    const link = await connect(createSmall());
    const details = async (params: object) => {
      const { error } = await link.request('tools/call', params);
      return [error?.code, (error?.data as { details: string } | undefined)?.details];
    };
    expect(await details({})).toEqual([-32602, 'Missing required parameter: name']);
    expect(await details({ name: 5 })).toEqual([-32602, 'name must be a string']);
    expect(await details({ name: 'hello', arguments: [] })).toEqual([-32602, 'arguments must be an object']);
    expect(await details({ name: 'hello', arguments: null })).toEqual([-32602, 'arguments must be an object']);
    expect(await details({ name: 'nobody' })).toEqual([-32602, 'Unknown tool: nobody']);
  });

  it.each([[[]], ['x'], [null], [5]])('has %j for _meta', async (_meta) => {
    expect((await ask(await openWire(createSmall()), 'tools/list', { _meta })).error.code).toBe(-32602);
  });

  it.each([[null], [1.5], [{}], [true], [2 ** 53]])('has %j for a progress token', async (progressToken) => {
    const { error } = await ask(await openWire(createSmall()), 'tools/list', { _meta: { progressToken } });
    expect(error.code).toBe(-32602);
    expect(error.data.details).toContain('progressToken');
  });

  it('repeats the id of one that still runs', async () => {
    const { server } = createServer();
    const ends = [defer<string>(), defer<string>()];
    let calls = 0;
    server.tool('slow', {}, () => ends[calls++]?.promise);
    const wire = await openWire(server);
    const call = { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'slow' } };
    wire.send(call);
    wire.send(call);
    expect(((await wire.next()) as Reply).error.code).toBe(-32600);
    ends[0]?.resolve('done');
    expect(((await wire.next()) as Reply).result.content[0].text).toBe('done');
    // Once answered, the id is free again.
    wire.send(call);
    ends[1]?.resolve('again');
    expect(((await wire.next()) as Reply).result.content[0].text).toBe('again');
  });
});

describe('what stays unanswered', () => {
  it.each(revisions)('is every notification and response in %s', async (revision) => {
    const server = createSmall();
    const wire = revision === '2026-07-28' ? createWire(server) : await openWire(server, revision);
    await wire.quiet();
    wire.send(
      chunk(
        { method: 'notifications/unknown' },
        { method: 'tools/list', params: { _meta: modern() } },
        { method: 'notifications/cancelled' },
        { method: 'notifications/cancelled', params: { requestId: 'nobody' } },
        { method: 'notifications/cancelled', params: { requestId: {} } },
        { method: 'notifications/roots/list_changed' },
        { method: 'notifications/progress', params: [] },
        { id: 7, result: {} },
        { id: 7, error: { code: 1, message: 'x' } },
        { id: 7, result: {}, error: {} },
      ),
    );
    expect(await wire.quiet()).toEqual([]);
  });
});

describe('the order of answers', () => {
  it('is the order of the requests where handlers are synchronous', async () => {
    const { server } = createServer();
    server.tool('sync', {}, () => 'now');
    server.tool('async', {}, async () => 'later');
    const wire = await openWire(server);
    await wire.quiet();
    const call = (id: number, name: string) => ({ id, method: 'tools/call', params: { name } });
    wire.send(chunk(call(10, 'sync'), call(11, 'sync'), { id: 12, method: 'tools/list' }, { id: 13, method: 'nope' }, call(14, 'sync')));
    expect((await wire.quiet()).map((message) => (message as Reply).id)).toEqual([10, 11, 12, 13, 14]);
    wire.send(chunk(call(20, 'async'), call(21, 'sync'), { id: 22, method: 'ping' }));
    expect((await wire.quiet()).map((message) => (message as Reply).id)).toEqual([21, 22, 20]);
  });
});
