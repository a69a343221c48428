// A failure that no call can answer for costs neither the process nor the connection, and its author hears of it.
import { describe, expect, it } from 'vitest';
import { Child, onEachNode } from '../child.ts';

const strays = {
  'stray/reject': 'reported background: a stray reject',
  'stray/string': 'reported background: a stray string',
  'stray/undefined': 'reported background: undefined',
  'stray/timer': 'reported background: a stray timer',
  'stray/tick': 'reported background: a stray tick',
  'stray/emitter': 'reported background: a stray emitter',
  'stray/spawn': 'reported background: spawn /nowhere/at/all ENOENT',
};

onEachNode(
  (node) => {
    describe('what a tool leaves behind', () => {
      it.each(Object.entries(strays))(
        'is reported when it fails, and the process lives on: %s',
        { timeout: 120_000 },
        async (tool, report) => {
          const child = new Child('porch.mjs', { node });
          expect(await child.call(tool)).toBe('left behind');
          await child.complained(`${report}\n`);
          expect(Number(await child.call('pid'))).toBe(child.pid);
          expect(await child.end()).toMatchObject({ code: 0 });
          expect(child.stderr).toBe(`${report}\nclosed\n`);
        },
      );

      it('is reported on stderr, on one line, where there is no onError', async () => {
        const child = new Child('porch.mjs', { node, settings: { onError: false } });
        await child.call('stray/timer');
        await child.complained('vivarium: background: Error: a stray timer');
        expect(await child.end()).toMatchObject({ code: 0 });
        expect(child.stderr).toMatch(/^vivarium: background: Error: a stray timer \|.*\nclosed\n$/);
      });

      it('is reported every time', async () => {
        const child = new Child('porch.mjs', { node });
        for (let time = 1; time <= 20; time++) {
          await child.call('stray/reject');
          await child.call('stray/timer');
        }
        await child.call('stray/tick');
        await child.complained('a stray tick');
        expect(await child.end()).toMatchObject({ code: 0 });
        expect(child.stderr.split('a stray reject')).toHaveLength(21);
        expect(child.lines).toHaveLength(41);
      });
    });

    describe('a handler', () => {
      it.each([
        ['a string', 'throw/string', 'reported tools/call: thrown as a string'],
        ['undefined', 'throw/undefined', 'reported tools/call: undefined'],
      ])('that throws %s is answered once', async (_what, tool, report) => {
        const child = new Child('porch.mjs', { node });
        const { result } = await child.request('tools/call', { name: tool });
        expect(result.isError).toBe(true);
        expect(Number(await child.call('pid'))).toBe(child.pid);
        expect(await child.end()).toMatchObject({ code: 0 });
        expect(child.lines).toHaveLength(2);
        expect(child.stderr).toBe(`${report}\nclosed\n`);
      });

      it('that throws after it was cancelled is not answered', async () => {
        const child = new Child('porch.mjs', { node });
        const requestId = child.start('tools/call', { name: 'throw/cancelled' });
        await child.call('pid');
        await child.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })}\n`);
        await child.complained('throwing after cancel');
        expect(Number(await child.call('pid'))).toBe(child.pid);
        expect(await child.end()).toMatchObject({ code: 0 });
        expect(child.lines).toHaveLength(2);
        expect(child.stderr).toBe('throwing after cancel\nclosed\n');
      });

      it('that never settles keeps no one waiting', async () => {
        const child = new Child('porch.mjs', { node, settings: { shutdownMs: 0 } });
        child.start('tools/call', { name: 'never' });
        for (let time = 1; time <= 10; time++) expect(Number(await child.call('pid'))).toBe(child.pid);
        expect(await child.end()).toMatchObject({ code: 0 });
        expect(child.lines).toHaveLength(10);
      });
    });
  },
  { concurrent: true },
);
