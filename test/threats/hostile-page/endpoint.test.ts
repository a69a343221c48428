// A web page cannot reach a server on this machine: not from another origin, not under a name that leads here, not with a form.
import { type IncomingHttpHeaders, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createLive } from 'vivarium/live';
import { serveHttp } from 'vivarium/serve/node';
import { Server } from 'vivarium/server';
import { bearer } from '../../../src/auth/index.ts';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const token = 'a-token-that-is-long-enough-to-be-one';
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

describe.each(['a server', 'a live server'] as const)('a page and %s', (kind) => {
  it.each([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of an origin that begins like ours', { origin: 'http://localhost.evil.example' }],
    ['of a file or a sandbox', { origin: 'null' }],
    ['that was led here by a name of its own', { host: 'evil.example' }],
    ['that was led here by a name that begins like ours', { host: 'localhost.evil.example' }],
    ['that was led here by a name that begins like our address', { host: '127.0.0.1.evil.example' }],
  ])('%s is refused with 403', async (_, headers) => {
    await using served = await serve(kind);
    for (const method of ['POST', 'GET', 'DELETE'])
      expect((await ask(served.url, method, { ...json, ...headers, authorization: `Bearer ${token}` })).status).toBe(403);
  });

  it('gets no CORS header, before a request and after it', async () => {
    await using served = await serve(kind);
    const origin = 'https://evil.example';
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    for (const { headers } of [await ask(served.url, 'OPTIONS', asked), await ask(served.url, 'POST', { ...json, origin })])
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'cannot send a message as a form does, with %s and no origin',
    async (type) => {
      await using served = await serve(kind);
      const { status } = await ask(served.url, 'POST', { ...json, 'content-type': type, authorization: `Bearer ${token}` });
      expect(status).toBe(415);
    },
  );
});

it('A page without the token gets no answer of a live server, also as the origin of this machine', async () => {
  await using served = await serve('a live server');
  expect((await ask(served.url, 'POST', { ...json, origin: new URL(served.url).origin })).status).toBe(401);
});

async function serve(kind: 'a server' | 'a live server'): Promise<AsyncDisposable & { readonly url: string }> {
  const live = kind === 'a live server' ? createLive({}) : undefined;
  const server = live?.server ?? new Server({ name: 'plain', version: '1.0.0' });
  const serving = await serveHttp(server, { port: 0, ...(live !== undefined && { auth: bearer([token]) }) });
  return {
    url: serving.url,
    [Symbol.asyncDispose]: async () => {
      await serving.close();
      await live?.close();
    },
  };
}

function ask(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number | undefined; readonly headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (answer) => {
      answer.resume().once('end', () => resolve({ status: answer.statusCode, headers: answer.headers }));
    });
    asked.once('error', reject);
    asked.end(method === 'POST' ? ping : undefined);
  });
}
