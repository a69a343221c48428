// Tokens on their way: asked for before each request, once more after a refusal, and never sent elsewhere.
import { describe, expect, it, onTestFinished } from 'vitest';
import { bearer, staticToken } from 'vivarium/auth';
import { serveHttp } from 'vivarium/serve/node';
import { fetchHttp } from '../../src/connect/fetch.ts';
import { http } from '../../src/connect/http.ts';
import type { AuthProvider, TokenRequest } from '../../src/protocol/authorization.ts';
import { createEverything } from '../fixtures/everything.mjs';
import { call, type Heard, json, legacy, modern, modernly, Peer, result, rude } from './fixture.ts';

/** Wants `Bearer good`. */
const guarded = (challenge = 'Bearer error="invalid_token"', status = 401) =>
  rude(({ headers, body, method }, response) => {
    if (headers['authorization'] !== 'Bearer good') {
      response.writeHead(status, { 'www-authenticate': challenge, 'content-type': 'text/plain' }).end('nö');
    } else if (method === 'DELETE') response.writeHead(204).end();
    else json(response, result(body?.id));
  });

function provider(...tokens: (string | undefined)[]): AuthProvider & { readonly asked: TokenRequest[] } {
  const asked: TokenRequest[] = [];
  return {
    asked,
    token(request) {
      asked.push(request);
      return tokens[Math.min(asked.length, tokens.length) - 1];
    },
  };
}

const sent = (heard: readonly Heard[]) => heard.map(({ headers }) => headers['authorization']);

