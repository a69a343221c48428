// Without authorization everybody is the same principal: still, one connection or one session does not take everything.
import { describe, expect, it } from 'vitest';
import { flood, initialize, inLanes, modern, post, tally } from './flood.ts';

const mebibyte = 1024 * 1024;

describe('without authorization', { timeout: 240_000 }, () => {
  it('one connection runs 128 calls at a time, and another is served', async () => {
    const server = await flood({ auth: false });
    const socket = await server.open();
    socket.write(
      Buffer.concat(Array.from({ length: 5_000 }, (_, at) => modern('nobody', 'tools/call', { name: 'hold', arguments: {} }, at))),
    );
    await expect.poll(async () => (await server.refused())['caller_running'], { timeout: 60_000 }).toBeGreaterThan(50);
    expect((await server.call('nobody', 'echo', { text: 'fine' }))?.status).toBe(200);
    expect(await server.metrics()).toMatch(/calls_running 128$/m);
    expect(server.alive).toBe(true);
  });

  it('listeners of all connections together are bounded in bytes, and the process lives', async () => {
    const server = await flood({ auth: false });
    const uris = Array.from({ length: 1_000 }, (_, at) => `note:///${at}/${'x'.repeat(4_000)}`);
    const request = modern('nobody', 'subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
    const answers = await inLanes(160, () => server.send(request));
    expect(tally(answers)['503']).toBeGreaterThan(50);
    expect((await server.refused())['bytes']).toBeGreaterThan(50);
    // What is left is kept for what needs little.
    const health = await server.send(Buffer.from('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'));
    expect([health?.status, server.alive]).toEqual([200, true]);
  });

  it('one session holds 32 MiB, over however many connections, and another is served', async () => {
    const server = await flood({ auth: false });
    const opened = await server.send(initialize('nobody', '2025-06-18'));
    const session = [`Mcp-Session-Id: ${opened?.headers['mcp-session-id']}`];
    const call = (id: number): Buffer =>
      post(
        'nobody',
        { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'hold', arguments: { text: 'x'.repeat(3 * mebibyte) } } },
        session,
      );
    // Hanging up is no cancellation here.
    await inLanes(60, async (id) => {
      const socket = await server.open();
      socket.write(call(id), () => setTimeout(() => socket.destroy(), 5_000));
    });
    await expect.poll(async () => (await server.refused())['caller_bytes'], { timeout: 60_000 }).toBeGreaterThan(40);
    expect((await server.call('nobody', 'echo', { text: 'fine' }))?.status).toBe(200);
    expect((await server.send(initialize('nobody')))?.status).toBe(200);
    expect(server.alive).toBe(true);
  });
});
