// Every feature the official clients speak, to be driven at every revision they speak, over every transport.
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import { metaKeys } from 'vivarium/protocol';
import { type AnyClient, answers, type Peer } from './clients.ts';

const since = (revision: Revision, first: Revision) => revisions.indexOf(revision) >= revisions.indexOf(first);

const words = (result: AnyClient) => result.content.map((block: { text: string }) => block.text).join();

export function driveFeatures(title: string, revision: Revision, connect: (revision: Revision) => Promise<Peer>): void {
  describe(`${title} at ${revision}`, () => {
    const modern = revision === '2026-07-28';
    let peer: Peer;
    let client: AnyClient;
    const methods = () => peer.heard.splice(0).map(({ method }) => method.replace('notifications/', ''));

    beforeAll(async () => {
      peer = await connect(revision);
      client = peer.client;
    });
    afterAll(async () => {
      await peer.close();
      // Progress that was on its way when a call was given up, or answered: the client complains, and nobody did wrong.
      const crossed = ({ message }: Error): boolean => message.includes('progress notification for an unknown token');
      expect(peer.errors.filter((error) => !crossed(error))).toEqual([]);
    });

    it('lists and reads resources, as text and as bytes', async () => {
      const { resources } = await client.listResources();
      const uris = resources.map((one: { uri: string }) => one.uri);
      expect(uris).toEqual(['index', 'logo', 'signed', 'of/ant', 'of/bee', 'of/beetle'].map((path) => `note:///${path}`));
      const read = async (uri: string) => (await client.readResource({ uri })).contents;
      expect(await read('note:///index')).toEqual([{ uri: 'note:///index', mimeType: 'text/plain', text: 'ant,bee,beetle' }]);
      expect(await read('note:///logo')).toEqual([{ uri: 'note:///logo', mimeType: 'image/png', blob: 'AQID' }]);
      expect(await read('note:///of/bee')).toMatchObject([{ text: 'about bee' }]);
      // The newer client gives both codes of this error the same name.
      const code = client instanceof ClientV1 ? -32002 : -32602;
      await expect(read('note:///of/cow')).rejects.toMatchObject({ code, data: { uri: 'note:///of/cow' } });
    });

    it('lists templates and completes their variables', async () => {
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates).toMatchObject([{ uriTemplate: 'note:///of/{id}', name: 'note' }]);
      const ref = { type: 'ref/resource', uri: 'note:///of/{id}' };
      const { completion } = await client.complete({ ref, argument: { name: 'id', value: 'be' } });
      expect(completion).toEqual({ values: ['bee', 'beetle'], total: 2, hasMore: false });
    });

    it('lists, fills in and completes prompts', async () => {
      const { prompts } = await client.listPrompts();
      expect(prompts[0].arguments).toMatchObject([
        { name: 'code', required: true },
        { name: 'language', required: false },
      ]);
      const { messages } = await client.getPrompt({ name: 'review', arguments: { code: 'x', language: 'ts' } });
      expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Review x in ts' } }]);
      await expect(client.getPrompt({ name: 'review', arguments: {} })).rejects.toMatchObject({ code: -32602 });
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'review' },
        argument: { name: 'language', value: 't' },
        context: { arguments: { code: 'teal' } },
      });
      expect(completion.values).toEqual(['ts', 'tsx', 'teal']);
    });

    it('hears what is logged at the level it asked for', async () => {
      const heard = async (level: string) => {
        if (!modern) await client.setLoggingLevel(level);
        await peer.call('log', {}, {}, modern ? { [metaKeys.logLevel]: level } : {});
        return peer.heard.splice(0).map(({ params }) => params?.['level']);
      };
      expect(await heard('error')).toEqual(['error', 'critical', 'alert', 'emergency']);
      expect(await heard('debug')).toHaveLength(8);
      expect(await heard('emergency')).toEqual(['emergency']);
      if (modern) {
        await peer.call('log');
        expect(peer.heard).toEqual([]);
      }
    });

    it('is kept patient by a heartbeat', async () => {
      const beats: number[] = [];
      const onprogress = ({ progress }: { progress: number }) => {
        beats.push(progress);
        if (beats.length === 3) void peer.call('beaten');
      };
      expect(words(await peer.call('beat', {}, { onprogress }))).toBe('beaten');
      expect(beats.length).toBeGreaterThanOrEqual(3);
      expect([...beats].sort((a, b) => a - b)).toEqual(beats);
      // A beat that comes together with the answer is read after it, and then belongs to nothing (typescript-sdk issue 2580).
      const late = peer.errors.findIndex(({ message }) => message.includes('progress notification for an unknown token'));
      if (late !== -1) peer.errors.splice(late, 1);
    });

    it('is asked for a completion by its model, and for its roots', async () => {
      peer.asked.length = 0;
      expect(words(await peer.call('model'))).toBe('hi');
      expect(words(await peer.call('roots'))).toBe('file:///home,file:///tmp');
      expect(peer.asked).toEqual(['sampling/createMessage', 'roots/list']);
    });

    if (since(revision, '2025-06-18')) {
      it('is asked to fill in a form, by a tool, a prompt and a resource', async () => {
        peer.asked.length = 0;
        expect(words(await peer.call('form'))).toBe('{"action":"accept","content":{"name":"Ada","age":36}}');
        const { messages } = await client.getPrompt({ name: 'letter' });
        expect(messages[0].content.text).toBe('Dear Ada');
        expect((await client.readResource({ uri: 'note:///signed' })).contents[0].text).toBe('signed Ada');
        expect(peer.asked).toEqual(Array(3).fill('elicitation/create'));
      });

      it('can decline', async () => {
        const before = answers['elicitation/create'] as object;
        answers['elicitation/create'] = { action: 'decline' };
        expect(words(await peer.call('form'))).toBe('{"action":"decline"}');
        answers['elicitation/create'] = before;
      });

      it('is asked in several rounds, and what is done once is done once', async () => {
        peer.asked.length = 0;
        expect(words(await peer.call('rounds'))).toBe('once accept hi 2');
        expect(peer.asked.sort()).toEqual(['elicitation/create', 'roots/list', 'sampling/createMessage']);
      });
    } else {
      it('is not asked to fill in a form, which its revision has not', async () => {
        peer.asked.length = 0;
        expect(await peer.call('form')).toMatchObject({ isError: true });
        expect(peer.asked).toEqual([]);
      });
    }

    if (since(revision, '2025-11-25')) {
      it('is sent to a URL', async () => {
        const before = answers['elicitation/create'] as object;
        answers['elicitation/create'] = { action: 'accept' };
        expect(words(await peer.call('url'))).toBe('accept');
        answers['elicitation/create'] = before;
        expect(methods()).toEqual(modern ? [] : ['elicitation/complete']);
      });
    }

    // In 2026-07-28 changes come only through a subscription: features-listening.ts.
    if (!modern) {
      it('hears of changes of lists, and of the resources it subscribed to', async () => {
        await client.subscribeResource({ uri: 'note:///index' });
        await peer.call('touch', { uri: 'note:///logo' });
        await peer.call('touch', { uri: 'note:///index' });
        await peer.call('grow', { name: 'one' });
        await vi.waitFor(() => expect(peer.heard).toHaveLength(4), 60_000);
        expect(methods()).toEqual(['resources/updated', 'tools/list_changed', 'resources/list_changed', 'prompts/list_changed']);
        await client.unsubscribeResource({ uri: 'note:///index' });
        await peer.call('touch', { uri: 'note:///index' });
        await client.ping();
        expect(peer.heard).toEqual([]);
      });
    }
  });
}
