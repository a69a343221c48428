import { expect, it } from 'vitest';
import { type Outcome, runCheck } from 'vivarium/check';
import { isSpent } from '../../../src/check/servers/short-lived.ts';

/** A server of which a part can be written otherwise. */
const server = ({ atStart = '', atRequest = '', atJunk = '' }): string => `
const tools = [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
const results = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'short', version: '1' } },
  'tools/list': { tools },
};
${atStart}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  let message;
  try { message = JSON.parse(line); } catch { ${atJunk} return; }
  const { id, method, params } = message;
  if (id === undefined) return;
  if (method !== 'initialize') { ${atRequest} }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
});
`;

async function answered(program: string): Promise<Outcome | undefined> {
  const target = { kind: 'command', command: process.execPath, args: ['-e', program] } as const;
  const { runs } = await runCheck(target, {
    revision: '2025-11-25',
    only: ['jsonrpc/request/answered', 'tools/call', 'errors/invalid-params'],
  });
  return runs[0]?.outcomes.find(({ id }) => id === 'jsonrpc/request/answered');
}

it('does not hold it against a server that it ends by itself, whatever it is asked', async () => {
  // As one that waits for its database before it answers, and gives up.
  expect(await answered(server({ atStart: 'setTimeout(() => process.exit(1), 500);', atRequest: 'return;' }))).toMatchObject({
    // The handshake was answered; what came after it shows nothing.
    verdict: 'passed',
  });
});

it.each([
  ['bytes that are no message', { atJunk: 'process.exit(1);' }],
  ['any request', { atRequest: 'process.exit(1);' }],
  ['the call of a tool', { atRequest: `if (method === 'tools/call' && params.name === 'look') process.exit(3);` }],
  ['any call, even one without a name', { atRequest: `if (method === 'tools/call') process.exit(3);` }],
])('holds it against a server that it is ended by %s', async (_, parts) => {
  expect(await answered(server(parts))).toMatchObject({ verdict: 'failed' });
});

it('shows the call that ended a server, and how it ended', async () => {
  const found = await answered(server({ atRequest: `if (method === 'tools/call' && params.name === 'look') process.exit(3);` }));
  expect(found?.message).toBe('tools/call was never answered: the server has gone (exit code 3)');
  expect(found?.evidence).toMatchObject([{ text: expect.stringContaining('"name":"look"') as string }]);
  expect(found?.reproduce).toContain('"name":"look"');
});

it('excuses only those whose time was up, where a server ends by itself after a while', () => {
  const ended = (at: number) => ({ conversation: { happenings: [{ at, what: 'exit', detail: 'exit code 1' } as const] } });
  expect(isSpent(ended(5_000), 5_200)).toBe(true);
  expect(isSpent(ended(100), 5_200)).toBe(false);
  expect(isSpent(ended(5_000), undefined)).toBe(false);
});
