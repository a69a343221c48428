// What a refused body costs: a server in a process of its own, and the most memory it ever had.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { Raw } from '../http.ts';

const limit = 48 * 1024 * 1024;
const program = `
import { serveHttp } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
const http = await serveHttp(new Server({ name: 'x', version: '1.0.0' }), { port: 0, maxBodyBytes: ${limit} });
console.log(http.port);
process.stdin.on('data', () => console.log(process.resourceUsage().maxRSS));
`;

async function start(): Promise<{ readonly port: number; peak(): Promise<number> }> {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const next = async (): Promise<number> => Number((await once(lines, 'line'))[0]);
  const port = await next();
  return {
    port,
    async peak() {
      const line = next();
      child.stdin?.write('?');
      return (await line) * 1024;
    },
  };
}

/** Sends for as long as the server takes it. */
async function flood(raw: Raw, head: string, frame: (bytes: Buffer) => Buffer): Promise<void> {
  raw.write(head);
  const bytes = frame(Buffer.alloc(256 * 1024, 'x'));
  let open = true;
  void raw.ended.then(() => {
    open = false;
  });
  for (let sent = 0; open && sent < 10 * limit; sent += bytes.length) {
    if (!raw.socket.write(bytes)) await Promise.race([once(raw.socket, 'drain').catch(() => undefined), raw.ended]);
  }
  await raw.ended;
}

const head = (line: string): string =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\n${line}\r\n\r\n`;

it.each<[string, string, (bytes: Buffer) => Buffer]>([
  ['that says how long it is', `Content-Length: ${100 * limit}`, (bytes) => bytes],
  [
    'in chunks without end',
    'Transfer-Encoding: chunked',
    (bytes) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]),
  ],
])('H09 a body %s takes less than twice the limit', async (_, line, frame) => {
  const { port, peak } = await start();
  const before = await peak();
  await flood(await Raw.open(port), head(line), frame);
  expect((await peak()) - before).toBeLessThan(2 * limit);
});
