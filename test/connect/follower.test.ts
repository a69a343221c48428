// Streams of the 2025 revisions that break before their answer: asked for again, and nothing comes twice.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { serveHttp } from 'vivarium/serve/node';
import { fetchHttp } from '../../src/connect/fetch.ts';
import { http } from '../../src/connect/http.ts';
import { createCutter, createDice } from '../fixtures/http-cutter.mjs';
import { createWatched } from '../fixtures/http-server.mjs';
import { call, event, events, json, legacy, Peer, result, rude } from './fixture.ts';

const said = (at: number): object => ({ jsonrpc: '2.0', method: 'notifications/x', params: { at } });

describe.each([
  ['http', http],
  ['fetchHttp', fetchHttp],
] as const)('%s', (_, connector) => {
  it('asks again after the last whole event, when the stream ends or breaks', async () => {
    const { url, heard } = await rude(({ headers }, response, index) => {
      const stream = events(response);
      if (index === 0)
        stream.write(`retry: 0\n${event(said(1), 'e-1')}${event(said(2), 'e-2')}id: e-3\ndata: {"js`, () => response.socket?.destroy());
      else if (headers['last-event-id'] === 'e-2') stream.end(event(said(3), 'e-3'));
      else stream.end(event(result(1), 'e-4'));
    });
    const peer = await Peer.open(connector(url));
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    expect(peer.messages).toEqual([said(1), said(2), said(3), result(1)]);
    expect(heard.map(({ method, headers }) => [method, headers['last-event-id']])).toEqual([
      ['POST', undefined],
      ['GET', 'e-2'],
      ['GET', 'e-3'],
    ]);
    expect(heard[1]?.headers).toMatchObject({ accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25' });
  });

  it('sends back an id as it came, whatever it holds', async () => {
    const { url, heard } = await rude((_heard, response, index) => {
      events(response).end(index === 0 ? `retry: 0\n${event(said(1), 'ä 🐢')}` : event(result(1)));
    });
    const peer = await Peer.open(connector(url));
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    expect(Buffer.from(heard[1]?.headers['last-event-id'] as string, 'latin1').toString()).toBe('ä 🐢');
  });

  it('fails where no event had an id', async () => {
    const { url, heard } = await rude((_heard, response) => void events(response).end(event(said(1))));
    const peer = await Peer.open(connector(url));
    const failure = await peer.fails(call('echo'), legacy);
    expect(failure).toMatchObject({ kind: 'network', unsent: false, message: 'The stream ended before the answer' });
    expect(heard).toHaveLength(1);
  });

  it('tries again while the server has trouble, and gives up in the end', async () => {
    const { url, heard } = await rude((_heard, response, index) => {
      if (index === 0) events(response).end(`id: e-1\nretry: 0\ndata: \n\n`);
      else if (index === 1) response.writeHead(503).end();
      else response.socket?.destroy();
    });
    const peer = await Peer.open(connector(url, { maxResumes: 2 }));
    const failure = await peer.fails(call('echo'), legacy);
    expect(failure).toMatchObject({ kind: 'network', unsent: false });
    expect(failure.message).toMatch(/^The stream cannot be resumed: /);
    expect(heard.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET']);
  });

  it.each([
    [404, 'status'],
    [400, 'network'],
    [405, 'network'],
  ] as const)('takes %i for the end', async (status, kind) => {
    const { url, heard } = await rude((_heard, response, index) => {
      if (index === 0) events(response).end(`id: e-1\nretry: 0\ndata: \n\n`);
      else json(response, { jsonrpc: '2.0', error: { code: -32600, message: 'gone' } }, {}, status);
    });
    const peer = await Peer.open(connector(url));
    expect(await peer.fails(call('echo'), legacy)).toMatchObject({ kind, status, unsent: false, message: expect.stringContaining('gone') });
    expect(heard).toHaveLength(2);
  });

  it('is content with an answer that comes on another stream', async () => {
    const { url, heard } = await rude(({ method, headers, body }, response) => {
      if (method === 'GET' && headers['last-event-id'] === undefined) {
        const stream = events(response);
        stream.write(': hi\n\n');
        onTestFinished(() => void stream.end());
        answer = () => stream.write(event(result(1)));
      } else if (method === 'GET') {
        events(response).write(': nothing here\n\n');
        answer();
      } else if (body.method === 'tools/call') events(response).end(`id: e-1\nretry: 0\ndata: \n\n`);
      else if (body.id === undefined) response.writeHead(202).end();
      else json(response, result(body.id));
    });
    let answer: () => void = () => undefined;
    const peer = await Peer.open(connector(url));
    await peer.initialize();
    peer.channel.listen?.();
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    expect([peer.failures, heard.filter(({ headers }) => headers['last-event-id'] !== undefined).length]).toEqual([[], 1]);
  });

  it('stops asking when it is closed or given up', async () => {
    const { url, heard } = await rude((_heard, response) => void events(response).end(`id: e-1\nretry: 100000\ndata: \n\n`));
    const peer = await Peer.open(connector(url));
    peer.send({ id: 1, ...call('echo') }, legacy);
    peer.send({ id: 2, ...call('echo') }, legacy);
    await vi.waitFor(() => expect(heard).toHaveLength(2), 60_000);
    peer.channel.abandon?.(1);
    await peer.channel.close();
    expect([peer.messages, peer.failures, heard.length]).toEqual([[], [], 2]);
  });
});

describe('http', () => {
  it('H25 delivers everything once and in order, wherever the connection is cut', { timeout: 60_000 }, async () => {
    const { server } = createWatched();
    const served = await serveHttp(server, { port: 0, signals: false, drainMs: 0, retryMs: 1, stream: 'when-needed' });
    onTestFinished(() => served.close());
    const dice = createDice(7);
    let connections = 0;
    // The first two carry the handshake.
    const cutter = await createCutter(served.port, () => (++connections <= 2 ? 3_000 : 600 + dice(1_500)));
    onTestFinished(async () => void (await cutter.close()));
    const peer = await Peer.open(http(`http://127.0.0.1:${cutter.port}/mcp`));
    await peer.initialize();
    let whole = 0;
    for (let round = 1; round <= 40; round++) {
      peer.messages.length = 0;
      const answer = await peer.ask({ id: round, ...call('count', { key: `k${round}`, count: 20 }) }, legacy);
      // Cut before its stream had begun, so there is nothing to resume.
      if (answer.kind !== undefined) {
        expect(answer).toMatchObject({ kind: 'network', unsent: false });
        continue;
      }
      whole++;
      const told = peer.messages.flatMap(({ method, params }) => (method === 'notifications/message' ? [params.data] : []));
      expect(told).toEqual(Array.from({ length: 20 }, (_none, at) => at + 1));
      expect(peer.messages.filter(({ id }) => id === round)).toHaveLength(1);
    }
    expect(whole).toBeGreaterThan(20);
    expect(served.stats.streamsResumed).toBeGreaterThan(50);
  });

  it('waits as long as the server asks before it comes back', async () => {
    const timer = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timer.mockRestore());
    const { url } = await rude((_heard, response, index) => {
      events(response).end(index === 0 ? 'id: e-1\nretry: 500\ndata: \n\n' : event(result(1)));
    });
    const peer = await Peer.open(http(url));
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    expect(timer.mock.calls.map(([, ms]) => ms)).toContain(500);
  });
});
