// The official SDK, version 2: @modelcontextprotocol/server with @modelcontextprotocol/node.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { info, options, resourcesWith, toolsWith, zodTwins } from '../job.mjs';

const { mode, port, tools: toolCount, resources: resourceCount } = options();
const schemaOf = await zodTwins();
const tools = toolsWith(toolCount);
const resources = resourcesWith(resourceCount);

export function build() {
  const server = new McpServer(info);
  for (const { name, description, run } of tools) {
    server.registerTool(name, { description, inputSchema: schemaOf(name) }, async (input) => run(input));
  }
  for (const { name, uri, text } of resources) {
    server.registerResource(name, uri, {}, async (url) => ({ contents: [{ uri: url.href, text }] }));
  }
  return server;
}

if (mode === 'stdio') {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(build);
} else if (mode !== 'none') {
  const node = await import('@modelcontextprotocol/node');
  const hostIsLocal = node.localhostHostValidation();
  const originIsLocal = node.localhostOriginValidation();
  // One handler serves the stateless 2025 era and 2026-07-28.
  const answer = mode === 'http-stateful' ? inSessions(node) : node.toNodeHandler(createMcpHandler(build));
  const onRequest = (request, response) => {
    if (hostIsLocal(request, response) && originIsLocal(request, response)) void answer(request, response);
  };
  http.createServer(onRequest).listen(port, '127.0.0.1');
}

function inSessions({ NodeStreamableHTTPServerTransport }) {
  const enableJsonResponse = process.env.JSON_RESPONSE !== '0';
  const sessions = new Map();
  const openSession = async () => {
    const transport = new NodeStreamableHTTPServerTransport({
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
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    if (id && !sessions.has(id)) return response.writeHead(404).end();
    const transport = id ? sessions.get(id) : await openSession();
    await transport.handleRequest(request, response);
  };
}
