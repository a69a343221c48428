// The handshake of the legacy revisions and the discovery of the modern one.
import { describe, expect, it } from 'vitest';
import type { Revision } from 'vivarium';
import { metaKeys } from 'vivarium/protocol';
import { createWire } from 'vivarium/testing';
import { legacy, matrix, pipes } from '../../matrix/matrix.ts';
import { ask, chunk, createServer, createSmall, handshake, modern, turn } from '../fixture.ts';

const info = {
  name: 'full',
  title: 'Full',
  version: '1.0.0',
  description: 'All there is',
  websiteUrl: 'https://example.com',
  icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }],
};
const { name, title, version } = info;
const infoIn: Record<Revision, object> = {
  '2024-11-05': { name, version },
  '2025-03-26': { name, version },
  '2025-06-18': { name, title, version },
  '2025-11-25': info,
  '2026-07-28': info,
};

describe('initialize', () => {
  matrix('answers with the version that was asked for', { revisions: legacy }, async ({ connect, revision }) => {
    const link = await connect(createSmall(), { bare: true });
    const { result } = await link.initialize();
    expect(result).toEqual({
      protocolVersion: revision,
      capabilities: { logging: {}, tools: { listChanged: true } },
      serverInfo: { name: 'tested', version: '1.0.0' },
    });
    expect((await link.call('hello')).result.isError).toBe(false);
  });

  matrix('describes the server in the members its revision has', { revisions: legacy }, async ({ connect, revision }) => {
    const link = await connect(createServer(info).server, { bare: true });
    expect((await link.initialize()).result.serverInfo).toEqual(infoIn[revision]);
  });

  matrix('carries the instructions', { revisions: legacy }, async ({ connect }) => {
    const link = await connect(createSmall({ instructions: 'Say hello first' }), { bare: true });
    expect((await link.initialize()).result.instructions).toBe('Say hello first');
  });

  matrix('leaves out what is not there', { revisions: legacy }, async ({ connect }) => {
    const link = await connect(createServer().server, { bare: true });
    const { result } = await link.initialize();
    expect(result.capabilities).toEqual({ logging: {} });
    expect(result).not.toHaveProperty('instructions');
    expect(result).not.toHaveProperty('_meta');
    expect(result).not.toHaveProperty('resultType');
  });

  it.each(['2026-07-28', '1999-01-01', '2030-01-01', 'DRAFT-2026-v1', ' 2025-06-18', '2025-6-18', 'latest', '\u0000', 'x'.repeat(10_000)])(
    'offers the newest legacy version to a client that asks for %j',
    async (asked) => {
      const wire = createWire(createSmall());
      const { result, error } = await ask(wire, 'initialize', handshake(asked));
      expect(error).toBeUndefined();
      expect(result.protocolVersion).toBe('2025-11-25');
      expect((await ask(wire, 'tools/list')).result.tools).toHaveLength(1);
    },
  );

  it.each([[42], [null], [true], [''], [[]], [{}], [['2025-06-18']], [undefined]])(
    'refuses %j as a version, and the client may try again',
    async (asked) => {
      const wire = createWire(createSmall());
      const { error } = await ask(wire, 'initialize', { ...handshake(), protocolVersion: asked });
      expect(error.code).toBe(-32602);
      expect(error.data.details).toContain('protocolVersion');
      expect((await ask(wire, 'initialize', handshake())).result.protocolVersion).toBe('2025-11-25');
    },
  );

  it.each([
    ['capabilities', { protocolVersion: '2025-06-18', clientInfo: { name: 'x', version: '1' } }],
    ['capabilities', { ...handshake(), capabilities: [] }],
    ['capabilities', { ...handshake(), capabilities: null }],
    ['clientInfo', { protocolVersion: '2025-06-18', capabilities: {} }],
    ['clientInfo', { ...handshake(), clientInfo: 'me' }],
    ['clientInfo', { ...handshake(), clientInfo: {} }],
    ['clientInfo', { ...handshake(), clientInfo: { name: 'x' } }],
    ['clientInfo', { ...handshake(), clientInfo: { name: 'x', version: 1 } }],
  ])('names %s when that is what is wrong', async (member, params) => {
    const { error } = await ask(createWire(createSmall()), 'initialize', params);
    expect(error.code).toBe(-32602);
    expect(error.data.details).toContain(member);
  });

  it('without params is refused', async () => {
    expect((await ask(createWire(createSmall()), 'initialize')).error.code).toBe(-32602);
  });

  // Over HTTP each one begins a session of its own.
  matrix(
    'is refused the second time, and the first stays in force',
    { revisions: legacy, transports: pipes },
    async ({ connect, revision }) => {
      const { server } = createServer();
      server.tool('revision', {}, (_, ctx) => `${ctx.revision} ${ctx.client.info?.name}`);
      const link = await connect(server);
      const other = revision === '2024-11-05' ? '2025-11-25' : '2024-11-05';
      const { error } = await link.request('initialize', { ...handshake(other), clientInfo: { name: 'impostor', version: '1' } });
      expect(error?.code).toBe(-32600);
      expect((await link.call('revision')).result.content).toEqual([{ type: 'text', text: `${revision} link` }]);
    },
  );

  it('is a barrier: what follows it in the same chunk is judged by it', async () => {
    const server = createSmall();
    await turn();
    const wire = createWire(server);
    wire.send(
      chunk(
        { id: 1, method: 'initialize', params: handshake('2025-03-26') },
        { method: 'notifications/initialized' },
        { id: 2, method: 'tools/call', params: { name: 'hello' } },
        { id: 3, method: 'ping' },
      ),
    );
    const answers = (await wire.quiet()) as { id: number; result: Record<string, unknown> }[];
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(answers[0]?.result['protocolVersion']).toBe('2025-03-26');
    expect(answers[1]?.result['isError']).toBe(false);
  });

  it('keeps connections apart', async () => {
    const server = createSmall();
    const first = createWire(server);
    const second = createWire(server);
    await first.request('initialize', handshake());
    expect((await ask(second, 'tools/list')).error.code).toBe(-32602);
    expect((await ask(second, 'initialize', handshake('2024-11-05'))).result.protocolVersion).toBe('2024-11-05');
  });
});

