// What every official client is asked to do with our server, and what it has to see at each revision.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Revision, revisions } from 'vivarium';
import type { ServerOptions } from 'vivarium/server';

export interface CallOptions {
  readonly onprogress?: (progress: object) => void;
  readonly signal?: AbortSignal;
}

/** The part of an official client that is used here, as both of them have it. */
export interface Peer {
  readonly negotiated: () => string | undefined;
  /** Names of the methods it has sent. */
  readonly sent: readonly string[];
  /** Structured values it has checked against the schema of their tool, and found valid. */
  readonly validated: readonly unknown[];
  readonly errors: readonly Error[];
  listTools(): Promise<{ readonly name: string; readonly outputSchema?: object | undefined }[]>;
  // biome-ignore lint/suspicious/noExplicitAny: each client has types of its own
  callTool(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<any>;
  onListChanged(listener: () => void): void;
  /** Leaves; settles when the server has ended, with 0 when it did so in peace. */
  close(): Promise<number | null>;
}

/** Begins a server of its own, with these options. */
export type Connect = (options: Partial<ServerOptions>) => Promise<Peer>;

const fixture = fileURLToPath(new URL('../fixtures/peer.mjs', import.meta.url));

export function commandFor(options: Partial<ServerOptions>): { command: string; args: string[]; stderr: 'inherit' } {
  return { command: process.execPath, args: [fixture, JSON.stringify(options)], stderr: 'inherit' };
}
const since = (revision: Revision, first: Revision) => revisions.indexOf(revision) >= revisions.indexOf(first);

const tools = ['echo', 'add', 'any', 'sum', 'names', 'picture', 'sound', 'link', 'fail', 'refuse', 'wait', 'deaf', 'steps'];
const ours = ['hold', 'paced', 'next', 'aborts', 'revision', 'grow'];

/** The contents of what each tool gives back. */
function contents(revision: Revision): readonly (readonly [tool: string, args: Record<string, unknown>, content: readonly object[]])[] {
  const text = (value: string) => ({ type: 'text', text: value });
  const sound = since(revision, '2025-03-26')
    ? { type: 'audio', data: 'AQID', mimeType: 'audio/wav' }
    : { type: 'resource', resource: { uri: 'audio:result', mimeType: 'audio/wav', blob: 'AQID' } };
  return [
    ['echo', { text: 'héllo 🦎' }, [text('héllo 🦎')]],
    ['add', { a: 1, b: 2 }, [text('3')]],
    ['sum', { of: [1, 2, 3] }, [text('{"sum":6}')]],
    ['names', {}, [text('["ada","bob"]'), text('two')]],
    ['picture', {}, [text('a picture'), { type: 'image', data: 'AQID', mimeType: 'image/png' }]],
    ['sound', {}, [sound]],
    ['link', {}, [since(revision, '2025-06-18') ? { type: 'resource_link', uri: 'note:///a', name: 'a' } : text('a: note:///a')]],
  ];
}

export function drive(name: string, revision: Revision, connect: Connect): void {
  describe(`${name} at ${revision}`, () => {
    let peer: Peer;
    const modern = revision === '2026-07-28';

    beforeAll(async () => {
      peer = await connect({});
    });
    afterAll(async () => void (await peer.close()));

    it('negotiates that revision', async () => {
      expect(peer.negotiated()).toBe(revision);
      expect((await peer.callTool('revision')).content).toEqual([{ type: 'text', text: `${revision} peer` }]);
      // Over stdio the modern client finds out on another process, which it begins for that.
      expect(peer.sent[0]).toMatch(modern ? /^(tools\/call|server\/discover)$/ : /^initialize$/);
    });

    it('lists all tools, with output schemas where the revision has them', async () => {
      const listed = await peer.listTools();
      expect(listed.map((tool) => tool.name)).toEqual([...tools, ...ours]);
      const withOutput = listed.filter((tool) => tool.outputSchema !== undefined).map((tool) => tool.name);
      expect(withOutput).toEqual(since(revision, '2025-06-18') ? ['sum', 'names'] : []);
    });

    it('lists all tools when they come in pages', async () => {
      const other = await connect({ pageSize: 5 });
      expect((await other.listTools()).map((tool) => tool.name)).toEqual([...tools, ...ours]);
      expect(other.sent.filter((method) => method === 'tools/list')).toHaveLength(4);
      await other.close();
    });

    it.each(contents(revision))('calls %s', async (tool, args, content) => {
      const result = await peer.callTool(tool, args);
      expect(result.content).toEqual(content);
      expect(result.isError ?? false).toBe(false);
    });

    it('checks structured output against the schema', async () => {
      await peer.listTools();
      const before = peer.validated.length;
      const sum = await peer.callTool('sum', { of: [4, 5] });
      const names = await peer.callTool('names');
      const list = ['ada', 'bob'];
      const expected = since(revision, '2025-06-18') ? [{ sum: 9 }, modern ? list : { result: list }] : [undefined, undefined];
      expect([sum.structuredContent, names.structuredContent]).toEqual(expected);
      expect(peer.validated.slice(before)).toEqual(expected.filter((value) => value !== undefined));
    });

    it.each([
      ['fail', 'it broke'],
      ['refuse', 'not today'],
    ])('sees what %s says as a result', async (tool, text) => {
      expect(await peer.callTool(tool)).toMatchObject({ isError: true, content: [{ type: 'text', text }] });
    });

    it('sees bad arguments as a result', async () => {
      expect(await peer.callTool('echo', { text: 5 })).toMatchObject({ isError: true });
    });

    it('sees an unknown tool as an error', async () => {
      await expect(peer.callTool('unheard-of')).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('Unknown tool') });
    });

    it('hears of progress', async () => {
      const heard: object[] = [];
      const onprogress = (progress: object) => {
        heard.push(progress);
        void peer.callTool('next');
      };
      expect((await peer.callTool('paced', {}, { onprogress })).content).toEqual([{ type: 'text', text: 'done' }]);
      const message = (step: number) => (since(revision, '2025-03-26') ? { message: `step ${step}` } : {});
      expect(heard).toEqual([1, 2, 3].map((step) => ({ progress: step, total: 3, ...message(step) })));
    });

    it('cancels a call, and the handler is told', async () => {
      const controller = new AbortController();
      const held = peer.callTool('hold', {}, { signal: controller.signal, onprogress: () => controller.abort(new Error('enough')) });
      await expect(held).rejects.toThrow('enough');
      // Going away, as 2026-07-28 cancels over HTTP, is no message, and has no place in the order of messages.
      await vi.waitFor(
        async () => expect((await peer.callTool('aborts')).content).toEqual([{ type: 'text', text: 'ERR_CANCELLED' }]),
        20_000,
      );
    });

    // In 2026-07-28 changes come only through a subscription.
    if (!modern) {
      it('hears of a changed list', async () => {
        const changed = new Promise<void>((resolve) => peer.onListChanged(resolve));
        await peer.callTool('grow');
        await changed;
        expect((await peer.listTools()).at(-1)?.name).toBe('grown');
        expect((await peer.callTool('grown')).content).toEqual([{ type: 'text', text: 'grown up' }]);
      });
    }

    it('closes, and the server ends', async () => {
      expect(await peer.close()).toBe(0);
      expect(peer.errors).toEqual([]);
    });
  });
}
