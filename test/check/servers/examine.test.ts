// Alone in its file: nothing else here may have loaded the validator before.
import { expect, it } from 'vitest';
import { runCheck } from 'vivarium/check';

const server = `
const at = { type: 'string', format: 'date-time' };
const tool = {
  name: 'now',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { at }, required: ['at'] },
  annotations: { readOnlyHint: true },
};
const results = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'clock', version: '1' } },
  'tools/list': { tools: [tool] },
  'tools/call': { content: [{ type: 'text', text: '{"at":"noon"}' }], structuredContent: { at: 'noon' } },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
});
`;

it('judges results by schemas that are not plain, in the first run of a process too', async () => {
  const target = { kind: 'command', command: process.execPath, args: ['-e', server] } as const;
  const { runs } = await runCheck(target, { revision: '2025-11-25', only: ['tools/call/output-schema'] });
  expect(runs[0]?.outcomes).toMatchObject([{ id: 'tools/call/output-schema', verdict: 'failed' }]);
});