describe.each([
  ['http', http],
  ['fetchHttp', fetchHttp],
] as const)('%s', (_, connector) => {
  it('sends a token with every request', async () => {
    const { url, heard } = await guarded();
    const auth = provider('good');
    const peer = await Peer.open(connector(`${url}?a=b`, { auth }));
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    await peer.ask({ id: 2, ...modernly(call('echo')) }, modern);
    expect([sent(heard), auth.asked.map(({ resource }) => resource)]).toEqual([
      ['Bearer good', 'Bearer good'],
      Array(2).fill(`${url}?a=b`),
    ]);
  });

  it('asks for another token after 401, with the challenge and the token that was refused', async () => {
    const { url, heard } = await guarded();
    const auth = provider('old', 'good');
    const peer = await Peer.open(connector(url, { auth }));
    expect(await peer.ask({ id: 1, ...call('echo') }, legacy)).toEqual(result(1));
    expect(sent(heard)).toEqual(['Bearer old', 'Bearer good']);
    expect(auth.asked[1]).toMatchObject({ resource: url, status: 401, challenge: 'Bearer error="invalid_token"', stale: 'old' });
  });

  it('goes without a token at first where there is none, and takes promises', async () => {
    const { url, heard } = await guarded();
    const auth: AuthProvider = { token: async ({ status }) => (status === undefined ? undefined : { value: 'good', scheme: 'Bearer' }) };
    const peer = await Peer.open(connector(url, { auth }));
    expect(await peer.ask({ id: 1, ...call('echo') }, legacy)).toEqual(result(1));
    expect(sent(heard)).toEqual([undefined, 'Bearer good']);
  });

  it('asks again after 403 for want of scopes, and not after any other', async () => {
    const challenge = 'Bearer error="insufficient_scope", scope="a b"';
    const { url } = await guarded(challenge, 403);
    const auth = provider('small', 'good');
    const peer = await Peer.open(connector(url, { auth }));
    expect(await peer.ask({ id: 1, ...call('echo') }, legacy)).toEqual(result(1));
    expect(auth.asked[1]).toMatchObject({ status: 403, challenge, stale: 'small' });
    const other = await guarded('Bearer', 403);
    const failure = await (await Peer.open(connector(other.url, { auth: provider('small', 'good') }))).fails();
    expect([failure.status, other.heard.length]).toEqual([403, 1]);
  });

  it('tells what the server said when there is no other token', async () => {
    for (const tokens of [['bad'], ['bad', undefined]]) {
      const { url, heard } = await guarded();
      const peer = await Peer.open(connector(url, { auth: provider(...tokens) }));
      expect(await peer.fails()).toMatchObject({ kind: 'status', status: 401, challenge: 'Bearer error="invalid_token"', body: 'nö' });
      expect(heard).toHaveLength(1);
    }
  });

  it('gives up after three other tokens', async () => {
    const { url, heard } = await guarded();
    const peer = await Peer.open(connector(url, { auth: provider('a', 'b', 'c', 'd', 'e', 'good') }));
    expect((await peer.fails()).status).toBe(401);
    expect(sent(heard)).toEqual(['Bearer a', 'Bearer b', 'Bearer c', 'Bearer d']);
  });

  it('tells why there is no token to be had, before a request and after a refusal', async () => {
    const { url, heard } = await guarded();
    const cause = new Error('the user said\nno');
    for (const token of [
      () => Promise.reject(cause),
      () => {
        throw cause;
      },
    ]) {
      const failure = await (await Peer.open(connector(url, { auth: { token } }))).fails();
      expect(failure).toEqual({ kind: 'authorization', message: 'the user said\\nno', unsent: true, cause });
    }
    expect(heard).toEqual([]);
    const auth: AuthProvider = { token: ({ status }) => (status === undefined ? 'bad' : Promise.reject(cause)) };
    const failure = await (await Peer.open(connector(url, { auth }))).fails();
    expect(failure).toMatchObject({ kind: 'authorization', status: 401, challenge: 'Bearer error="invalid_token"', unsent: false, cause });
  });

  it('sends no token that would break a header', async () => {
    const { url, heard } = await guarded();
    const failure = await (await Peer.open(connector(url, { auth: provider('a\r\nb: c') }))).fails();
    expect([failure.kind, failure.message.includes('b: c'), heard]).toEqual(['authorization', false, []]);
  });

  it('proves that a DPoP token is its own, with the nonce that the server wants', async () => {
    const { url, heard } = await rude(({ headers, body }, response) => {
      if (headers['dpop'] !== 'proof with n-1') {
        response.writeHead(401, { 'dpop-nonce': 'n-1', 'www-authenticate': 'DPoP error="use_dpop_nonce"' }).end();
      } else json(response, result(body.id));
    });
    let nonce = 'none';
    const auth: AuthProvider = {
      token: () => ({ value: 't', scheme: 'DPoP' }),
      proof: async ({ method, url: about, token }) =>
        method === 'POST' && about === url && token === 't' ? `proof with ${nonce}` : 'wrong',
      nonce: (value, about) => {
        nonce = about === url ? value : 'wrong';
      },
    };
    const peer = await Peer.open(connector(url, { auth }));
    expect(await peer.ask({ id: 1, ...call('echo') }, legacy)).toEqual(result(1));
    expect(heard.map(({ headers }) => [headers['authorization'], headers['dpop']])).toEqual([
      ['DPoP t', 'proof with none'],
      ['DPoP t', 'proof with n-1'],
    ]);
  });

  it('asks nobody for a token that nobody waits for', async () => {
    const { url, heard } = await guarded();
    let give: (token: string) => void = () => undefined;
    let signal: AbortSignal | undefined;
    const auth: AuthProvider = {
      token: (request) => {
        signal = request.signal;
        return new Promise((resolve) => {
          give = resolve;
        });
      },
    };
    const peer = await Peer.open(connector(url, { auth }));
    peer.send({ id: 1, ...call('echo') }, legacy);
    peer.channel.abandon?.(1);
    give('good');
    await new Promise(setImmediate);
    expect([signal?.aborted, heard, peer.failures]).toEqual([true, [], []]);
  });

  it('opens a server that wants tokens', async () => {
    const token = 'token-of-alice-0123456789';
    const served = await serveHttp(createEverything(), { port: 0, signals: false, drainMs: 0, auth: bearer({ [token]: { id: 'alice' } }) });
    onTestFinished(() => served.close());
    const peer = await Peer.open(connector(served.url, { auth: staticToken(token) }));
    await peer.initialize();
    expect((await peer.ask({ id: 1, ...call('echo', { text: 'x' }) }, legacy)).result.content[0].text).toBe('x');
    const stranger = await Peer.open(connector(served.url));
    expect(await stranger.fails(modernly(call('echo')), modern)).toMatchObject({
      kind: 'status',
      status: 401,
      challenge: expect.any(String),
    });
  });
});
