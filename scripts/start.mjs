// `npm start`: builds, says what is about to be served and what to do with it, and serves it. What follows `--` is for `vivarium serve`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = spawnSync(process.execPath, [`${root}scripts/build.mjs`], { cwd: root, stdio: ['ignore', 2, 2] });
if (built.status !== 0) process.exit(built.status ?? 1);

const command = [process.execPath, `${root}dist/cli/main.js`, 'serve', `${root}examples/ten-lines.ts`];
const line =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3},' +
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}';

const more = process.argv.slice(2);
const told = [
  'Vivarium serves examples/ten-lines.ts on this terminal: an MCP server on stdio, in all five revisions.',
  '',
  'Paste this line and press enter; the answer holds 5. Ctrl-D ends.',
  line,
  '',
  'Add it to a client, which will then start it by itself:',
  `  Claude Code   claude mcp add sums -- ${command.join(' ')}`,
  `  others        ${JSON.stringify({ mcpServers: { sums: { command: command[0], args: command.slice(1) } } })}`,
  '',
  '',
];
// With options it is no longer about this terminal, and the command says itself where it serves.
if (more.length === 0) process.stderr.write(told.join('\n'));
process.argv.splice(1, Number.POSITIVE_INFINITY, ...command.slice(1), '--quiet', ...more);
await import('../dist/cli/main.js');
