// Gateways in front of an endpoint: they add headers to every request, those of 2026-07-28 too, whatever the revision is.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, revisions } from 'vivarium';
import { createEverything } from '../../fixtures/everything.mjs';
import { call, doors, initialize, nodeDoor, openSession, rpc, type Sent } from '../http.ts';

/** What a gateway says of the way a request took. */
const passing = {
  via: '1.1 gateway.example',
  forwarded: 'for=192.0.2.60;proto=https;host=api.example',
  'x-forwarded-for': '192.0.2.60',
  'x-forwarded-host': 'api.example',
  'x-forwarded-proto': 'https',
  'x-real-ip': '192.0.2.60',
  'x-request-id': '5f1c',
  'x-amzn-trace-id': 'Root=1-67891233-abcdef012345678912345678',
  'x-b3-traceid': '463ac35c9f6413ad48485a3953bb6124',
};

/** Headers for routing, read from the body as 2026-07-28 has them. */
function routing(body: string): Record<string, string> {
  if (body === '') return {};
  const { method, params } = JSON.parse(body) as { method?: string; params?: { name?: string; uri?: string } };
  const about = params?.name ?? params?.uri;
  return { ...(method !== undefined && { 'mcp-method': method }), ...(about !== undefined && { 'mcp-name': about }) };
}

/** Forwards to `port` with headers added; the headers of what it forwarded are kept. */
async function gateway(port: number): Promise<{ readonly url: string; readonly forwarded: readonly IncomingHttpHeaders[] }> {
  const forwarded: IncomingHttpHeaders[] = [];
  const proxy = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = await incoming.toArray();
    const body = Buffer.concat(chunks);
    const headers = { ...incoming.headers, ...passing, ...routing(body.toString()), host: `127.0.0.1:${port}` };
    forwarded.push(headers);
    const onward = request({ host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.on('close', () => onward.destroy());
    onward.on('error', () => outgoing.destroy());
    onward.end(body);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, forwarded };
}

describe('a gateway that adds headers', () => {
  const ways = [...revisions.map((revision) => [revision, '/mcp'] as const), ['2024-11-05', '/sse'] as const];

  it.each(ways)('lets a client of %s list and call at %s', async (revision, path) => {
    const { port } = await nodeDoor(createEverything(), { sse: true });
    const { url, forwarded } = await gateway(port);
    const client = await connect(`${url}${path}`, { revision });
    expect(client.revision).toBe(revision);
    expect((await client.listTools()).map(({ name }) => name)).toContain('echo');
    expect((await client.callTool('echo', { text: 'through' })).content).toEqual([{ type: 'text', text: 'through' }]);
    await expect(client.callTool('absent')).rejects.toThrow('absent');
    await client.close();
    expect(forwarded.map((headers) => headers['mcp-method'])).toContain('tools/call');
    expect(forwarded.map((headers) => headers['mcp-name'])).toContain('echo');
  });

  it.each(ways)('lets a client find out by itself that a server has %s alone at %s', async (revision, path) => {
    const { port } = await nodeDoor(createEverything({ revisions: [revision] }), { sse: true });
    const client = await connect(`${(await gateway(port)).url}${path}`);
    expect(client.revision).toBe(revision);
    expect((await client.callTool('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '3' }]);
    await client.close();
  });
});

describe.each(doors)('%s', (_, open) => {
  const sentBy = (body: object, headers: Sent['headers'] = {}): Sent => ({
    headers: { ...passing, ...routing(JSON.stringify(body)), ...headers },
    body,
  });

  it.each(revisions.filter((revision) => revision !== '2026-07-28'))(
    'takes a handshake of %s for one, whatever headers came with it',
    async (revision) => {
      const door = await open(createEverything());
      for (const version of [undefined, revision, '2026-07-28']) {
        const answer = await door.send(sentBy(initialize(revision), { 'mcp-protocol-version': version }));
        expect([answer.status, answer.json.result?.protocolVersion]).toEqual([200, revision]);
      }
      const session = await openSession(door, revision, passing);
      // Clients before 2025-06-18 name their version in the handshake alone.
      for (const headers of [session, { ...session, 'mcp-protocol-version': undefined }])
        for (const body of [rpc(1, 'tools/list'), call(2, 'echo', { text: 'x' })])
          expect((await door.send(sentBy(body, headers))).json).toHaveProperty('result');
    },
  );
});