describe('ping', () => {
  it('is answered before, during and after the handshake', async () => {
    const wire = createWire(createSmall());
    expect((await ask(wire, 'ping')).result).toEqual({});
    await wire.request('initialize', handshake());
    expect((await ask(wire, 'ping')).result).toEqual({});
    wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await ask(wire, 'ping')).result).toEqual({});
  });

  matrix('answers an empty result', { revisions: legacy }, async ({ connect }) => {
    const link = await connect(createSmall());
    expect((await link.request('ping')).result).toEqual({});
  });
});

describe('server/discover', () => {
  matrix('tells all there is to know', { revisions: ['2026-07-28'] }, async ({ connect }) => {
    const link = await connect(createSmall({ ...info, instructions: 'Say hello first' }));
    expect((await link.request('server/discover')).result).toEqual({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { logging: {}, tools: { listChanged: true } },
      instructions: 'Say hello first',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [metaKeys.serverInfo]: info },
    });
  });

  matrix('is cacheable as the server says', { revisions: ['2026-07-28'] }, async ({ connect }) => {
    const link = await connect(createSmall({ cache: { ttlMs: 60_000, scope: 'public' } }));
    for (const method of ['server/discover', 'tools/list']) {
      expect((await link.request(method)).result).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
    }
    const half = await connect(createSmall({ cache: { ttlMs: 5 } }));
    expect((await half.request('server/discover')).result).toMatchObject({ ttlMs: 5, cacheScope: 'private' });
  });

  matrix('does not exist after a handshake', { revisions: legacy }, async ({ connect }) => {
    const link = await connect(createSmall());
    expect((await link.request('server/discover')).error?.code).toBe(-32601);
  });

  it('needs no handshake and does not stand for one', async () => {
    const wire = createWire(createSmall());
    expect((await ask(wire, 'server/discover', { _meta: modern() })).result.supportedVersions).toEqual(['2026-07-28']);
    expect((await ask(wire, 'tools/list')).error.code).toBe(-32602);
  });
});
