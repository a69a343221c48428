import { expect, it } from 'vitest';
import { runCheck } from 'vivarium/check';

/** As an older server that says nothing to what comes before the handshake. */
const mute = `
const greeting = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'mute', version: '1' } };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined || method === 'server/discover') return;
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? greeting : {} }));
});
`;

it('does not wait as long for an answer in the newest revision as for a server to start', { timeout: 60_000 }, async () => {
  const target = { kind: 'command', command: process.execPath, args: ['-e', mute] } as const;
  const { offered, durationMs } = await runCheck(target, { only: ['ping'] });
  expect(offered).toEqual(['2025-11-25']);
  expect(durationMs).toBeLessThan(15_000);
});
