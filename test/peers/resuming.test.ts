// The official clients on a server that lets go of their calls: they come back for the answer, with the id of the last event they saw.
import { StreamableHTTPClientTransport as StreamableV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, vi } from 'vitest';
import type { Revision } from 'vivarium';
import { type HttpPeer, overHttpV1, overHttpV2, overSse } from './http-clients.ts';
import { serveFixture, watchFetch } from './served.ts';

const said = ({ heard }: HttpPeer): unknown[] => heard.map(({ params = {} }) => (params['data'] as { said: string }).said);
const resumed = ({ fetched }: HttpPeer) => fetched.filter(({ headers }) => headers['last-event-id'] !== undefined);

describe.each([
  ['@modelcontextprotocol/sdk', overHttpV1('streams')],
  ['@modelcontextprotocol/client', overHttpV2('streams')],
])('%s', (_, connect) => {
  it('comes back for an answer, and misses nothing', async () => {
    const peer = await connect('2025-11-25');
    const answer = peer.call('let_go', { retryMs: 10 });
    await vi.waitFor(() => expect(resumed(peer)).toMatchObject([{ method: 'GET', status: 200 }]), 60_000);
    await vi.waitFor(() => expect(said(peer)).toEqual(['before', 'while nobody hears it']), 60_000);
    await peer.call('go_on');
    expect((await answer).content).toEqual([{ type: 'text', text: 'came back' }]);
    expect(said(peer)).toEqual(['before', 'while nobody hears it', 'after']);
    await peer.close();
    expect(peer.errors).toEqual([]);
  });

  it('comes back for several at a time, each to its own', async () => {
    const peer = await connect('2025-11-25');
    const answers = [1, 2, 3].map(() => peer.call('let_go', { retryMs: 10 }));
    for (const [at] of answers.entries()) {
      await vi.waitFor(() => expect(resumed(peer)).toHaveLength(3), 60_000);
      await vi.waitFor(() => expect(said(peer)).toHaveLength(6), 60_000);
      if (at === 0) await peer.call('go_on');
    }
    for (const answer of await Promise.all(answers)) expect(answer.content).toEqual([{ type: 'text', text: 'came back' }]);
    expect(new Set(resumed(peer).map(({ headers }) => headers['last-event-id'])).size).toBe(3);
    await peer.close();
    expect(peer.errors).toEqual([]);
  });

  it.each(['2025-03-26', '2025-06-18'] as Revision[])('is not let go of in %s, which has no such thing', async (revision) => {
    const peer = await connect(revision);
    const answer = peer.call('let_go', { retryMs: 10 });
    await vi.waitFor(() => expect(said(peer)).toEqual(['before', 'while nobody hears it']), 60_000);
    await peer.call('go_on');
    expect((await answer).content).toEqual([{ type: 'text', text: 'stayed' }]);
    expect(resumed(peer)).toEqual([]);
    await peer.close();
    expect(peer.errors).toEqual([]);
  });
});

describe.each([
  ['@modelcontextprotocol/sdk', overHttpV1('features', { endpoint: { retryMs: 10 } })],
  ['@modelcontextprotocol/client', overHttpV2('features', { endpoint: { retryMs: 10 } })],
])('%s whose stream is cut', (_, connect) => {
  // Older revisions have no say in when it comes back, and this client takes its time.
  it('comes back, and hears once what it missed', async () => {
    const peer = await connect('2025-11-25');
    const changes = ['tools', 'resources', 'prompts'].map((of) => `notifications/${of}/list_changed`);
    const heard = () => peer.heard.map(({ method }) => method);
    await peer.call('grow', { name: 'one' });
    await vi.waitFor(() => expect(heard()).toEqual(changes), 60_000);
    const release = peer.cut();
    await vi.waitFor(
      () => expect(peer.errors.splice(0)).toMatchObject([{ message: expect.stringContaining('The connection is cut') }]),
      20_000,
    );
    await peer.call('grow', { name: 'two' });
    await peer.client.ping();
    expect(heard()).toEqual(changes);
    release();
    await vi.waitFor(() => expect(heard()).toEqual([...changes, ...changes]), 60_000);
    expect(resumed(peer)).toMatchObject([{ method: 'GET', status: 200 }]);
    await peer.call('grow', { name: 'three' });
    await vi.waitFor(() => expect(heard()).toEqual([...changes, ...changes, ...changes]), 60_000);
    await peer.close();
    expect(peer.errors).toEqual([]);
  });
});

