// An authorization server that takes connections and says nothing: the command ends, whatever the garbage collector takes meanwhile.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../vivarium.ts';

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An endpoint that wants a token of a server that never answers. */
async function guarded(): Promise<string> {
  const silent = await listen(createServer());
  const server = createHttpServer((request, response) => {
    request.resume();
    const { host } = request.headers;
    if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true) {
      const document = { resource: `http://${host}/mcp`, authorization_servers: [silent] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    } else {
      const metadata = `http://${host}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    }
  });
  return `${await listen(server)}/mcp`;
}

const collecting = 'data:text/javascript,setInterval(gc,50).unref()';

it.each([['doctor'], ['list', '--login']])(
  '%s of a server whose authorization server is silent ends and says so',
  async (command, ...flags) => {
    const home = mkdtempSync(join(tmpdir(), 'silent-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const args = ['--expose-gc', '--import', collecting, join(root, 'dist/cli/main.js'), command, ...flags, await guarded()];
    const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(said).toMatch(/does not answer within|No answer within/);
    expect(code).toBeGreaterThan(0);
  },
);
