// The definition behind a server: who is told of changes and of errors, and how a porch recognises it.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { serveMemory } from 'vivarium/serve/memory';
import { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { legacy, matrix } from '../matrix/matrix.ts';
import { ask, chunk, createServer, createSmall, handshake, modern, openWire, type Reply, turn } from './fixture.ts';

const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

describe('list_changed', () => {
  matrix('is sent once per turn, however much changes', { revisions: legacy }, async ({ connect }) => {
    const server = createSmall();
    await turn();
    const link = await connect(server);
    const tools = ['a', 'b', 'c'].map((name) => server.tool(name, {}, () => 'x'));
    tools[0]?.update({ title: 'A' });
    tools[1]?.remove();
    await turn();
    expect((await link.rest()).map(({ method }) => method)).toEqual([changed.method]);
    server.tool('later', {}, () => 'x');
    await turn();
    expect(await link.rest()).toHaveLength(1);
    await turn();
    expect(await link.rest()).toEqual([]);
  });

  it('has no parameters', async () => {
    const server = createSmall();
    await turn();
    const wire = await openWire(server);
    server.tool('new', {}, () => 'x');
    expect(await wire.quiet()).toEqual([changed]);
  });

  it('is sent after the change can be seen', async () => {
    const server = createSmall();
    await turn();
    const wire = await openWire(server);
    server.tool('new', {}, () => 'x');
    expect(await wire.next()).toEqual(changed);
    expect((await ask(wire, 'tools/list')).result.tools).toHaveLength(2);
  });

  it('tells every connection that has confirmed its handshake, and no other', async () => {
    const server = createSmall();
    await turn();
    const confirmed = [await openWire(server), await openWire(server, '2024-11-05')];
    const half = createWire(server);
    await half.request('initialize', handshake());
    const bare = createWire(server);
    const now = createWire(server);
    await now.request('tools/list', { _meta: modern() });
    // Confirming what never began means nothing.
    now.send(chunk({ method: 'notifications/initialized' }));
    server.tool('new', {}, () => 'x');
    for (const wire of confirmed) expect(await wire.quiet()).toEqual([changed]);
    for (const wire of [half, bare, now]) expect(await wire.quiet()).toEqual([]);
  });

  matrix('never reaches a modern client', { revisions: ['2026-07-28'] }, async ({ connect }) => {
    const server = createSmall();
    const link = await connect(server);
    await link.request('tools/list');
    server.tool('new', {}, () => 'x');
    await turn();
    expect(await link.rest()).toEqual([]);
  });

  it('does not speak of what changed before the handshake', async () => {
    const server = createSmall();
    // In the same turn in which the tool was registered.
    const wire = createWire(server);
    wire.send(chunk({ id: 1, method: 'initialize', params: handshake() }, { method: 'notifications/initialized' }));
    expect(((await wire.quiet()) as Reply[]).map(({ id, method }) => id ?? method)).toEqual([1]);
  });

  it('is not sent to a client that was promised no tools', async () => {
    const { server } = createServer();
    const wire = await openWire(server);
    server.tool('new', {}, () => 'x');
    // Only capabilities that were agreed on in the handshake may be used.
    expect(await wire.quiet()).toEqual([]);
  });

  it('ends with the connection', async () => {
    const server = createSmall();
    await turn();
    const wire = await openWire(server);
    await wire.close();
    server.tool('new', {}, () => 'x');
    await turn();
    await turn();
    expect(wire.transcript.entries.filter(({ line }) => line.includes('list_changed'))).toEqual([]);
  });
});

describe('a batch of changes', () => {
  it('is one change', async () => {
    const server = createSmall();
    await turn();
    const wire = await openWire(server);
    server.batch(() => {
      server.tool('a', {}, () => 'x').remove();
      server.batch(() => server.tool('b', {}, () => 'x'));
      server.tool('c', {}, () => 'x');
    });
    expect(await wire.quiet()).toEqual([changed]);
    expect((await ask(wire, 'tools/list')).result.tools).toHaveLength(3);
  });

  it('without a change tells no one', async () => {
    const server = createSmall();
    await turn();
    const wire = await openWire(server);
    server.batch(() => undefined);
    expect(await wire.quiet()).toEqual([]);
  });

  it('that throws still tells of what it did', async () => {
    const server = createSmall();
    await turn();
    const wire = await openWire(server);
    expect(() =>
      server.batch(() => {
        server.tool('a', {}, () => 'x');
        throw new Error('half way');
      }),
    ).toThrow('half way');
    expect(await wire.quiet()).toEqual([changed]);
    server.tool('b', {}, () => 'x');
    expect(await wire.quiet()).toEqual([changed]);
  });
});

describe('capabilities', () => {
  it('follow what is registered', async () => {
    const { server } = createServer();
    const of = async () => (await ask(createWire(server), 'initialize', handshake())).result.capabilities;
    expect(await of()).toEqual({ logging: {} });
    const tool = server.tool('it', {}, () => 'x');
    expect(await of()).toEqual({ logging: {}, tools: { listChanged: true } });
    expect((await ask(createWire(server), 'server/discover', { _meta: modern() })).result.capabilities).toEqual({
      logging: {},
      tools: { listChanged: true },
    });
    tool.remove();
    expect(await of()).toEqual({ logging: {} });
  });
});

describe('errors without a listener', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(['message', 'masked'] as const)('are one line on stderr: %s', async (errors) => {
    const lines = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const server = new Server({ name: 's', version: '1', errors });
    server.tool('it', {}, () => {
      throw new Error('first\nsecond');
    });
    const { result } = await ask(await openWire(server), 'tools/call', { name: 'it' });
    expect(lines).toHaveBeenCalledTimes(1);
    const line = String(lines.mock.calls[0]?.[0]);
    expect(line).toMatch(/^vivarium: tools\/call it/);
    expect(line).toContain('first | second');
    expect(line).not.toContain('\n');
    if (errors === 'masked') expect(result.content[0].text).toContain(/\(ref [0-9a-f]+\)/.exec(line)?.[0]);
  });

  it('that cannot be printed are said to be so', async () => {
    const lines = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const server = new Server({ name: 's', version: '1' });
    server.tool('it', {}, () => {
      throw Object.create(null);
    });
    await ask(await openWire(server), 'tools/call', { name: 'it' });
    expect(String(lines.mock.calls[0]?.[0])).toContain('cannot be printed');
  });
});

describe('a porch', () => {
  it('takes nothing else for a server', () => {
    for (const value of [undefined, null, {}, 'server', Server]) {
      for (const open of [serveMemory, createWire])
        expect(() => open(value as unknown as Server)).toThrow(/Expected a Server: .*new Server/);
    }
  });

  it('takes a server by its brand, whichever copy of the package made it', async () => {
    const server = createSmall();
    const same = Object.create(null, Object.getOwnPropertyDescriptors(server)) as Server;
    expect((await ask(createWire(same), 'tools/list', { _meta: modern() })).result.tools).toHaveLength(1);
  });
});
