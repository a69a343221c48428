// An extension of one's own: a method, a result type, a notification to listen for, a capability, and a trait for tools.
import assert from 'node:assert/strict';
import { metaKeys } from 'vivarium/protocol';
import { type Extension, Server, type Trait } from 'vivarium/server';
import { createWire } from 'vivarium/testing';

const id = 'com.example/receipts';

interface Receipts extends Extension {
  /** Given to a tool: its calls are answered with a receipt, and the work is done afterwards. */
  deferred(priority: 'low' | 'high'): Trait;
}

function createReceipts(): Receipts {
  const results = new Map<string, object>();
  return {
    id,
    settings: { priorities: ['low', 'high'] },
    deferred: (priority) => ({ extension: id, settings: { priority }, meta: { [id]: { priority } } }),
    install(host) {
      host.resultType('receipt');
      const ready = host.notification('notifications/receipts/ready', { listen: 'receiptIds' });
      host.method('receipts/redeem', { params: [['receiptId', 'string']] }, ({ receiptId }) => {
        const result = results.get(String(receiptId));
        return result === undefined ? { status: 'pending' } : { status: 'ready', result };
      });
      host.around('tools/call', async ({ ctx, traits }, next) => {
        // Clients that never heard of receipts get the result itself.
        if (traits.length === 0 || host.declared(ctx) === undefined) return next();
        const receiptId = `r${results.size + 1}`;
        void next().then((result) => {
          results.set(receiptId, result);
          ready(receiptId, { receiptId });
        });
        return { resultType: 'receipt', receiptId };
      });
    },
  };
}

const receipts = createReceipts();
const server = new Server({ name: 'press', version: '1.0.0' });
server.use(receipts);
server.tool('print', { with: [receipts.deferred('high')] }, async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return 'printed';
});

export default server;

const wire = createWire(server);
const meta = (extensions: object) => ({ [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientCapabilities]: { extensions } });
const knowing = { _meta: meta({ [id]: {} }) };
const unknowing = { _meta: meta({}) };

const discovered = await wire.request('server/discover', unknowing);
assert.deepEqual((discovered.result as { capabilities: { extensions: object } }).capabilities.extensions, { [id]: receipts.settings });

// A client that declares the extension gets a receipt, hears when it is ready, and redeems it.
wire.send({ jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params: { notifications: { receiptIds: ['r1'] }, ...knowing } });
assert.equal(((await wire.next()) as { method: string }).method, 'notifications/subscriptions/acknowledged');
const receipt = await wire.request('tools/call', { name: 'print', ...knowing });
assert.equal((receipt.result as { receiptId: string }).receiptId, 'r1');
assert.deepEqual(await wire.next(), {
  jsonrpc: '2.0',
  method: 'notifications/receipts/ready',
  params: { receiptId: 'r1', _meta: { [metaKeys.subscriptionId]: 'l' } },
});
const redeemed = await wire.request('receipts/redeem', { receiptId: 'r1', ...knowing });
assert.equal((redeemed.result as { status: string }).status, 'ready');

// Everyone else sees that there is an extension, and nothing that it does.
const plain = await wire.request('tools/call', { name: 'print', ...unknowing });
assert.deepEqual((plain.result as { content: unknown }).content, [{ type: 'text', text: 'printed' }]);
const refused = await wire.request('receipts/redeem', { receiptId: 'r1', ...unknowing });
assert.equal((refused.error as { code: number }).code, -32021);

process.stdout.write(wire.transcript.text());
await wire.close();
