// The server under test: Vivarium doing the job, imported from the built package by its public name.
import { Server } from 'vivarium/server';
import { info, options, resourcesWith, toolsWith } from './job.mjs';

const { mode, tools, resources } = options();

if (mode !== 'stdio') {
  console.error(`bench/server.mjs: Vivarium does not offer "${mode}" yet`);
  process.exit(2);
}

const server = new Server({ ...info, pageSize: 100_000 });
for (const { name, description, inputSchema, run } of toolsWith(tools)) server.tool(name, { description, input: inputSchema }, run);
for (const { name, uri, text } of resourcesWith(resources)) server.resource(uri, { name }, () => text);

const { serveStdio } = await import('vivarium/serve/stdio');
await serveStdio(server);
