// The smallest server. Serve it with `vivarium serve examples/ten-lines.ts`; run the file itself and it checks itself.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';

const server = new Server({ name: 'sums', version: '1.0.0' });

server.tool('add', { description: 'Add two numbers', input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);

export default server;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wire = createWire(server);
  await wire.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'me', version: '1' } });
  const answer = await wire.request('tools/call', { name: 'add', arguments: { a: 2, b: 3 } });
  assert.deepEqual(answer.result, { content: [{ type: 'text', text: '5' }], isError: false });
  process.stdout.write(wire.transcript.text());
  await wire.close();
}
