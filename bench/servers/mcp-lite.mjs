// mcp-lite (HTTP only), mounted with @hono/node-server.
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite';
import { toJSONSchema } from 'zod';
import { info, options, resourcesWith, toolsWith, zodTwins } from '../job.mjs';

const { mode, port, tools, resources } = options();
const schemaOf = await zodTwins();

export function build() {
  const server = new McpServer({ ...info, schemaAdapter: (schema) => toJSONSchema(schema) });
  for (const { name, description, run } of toolsWith(tools)) {
    server.tool(name, { description, inputSchema: schemaOf(name), handler: (input) => run(input) });
  }
  for (const { name, uri, text } of resourcesWith(resources)) {
    server.resource(uri, { name }, async (url) => ({ contents: [{ uri: url.href, type: 'text', text }] }));
  }
  return server;
}

if (mode !== 'none') {
  const { serve } = await import('@hono/node-server');
  const sessions = mode === 'http-stateful' ? { sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 16 }) } : {};
  const answer = new StreamableHttpTransport(sessions).bind(build());
  serve({ port, hostname: '127.0.0.1', fetch: (request) => answer(request) });
}
