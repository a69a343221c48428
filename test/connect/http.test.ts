// Streamable HTTP against our own server: both eras, sessions, streams, and what an abort does.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ListenOptions, serveHttp } from 'vivarium/serve/node';
import type { Server } from 'vivarium/server';
import { fetchHttp } from '../../src/connect/fetch.ts';
import { http } from '../../src/connect/http.ts';
import { createEverything } from '../fixtures/everything.mjs';
import { createWatched } from '../fixtures/http-server.mjs';
import { eventually } from '../fixtures/http-wire.mjs';
import { call, legacy, modern, modernly, Peer } from './fixture.ts';

async function serve(server: Server, options: ListenOptions = {}) {
  const served = await serveHttp(server, { port: 0, signals: false, drainMs: 0, ...options });
  onTestFinished(() => served.close());
  return served;
}

describe.each([
  ['http', http],
  ['fetchHttp', fetchHttp],
] as const)('%s', (_, connector) => {
  it('asks a server of 2026-07-28 without a handshake', async () => {
    const { url } = await serve(createEverything());
    const peer = await Peer.open(connector(url));
    expect(peer.channel.kind).toBe('http');
    const discovered = await peer.ask({ id: 1, ...modernly({ method: 'server/discover' }) }, modern);
    expect(discovered.result.supportedVersions).toContain('2026-07-28');
    const answer = await peer.ask({ id: 2, ...modernly(call('echo', { text: 'ä🐢' })) }, modern);
    expect(answer.result.content).toEqual([{ type: 'text', text: 'ä🐢' }]);
    expect(peer.failures).toEqual([]);
  });

  it('keeps the session of a handshake, and ends it when it is closed', async () => {
    const { server } = createWatched();
    const served = await serve(server);
    const peer = await Peer.open(connector(served.url));
    expect((await peer.initialize()).result.protocolVersion).toBe('2025-11-25');
    const answer = await peer.ask({ id: 1, ...call('echo', { text: 'x' }) }, legacy);
    expect(answer.result.content[0].text).toBe('x');
    expect(served.stats.sessions).toBe(1);
    await Promise.all([peer.channel.close(), peer.channel.close()]);
    expect(await peer.channel.closed).toEqual({ wanted: true });
    expect(served.stats.sessions).toBe(0);
  });

  it('reads answers that are event streams, with all that is said before', async () => {
    for (const stream of ['when-needed', 'always'] as const) {
      const { server } = createWatched();
      const { url } = await serve(server, { stream });
      const peer = await Peer.open(connector(url));
      await peer.initialize();
      const params = { ...call('count', { key: 'k', count: 5 }).params, _meta: { progressToken: 'p' } };
      expect((await peer.ask({ id: 1, method: 'tools/call', params }, legacy)).result.content[0].text).toBe('counted 5');
      expect(peer.messages.flatMap(({ method, params: said }) => (method === 'notifications/progress' ? [said.progress] : []))).toEqual([
        1, 2, 3, 4, 5,
      ]);
    }
  });

  it('carries questions of the server to the client and answers back', async () => {
    const { server } = createWatched();
    const { url } = await serve(server);
    const peer = await Peer.open(connector(url, { maxMessageBytes: 10_000 }));
    await peer.initialize('2025-11-25', { sampling: {} });
    peer.send({ id: 1, ...call('ask', { key: 'k' }) }, legacy);
    const question = await peer.until(() => peer.messages.find(({ method }) => method === 'sampling/createMessage'));
    const content = { type: 'text', text: 'well' };
    peer.send({ id: question.id, result: { role: 'assistant', model: 'm', content } }, legacy);
    const answer = await peer.until(() => peer.messages.find(({ id, method }) => id === 1 && method === undefined));
    expect(answer.result.content[0].text).toBe('asked well');
  });

  it('comes back for an answer when the server has ended the stream', async () => {
    const { server, open, noted } = createWatched();
    const { url } = await serve(server);
    const peer = await Peer.open(connector(url));
    await peer.initialize();
    const answer = peer.ask({ id: 1, ...call('detach', { key: 'k' }) }, legacy);
    await noted('detached true');
    open('k');
    expect((await answer).result.content[0].text).toBe('back k');
    expect(peer.messages.filter(({ id }) => id === 1)).toHaveLength(1);
  });

  it('hears what the server says by itself once it listens', async () => {
    const { server } = createWatched();
    const served = await serve(server);
    const peer = await Peer.open(connector(served.url));
    await peer.initialize();
    peer.channel.listen?.();
    await eventually(() => served.stats.streams === 1);
    server.tool('more', {}, () => 'x');
    await peer.until(() => peer.messages.find(({ method }) => method === 'notifications/tools/list_changed'));
    await peer.channel.close();
    await eventually(() => served.stats.streams === 0);
  });

  it('does without such a stream where the server has none', async () => {
    const { server } = createWatched();
    const { url } = await serve(server, { sessions: false });
    const peer = await Peer.open(connector(url));
    peer.channel.listen?.();
    await peer.initialize();
    const answer = await peer.ask({ id: 1, ...call('echo', { text: 'x' }) }, legacy);
    expect(answer.result.content[0].text).toBe('x');
    expect(peer.failures).toEqual([]);
  });

  it('cancels a call of 2026-07-28 by hanging up', async () => {
    const { server, noted } = createWatched();
    const { url } = await serve(server);
    const peer = await Peer.open(connector(url));
    peer.send({ id: 1, ...modernly(call('wait', { key: 'k' })) }, modern);
    await noted('begun k');
    peer.channel.abandon?.(1);
    await noted('aborted k');
    await noted('done k');
    expect((await peer.ask({ id: 2, ...modernly(call('echo', { text: 'x' })) }, modern)).id).toBe(2);
    expect([peer.messages.length, peer.failures]).toEqual([1, []]);
  });

  it('hangs up on a call of a session without cancelling it', async () => {
    const { server, noted, book, open } = createWatched();
    const { url } = await serve(server);
    const peer = await Peer.open(connector(url));
    await peer.initialize();
    peer.send({ id: 1, ...call('wait', { key: 'k', early: true }) }, legacy);
    await noted('begun k');
    peer.channel.abandon?.(1);
    open('k');
    await noted('done k');
    expect(book).not.toContain('aborted k');
    expect(peer.messages.filter(({ id }) => id === 1)).toEqual([]);
  });

  it('sends nothing that was given up before it was sent', async () => {
    const { server, book } = createWatched();
    const { url } = await serve(server);
    const peer = await Peer.open(connector(url));
    await peer.initialize();
    // Held back until the server has taken this, which the next one must not overtake.
    peer.send({ method: 'notifications/initialized' }, legacy);
    peer.send({ id: 1, ...call('wait', { key: 'k' }) }, legacy);
    peer.channel.abandon?.(1);
    await peer.ask({ id: 2, ...call('echo', { text: 'x' }) }, legacy);
    expect([book, peer.failures]).toEqual([[], []]);
  });

  it('tells of a session that is gone, and begins another one with the next handshake', async () => {
    const first = createWatched();
    const served = await serve(first.server);
    const peer = await Peer.open(connector(served.url));
    await peer.initialize();
    await peer.ask({ id: 1, ...call('echo', { text: 'x' }) }, legacy);
    const { port } = served;
    await served.close();
    await serve(createWatched().server, { port });
    let id = 1;
    // A connection to the first server may still look alive.
    const failure = await eventually(async () => {
      const told = await peer.ask({ id: ++id, ...call('echo', { text: 'x' }) }, legacy);
      return told.kind === 'network' ? undefined : told;
    });
    expect(failure).toMatchObject({ kind: 'status', status: 404, error: { message: expect.stringContaining('Session not found') } });
    peer.messages.length = 0;
    await peer.initialize();
    expect((await peer.ask({ id: 'again', ...call('echo', { text: 'y' }) }, legacy)).result.content[0].text).toBe('y');
  });

  it('tells an error that comes with a status, and does not deliver it', async () => {
    const { url } = await serve(createEverything());
    const peer = await Peer.open(connector(url));
    const failure = await peer.fails({ id: 1, ...modernly({ method: 'no/such' }) }, modern);
    expect(failure).toMatchObject({ kind: 'status', status: 404, error: { code: -32601 }, unsent: false });
    expect(peer.messages).toEqual([]);
  });

  it('delivers what came before anybody listened', async () => {
    const { url } = await serve(createEverything());
    const channel = await connector(url).open();
    onTestFinished(() => channel.close());
    channel.send({ jsonrpc: '2.0', id: 1, ...modernly(call('echo', { text: 'x' })) }, modern);
    await eventually(() => channel.trace?.().lastLine?.includes('"x"'));
    const ids: unknown[] = [];
    channel.receive((message) => ids.push((message as { id: unknown }).id));
    expect(ids).toEqual([1]);
  });

  it('refuses to send once it is closed', async () => {
    const { url } = await serve(createEverything());
    const peer = await Peer.open(connector(url));
    await peer.channel.close();
    expect(await peer.fails()).toMatchObject({ kind: 'network', unsent: true });
  });
});
