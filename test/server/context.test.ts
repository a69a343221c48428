// What a handler learns of its caller, and how it reports progress.
import { describe, expect, it } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import type { ClientFeature, Context } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { legacy, matrix, pipes, since } from '../matrix/matrix.ts';
import { ask, createServer, defer, modern, openWire, type Reply, text, turn } from './fixture.ts';

/** A server whose tool shows its context to the test. */
function watched(): { readonly server: ReturnType<typeof createServer>['server']; readonly seen: Context[] } {
  const { server } = createServer();
  const seen: Context[] = [];
  server.tool('it', {}, (_, ctx) => void seen.push(ctx));
  return { server, seen };
}

describe('the context', () => {
  // Over HTTP there is always a principal.
  matrix('knows revision, era, request and client', { transports: pipes }, async ({ connect, revision }) => {
    const { server, seen } = watched();
    const link = await connect(server, { capabilities: { sampling: {} } });
    const { id } = await link.call('it', {}, { 'example.com/trace': 'abc' });
    expect(seen[0]).toMatchObject({ revision, era: revision === '2026-07-28' ? 'modern' : 'legacy', requestId: id });
    expect(seen[0]?.client).toEqual({ info: { name: 'link', version: '1.0.0' }, capabilities: { sampling: {} } });
    expect(seen[0]?.principal).toBeUndefined();
    expect(seen[0]?.sessionId).toBeUndefined();
    expect(seen[0]?.meta).toMatchObject({ 'example.com/trace': 'abc' });
  });

  matrix('keeps unknown capabilities exactly as they were sent', {}, async ({ connect }) => {
    const { server, seen } = watched();
    const capabilities = {
      roots: { listChanged: true },
      elicitation: { form: { deep: [1, { a: null }] }, future: { x: 1 } },
      experimental: { 'example.com/a': { b: true } },
      extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } },
      unheardOf: { yes: [null, false, 0, ''] },
    };
    await (await connect(server, { capabilities })).call('it');
    expect(seen[0]?.client.capabilities).toEqual(capabilities);
  });

  it('keeps what else the client says of itself', async () => {
    const { server, seen } = watched();
    const info = { name: 'x', version: '1', title: 'X', websiteUrl: 'https://example.com', unheardOf: 1 };
    const wire = createWire(server);
    await wire.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info });
    await ask(wire, 'tools/call', { name: 'it' });
    await ask(wire, 'tools/call', { name: 'it', _meta: { ...modern(), [metaKeys.clientInfo]: info } });
    expect(seen.map(({ client }) => client.info)).toEqual([info, info]);
  });

  it('has an empty meta where none was sent', async () => {
    const { server, seen } = watched();
    await ask(await openWire(server), 'tools/call', { name: 'it' });
    expect(seen[0]?.meta).toEqual({});
  });

  it.each([0, -1, 2 ** 53 - 1, 'a', '', 'x'.repeat(256), '1'])('knows the id %j as it was sent', async (id) => {
    const { server, seen } = watched();
    const wire = await openWire(server);
    wire.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'it' } });
    const answer = (await wire.quiet()).find((message) => 'result' in message) as Reply;
    expect(answer.id).toBe(id);
    expect(seen[0]?.requestId).toBe(id);
  });

  matrix('knows the principal', {}, async ({ connect }) => {
    const { server, seen } = watched();
    const principal = { id: 'ada', scopes: ['read'], claims: { team: 1 } };
    await (await connect(server, { principal })).call('it');
    expect(seen[0]?.principal).toEqual(principal);
  });

  const features: readonly ClientFeature[] = ['elicitation', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'];

  it.each<[object, ClientFeature[]]>([
    [{}, []],
    [{ elicitation: {} }, ['elicitation']],
    [{ elicitation: { form: {} } }, ['elicitation']],
    [{ elicitation: { url: {} } }, ['elicitation.url']],
    [{ elicitation: { form: {}, url: {} } }, ['elicitation', 'elicitation.url']],
    [{ sampling: {} }, ['sampling']],
    [{ sampling: { context: {} } }, ['sampling']],
    [{ sampling: { tools: {} } }, ['sampling', 'sampling.tools']],
    [{ roots: {} }, ['roots']],
    [{ roots: { listChanged: true }, sampling: {} }, ['sampling', 'roots']],
    [{ tools: {}, experimental: {} }, []],
    [{ elicitation: null, sampling: null, roots: null }, []],
  ])('reads %j as %j', async (capabilities, can) => {
    const { server, seen } = watched();
    await ask(createWire(server), 'tools/call', { name: 'it', _meta: modern(capabilities) });
    await ask(await openWire(server, '2025-11-25', capabilities), 'tools/call', { name: 'it' });
    for (const ctx of seen) expect(features.filter((feature) => ctx.can(feature))).toEqual(can);
    expect(seen).toHaveLength(2);
  });
});

