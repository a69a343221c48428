import { expect, it } from 'vitest';
import { Server } from 'vivarium/server';
import { createWire } from 'vivarium/testing';

it('a tap sees both directions as they are on the wire, and its own failure harms nobody', async () => {
  const seen: string[] = [];
  const reported: unknown[] = [];
  const server = new Server({ name: 's', version: '1', onError: (error) => reported.push(error) });
  await using wire = createWire(server, {
    tap: ({ direction, text }) => {
      seen.push(`${direction} ${text}`);
      throw new Error('tap');
    },
  });
  wire.send('{"jsonrpc":"2.0", "id":1,"method":"ping"}\nnonsense\n');
  await wire.quiet();
  expect(seen).toEqual([
    'in {"jsonrpc":"2.0", "id":1,"method":"ping"}',
    'out {"jsonrpc":"2.0","id":1,"result":{}}',
    'in nonsense',
    'out {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":"Not valid JSON"}}',
  ]);
  expect(reported).toHaveLength(4);
});
