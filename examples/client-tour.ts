// A client of two servers: one in a child process, one at a URL. It lists, calls, reads, is asked, and changes its mind.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { type Client, connect, modelView, revisions } from 'vivarium';
import { serveHttp } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
import { z } from 'zod';

// A child process. Whatever it speaks is found out; it is gone at the end of this block, whichever way that is left.
{
  const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const module = fileURLToPath(new URL('./ten-lines.ts', import.meta.url));
  await using client = await connect({ command: process.execPath, args: [command, 'serve', module] });
  const tools = (await client.listTools()).map(({ name }) => name);
  assert.deepEqual([client.server?.name, client.revision, tools], ['sums', '2026-07-28', ['add']]);
  assert.deepEqual(modelView(await client.callTool('add', { a: 2, b: 3 })), [{ type: 'text', text: '5' }]);

  // What a tool could not do is a result; what the server could not serve is an error with its code.
  assert.equal((await client.callTool('add', { a: 'two' })).isError, true);
  await assert.rejects(client.callTool('subtract'), { name: 'RpcError', code: -32602 });
}

// A server at a URL, in this program for the sake of the example.
const server = new Server({ name: 'garden', version: '1.0.0' });
const Bed = z.object({ plant: z.string(), litres: z.number() });
server.tool('water', { input: Bed.partial({ litres: true }), output: Bed }, async ({ plant, litres }, ctx) => {
  if (litres !== undefined) return { plant, litres };
  const answer = await ctx.elicit('litres', { message: `How much for the ${plant}?`, schema: z.object({ litres: z.number().default(2) }) });
  return { plant, litres: answer.action === 'accept' ? answer.content.litres : 0 };
});
server.tool('grow', {}, async (_, ctx) => {
  for (let day = 1; !ctx.signal.aborted; day++) {
    ctx.progress(day);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  stopped = true;
});
server.resource('bed:///{plant}', { name: 'bed' }, ({ plant }) => `Here grows a ${plant}.`);

export default server;

let stopped = false;
const serving = await serveHttp(server, { port: 0 });
for (const revision of revisions.slice(2)) {
  // The same code in every revision that has forms; leave `revision` out, and the newest that both know is spoken.
  await using client = await connect(serving.url, {
    revision,
    handlers: { elicit: (ask) => ({ action: ask.message.includes('fern') ? 'accept' : 'decline', content: {} }) },
  });
  await visit(client);
}
await serving.close();

async function visit(client: Client): Promise<void> {
  const fern = await client.readResource('bed:///fern');
  assert.deepEqual(fern.contents, [{ uri: 'bed:///fern', mimeType: 'text/plain', text: 'Here grows a fern.' }]);

  // Asked in the middle of the call: what the answer leaves out is what the form proposed.
  const watered = await client.callTool('water', { plant: 'fern' }, { output: Bed });
  assert.equal(watered.structuredContent?.litres, 2);

  // Nobody wants to know any more: the call is over here, and its work stops there.
  stopped = false;
  const enough = new AbortController();
  const growing = client.callTool('grow', {}, { signal: enough.signal, onProgress: ({ progress }) => progress >= 3 && enough.abort() });
  await assert.rejects(growing, { code: 'ERR_CANCELLED' });
  while (!stopped) await new Promise((resolve) => setTimeout(resolve, 5));
  process.stdout.write(`${client.server?.name} in ${client.revision}: read, watered, and stopped\n`);
}
