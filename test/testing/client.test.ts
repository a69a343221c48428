import { describe, expect, it } from 'vitest';
import { revisions } from 'vivarium';
import { Server } from 'vivarium/server';
import { createTestClient } from 'vivarium/testing';
import { z } from 'zod';

function createServer(): { server: Server; effects: string[] } {
  const effects: string[] = [];
  const server = new Server({ name: 's', version: '1' });
  const schema = z.object({ sure: z.boolean() });
  server.tool('careless', {}, async (_, ctx) => {
    effects.push('careless');
    const { action } = await ctx.elicit('sure', { message: 'Sure?', schema });
    return action;
  });
  server.tool('careful', {}, async (_, ctx) => {
    await ctx.once('effect', () => {
      effects.push('careful');
      return null;
    });
    const { action } = await ctx.elicit('sure', { message: 'Sure?', schema });
    return action;
  });
  return { server, effects };
}

const handlers = { elicit: () => ({ action: 'accept' as const, content: { sure: true } }) };

describe('createTestClient', () => {
  it.each(revisions)('connects in %s and writes down what was said', async (revision) => {
    const { server } = createServer();
    await using client = await createTestClient(server, { revision, handlers });
    expect(client.revision).toBe(revision);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['careless', 'careful']);
    const [first = ''] = client.transcript.text().split('\n');
    expect(first).toContain(
      revision === '2026-07-28'
        ? '→ {"jsonrpc":"2.0","id":1,"method":"server/discover"'
        : '→ {"jsonrpc":"2.0","id":1,"method":"initialize"',
    );
  });

  it('shows that a handler does something again which is not under once', async () => {
    const { server, effects } = createServer();
    await using client = await createTestClient(server, { revision: '2026-07-28', handlers });
    await client.callTool('careful');
    expect(effects).toEqual(['careful']);
    effects.length = 0;
    await client.callTool('careless');
    expect(effects).toEqual(['careless', 'careless', 'careless']);
  });

  it('leaves that out when asked to', async () => {
    const { server, effects } = createServer();
    await using client = await createTestClient(server, { revision: '2026-07-28', handlers, replayCheck: false });
    await client.callTool('careless');
    expect(effects).toEqual(['careless', 'careless']);
  });
});
