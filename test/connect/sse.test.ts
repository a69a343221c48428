// HTTP+SSE of 2024-11-05: the stream, where it wants messages posted, and what ends it.
import { describe, expect, it, onTestFinished } from 'vitest';
import { bearer, staticToken } from 'vivarium/auth';
import { serveHttp } from 'vivarium/serve/node';
import { fetchHttp } from '../../src/connect/fetch.ts';
import { sse } from '../../src/connect/sse.ts';
import type { Connector } from '../../src/protocol/channel.ts';
import { createWatched } from '../fixtures/http-server.mjs';
import { call, event, events, Peer, raw, result, rude } from './fixture.ts';

const ways: [string, (url: string, options?: object) => Connector][] = [
  ['sse', sse],
  ['the older way of fetchHttp', (url, options) => fetchHttp(url, options).older as Connector],
];

describe.each(ways)('%s', (_, connector) => {
  const early = { era: 'legacy', revision: '2024-11-05' } as const;

  it('talks to a server that offers it, and closes with it', async () => {
    const { server } = createWatched();
    const token = 'token-of-alice-0123456789';
    const served = await serveHttp(server, { port: 0, signals: false, drainMs: 0, sse: true, auth: bearer({ [token]: { id: 'a' } }) });
    onTestFinished(() => served.close());
    const peer = await Peer.open(connector(served.url.replace('/mcp', '/sse'), { auth: staticToken(token) }));
    expect(peer.channel.kind).toBe('sse');
    expect((await peer.initialize('2024-11-05')).result.protocolVersion).toBe('2024-11-05');
    const answer = await peer.ask({ id: 1, ...call('count', { key: 'k', count: 3 }) }, early);
    expect(answer.result.content[0].text).toBe('counted 3');
    await served.close();
    expect(await peer.channel.closed).toMatchObject({ wanted: false });
    expect(await peer.fails({ id: 2, ...call('echo') })).toMatchObject({ kind: 'network', unsent: true });
  });

  it('posts where the stream says, and takes the answer from the stream', async () => {
    const { url, heard } = await rude(({ method, body }, response) => {
      if (method === 'GET') {
        stream = events(response);
        stream.write('event: endpoint\ndata: ../post/here?session=1\n\n: hi\n\nevent: endpoint\ndata: /elsewhere\n\n');
      } else {
        response.writeHead(202, { 'content-type': 'text/html' }).end('<html>Accepted</html>');
        stream.write(event(result(body.id)));
      }
    });
    let stream: { write(text: string): void };
    const peer = await Peer.open(connector(url));
    await peer.ask({ id: 1, ...call('echo') }, early);
    expect(heard.map(({ method, url: path }) => [method, path])).toEqual([
      ['GET', '/mcp'],
      ['POST', '/post/here?session=1'],
    ]);
    await peer.channel.close();
    expect(await peer.channel.closed).toEqual({ wanted: true });
  });

  it.each(['http://evil.example/post', '//evil.example/post', 'https://127.0.0.1/', 'data:,x', 'http://[bad'])(
    'posts nothing to %j, which is another origin',
    async (target) => {
      const { url } = await rude((_heard, response) => events(response).write(`event: endpoint\ndata: ${target}\n\n`));
      await expect(connector(url).open()).rejects.toMatchObject({
        code: 'ERR_CONNECT',
        message: expect.stringContaining('another origin'),
      });
    },
  );

  it('tells why it cannot be opened', async () => {
    const { url } = await rude((_heard, response) => response.writeHead(405).end('no'));
    await expect(connector(url).open()).rejects.toMatchObject({
      code: 'ERR_CONNECT',
      failure: { phase: 'open', target: url, status: 405, cause: expect.stringContaining('405'), elapsedMs: expect.any(Number) },
    });
    const page = await rude((_heard, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>x</html>'));
    await expect(connector(page.url).open()).rejects.toThrow(/HTML came back/);
    const ends = await rude((_heard, response) => void events(response).end());
    await expect(connector(ends.url).open()).rejects.toThrow(/ended the stream/);
    await expect(connector(await raw((socket) => socket.destroy())).open()).rejects.toMatchObject({ code: 'ERR_CONNECT' });
    const auth = { token: () => Promise.reject(new Error('locked')) };
    await expect(connector(url, { auth }).open()).rejects.toMatchObject({
      code: 'ERR_AUTH_FAILED',
      message: expect.stringContaining('locked'),
    });
  });

  it('ends with its stream, whether that ends, breaks or says too much', async () => {
    for (const how of ['end', 'break', 'flood'] as const) {
      const { url } = await rude((_heard, response) => {
        const stream = events(response);
        stream.write('event: endpoint\ndata: /post\n\n');
        finish = () => {
          if (how === 'end') stream.end();
          else if (how === 'break') response.socket?.destroy();
          else stream.write(`data: ${'x'.repeat(2_000)}`);
        };
      });
      let finish: () => void = () => undefined;
      const peer = await Peer.open(connector(url, { maxMessageBytes: 1_000 }));
      finish();
      expect(await peer.channel.closed).toMatchObject({ wanted: false, message: expect.any(String) });
    }
  });

  it('tells of a message that was not taken', async () => {
    const { url } = await rude(({ method }, response) => {
      if (method === 'GET') events(response).write('event: endpoint\ndata: /post\n\n');
      else response.writeHead(404).end('gone');
    });
    const peer = await Peer.open(connector(url));
    expect(await peer.fails(call('echo'), early)).toMatchObject({ kind: 'status', status: 404, body: 'gone' });
  });
});

it('sse keeps nothing of what a server says before it names its endpoint', async () => {
  const { url } = await rude((_heard, response) => {
    const stream = events(response);
    for (let at = 0; at < 1_000; at++) stream.write(`data: {"jsonrpc":"2.0","method":"early","params":{"at":${at}}}\n\n`);
    stream.write('event: endpoint\ndata: /post\n\ndata: {"jsonrpc":"2.0","method":"later"}\n\n');
  });
  const channel = await sse(url).open();
  const heard = await new Promise((resolve) => channel.receive(resolve));
  expect(heard).toMatchObject({ method: 'later' });
  await channel.close();
});

it('sse waits for the endpoint only so long', async () => {
  const { url } = await rude((_heard, response) => events(response).write(': hi\n\n'));
  await expect(sse(url, { connectMs: 30 }).open()).rejects.toMatchObject({ code: 'ERR_CONNECT', failure: { limit: 'connectMs' } });
});
