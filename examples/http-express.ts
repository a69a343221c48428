// An endpoint inside Express, beside the routes that are there already; one client of each era calls it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { type CallToolResult, metaKeys } from 'vivarium/protocol';
import { createNodeHandler } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
import { z } from 'zod';

const server = new Server({ name: 'sums', version: '1.0.0' });
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);

// A handler does not know where it listens, so it is told the names it answers to.
const mcp = createNodeHandler(server, { allowedHosts: ['localhost', '127.0.0.1'] });
export const app = express();
app.use(express.json()); // not needed here, and no harm either
app.get('/', (_request, response) => void response.send('The site itself'));
app.all('/mcp', mcp);

if (process.argv[1] === fileURLToPath(import.meta.url)) await tryIt();

async function tryIt(): Promise<void> {
  const http = app.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

  const params = { name: 'add', arguments: { a: 2, b: 3 } };
  const five = [{ type: 'text', text: '5' }];

  // 2026-07-28: one request, which says in its headers what it says in its body.
  const modern = await post(
    { method: 'tools/call', params: { ...params, _meta: { [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientCapabilities]: {} } } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' },
  );
  assert.deepEqual(await contentOf(modern), five);

  // 2025-11-25: a handshake, and a session that every later request names.
  const clientInfo = { name: 'me', version: '1' };
  const hello = await post({ method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  assert.equal(hello.status, 200);
  const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
  const legacy = await post({ method: 'tools/call', params }, session);
  assert.deepEqual(await contentOf(legacy), five);
  assert.equal((await fetch(`${origin}/mcp`, { method: 'DELETE', headers: session })).status, 204);

  assert.equal(await (await fetch(origin)).text(), 'The site itself');
  process.stdout.write(`${JSON.stringify(mcp.stats)}\n`);
  await mcp.close();
  http.close();

  function post(message: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
  }

  async function contentOf(response: Response): Promise<unknown> {
    return ((await response.json()) as { result: CallToolResult }).result.content;
  }
}
