// Connections: which never came about, which broke, which were used again, and whether anything was sent.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { http } from '../../src/connect/http.ts';
import { eventually } from '../fixtures/http-wire.mjs';
import { call, events, json, legacy, Peer, raw, result, rude } from './fixture.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

describe('a connection', () => {
  it('that is refused has sent nothing', async () => {
    const peer = await Peer.open(http(`http://127.0.0.1:${await freePort()}/mcp`));
    const failure = await peer.fails();
    expect(failure).toMatchObject({ kind: 'network', unsent: true, cause: { code: 'ECONNREFUSED' } });
    expect(failure.message).toMatch(/^Nothing listens there \(ECONNREFUSED/);
  });

  it('to a host that does not exist has sent nothing', async () => {
    const failure = await (await Peer.open(http('http://no-such-host.invalid/mcp'))).fails();
    expect(failure).toMatchObject({ kind: 'network', unsent: true });
    expect(failure.message).toMatch(/host/);
  });

  it('that does not come about in time has sent nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const sockets: { destroy(): void }[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    onTestFinished(() => {
      silent.close();
      for (const socket of sockets) socket.destroy();
    });
    // The handshake of TLS is part of it, and this server says nothing.
    const { port } = silent.address() as { port: number };
    const failure = await (await Peer.open(http(`https://127.0.0.1:${port}/mcp`, { connectMs: 50 }))).fails();
    expect(failure).toMatchObject({ kind: 'network', unsent: true, message: expect.stringContaining('No connection within 50 ms') });
  });

  it('names what is wrong with TLS', async () => {
    const { url } = await rude((_heard, response) => response.end());
    const failure = await (await Peer.open(http(url.replace('http:', 'https:')))).fails();
    expect(failure).toMatchObject({ kind: 'network', reason: 'not-tls', unsent: true, message: expect.stringMatching(/^TLS: /) });
    const server = createTlsServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    expect((await (await Peer.open(http(`https://127.0.0.1:${port}/`))).fails()).unsent).toBe(true);
  });

  it('to something that is not HTTP is no answer', async () => {
    const url = await raw((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(await (await Peer.open(http(url))).fails()).toMatchObject({ kind: 'protocol', message: expect.stringContaining('not HTTP') });
  });

  it.each([
    ['at once', ''],
    ['within the head', 'HTTP/1.1 200 OK\r\ncontent-ty'],
    ['within the body', 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{'],
    [
      'within a chunk',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{',
    ],
  ])('that ends %s may have carried the message', async (_where, said) => {
    const url = await raw((socket) => socket.end(said));
    const failure = await (await Peer.open(http(url))).fails();
    expect(failure).toMatchObject({ kind: 'network', unsent: false });
  });

  it('whose server wants to speak another protocol is no answer', async () => {
    const url = await raw((socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'));
    const failure = await (await Peer.open(http(url))).fails();
    expect(failure).toMatchObject({ kind: 'protocol', unsent: false, message: expect.stringMatching(/^The server answered 101\b/) });
  });

  it('is not confused by what a server says before its answer', async () => {
    const body = JSON.stringify(result(1));
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const url = await raw((socket) =>
      socket.write(`HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${head}${body}`),
    );
    expect(await (await Peer.open(http(url))).ask({ id: 1, ...call('echo') }, legacy)).toEqual(result(1));
  });

  it('is used again, and for nothing else at the time', async () => {
    const ports = new Set<number | undefined>();
    const { url, server } = await rude(({ body }, response) => json(response, result(body.id)));
    server.on('request', (request) => ports.add(request.socket.remotePort));
    const peer = await Peer.open(http(url));
    for (let id = 1; id <= 10; id++) await peer.ask({ id, ...call('echo') }, legacy);
    expect(ports.size).toBe(1);
    await Promise.all(Array.from({ length: 5 }, (_, at) => peer.ask({ id: 100 + at, ...call('echo') }, legacy)));
    expect(ports.size).toBe(5);
  });

  it('is made anew after the server was started again', async () => {
    const first = await rude(({ body }, response) => json(response, result(body.id)));
    const peer = await Peer.open(http(first.url));
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    const sockets = new Promise((resolve) => first.server.once('close', resolve));
    first.server.close();
    first.server.closeAllConnections();
    await sockets;
    await rude(({ body }, response) => json(response, result(body.id)), first.port);
    const again = await eventually(async () => {
      const told = await peer.ask({ id: 2, ...call('echo') }, legacy);
      return told.kind === undefined ? told : undefined;
    });
    expect(again).toEqual(result(2));
  });

  it('is not used after the server has said that it will close it', async () => {
    let connections = 0;
    const { url, server } = await rude(({ body }, response) => json(response, result(body.id), { connection: 'close' }));
    server.on('connection', () => connections++);
    const peer = await Peer.open(http(url));
    for (const id of [1, 2]) await peer.ask({ id, ...call('echo') }, legacy);
    expect(connections).toBe(2);
  });

  it('lets an answer to the server pass, however many calls wait', async () => {
    const { url, heard } = await rude(({ body }, response) => {
      if (body.method === undefined) response.writeHead(202).end();
      else events(response).write(': wait\n\n');
    });
    const peer = await Peer.open(http(url, { maxSockets: 1 }));
    for (const id of [1, 2, 3]) peer.send({ id, ...call('wait') }, legacy);
    peer.send({ id: 9, result: {} }, legacy);
    await eventually(() => heard.some(({ body }) => body.id === 9));
    expect(heard.filter(({ body }) => body.method === 'tools/call')).toHaveLength(1);
  });

  it('does not get compressed answers past this client', async () => {
    const { url } = await rude((_heard, response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x'),
    );
    expect(await (await Peer.open(http(url))).fails()).toMatchObject({ kind: 'protocol', message: expect.stringContaining('gzip') });
  });
});

/** Answers the first request of each connection, then does to the first one what it is told. Runs beside this thread, which can then stand still. */
const server = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const state = new Int32Array(workerData);
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', (bytes) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(String(bytes).split('\\r\\n\\r\\n')[1]).id, result: {} });
    socket.write('HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n' + body);
    parentPort.once('message', (how) => {
      socket.once('close', () => { Atomics.store(state, 0, 1); Atomics.notify(state, 0); });
      if (how === 'reset') socket.resetAndDestroy();
      else socket.destroy();
    });
  });
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

describe('a connection that the server has given up, unseen', () => {
  const meet = async (how: 'reset' | 'closed', text: string) => {
    const state = new SharedArrayBuffer(4);
    const worker = new Worker(server, { eval: true, workerData: state });
    onTestFinished(async () => void (await worker.terminate()));
    const [port] = (await once(worker, 'message')) as [number];
    const peer = await Peer.open(http(`http://127.0.0.1:${port}/mcp`));
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    await new Promise(setImmediate);
    worker.postMessage(how);
    // Nothing happens here until the server is done, so this side cannot have noticed.
    Atomics.wait(new Int32Array(state), 0, 0);
    return peer.ask({ id: 2, ...call('echo', { text }) }, legacy);
  };

  it.each([1, 100_000])('and reset has taken nothing of a message, however large (%i)', async (length) => {
    expect(await meet('reset', 'x'.repeat(length))).toMatchObject({ kind: 'network', unsent: true });
  });

  it('and closed is replaced by another one before anything is sent', async () => {
    expect(await meet('closed', 'x')).toEqual(result(2));
  });
});
