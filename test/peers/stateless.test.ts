// The official clients on a server that keeps no sessions: what needs none works in every revision, the rest is said not to be there.
import { StreamableHTTPClientTransport as StreamableV2 } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revisions } from 'vivarium';
import { type Peer, peerV1, peerV2 } from './clients.ts';
import { type Served, serveFixture, type Watch, watchFetch } from './served.ts';

const clients = { sdk: [StreamableHTTPClientTransport, peerV1], client: [StreamableV2, peerV2] } as const;

describe.each(Object.entries(clients))('@modelcontextprotocol/%s without sessions', (_, [Transport, connect]) => {
  describe.each(revisions.slice(0, 4))('at %s', (revision) => {
    let served: Served;
    let peer: Peer;
    let watch: Watch;

    beforeAll(async () => {
      served = await serveFixture('features', { endpoint: { sessions: false } });
      watch = watchFetch();
      const transport = new Transport(new URL(served.url), { fetch: watch.fetch });
      peer = await connect(revision, transport);
      expect(transport.sessionId).toBeUndefined();
    });
    afterAll(async () => {
      await peer.client.close();
      await served.end();
      expect(peer.errors).toEqual([]);
    });

    it('uses tools, resources, prompts and completion', async () => {
      const { client } = peer;
      expect((await client.listTools()).tools.length).toBeGreaterThan(5);
      expect((await client.listResources()).resources).toHaveLength(6);
      expect((await client.readResource({ uri: 'note:///of/bee' })).contents).toMatchObject([{ text: 'about bee' }]);
      const { messages } = await client.getPrompt({ name: 'review', arguments: { code: 'x' } });
      expect(messages[0].content.text).toBe('Review x in any');
      const ref = { type: 'ref/resource', uri: 'note:///of/{id}' };
      expect((await client.complete({ ref, argument: { name: 'id', value: 'a' } })).completion.values).toEqual(['ant']);
      await client.ping();
    });

    it('hears what a call says before its answer', async () => {
      await peer.call('log');
      expect(peer.heard.splice(0).map(({ params }) => params?.['level'])).toContain('error');
    });

    it('is told that it cannot be asked', async () => {
      expect(await peer.call('roots')).toMatchObject({ isError: true });
      expect(peer.asked).toEqual([]);
    });

    it('is promised nothing that it could not be told', () => {
      const { tools, prompts, resources } = peer.client.getServerCapabilities();
      for (const promise of [tools, prompts, resources]) {
        expect(promise).toBeDefined();
        expect([promise.listChanged ?? false, promise.subscribe ?? false]).toEqual([false, false]);
      }
    });

    it('is refused a stream of its own, without making a fuss', () => {
      expect(watch.fetched.filter(({ status }) => status >= 300)).toMatchObject([{ method: 'GET', status: 405 }]);
    });
  });
});
