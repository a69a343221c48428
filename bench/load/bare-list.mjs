// The least a client can do: start a server, shake hands, list its tools, print them, end.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { initializedMessage, initializeMessage } from './messages.mjs';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
const say = (message) => server.stdin.write(`${JSON.stringify(message)}\n`);
say({ ...initializeMessage(), id: 1 });
for await (const line of createInterface({ input: server.stdout })) {
  const { id, result } = JSON.parse(line);
  if (id === 1) {
    say(initializedMessage);
    say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  } else if (id === 2) {
    console.log(result.tools.map(({ name }) => name).join('\n'));
    server.stdin.end();
    break;
  }
}
