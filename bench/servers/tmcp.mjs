// tmcp with its stdio and HTTP transports, the latter mounted with srvx.
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { McpServer } from 'tmcp';
import { info, options, resourcesWith, toolsWith, zodTwins } from '../job.mjs';

const { mode, port, tools, resources } = options();
const schemaOf = await zodTwins();

export function build() {
  const adapter = new ZodJsonSchemaAdapter();
  const server = new McpServer({ ...info, description: 'bench' }, { adapter, capabilities: { tools: {}, resources: {} } });
  for (const { name, description, run } of toolsWith(tools)) {
    server.tool({ name, description, schema: schemaOf(name) }, async (input) => run(input));
  }
  for (const { name, uri, text } of resourcesWith(resources)) {
    server.resource({ name, description: name, uri }, async (address) => ({ contents: [{ uri: address, text }] }));
  }
  return server;
}

if (mode === 'stdio') {
  const { StdioTransport } = await import('@tmcp/transport-stdio');
  new StdioTransport(build()).listen();
} else if (mode !== 'none') {
  const { HttpTransport } = await import('@tmcp/transport-http');
  const { serve } = await import('srvx/node');
  const transport = new HttpTransport(build(), { path: '/mcp' });
  const answer = async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 });
  serve({ port, hostname: '127.0.0.1', silent: true, fetch: answer });
}
