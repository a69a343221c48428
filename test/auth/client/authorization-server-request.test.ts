// An authorization server that says nothing, or something else: time limits hold, whatever the garbage collector takes meanwhile.
import { createServer, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { createAsk } from '../../../src/auth/client/authorization-server-request.ts';
import { guardedFetch } from '../../../src/auth/node/fetch.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function listen(heard: (socket: Socket) => void): Promise<URL> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => heard(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}/token`);
}

function ask(url: URL, timeoutMs: number): Promise<Response> {
  return createAsk({ fetch: guardedFetch, reach: 'loopback', timeoutMs, signal: new AbortController().signal })(url);
}

it.each([
  ['before its head', ''],
  ['within its answer', 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{'],
])('A server that is silent %s is given up in time, though garbage is collected', async (_where, said) => {
  const url = await listen((socket) => socket.write(said));
  const asked = ask(url, 500).catch((error: unknown) => error);
  const timer = setInterval(collect, 20);
  onTestFinished(() => clearInterval(timer));
  expect(await asked).toMatchObject({ code: 'ERR_AUTH_FAILED', message: `${url} does not answer within 500 ms` });
});

it('A server that answers 101 is told so', async () => {
  const url = await listen((socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'));
  await expect(ask(url, 20_000)).rejects.toMatchObject({ code: 'ERR_AUTH_FAILED', message: expect.stringContaining('101') });
});
