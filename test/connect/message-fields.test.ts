// What is sent beside a message: headers of each era, the session, and the order that a handshake needs.
import { describe, expect, it } from 'vitest';
import { fetchHttp } from '../../src/connect/fetch.ts';
import { http } from '../../src/connect/http.ts';
import { decodeHeader } from '../../src/protocol/headers.ts';
import { eventually } from '../fixtures/http-wire.mjs';
import { call, events, json, legacy, modern, modernly, Peer, result, rude } from './fixture.ts';

describe.each([
  ['http', http],
  ['fetchHttp', fetchHttp],
] as const)('%s', (_, connector) => {
  it('repeats in headers what a request of 2026-07-28 says', async () => {
    const { url, heard } = await rude(({ body }, response) => json(response, result(body.id)));
    const peer = await Peer.open(connector(url, { headers: { 'X-Team': 'blue' } }));
    const headers = { 'mcp-param-region': 'eu' };
    await peer.ask({ id: 1, ...modernly(call('echo')) }, { ...modern, headers });
    await peer.ask({ id: 2, ...modernly({ method: 'resources/read', params: { uri: 'note:///a' } }) }, modern);
    await peer.ask({ id: 3, ...modernly({ method: 'tasks/get', params: { taskId: 't-1' } }) }, modern);
    await peer.ask({ id: 4, ...modernly({ method: 'tools/list' }) }, modern);
    expect(heard[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
      'mcp-param-region': 'eu',
      'x-team': 'blue',
    });
    expect(heard.map(({ headers: sent }) => sent['mcp-name'])).toEqual(['echo', 'note:///a', 't-1', undefined]);
    expect(heard.every(({ headers: sent }) => sent['authorization'] === undefined)).toBe(true);
  });

  it('says the version that the message says, because the two must be equal', async () => {
    const { url, heard } = await rude(({ body }, response) => json(response, result(body.id)));
    const peer = await Peer.open(connector(url));
    const params = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } };
    await peer.ask({ id: 1, method: 'server/discover', params }, modern);
    expect(heard[0]?.headers['mcp-protocol-version']).toBe('2027-01-01');
  });

  it.each(['tür', ' blank', '=?base64?eA==?=', 'a\r\nx: y', '日本'])(
    'H32 wraps the name %j where a header could not carry it',
    async (name) => {
      const { url, heard } = await rude(({ body }, response) => json(response, result(body.id)));
      const peer = await Peer.open(connector(url));
      await peer.ask({ id: 1, ...modernly(call(name)) }, modern);
      const said = heard[0]?.headers['mcp-name'] as string;
      expect(said).toMatch(/^=\?base64\?.*\?=$/);
      expect(decodeHeader(said)).toBe(name);
    },
  );

  it('sends the session once it was given one, and the revision that was agreed on', async () => {
    const { url, heard } = await rude(({ body, method }, response) => {
      if (method === 'DELETE') response.writeHead(204).end();
      else if (body.id === undefined) response.writeHead(202).end();
      else json(response, result(body.id), { 'mcp-session-id': 's-1' });
    });
    const peer = await Peer.open(connector(url));
    await peer.initialize();
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    await peer.channel.close();
    expect(
      heard.map(({ method, headers, body }) => [method, body?.method, headers['mcp-session-id'], headers['mcp-protocol-version']]),
    ).toEqual([
      ['POST', 'initialize', undefined, undefined],
      ['POST', 'notifications/initialized', 's-1', '2025-11-25'],
      ['POST', 'tools/call', 's-1', '2025-11-25'],
      ['DELETE', undefined, 's-1', '2025-11-25'],
    ]);
    expect(heard.some(({ headers }) => 'mcp-method' in headers)).toBe(false);
  });

  it('refuses a session id that could not be sent back', async () => {
    const { url } = await rude(({ body }, response) => json(response, result(body.id), { 'mcp-session-id': 'a b' }));
    const peer = await Peer.open(connector(url));
    expect(await peer.initialize()).toMatchObject({ kind: 'protocol', message: expect.stringContaining('session id') });
  });

  it('begins each handshake without a session', async () => {
    const { url, heard } = await rude(({ body }, response) => {
      if (body?.id === undefined) response.writeHead(202).end();
      else json(response, result(body.id), { 'mcp-session-id': `s-${heard.length}` });
    });
    const peer = await Peer.open(connector(url));
    await peer.initialize();
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    peer.messages.length = 0;
    await peer.initialize();
    await peer.ask({ id: 2, ...call('echo') }, legacy);
    expect(heard.map(({ headers }) => headers['mcp-session-id'])).toEqual([undefined, 's-1', 's-1', undefined, 's-4', 's-4']);
  });

  it('lets nothing overtake the end of the handshake', async () => {
    const accept: (() => void)[] = [];
    const { url, heard } = await rude(({ body }, response) => {
      if (body.method === 'notifications/initialized') accept.push(() => response.writeHead(202).end());
      else json(response, result(body.id));
    });
    const peer = await Peer.open(connector(url));
    await peer.initialize();
    const answer = peer.ask({ id: 1, ...call('echo') }, legacy);
    await eventually(() => accept.length === 1);
    expect(heard.map(({ body }) => body.method)).toEqual(['initialize', 'notifications/initialized']);
    accept[0]?.();
    await answer;
  });

  it('goes on after a handshake whose end was refused, and tells of it', async () => {
    const { url } = await rude(({ body }, response) => {
      if (body.method === 'notifications/initialized') response.writeHead(500).end();
      else json(response, result(body.id));
    });
    const peer = await Peer.open(connector(url));
    await peer.initialize();
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    expect(peer.failures).toMatchObject([{ kind: 'status', status: 500 }]);
  });

  it('listens only when the handshake is over, and again from where the stream ended', async () => {
    const { url, heard } = await rude(({ method, body }, response, index) => {
      if (method === 'GET') {
        const stream = events(response);
        stream.write(`id: e-${index}\nretry: 10\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: `said/${index}` })}\n\n`);
        if (heard.filter((one) => one.method === 'GET').length < 3) stream.end();
      } else if (body?.id === undefined) response.writeHead(202).end();
      else json(response, result(body.id), { 'mcp-session-id': 's' });
    });
    const peer = await Peer.open(connector(url));
    peer.channel.listen?.();
    await peer.initialize();
    await peer.until(() => (peer.messages.filter(({ method }) => method?.startsWith('said/')).length === 3 ? true : undefined));
    expect(heard.slice(2).map(({ method, headers }) => [method, headers['last-event-id'], headers['mcp-session-id']])).toEqual([
      ['GET', undefined, 's'],
      ['GET', 'e-2', 's'],
      ['GET', 'e-3', 's'],
    ]);
    expect(heard[2]?.headers['accept']).toBe('text/event-stream');
  });

  it.each([400, 404, 405])('takes %i for: there is no stream to listen to', async (status) => {
    const { url, heard } = await rude(({ method, body }, response) => {
      if (method === 'GET') response.writeHead(status).end();
      else if (body.id === undefined) response.writeHead(202).end();
      else json(response, result(body.id));
    });
    const peer = await Peer.open(connector(url));
    peer.channel.listen?.();
    await peer.initialize();
    await eventually(() => heard.length === 3);
    peer.channel.listen?.();
    await peer.ask({ id: 1, ...call('echo') }, legacy);
    expect([heard.filter(({ method }) => method === 'GET').length, peer.failures]).toEqual([1, []]);
  });

  it('ends when it is closed, whatever the server makes of it', async () => {
    const { url } = await rude(({ method, body }, response) => {
      if (method === 'DELETE') response.socket?.destroy();
      else if (body.method === 'initialize') json(response, result(body.id), { 'mcp-session-id': 's' });
      else if (body.id === undefined) response.writeHead(202).end();
    });
    const peer = await Peer.open(connector(url));
    await peer.initialize();
    peer.send({ id: 1, ...call('echo') }, legacy);
    await peer.channel.close();
    expect([await peer.channel.closed, peer.failures]).toEqual([{ wanted: true }, []]);
  });
});
