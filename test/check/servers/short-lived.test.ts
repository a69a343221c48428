import { expect, it } from 'vitest';
import { type Outcome, runCheck } from 'vivarium/check';

/** A server of which a part can be written otherwise. */
const server = ({ atStart = '', atRequest = '', atJunk = '' }): string => `
const greeting = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'short', version: '1' } };
${atStart}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  let message;
  try { message = JSON.parse(line); } catch { ${atJunk} return; }
  const { id, method } = message;
  if (id === undefined) return;
  if (method !== 'initialize') { ${atRequest} }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? greeting : {} }));
});
`;

async function answered(program: string): Promise<Outcome | undefined> {
  const target = { kind: 'command', command: process.execPath, args: ['-e', program] } as const;
  const { runs } = await runCheck(target, { revision: '2025-11-25', only: ['jsonrpc/request/answered'] });
  return runs[0]?.outcomes[0];
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
])('holds it against a server that it is ended by %s', async (_, parts) => {
  expect(await answered(server(parts))).toMatchObject({ verdict: 'failed' });
});
