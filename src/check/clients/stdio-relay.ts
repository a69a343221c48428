// The program that a client under judgement starts in the place of a server: it hands its standard streams to the running check.

/**
 * Written to a file and started by the client as `node file port key`. Every frame is a line of JSON: what the client wrote in
 * base64, the end of its input, and signals in one direction; what to write, and when to exit, in the other.
 */
export const relayProgram = `import { connect } from 'node:net';
const [port, key] = process.argv.slice(2);
const socket = connect(Number(port), '127.0.0.1');
const tell = (...frame) => socket.write(JSON.stringify(frame) + '\\n');
tell('hello', key, process.pid);
process.stdin.on('data', (bytes) => tell('in', bytes.toString('base64')));
process.stdin.on('end', () => tell('end'));
process.stdin.on('error', () => tell('end'));
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => tell('signal', name));
let held = '';
socket.setEncoding('utf8').on('data', (text) => {
  const lines = (held + text).split('\\n');
  held = lines.pop();
  for (const line of lines) {
    const [what, value] = JSON.parse(line);
    if (what === 'out') process.stdout.write(Buffer.from(value, 'base64'));
    if (what === 'err') process.stderr.write(value);
    if (what === 'exit') process.exit(value);
  }
});
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
`;
