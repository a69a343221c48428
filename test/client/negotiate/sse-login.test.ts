// Servers of HTTP+SSE that want a login: the user hears of that and of nothing else, and no clock runs meanwhile.
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { staticToken, type TokenRequest } from 'vivarium/auth';
import { type Client, connect as connectWith } from '../../../src/client/index.ts';
import { beLegacy } from '../../fixtures/rude-manners.mjs';
import { connect, sse } from '../doors.ts';
import { type Any, failureOf, rudeHttp } from '../rude.ts';

describe('connecting to a URL that takes no POST', () => {
  it.each([
    [401, 'without a token', {}, 'ERR_AUTH_REQUIRED'],
    [401, 'with a token', { auth: staticToken('a-token') }, 'ERR_AUTH_FAILED'],
    [403, 'without a token', {}, 'ERR_FORBIDDEN'],
  ])('tells of the %i of its stream, %s', async (status, _with, options, code) => {
    const { url } = await rudeHttp(beLegacy, (_message, response, request) => {
      response.writeHead(request.method === 'GET' ? status : 405, { 'www-authenticate': 'Bearer' }).end();
      return true;
    });
    const error = await failureOf(connect(url, options));
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('(405)');
  });
});

/** Takes any token for the stream and the handshake, and for calls only a new one. */
async function strict(token: (request: TokenRequest) => string | Promise<string>): Promise<{ client: Client; calls: Any[] }> {
  const calls: Any[] = [];
  let stream: ServerResponse | undefined;
  const { url } = await rudeHttp(beLegacy, (message, response, request) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /mcp\n\n');
      return true;
    }
    if (message.method === 'tools/call' && request.headers.authorization !== 'Bearer new') {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return true;
    }
    response.writeHead(202).end();
    if (message.method === 'tools/call') calls.push(message);
    const answer = (result: unknown): void => void stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n\n`);
    if (message.method === 'initialize')
      answer({ protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } });
    else if (message.method === 'tools/call') answer({ content: [] });
    else if (message.method === 'ping') answer({});
    return true;
  });
  const client = await connectWith(sse(url, { auth: { token } }), { revision: '2024-11-05' });
  onTestFinished(() => client.close());
  return { client, calls };
}

describe('a call that leads to a login', () => {
  it('may take longer than the server may', async () => {
    const idleMs = 4_000;
    // This clock starts after the other one and is longer: it would ring too late.
    const login = (): Promise<string> => new Promise((resolve) => void setTimeout(() => resolve('new'), idleMs + 100));
    const { client, calls } = await strict(({ status }) => (status === 401 ? login() : 'old'));
    expect((await client.callTool('echo', {}, { timeouts: { idleMs } })).isError).toBe(false);
    expect(calls).toHaveLength(1);
  });

  it('is not made any more when it was given up, and whoever logs in is told', async () => {
    let asked: (signal: AbortSignal | undefined) => void = () => undefined;
    const asking = new Promise<AbortSignal | undefined>((resolve) => {
      asked = resolve;
    });
    let login: (token: string) => void = () => undefined;
    const { client, calls } = await strict(({ status, signal }) => {
      if (status !== 401) return 'old';
      asked(signal);
      return new Promise<string>((resolve) => {
        login = resolve;
      });
    });
    const abort = new AbortController();
    const call = failureOf(client.callTool('echo', {}, { signal: abort.signal }));
    const signal = await asking;
    abort.abort();
    expect((await call).code).toBe('ERR_CANCELLED');
    login('new');
    // A turn later it would be on its way, and what is sent then is answered after it.
    await new Promise((resolve) => void setImmediate(resolve));
    for (let time = 0; time < 3; time++) await client.ping();
    expect(calls).toEqual([]);
    expect(signal?.aborted).toBe(true);
  });
});
