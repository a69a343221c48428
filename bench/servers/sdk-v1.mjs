// The official SDK, version 1: @modelcontextprotocol/sdk.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { info, options, resourcesWith, toolsWith, zodTwins } from '../job.mjs';

const { mode, port, tools: toolCount, resources: resourceCount } = options();
const schemaOf = await zodTwins();
const tools = toolsWith(toolCount);
const resources = resourcesWith(resourceCount);

export function build() {
  const server = new McpServer(info);
  for (const { name, description, run } of tools) {
    server.registerTool(name, { description, inputSchema: schemaOf(name).shape }, async (input) => run(input));
  }
  for (const { name, uri, text } of resources) {
    server.registerResource(name, uri, {}, async (url) => ({ contents: [{ uri: url.href, text }] }));
  }
  return server;
}

if (mode === 'stdio') {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  await build().connect(new StdioServerTransport());
} else if (mode !== 'none') {
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const enableJsonResponse = process.env.JSON_RESPONSE !== '0';
  const sessions = new Map();

  const answerStateless = async (request, response) => {
    const server = build();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse });
    response.on('close', () => {
      transport.close();
      server.close();
    });
    await server.connect(transport);
    await transport.handleRequest(request, response);
  };

  const openSession = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
    });
    transport.onclose = () => sessions.delete(transport.sessionId);
    await build().connect(transport);
    return transport;
  };

  const answerInSession = async (request, response) => {
    const id = request.headers['mcp-session-id'];
    if (id && !sessions.has(id)) return response.writeHead(404).end();
    const transport = id ? sessions.get(id) : await openSession();
    await transport.handleRequest(request, response);
  };

  http.createServer(mode === 'http' ? answerStateless : answerInSession).listen(port, '127.0.0.1');
}
