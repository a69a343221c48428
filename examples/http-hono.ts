// An endpoint as a function from Request to Response, inside Hono: the same on Deno, Bun, workers, and Node as here.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { metaKeys } from 'vivarium/protocol';
import { createFetchHandler } from 'vivarium/serve/fetch';
import { Server } from 'vivarium/server';
import { z } from 'zod';

const server = new Server({ name: 'kitchen', version: '1.0.0' });
server.tool('boil', { input: z.object({ eggs: z.number().int().positive() }) }, async ({ eggs }, ctx) => {
  for (let egg = 1; egg <= eggs; egg++) ctx.progress(egg, eggs);
  return `${eggs} eggs, asked for by ${ctx.header('user-agent')}`;
});

const mcp = createFetchHandler(server, { allowedHosts: ['localhost', '127.0.0.1'] });
export const app = new Hono();
app.get('/', (c) => c.text('The site itself'));
app.all('/mcp', (c) => mcp(c.req.raw));

if (process.argv[1] === fileURLToPath(import.meta.url)) await tryIt();

async function tryIt(): Promise<void> {
  const http = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;

  const params = { name: 'boil', arguments: { eggs: 2 } };
  const result = { content: [{ type: 'text', text: '2 eggs, asked for by an egg timer' }], isError: false };

  // 2025-11-25: a handshake, and a session that every later request names. Nothing comes before the answer: plain JSON.
  const clientInfo = { name: 'me', version: '1' };
  const hello = await post({ method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
  const legacy = await post({ method: 'tools/call', params }, session);
  assert.equal(legacy.headers.get('content-type'), 'application/json');
  assert.deepEqual(await legacy.json(), { jsonrpc: '2.0', id: 1, result });

  // 2026-07-28, with a token for progress: what comes before the answer makes it an event stream.
  const _meta = { [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientCapabilities]: {}, progressToken: 't' };
  const modern = await post(
    { method: 'tools/call', params: { ...params, _meta } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'boil' },
  );
  assert.equal(modern.headers.get('content-type'), 'text/event-stream');
  const events = (await modern.text()).matchAll(/^data: (.+)$/gm);
  const [first, second, answer] = [...events].map(([, data = '']) => JSON.parse(data));
  assert.deepEqual([first.params.progress, second.params.progress], [1, 2]);
  assert.deepEqual(answer.result.content, result.content);

  process.stdout.write(`${JSON.stringify(mcp.stats)}\n`);
  await mcp.close();
  http.close();

  function post(message: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'user-agent': 'an egg timer',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
  }
}
