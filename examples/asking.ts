// Asking in the middle of a call: the same straight-line code in every revision. Up to 2025-11-25 the handler waits; in
// 2026-07-28 it is run again from the top once the answer is there, so what has an effect sits in `once` or after the last ask.
import assert from 'node:assert/strict';
import { metaKeys } from 'vivarium/protocol';
import { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';

const server = new Server({ name: 'tables', version: '1.0.0' });
let counted = 0;
let dropped = 0;

server.tool('drop_table', { input: z.object({ table: z.string() }), needs: ['elicitation'], singleUse: true }, async ({ table }, ctx) => {
  const rows = await ctx.once('rows', () => {
    counted++;
    return 42;
  });
  const sure = await ctx.elicit('sure', { message: `Drop ${table} with ${rows} rows?`, schema: z.object({ sure: z.boolean() }) });
  if (sure.action !== 'accept' || !sure.content.sure) return 'Nothing was dropped.';
  dropped++; // ctx.flow.id would be the idempotency key
  return `Dropped ${rows} rows.`;
});

export default server;

const accept = { action: 'accept', content: { sure: true } };
const params = { name: 'drop_table', arguments: { table: 'moths' } };
const text = (result: unknown): unknown => (result as { content: { text: string }[] }).content[0]?.text;

// A client of 2025-11-25 is asked by a request of the server's own.
const legacy = createWire(server);
await legacy.request('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'me', version: '1' },
});
const answer = legacy.request('tools/call', params);
const question = (await legacy.next()) as { id: number; method: string };
assert.equal(question.method, 'elicitation/create');
legacy.send({ jsonrpc: '2.0', id: question.id, result: accept });
assert.equal(text((await answer).result), 'Dropped 42 rows.');
await legacy.close();

// A client of 2026-07-28 gets the question as a result, and presents the answer with the sealed state.
const modern = createWire(server);
const _meta = { [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientCapabilities]: { elicitation: {} } };
const first = (await modern.request('tools/call', { ...params, _meta })).result as { resultType: string; requestState: string };
assert.equal(first.resultType, 'input_required');
const retry = { ...params, _meta, requestState: first.requestState, inputResponses: { sure: accept } };
assert.equal(text((await modern.request('tools/call', retry)).result), 'Dropped 42 rows.');

// The same consent cannot be used twice.
assert.ok((await modern.request('tools/call', retry)).error);
assert.deepEqual([counted, dropped], [2, 2]);

process.stdout.write(modern.transcript.text());
await modern.close();
