// fastmcp (TypeScript), which is built on version 1 of the official SDK.
import { FastMCP } from 'fastmcp';
import { info, options, resourcesWith, toolsWith, zodTwins } from '../job.mjs';

const { mode, port, tools, resources } = options();
const schemaOf = await zodTwins();
const silent = { debug() {}, error() {}, info() {}, log() {}, warn() {} };

const server = new FastMCP({ ...info, ping: { enabled: false }, logger: silent });
for (const { name, description, run } of toolsWith(tools)) {
  server.addTool({ name, description, parameters: schemaOf(name), execute: async (input) => run(input) });
}
for (const { name, uri, text } of resourcesWith(resources)) {
  server.addResource({ name, uri, mimeType: 'text/plain', load: async () => ({ text }) });
}

if (mode === 'stdio') await server.start({ transportType: 'stdio' });
else {
  const httpStream = { port, host: '127.0.0.1', endpoint: '/mcp', stateless: mode === 'http', enableJsonResponse: true };
  await server.start({ transportType: 'httpStream', httpStream });
}
