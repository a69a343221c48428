import { describe, expect, it, vi } from 'vitest';
import { revisions } from 'vivarium';
import { serveMemory } from 'vivarium/serve/memory';
import { Server } from 'vivarium/server';
import { z } from 'zod';
import { connect, modelView } from '../../../src/client/index.ts';

/** How often work that would last for ever was begun, and how often it was stopped. */
interface Work {
  begun: number;
  stopped: number;
}

function createServer(only: (typeof revisions)[number], work: Work): Server {
  const server = new Server({ name: 'notes', version: '1.0.0', revisions: [only] });
  server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);
  server.tool('sum', { input: z.object({ a: z.number() }), output: z.object({ sum: z.number() }) }, ({ a }) => ({ sum: a + 1 }));
  server.tool('ask', {}, async (_, ctx) => {
    const answer = await ctx.elicit('name', { message: 'Who?', schema: z.object({ name: z.string().default('Ada') }) });
    return answer.action === 'accept' ? `Hello, ${answer.content.name}` : answer.action;
  });
  server.tool(
    'wait',
    {},
    (_, ctx) =>
      new Promise((_resolve, reject) => {
        ctx.signal.addEventListener('abort', () => {
          work.stopped++;
          reject(ctx.signal.reason);
        });
        work.begun++;
      }),
  );
  server.tool('steps', {}, async (_, ctx) => {
    for (let step = 1; step <= 5; step++) {
      await new Promise((resolve) => setTimeout(resolve, 450));
      ctx.progress(step, 5);
    }
    return 'done';
  });
  server.resource('note:///{id}', { name: 'note', list: () => [{ uri: 'note:///a', name: 'a' }] }, ({ id }) => `text of ${id}`);
  server.prompt('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}`);
  return server;
}

describe.each(revisions)('a client of a server that speaks only %s', (revision) => {
  const open = (work: Work = { begun: 0, stopped: 0 }) =>
    connect(serveMemory(createServer(revision, work)), { handlers: { elicit: () => ({ action: 'accept', content: {} }) } });

  it('finds the revision and uses every feature', async () => {
    await using client = await open();
    expect([client.revision, client.era]).toEqual([revision, revision === '2026-07-28' ? 'modern' : 'legacy']);
    expect(client.server?.name).toBe('notes');
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['add', 'sum', 'ask', 'wait', 'steps']);
    const added = await client.callTool('add', { a: 1, b: 2 });
    expect(modelView(added)).toEqual([{ type: 'text', text: '3' }]);
    if (revision >= '2025-06-18') {
      const typed = await client.callTool('sum', { a: 1 }, { output: z.object({ sum: z.number() }) });
      expect(typed.structuredContent?.sum).toBe(2);
      expect((await client.callTool('ask')).content).toEqual([{ type: 'text', text: 'Hello, Ada' }]);
    }
    expect((await client.listResources()).length).toBe(1);
    expect((await client.readResource('note:///b')).contents[0]).toMatchObject({ text: 'text of b' });
    expect((await client.getPrompt('greet', { name: 'Bob' })).messages).toHaveLength(1);
    await client.ping();
    await expect(client.callTool('nothing')).rejects.toMatchObject({ code: -32602 });
  });

  it('stops the work on the server when a call is aborted', async () => {
    const work = { begun: 0, stopped: 0 };
    await using client = await open(work);
    const abort = new AbortController();
    const call = client.callTool('wait', {}, { signal: abort.signal });
    await vi.waitFor(() => expect(work).toEqual({ begun: 1, stopped: 0 }), 60_000);
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'ERR_CANCELLED' });
    await vi.waitFor(() => expect(work).toEqual({ begun: 1, stopped: 1 }), 60_000);
    expect((await client.callTool('add', { a: 1, b: 1 })).content).toHaveLength(1);
  });

  it('is kept waiting by progress, without listening to it', async () => {
    await using client = await open();
    const result = await client.callTool('steps', {}, { timeouts: { idleMs: 2_000, totalMs: 20_000 } });
    expect(result.isError).toBe(false);
    await expect(client.callTool('wait', {}, { timeouts: { idleMs: 50 } })).rejects.toMatchObject({
      code: 'ERR_TIMEOUT',
      failure: { limit: 'idleMs' },
    });
  });
});
