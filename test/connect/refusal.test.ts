// Answers that are none: each becomes one failure that says what came, at once.
import { describe, expect, it } from 'vitest';
import { fetchHttp } from '../../src/connect/fetch.ts';
import { http } from '../../src/connect/http.ts';
import { call, event, events, json, legacy, modern, modernly, Peer, raw, result, rude } from './fixture.ts';

const html = '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please</body></html>';

describe.each([
  ['http', http],
  ['fetchHttp', fetchHttp],
] as const)('%s', (_, connector) => {
  const meets = async (status: number, headers: Record<string, string>, body = '') => {
    const { url } = await rude((_heard, response) => response.writeHead(status, headers).end(body));
    return Peer.open(connector(url));
  };

  it('C14 says that HTML came back, and how it begins', async () => {
    const peer = await meets(200, { 'content-type': 'text/html; charset=utf-8' }, html);
    const failure = await peer.fails();
    expect(failure).toMatchObject({ kind: 'protocol', status: 200, unsent: false, body: html });
    expect(failure.message).toMatch(/HTML came back instead of an answer: <!DOCTYPE html> <html>/);
    peer.send({ method: 'notifications/x' }, legacy);
    expect((await peer.until(() => peer.failures[0])).kind).toBe('protocol');
  });

  it.each([
    ['204', 204, {}, '', /nothing came back/],
    ['202 to a request', 202, {}, '', /nothing came back/],
    ['an empty 200', 200, {}, '', /nothing came back/],
    ['an empty 200 that claims to be JSON', 200, { 'content-type': 'application/json' }, '', /nothing came back/],
    ['text', 200, { 'content-type': 'text/plain' }, 'hello', /"text\/plain" came back: hello/],
    ['no type at all', 200, {}, '{}', /"no type" came back/],
    ['almost JSON', 200, { 'content-type': 'application/json5' }, '{}', /"application\/json5" came back/],
    ['JSON of another charset', 200, { 'content-type': 'application/json; charset=utf-16' }, '{}', /utf-16" came back/],
    ['broken JSON', 200, { 'content-type': 'application/json' }, '{"jsonrpc":', /not JSON: \{"jsonrpc":/],
    ['a number', 200, { 'content-type': 'application/json' }, '7', /not JSON|came back/],
    ['HTML that claims to be JSON', 200, { 'content-type': 'application/json' }, html, /HTML came back/],
    [
      'the answer to another request',
      200,
      { 'content-type': 'application/json' },
      '{"jsonrpc":"2.0","id":9,"result":{}}',
      /another request/,
    ],
  ] as const)('C14 fails at once with %s', async (_name, status, headers, body, message) => {
    const peer = await meets(status, headers, body);
    const failure = await peer.fails();
    expect(failure).toMatchObject({ kind: 'protocol', status, unsent: false });
    expect(failure.message).toMatch(message);
    expect(failure.message).not.toMatch(/[\r\n]/);
  });

  it.each([200, 202, 204])('is content with an empty %i for what is no request', async (status) => {
    const peer = await meets(status, {});
    peer.send({ method: 'notifications/x' }, legacy);
    peer.send({ id: 4, result: {} }, legacy);
    await peer.fails();
    expect(peer.failures).toEqual([]);
  });

  it('C14 tells a status with the beginning of its page', async () => {
    const failure = await (await meets(500, { 'content-type': 'text/html' }, html)).fails();
    expect(failure).toMatchObject({ kind: 'status', status: 500, body: html, unsent: false });
    expect(failure.message).toMatch(/^The server answered 500 with HTML: /);
  });

  it('tells the error of JSON-RPC that comes with a status, with any id, and delivers nothing', async () => {
    for (const id of [1, null, undefined]) {
      const body = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32022, message: 'No', data: { supported: [] } } });
      const peer = await meets(400, { 'content-type': 'application/json' }, body);
      const failure = await peer.fails();
      expect(failure).toMatchObject({ kind: 'status', status: 400, error: { code: -32022, message: 'No', data: { supported: [] } } });
      expect([failure.body, peer.messages]).toEqual([undefined, []]);
    }
  });

  it('takes an error without an id for the answer to its only request', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'No' } });
    const peer = await meets(200, { 'content-type': 'application/json' }, body);
    expect(await peer.fails()).toMatchObject({ kind: 'protocol', error: { code: -32600 } });
  });

  it('tells how long to wait, in seconds or by date', async () => {
    expect((await (await meets(503, { 'retry-after': '7' })).fails()).retryAfterMs).toBe(7_000);
    expect((await (await meets(503, { 'retry-after': new Date(0).toUTCString() })).fails()).retryAfterMs).toBe(0);
    expect((await (await meets(503, { 'retry-after': 'soon' })).fails()).retryAfterMs).toBeUndefined();
  });

  it('tells of a challenge where nobody has tokens', async () => {
    const failure = await (await meets(401, { 'www-authenticate': 'Bearer resource_metadata="x"' })).fails();
    expect(failure).toMatchObject({ kind: 'status', status: 401, challenge: 'Bearer resource_metadata="x"' });
  });

  it.each([301, 302, 303, 307, 308])('A20 follows no redirect (%i), and says where it leads', async (status) => {
    const elsewhere = await rude(({ body }, response) => json(response, result(body?.id)));
    const peer = await meets(status, { location: `${elsewhere.url}?token=secret` });
    const failure = await peer.fails(call('echo'), legacy);
    expect(failure).toMatchObject({ kind: 'status', status });
    expect(failure.message).toContain(`127.0.0.1:${elsewhere.port}`);
    expect(failure.message).not.toContain('secret');
    expect(elsewhere.heard).toEqual([]);
  });

  it('does not wait for the end of a refusal that has none', async () => {
    const { url } = await rude((_heard, response) => response.writeHead(500, { 'content-type': 'text/plain' }).write('trouble'));
    const peer = await Peer.open(connector(url));
    expect(await peer.fails()).toMatchObject({ kind: 'status', status: 500, body: 'trouble' });
    const flood = await rude((_heard, response) => {
      response.writeHead(502);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect((await (await Peer.open(connector(flood.url))).fails()).status).toBe(502);
  });

  it('delivers every member of a batch', async () => {
    const { url } = await rude(({ body }, response) => json(response, [{ jsonrpc: '2.0', method: 'notifications/x' }, result(body.id)]));
    const peer = await Peer.open(connector(url));
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    expect(peer.messages).toHaveLength(2);
  });

  it('C10 reads a stream whose bytes come one by one', async () => {
    const text = `: hi\r\n${event({ jsonrpc: '2.0', method: 'notifications/x', params: { a: 'ä🐢' } })}event: other\ndata: {}\n\n${event(result(1))}`;
    const { url } = await rude((_heard, response) => {
      const stream = events(response);
      const bytes = Buffer.from(text);
      const next = (at: number): void =>
        void (at < bytes.length ? stream.write(bytes.subarray(at, at + 1), () => next(at + 1)) : stream.end());
      next(0);
    });
    const peer = await Peer.open(connector(url));
    await peer.ask({ id: 1, ...modernly(call('echo')) }, modern);
    expect(peer.messages).toEqual([{ jsonrpc: '2.0', method: 'notifications/x', params: { a: 'ä🐢' } }, result(1)]);
  });

  it('passes over junk in a stream, and shows it', async () => {
    const { url } = await rude((_heard, response) => events(response).end(`data: hello\n\ndata: 7\n\n${event(result(1))}`));
    const peer = await Peer.open(connector(url));
    expect((await peer.ask({ id: 1, ...call('echo') }, legacy)).id).toBe(1);
    expect(peer.junk).toEqual(['hello', '7']);
  });

  it('fails a call of 2026-07-28 whose stream ends or breaks, and does not resume it', async () => {
    const { url, heard } = await rude((_heard, response, index) => {
      const stream = events(response);
      stream.write('id: e-1\nretry: 0\ndata: \n\n', () => (index === 0 ? stream.end() : response.socket?.destroy()));
    });
    const peer = await Peer.open(connector(url));
    for (const _ of [1, 2]) {
      const failure = await peer.fails(modernly(call('echo')), modern);
      expect(failure).toMatchObject({ kind: 'network', unsent: false });
      expect(failure.message).toMatch(/before the answer/);
    }
    expect(heard.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  it('C03 gives up on an event that is larger than it may be, and on a body too', async () => {
    const maxMessageBytes = 100_000;
    for (const type of ['text/event-stream', 'application/json']) {
      const { url } = await rude((_heard, response) => {
        response.writeHead(200, { 'content-type': type });
        response.write(type === 'text/event-stream' ? 'data: "' : '"');
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(16_384)));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      });
      const peer = await Peer.open(connector(url, { maxMessageBytes }));
      const failure = await peer.fails(call('echo'), legacy);
      expect(failure).toMatchObject({ kind: 'protocol', message: expect.stringContaining('maxMessageBytes') });
    }
  });

  it('fails when the connection breaks before, in or short of the answer', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
    for (const text of [
      '',
      'HTTP/1.1 200',
      `${head}content-length: 500\r\n\r\n{"jsonrpc"`,
      `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n`,
    ]) {
      const peer = await Peer.open(connector(await raw((socket) => socket.end(text))));
      expect(await peer.fails()).toMatchObject({ kind: 'network', unsent: false });
    }
  });

  it('does not believe a length that is too short', async () => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5\r\nconnection: close\r\n\r\n{"jsonrpc":"2.0"}';
    const peer = await Peer.open(connector(await raw((socket) => socket.end(text))));
    expect((await peer.fails()).kind).toMatch(/protocol|network/);
  });

  it('tells of a message that cannot be written', async () => {
    const peer = await meets(200, {});
    expect(await peer.fails({ method: 'x', params: { big: 1n } })).toMatchObject({ kind: 'protocol', unsent: true });
    const bad = { ...modern, headers: { 'mcp-param-x': 'a\r\nb' } };
    expect((await peer.fails(modernly(call('echo')), bad)).message).toMatch(/header/i);
  });
});