it.each([
  ['HTTP+SSE', '2025-11-25', overSse('streams')],
  ['2026-07-28', '2026-07-28', overHttpV2('streams')],
] as const)('%s lets go of no one', async (_, revision, connect) => {
  const peer = await connect(revision);
  const answer = peer.call('let_go', { retryMs: 10 });
  // The second call is what lets the first one answer: it must have begun.
  await vi.waitFor(async () => {
    await peer.call('go_on');
    expect(await Promise.race([answer, undefined])).toBeDefined();
  }, 60_000);
  expect((await answer).content).toEqual([{ type: 'text', text: 'stayed' }]);
  await peer.close();
  expect(peer.errors).toEqual([]);
});

it('another client takes a call over, with the session and the last event of the one that is gone', async () => {
  const served = await serveFixture('streams');
  const first = new StreamableHTTPClientTransport(new URL(served.url));
  const gone = new Client({ name: 'gone', version: '1.0.0' });
  await gone.connect(first);
  let token = '';
  const request = { method: 'tools/call' as const, params: { name: 'let_go', arguments: { retryMs: 60_000 } } };
  const onresumptiontoken = (given: string): void => {
    token = given;
  };
  const lost = gone.request(request, CallToolResultSchema, { onresumptiontoken }).catch(() => 'lost');
  await vi.waitFor(() => expect(token).not.toBe(''), 60_000);
  const sessionId = first.sessionId as string;
  await gone.close();
  expect(await lost).toBe('lost');
  const { fetch, fetched } = watchFetch();
  const second = new StreamableHTTPClientTransport(new URL(served.url), { sessionId, fetch });
  second.setProtocolVersion('2025-11-25');
  const heir = new Client({ name: 'heir', version: '1.0.0' });
  const errors: Error[] = [];
  heir.onerror = (error) => errors.push(error);
  await heir.connect(second);
  const answer = heir.request(request, CallToolResultSchema, { resumptionToken: token });
  await vi.waitFor(() => expect(fetched).toMatchObject([{ method: 'GET', status: 200, headers: { 'last-event-id': token } }]), 60_000);
  // By someone else: the heir counts from the beginning, and a session has each id only once at a time.
  const other = new Client({ name: 'other', version: '1.0.0' });
  await other.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  await other.callTool({ name: 'go_on' });
  await other.close();
  expect((await answer).content).toEqual([{ type: 'text', text: 'came back' }]);
  await second.terminateSession();
  await heir.close();
  await served.end();
  expect(errors).toEqual([]);
});

it('@modelcontextprotocol/client repeats in headers what 2026-07-28 wants there, in any alphabet', async () => {
  const peer = await overHttpV2('streams')('2026-07-28');
  await peer.client.listTools();
  const routed = async (args: object): Promise<string> => (await peer.call('routed', args)).content[0].text;
  expect(await routed({ tenant: 'acme', shard: 42, dry: true })).toBe('acme 42 true');
  expect(await routed({ tenant: 'größe' })).toBe(`=?base64?${Buffer.from('größe').toString('base64')}?= none none`);
  const { contents } = await peer.client.readResource({ uri: 'word:///größe' });
  expect(contents[0].text).toBe(`=?base64?${Buffer.from('word:///größe').toString('base64')}?=`);
  await peer.close();
  expect(peer.errors).toEqual([]);
});

it('@modelcontextprotocol/client ends its session, and the next one is another', async () => {
  const served = await serveFixture('streams');
  const sessions = new Set<string | undefined>();
  for (const name of ['first', 'second']) {
    const transport = new StreamableV2(new URL(served.url));
    const client = new Client({ name, version: '1.0.0' });
    await client.connect(transport as never);
    sessions.add(transport.sessionId);
    await transport.terminateSession();
    await client.close();
  }
  expect(sessions.size).toBe(2);
  await served.end();
});
