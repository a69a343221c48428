// Testing a server: drive it in this process, in any revision, and read the conversation afterwards.
import assert from 'node:assert/strict';
import { metaKeys, revisions } from 'vivarium/protocol';
import { Server } from 'vivarium/server';
import { createWire, parseTranscript } from 'vivarium/testing';
import { z } from 'zod';

const server = new Server({ name: 'greeter', version: '1.0.0' });
server.tool('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}!`);

export default server;

for (const revision of revisions) {
  const wire = createWire(server);
  const modern = revision === '2026-07-28';
  if (!modern) {
    await wire.request('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'test', version: '1' } });
    wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  const _meta = modern ? { [metaKeys.protocolVersion]: revision, [metaKeys.clientCapabilities]: {} } : {};
  const answer = await wire.request('tools/call', { name: 'greet', arguments: { name: 'Ada' }, _meta });
  assert.deepEqual((answer.result as { content: unknown }).content, [{ type: 'text', text: 'Hello, Ada!' }]);

  // Bytes are yours too: half a message, junk, whatever a bad client might send.
  wire.send('this is not JSON\n');
  const [refused] = (await wire.quiet()) as { error: { code: number } }[];
  assert.equal(refused?.error.code, -32700);

  assert.equal(parseTranscript(wire.transcript.text()).at(-1)?.from, 'server');
  await wire.close();
}
process.stdout.write(`greeter behaves in ${revisions.join(', ')}\n`);
