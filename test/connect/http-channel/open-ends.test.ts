// Streams that a server leaves open though nothing more is to come, and streams it ends at once: neither costs more than a moment.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fetchHttp } from '../../../src/connect/fetch.ts';
import { http } from '../../../src/connect/http.ts';
import { call, event, events, type Heard, json, legacy, Peer, result, rude } from '../fixture.ts';

/** Shakes hands; a GET, and whatever else is posted, is for the test. */
async function shaking(rest: (heard: Heard, response: ServerResponse) => void): Promise<string> {
  const { url } = await rude((heard, response) => {
    if (heard.body?.method === 'initialize') json(response, result(heard.body.id));
    else if (heard.body?.method === 'notifications/initialized') response.writeHead(202).end();
    else rest(heard, response);
  });
  return url;
}

describe.each([
  ['http', http],
  ['fetchHttp', fetchHttp],
] as const)('%s', (_, connector) => {
  it('lets go of a request that was answered on the stream the server opened for itself', async () => {
    let own: ServerResponse | undefined;
    let gone: Promise<unknown> | undefined;
    const url = await shaking(({ method, body }, response) => {
      const stream = events(response);
      if (method === 'GET') own = stream;
      else {
        gone = once(stream, 'close');
        own?.write(event(result(body.id)));
      }
    });
    const peer = await Peer.open(connector(url));
    await peer.initialize();
    peer.channel.listen?.();
    await vi.waitFor(() => expect(own).toBeDefined(), 60_000);
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    await gone;
    expect(own?.destroyed).toBe(false);
    expect(peer.failures).toEqual([]);
  });

  it('lets go of a request that was answered on the stream of another one', async () => {
    const streams: ServerResponse[] = [];
    let gone: Promise<unknown> | undefined;
    const url = await shaking(({ body }, response) => {
      streams.push(events(response));
      if (body?.id === 1) gone = once(response, 'close');
      if (body?.id === 2) response.write(event(result(1)));
    });
    const peer = await Peer.open(connector(url));
    peer.send({ id: 1, ...call('echo') }, legacy);
    await vi.waitFor(() => expect(streams).toHaveLength(1), 60_000);
    peer.send({ id: 2, ...call('echo') }, legacy);
    await peer.until(() => peer.messages.find(({ id }) => id === 1));
    await gone;
    expect(streams[1]?.destroyed).toBe(false);
    streams[1]?.end(event(result(2)));
    await peer.until(() => peer.messages.find(({ id }) => id === 2));
    expect(peer.failures).toEqual([]);
  });

  it.each([
    ['a notification', (type: string) => ({ method: 'notifications/x', params: { type } })],
    ['an answer of ours', (type: string) => ({ id: 'q', result: { type } })],
  ])('lets go of whatever is left open as the answer to %s', async (_what, message) => {
    const types = ['text/event-stream', 'application/json', 'text/plain', 'text/html'];
    const gone: Promise<unknown>[] = [];
    const url = await shaking(({ body }, response) => {
      response.writeHead(200, { 'content-type': (body.params ?? body.result).type }).flushHeaders();
      gone.push(once(response, 'close'));
    });
    const peer = await Peer.open(connector(url));
    for (const type of types) peer.send(message(type), legacy);
    await vi.waitFor(() => expect(gone).toHaveLength(types.length), 60_000);
    await Promise.all(gone);
    expect(peer.failures).toEqual([]);
  });

  it.each([
    ['with nothing in it, ever more slowly', 'data: \n\n', [100, 200, 400]],
    ['with a message in it, after a moment', event({ jsonrpc: '2.0', method: 'notifications/x' }), [100, 100, 100]],
  ])('asks again for a stream %s, though the server says "retry: 0"', async (_how, said, delays) => {
    const timer = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timer.mockRestore());
    let asked = 0;
    const url = await shaking(({ method }, response) => {
      if (method === 'GET') asked++;
      events(response).end(`retry: 0\nid: 1\n${said}`);
    });
    const peer = await Peer.open(connector(url));
    await peer.initialize();
    peer.channel.listen?.();
    await vi.waitFor(() => expect(asked).toBeGreaterThan(delays.length), { timeout: 60_000 });
    // Others set timers, too, but none of these lengths, and none that rings at once.
    const waited = timer.mock.calls.map(([, ms = 0]) => ms).filter((ms) => [0, 1, ...delays].includes(ms));
    expect(waited.slice(0, delays.length)).toEqual(delays);
  });
});
