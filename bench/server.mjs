// The server under test: Vivarium doing the job, imported from the built package by its public name.
import { Server } from 'vivarium/server';
import { info, options, resourcesWith, toolsWith } from './job.mjs';

const { mode, tools, resources, port } = options();

const server = new Server({ ...info, pageSize: 100_000 });
for (const { name, description, inputSchema, run } of toolsWith(tools)) server.tool(name, { description, input: inputSchema }, run);
for (const { name, uri, text } of resourcesWith(resources)) server.resource(uri, { name }, () => text);

if (mode === 'stdio') {
  const { serveStdio } = await import('vivarium/serve/stdio');
  await serveStdio(server);
} else {
  const { serveHttp } = await import('vivarium/serve/node');
  // One endpoint speaks all revisions: the kinds differ by what the load asks for, and by sessions.
  await serveHttp(server, {
    port,
    sessions: mode === 'http' ? false : { max: 20_000 },
    stream: process.env.JSON_RESPONSE === '0' ? 'always' : 'when-needed',
    maxBodyBytes: 64 * 1024 * 1024,
  });
}