describe('progress', () => {
  type Step = [done: number, total?: number, message?: string];

  function stepping(...steps: Step[]): ReturnType<typeof createServer>['server'] {
    const { server } = createServer();
    server.tool('sync', {}, (_, ctx) => {
      for (const step of steps) ctx.progress(...step);
      return 'stepped';
    });
    server.tool('async', {}, async (_, ctx) => {
      for (const step of steps) {
        await undefined;
        ctx.progress(...step);
      }
      return 'stepped';
    });
    return server;
  }

  matrix('is sent before the answer, with the token', { revisions: since('2025-03-26') }, async ({ connect }) => {
    const link = await connect(stepping([1, 3, 'one'], [2, 3], [3]));
    for (const [name, progressToken] of [
      ['sync', 'token'],
      ['async', 0],
    ] as const) {
      const id = link.start('tools/call', { name }, { progressToken });
      const messages = [await link.next(), await link.next(), await link.next(), await link.next()];
      expect(messages.slice(0, 3).map(({ method, params }) => [method, params])).toEqual([
        ['notifications/progress', { progressToken, progress: 1, total: 3, message: 'one' }],
        ['notifications/progress', { progressToken, progress: 2, total: 3 }],
        ['notifications/progress', { progressToken, progress: 3 }],
      ]);
      expect(messages[3]).toMatchObject({ id, result: { content: [text('stepped')] } });
    }
  });

  matrix('says no message where there was none', { revisions: ['2024-11-05'] }, async ({ connect }) => {
    const link = await connect(stepping([1, 3, 'one']));
    link.start('tools/call', { name: 'async' }, { progressToken: 1 });
    expect((await link.notification('notifications/progress')).params).toEqual({ progressToken: 1, progress: 1, total: 3 });
  });

  matrix('is silent without a token', {}, async ({ connect }) => {
    const link = await connect(stepping([1], [2]));
    await link.call('sync');
    await link.call('async');
    expect((await link.rest()).filter(({ method }) => method === 'notifications/progress')).toEqual([]);
  });

  it('grows strictly: everything else is dropped', async () => {
    const { NaN: nan, POSITIVE_INFINITY: infinite } = Number;
    const wire = await openWire(
      stepping([-5], [0], [0], [nan], [1], [0.5], [1], [infinite], [1.5, nan], [1.5], [-infinite], [2, infinite]),
    );
    await ask(wire, 'tools/call', { name: 'sync', _meta: { progressToken: 1 } });
    const sent = ((await wire.quiet()) as Reply[]).filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
    expect(sent.map(({ progress }) => progress)).toEqual([-5, 0, 1, 1.5, 2]);
    for (const params of sent) expect(params).not.toHaveProperty('total');
  });

  it('has its own count in every call', async () => {
    const wire = await openWire(stepping([1], [2]));
    for (const progressToken of ['a', 'b']) await ask(wire, 'tools/call', { name: 'async', _meta: { progressToken } });
    const sent = ((await wire.quiet()) as Reply[]).filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
    expect(sent.map(({ progressToken, progress }) => [progressToken, progress])).toEqual([
      ['a', 1],
      ['a', 2],
      ['b', 1],
      ['b', 2],
    ]);
  });

  matrix('ends with the answer', { revisions: [...legacy, '2026-07-28'] }, async ({ connect }) => {
    const { server } = createServer();
    const contexts: Context[] = [];
    server.tool('sync', {}, (_, ctx) => void contexts.push(ctx));
    server.tool('async', {}, async (_, ctx) => {
      await turn();
      contexts.push(ctx);
    });
    const link = await connect(server);
    await link.call('sync', {}, { progressToken: 1 });
    await link.call('async', {}, { progressToken: 2 });
    for (const ctx of contexts) expect(() => ctx.progress(1)).not.toThrow();
    await turn();
    expect((await link.rest()).filter(({ method }) => method === 'notifications/progress')).toEqual([]);
  });

  it('ends with the connection', async () => {
    const { server } = createServer();
    const inside = defer<Context>();
    server.tool('it', {}, (_, ctx) => {
      inside.resolve(ctx);
      return new Promise<string>(() => undefined);
    });
    const wire = await openWire(server);
    wire.send({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'it', _meta: { progressToken: 1 } } });
    const ctx = await inside.promise;
    wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
    await wire.close();
    expect(() => ctx.progress(1)).not.toThrow();
    expect(ctx.signal.aborted).toBe(true);
  });
});
