// The physical limit: JSON.parse and JSON.stringify of the same bodies, with no validation and no protocol checks.
import http from 'node:http';
import { info, options, resourcesWith, toolsWith } from '../job.mjs';

const { mode, port, tools: toolCount, resources: resourceCount } = options();
const tools = new Map(toolsWith(toolCount).map((tool) => [tool.name, tool]));
const toolList = [...tools.values()].map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
const resourceList = resourcesWith(resourceCount).map(({ name, uri }) => ({ name, uri }));

if (mode === 'stdio') serveStdio();
else http.createServer(onRequest).listen(port, '127.0.0.1');

function resultOf({ method, params }) {
  switch (method) {
    case 'tools/call':
      return tools.get(params.name).run(params.arguments);
    case 'tools/list':
      return { tools: toolList };
    case 'resources/list':
      return { resources: resourceList };
    case 'initialize':
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: info };
    case 'server/discover':
      return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo: info };
    default:
      return {};
  }
}

function serveStdio() {
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    rest += chunk;
    const lines = rest.split('\n');
    rest = lines.pop();
    let out = '';
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.id !== undefined) out += `${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) })}\n`;
    }
    if (out) process.stdout.write(out);
  });
  process.stdin.on('end', () => process.exit(0));
}

function onRequest(request, response) {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const message = JSON.parse(parts.length === 1 ? parts[0] : Buffer.concat(parts));
    if (message.id === undefined) return response.writeHead(202).end();
    const result = resultOf(message);
    if (message.params?._meta) result.resultType = 'complete';
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
}
