// HTTP+SSE where somebody must log in: what stands in the way is told, no clock runs meanwhile, and nobody logs in for nothing.
import { describe, expect, it } from 'vitest';
import { type AuthProvider, staticToken, type TokenRequest } from 'vivarium/auth';
import { fetchHttp } from '../../../src/connect/fetch.ts';
import { http } from '../../../src/connect/http.ts';
import { sse } from '../../../src/connect/sse.ts';
import type { Connector } from '../../../src/protocol/channel.ts';
import { events, json, Peer, result, rude } from '../fixture.ts';

const ways: [string, (url: string, options?: object) => Connector][] = [
  ['sse', sse],
  ['the older way of fetchHttp', (url, options) => fetchHttp(url, options).older as Connector],
];

/** Somebody who was asked to log in, and has not done so yet. */
function pondering(isAsked: (request: TokenRequest) => boolean): { auth: AuthProvider; asked: Promise<AbortSignal | undefined> } {
  let ask: (signal: AbortSignal | undefined) => void = () => undefined;
  const asked = new Promise<AbortSignal | undefined>((resolve) => {
    ask = resolve;
  });
  const token = (request: TokenRequest): string | Promise<never> => {
    if (!isAsked(request)) return 'old';
    ask(request.signal);
    return new Promise(() => undefined);
  };
  return { auth: { token } as AuthProvider, asked };
}

describe.each(ways)('%s', (_, connector) => {
  it.each([
    [401, 'without a token', {}, 'ERR_AUTH_REQUIRED'],
    [401, 'with a token', { auth: staticToken('a-token') }, 'ERR_AUTH_FAILED'],
    [403, 'without a token', {}, 'ERR_FORBIDDEN'],
    [403, 'with a token', { auth: staticToken('a-token') }, 'ERR_FORBIDDEN'],
  ])('says what a %i means %s', async (status, _with, options, code) => {
    const { url } = await rude((_heard, response) => response.writeHead(status, { 'www-authenticate': 'Bearer' }).end());
    await expect(connector(url, options).open()).rejects.toMatchObject({ code, failure: { status } });
  });

  it('tells whoever logs in that nobody waits any more', async () => {
    const { url, heard } = await rude((_heard, response) => events(response).write('event: endpoint\ndata: /post\n\n'));
    const { auth, asked } = pondering(() => true);
    const abort = new AbortController();
    const opening = connector(url, { auth }).open(abort.signal);
    const signal = await asked;
    expect(signal?.aborted).toBe(false);
    abort.abort();
    await expect(opening).rejects.toMatchObject({ code: 'ERR_CONNECT' });
    expect(signal?.aborted).toBe(true);
    expect(heard).toEqual([]);
  });

  it('tells whoever logs in for a message that the channel was closed', async () => {
    const { url } = await rude(({ method }, response) => {
      if (method === 'GET') events(response).write('event: endpoint\ndata: /post\n\n');
      else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    });
    const { auth, asked } = pondering(({ status }) => status === 401);
    const peer = await Peer.open(connector(url, { auth }));
    peer.send({ id: 1, method: 'ping' });
    const signal = await asked;
    await peer.channel.close();
    expect(signal?.aborted).toBe(true);
  });
});

it('sse lets a login take longer than the server may', async () => {
  const { url } = await rude((_heard, response) => events(response).write('event: endpoint\ndata: /post\n\n'));
  const connectMs = 1_000;
  // This clock starts after the other one and is longer: it would ring too late.
  const token = (): Promise<string> => new Promise((resolve) => void setTimeout(() => resolve('token'), connectMs + 100));
  const peer = await Peer.open(sse(url, { auth: { token }, connectMs }));
  expect(peer.channel.kind).toBe('sse');
});

describe.each([
  ['http', http],
  ['fetchHttp', fetchHttp],
] as const)('%s', (_, connector) => {
  it('tells whoever logs in for the stream of the server that the channel was closed', async () => {
    const { url } = await rude(({ method, body }, response) => {
      if (method === 'GET') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      else if (body?.id === undefined) response.writeHead(202).end();
      else json(response, result(body.id));
    });
    const { auth, asked } = pondering(({ status }) => status === 401);
    const peer = await Peer.open(connector(url, { auth }));
    await peer.initialize();
    peer.channel.listen?.();
    const signal = await asked;
    expect(signal?.aborted).toBe(false);
    await peer.channel.close();
    expect(signal?.aborted).toBe(true);
  });
});
