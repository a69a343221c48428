// Every revision through a real process, each message of the server judged by the schema of its revision.
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { revisions } from 'vivarium';
import { type ChildLink, openProcess } from '../../matrix/link.ts';
import { legacy } from '../../matrix/matrix.ts';
import { Child, onEachNode } from '../child.ts';

async function seeOff(link: ChildLink): Promise<void> {
  const exit = once(link.child, 'exit');
  await link.close();
  expect(await exit).toEqual([0, null]);
  expect(link.stderr()).toBe('');
}

onEachNode(
  (node) => {
    describe.each(revisions)('a process that is spoken to in %s', (revision) => {
      it('lists its tools and runs them', async () => {
        const link = await openProcess('stdio.mjs', { revision, node });
        const { result } = await link.request('tools/list');
        expect(result.tools).toHaveLength(13);
        for (const [name, args, text] of [
          ['echo', { text: '🦎' }, '🦎'],
          ['add', { a: 1, b: 2 }, '3'],
          ['sum', { of: [1, 2] }, '{"sum":3}'],
          ['names', {}, '["ada","bob"]'],
          ['picture', {}, 'a picture'],
          ['fail', {}, 'it broke'],
          ['refuse', {}, 'not today'],
        ] as const) {
          expect((await link.call(name, args)).result.content[0], name).toEqual({ type: 'text', text });
        }
        expect((await link.call('sound')).result.content).toHaveLength(1);
        expect((await link.call('link')).result.content).toHaveLength(1);
        expect((await link.call('unheard-of')).error?.code).toBe(-32602);
        await seeOff(link);
      });

      it('reports progress before the answer', async () => {
        const link = await openProcess('stdio.mjs', { revision, node });
        const id = link.start('tools/call', { name: 'steps', arguments: { steps: 3 } }, { progressToken: 'mine' });
        for (const progress of [1, 2, 3]) expect((await link.next()).params).toMatchObject({ progressToken: 'mine', progress, total: 3 });
        expect(await link.next()).toMatchObject({ id, result: { content: [{ type: 'text', text: 'stepped' }] } });
        await seeOff(link);
      });

      it('says nothing more of a call that was cancelled', async () => {
        const link = await openProcess('stdio.mjs', { revision, node });
        const requestId = link.start('tools/call', { name: 'wait', arguments: { ms: 60_000 } });
        link.notify('notifications/cancelled', { requestId, reason: 'enough' });
        expect(await link.rest()).toEqual([]);
        await seeOff(link);
      });
    });

    it('takes modern and legacy requests on one pipe', async () => {
      const child = new Child('stdio.mjs', { node });
      const add = (a: number) => child.request('tools/call', { name: 'add', arguments: { a, b: 1 } });
      const params = { protocolVersion: legacy[0], capabilities: {}, clientInfo: { name: 'both', version: '1' } };
      expect((await add(1)).result.resultType).toBe('complete');
      await child.write(`${JSON.stringify({ jsonrpc: '2.0', id: 98, method: 'initialize', params })}\n`);
      await child.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":99,"method":"ping"}\n');
      expect((await child.answer(98)).result.protocolVersion).toBe(legacy[0]);
      expect((await child.answer(99)).result).toEqual({});
      expect((await add(2)).result.resultType).toBe('complete');
      expect(await child.end()).toMatchObject({ code: 0 });
    });
  },
  { concurrent: true },
);
