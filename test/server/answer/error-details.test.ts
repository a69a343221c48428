// Where an error of the protocol has its details, as the option says.
import { expect, it } from 'vitest';
import { createWire } from 'vivarium/testing';
import { matrix } from '../../matrix/matrix.ts';
import { createSmall } from '../fixture.ts';

const wrong = async (
  errorDetails: 'data' | 'text' | 'message',
  connect: Parameters<Parameters<typeof matrix>[2]>[0]['connect'],
): Promise<unknown[]> => {
  const server = createSmall({ errorDetails });
  server.resource('note:///a', { name: 'a' }, () => 'a');
  const link = await connect(server);
  const asked = [await link.request('unknown/method'), await link.request('tools/call', {})];
  asked.push(await link.request('tools/call', { name: 'nobody' }), await link.request('resources/read', { uri: 'note:///b' }));
  return asked.map(({ error }) => [error?.message, error?.data]);
};

matrix('errorDetails text puts every detail into data as a string', {}, async ({ connect }) => {
  expect(await wrong('text', connect)).toEqual([
    ['Method not found', "Method 'unknown/method' is not supported"],
    ['Invalid params', 'Missing required parameter: name'],
    ['Unknown tool: nobody', 'Unknown tool: nobody'],
    ['Resource not found', { uri: 'note:///b' }],
  ]);
});

matrix('errorDetails message puts every detail into the message, and leaves in data what a program needs', {}, async ({ connect }) => {
  expect(await wrong('message', connect)).toEqual([
    ['Method not found: unknown/method', undefined],
    ['Invalid params: Missing required parameter: name', undefined],
    ['Unknown tool: nobody', undefined],
    ['Resource not found', { uri: 'note:///b' }],
  ]);
});

matrix('errorDetails data is what there is without the option', {}, async ({ connect }) => {
  expect(await wrong('data', connect)).toEqual([
    ['Method not found', "Method 'unknown/method' is not supported"],
    ['Invalid params', { details: 'Missing required parameter: name' }],
    ['Unknown tool: nobody', { details: 'Unknown tool: nobody' }],
    ['Resource not found', { uri: 'note:///b' }],
  ]);
});

it('errorDetails reaches lines that are no messages, and members of a batch', async () => {
  await using wire = createWire(createSmall({ errorDetails: 'message' }));
  wire.send('{"jsonrpc":"2.0","id":1}\n');
  expect(await wire.next()).toMatchObject({ id: 1, error: { code: -32600, message: 'Invalid Request: Missing required field: method' } });
  const clientInfo = { name: 'test', version: '1.0' };
  await wire.request('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo });
  wire.send('[{"jsonrpc":"2.0","id":7,"method":"a/b"},{"jsonrpc":"2.0","id":8,"method":"ping"}]\n');
  expect(await wire.next()).toEqual([
    { jsonrpc: '2.0', id: 7, error: { code: -32601, message: 'Method not found: a/b' } },
    { jsonrpc: '2.0', id: 8, result: {} },
  ]);
  wire.send('[]\n');
  expect(await wire.next()).toMatchObject({ error: { code: -32600, message: 'Invalid Request: A batch must not be empty' } });
});

it('errorDetails knows three places', () => {
  expect(() => createSmall({ errorDetails: 'nowhere' as never })).toThrow('errorDetails must be one of data, text, message, got nowhere');
});
