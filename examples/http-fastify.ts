// An endpoint inside Fastify, with its logs and hooks around it; one client of each era calls it.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import { type CallToolResult, metaKeys } from 'vivarium/protocol';
import { createNodeHandler } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
import { z } from 'zod';

const server = new Server({ name: 'sums', version: '1.0.0' });
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);

const mcp = createNodeHandler(server, { allowedHosts: ['localhost', '127.0.0.1'] });
// Otherwise it waits, when it closes, for connections on which nobody has asked anything yet.
export const app = Fastify({ forceCloseConnections: true });
app.get('/', async () => 'The site itself');
await app.register(async (scope) => {
  // Within this scope bodies stay unread: the endpoint has its own limits, and answers for what it cannot read.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  scope.all('/mcp', (request, reply) => {
    reply.hijack();
    mcp(request.raw, reply.raw);
  });
});
app.addHook('preClose', () => mcp.close());
if (process.argv[1] === fileURLToPath(import.meta.url)) await tryIt();

async function tryIt(): Promise<void> {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });

  const params = { name: 'add', arguments: { a: 2, b: 3 } };
  const five = [{ type: 'text', text: '5' }];

  // 2026-07-28: one request, which says in its headers what it says in its body.
  const modern = await post(
    { method: 'tools/call', params: { ...params, _meta: { [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientCapabilities]: {} } } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' },
  );
  assert.deepEqual(await contentOf(modern), five);

  // 2025-06-18: a handshake, a session, and a stream for what the server says by itself.
  const clientInfo = { name: 'me', version: '1' };
  const hello = await post({ method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-06-18' };
  await post({ id: undefined, method: 'notifications/initialized' }, session);
  const legacy = await post({ method: 'tools/call', params }, session);
  assert.deepEqual(await contentOf(legacy), five);

  const stream = await fetch(`${origin}/mcp`, { headers: { ...session, accept: 'text/event-stream' } });
  server.tool('zero', {}, () => '0');
  let heard = '';
  for await (const chunk of stream.body ?? []) {
    heard += new TextDecoder().decode(chunk);
    if (heard.includes('notifications/tools/list_changed')) break;
  }

  assert.equal(await (await fetch(origin)).text(), 'The site itself');
  process.stdout.write(`${JSON.stringify(mcp.stats)}\n`);
  await app.close();

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
