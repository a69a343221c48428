import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WatchSessions } from '../../../../src/cli/commands/serve/watch-sessions.ts';

const asked = (message: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) => {
  const body = Buffer.from(JSON.stringify(message));
  return { method: 'POST', headers, fields: ['host', 'localhost'], body, message };
};
const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
const subscribe = (uri: string) => ({ jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri } });

it('tells the next server what was granted, and nothing that was refused', async () => {
  const told: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    told.push(`${JSON.parse(text).method} ${JSON.parse(text).params?.uri ?? ''}`.trim());
    response.writeHead(200, { 'mcp-session-id': 'inner' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const sessions = new WatchSessions('/mcp');
  sessions.learn(asked(initialize), { status: 401, headers: { 'mcp-session-id': 'refused' } });
  expect(sessions.has('refused')).toBe(false);
  sessions.learn(asked(initialize), { status: 200, headers: { 'mcp-session-id': 'one' } });
  const own = { 'mcp-session-id': 'one' };
  sessions.learn(asked(subscribe('x://granted'), own), { status: 200, headers: {} });
  sessions.learn(asked(subscribe('x://refused'), own), { status: 401, headers: {} });
  sessions.learn({ ...asked({}, own), method: 'DELETE' }, { status: 401, headers: {} });
  await sessions.move((server.address() as AddressInfo).port);
  expect(told).toEqual(['initialize', 'resources/subscribe x://granted']);
  expect(sessions.inward(['Mcp-Session-Id', 'one', 'host', 'a', 'Host', 'b'])).toEqual([
    'Mcp-Session-Id',
    'inner',
    'host',
    'a',
    'Host',
    'b',
  ]);
});

it('forgets the oldest sessions when all of them together are too much', () => {
  const sessions = new WatchSessions('/mcp');
  const large = { ...initialize, params: { text: 'x'.repeat(3 * 1024 * 1024) } };
  for (let count = 0; count < 40; count++) sessions.learn(asked(large), { status: 200, headers: { 'mcp-session-id': `s${count}` } });
  expect([sessions.has('s0'), sessions.has('s39')]).toEqual([false, true]);
  for (let count = 0; count < 40; count++)
    sessions.learn(asked({ ...subscribe(`x://${count}`), more: 'x'.repeat(3 * 1024 * 1024) }, { 'mcp-session-id': 's39' }), {
      status: 200,
      headers: {},
    });
  expect(sessions.has('s38')).toBe(false);
});
