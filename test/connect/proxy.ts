// A proxy as companies run them: it takes requests with absolute targets, and CONNECT; with a password if there is one. It finds
// `server.example` on this machine: nothing that is here already goes through a proxy.
import { createServer, request as forward, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TestProxy {
  readonly port: number;
  /** Method and target of what it was asked for. */
  readonly asked: string[];
  readonly closed: Promise<unknown>[];
}

const here = (text: string): string => text.replace('server.example', '127.0.0.1');
/** The address of a test's own server, as one that is somewhere else. */
export const distant = (url: string): string => url.replace('127.0.0.1', 'server.example');

export async function startProxy({
  password,
  mute = false,
}: {
  readonly password?: string;
  readonly mute?: boolean;
} = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const closed: Promise<unknown>[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const wanted = password === undefined ? undefined : `Basic ${Buffer.from(password).toString('base64')}`;
  const lets = ({ method, url, headers }: IncomingMessage): boolean => {
    asked.push(`${method} ${url}`);
    return wanted === undefined || headers['proxy-authorization'] === wanted;
  };
  const server = createServer((request, response) => {
    if (!lets(request)) return void response.writeHead(407).end();
    const { 'proxy-authorization': _own, ...headers } = request.headers;
    const onward = forward(new URL(here(request.url ?? '')), { method: request.method ?? '', headers }, (answer) => {
      answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers));
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connection', (socket) => {
    keep(socket);
    closed.push(new Promise((resolve) => socket.once('close', resolve)));
  });
  server.on('connect', (request, socket: Socket) => {
    const allowed = lets(request);
    if (mute) return void socket.on('end', () => socket.end()).resume();
    if (!allowed) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const [, host = '', port] = /^(.*):(\d+)$/.exec(request.url ?? '') ?? [];
    const onward = connect(Number(port), here(host), () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    keep(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, asked, closed };
}
