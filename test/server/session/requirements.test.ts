// A whole session as the Pharo guide walks through it: every method it names, under ids from 1 to 9.
import { expect, it } from 'vitest';
import { createWire } from 'vivarium/testing';
import { z } from 'zod';
import { ask, createServer, handshake, type Reply } from '../fixture.ts';

function createGuided(): ReturnType<typeof createServer>['server'] {
  const { server } = createServer();
  server.tool('evaluate', { input: z.object({ expression: z.string() }) }, ({ expression }) => `evaluated ${expression}`);
  server.resource('image://version', { name: 'Version' }, () => 'Image 1.0');
  server.resource('image://class/{className}', { name: 'Class', mimeType: 'application/json' }, ({ className }) =>
    JSON.stringify({ className }),
  );
  server.prompt('review', { input: z.object({ className: z.string() }) }, ({ className }) => `Please review ${className}.`);
  return server;
}

const session: readonly (readonly [method: string, params?: object])[] = [
  ['initialize', handshake('2025-03-26')],
  ['ping'],
  ['tools/list'],
  ['tools/call', { name: 'evaluate', arguments: { expression: '3 + 4' } }],
  ['resources/list'],
  ['resources/read', { uri: 'image://version' }],
  ['resources/templates/list'],
  ['prompts/list'],
  ['prompts/get', { name: 'review', arguments: { className: 'Set' } }],
];

it('every method of the session is answered with a result under its id, and no other method is known', async () => {
  const wire = createWire(createGuided());
  for (const [index, [method, params]] of session.entries()) {
    wire.send({ jsonrpc: '2.0', id: index + 1, method, ...(params !== undefined && { params }) });
    const [answer, ...rest] = (await wire.quiet()) as Reply[];
    expect([answer?.id, answer?.error, rest]).toEqual([index + 1, undefined, []]);
    expect(answer?.result).toBeTypeOf('object');
    if (method === 'initialize') wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  for (const method of ['unknown/method', 'tools/evaluate', 'resources/write', 'prompts', 'server/discover', 'roots/list']) {
    expect((await ask(wire, method)).error.code, method).toBe(-32601);
  }
});
