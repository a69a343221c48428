// Long work: it reports progress, and it stops when the client has lost interest.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';

const server = new Server({ name: 'oven', version: '1.0.0' });
let baked = 0;

server.tool('bake', { input: z.object({ loaves: z.number().int().positive() }) }, async ({ loaves }, ctx) => {
  for (let loaf = 1; loaf <= loaves; loaf++) {
    await sleep(5, undefined, { signal: ctx.signal });
    baked = loaf;
    ctx.progress(loaf, loaves, `loaf ${loaf}`);
  }
  return `${loaves} loaves are ready`;
});

export default server;

const wire = createWire(server);
await wire.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'me', version: '1' } });

wire.send({
  jsonrpc: '2.0',
  id: 'three',
  method: 'tools/call',
  params: { name: 'bake', arguments: { loaves: 3 }, _meta: { progressToken: 't' } },
});
for (let loaf = 1; loaf <= 3; loaf++) {
  assert.deepEqual(await wire.next(), {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 't', progress: loaf, total: 3, message: `loaf ${loaf}` },
  });
}
assert.equal(((await wire.next()) as { id: unknown }).id, 'three');

wire.send({
  jsonrpc: '2.0',
  id: 'many',
  method: 'tools/call',
  params: { name: 'bake', arguments: { loaves: 100_000 }, _meta: { progressToken: 'u' } },
});
await wire.next();
wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'many', reason: 'not hungry' } });
assert.deepEqual(await wire.quiet(), [], 'a cancelled request is answered by nothing');
const stopped = baked;
await sleep(30);
assert.equal(baked, stopped, 'and the work has stopped');

process.stdout.write(wire.transcript.text());
await wire.close();
