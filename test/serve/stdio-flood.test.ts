// More than a server can answer or a client can read at once.
import { describe, expect, it } from 'vitest';
import { Child, onEachNode, readProc, request } from './child.ts';

const total = 100_000;
const maxMegabytes = 200;

/** Settles when the process has no more to do for now: its use of the processor has stopped growing. */
async function idle(pid: number): Promise<void> {
  if (process.platform !== 'linux') return;
  let calm = 0;
  let before = '';
  while (calm < 5) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const now = readProc(pid, 'stat').split(' ').slice(13, 15).join(' ');
    calm = now === before ? calm + 1 : 0;
    before = now;
  }
}

function peakMegabytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readProc(pid, 'status'))?.[1]) / 1024;
}

/** Writes everything at once, reads only when the server can do no more, and gives the ids of the answers as they came. */
async function flood(node: string, prologue: string, line: (id: number) => string): Promise<unknown[]> {
  const child = new Child('stdio.mjs', { node, unread: true });
  const written = child.write(prologue + Array.from({ length: total }, (_, id) => `${line(id)}\n`).join(''));
  await idle(child.pid);
  child.read();
  await written;
  await child.answer(total - 1);
  if (process.platform === 'linux') expect(peakMegabytes(child.pid)).toBeLessThan(maxMegabytes);
  expect(await child.end()).toMatchObject({ code: 0 });
  expect(child.stderr).toBe('');
  return child.lines.map((one) => JSON.parse(one).id);
}

const everyId = Array.from({ length: total }, (_, id) => id);
const handshake = [
  {
    jsonrpc: '2.0',
    id: 'first',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'flood', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
];
const prologue = handshake.map((message) => `${JSON.stringify(message)}\n`).join('');

onEachNode((node) => {
  describe('100,000 requests that are written before an answer is read', () => {
    it('are pings, each answered once and in order', async () => {
      expect(await flood(node, '', (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`)).toEqual(everyId);
    });

    it('are calls of a legacy client, each answered once and in order', async () => {
      const line = (id: number) =>
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"add","arguments":{"a":${id},"b":1}}}`;
      expect(await flood(node, prologue, line)).toEqual(['first', ...everyId]);
    });

    it('are calls of a modern client, each answered once and in order', async () => {
      expect(await flood(node, '', (id) => request(id, 'tools/call', { name: 'echo', arguments: { text: `${id}` } }))).toEqual(everyId);
    });

    it('are calls that take time, each answered once', async () => {
      const line = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"wait","arguments":{"ms":0}}}`;
      const ids = await flood(node, prologue, line);
      expect(ids).toHaveLength(total + 1);
      expect(new Set(ids).size).toBe(total + 1);
    });
  });

  describe('as many calls as may run at once, none of which ends,', () => {
    const fill = async (child: Child): Promise<number[]> => {
      await child.call('interval');
      const ids = Array.from({ length: 1_024 }, () => child.start('tools/call', { name: 'hold' }));
      await idle(child.pid);
      return ids;
    };

    it('can be cancelled, and then others run', async () => {
      const child = new Child('porch.mjs', { node, settings: { shutdownMs: 0 } });
      const [first] = await fill(child);
      await child.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: first } })}\n`);
      await child.complained('aborted: ERR_CANCELLED');
      expect(Number(await child.call('pid'))).toBe(child.pid);
      await child.end();
    }, 10_000);

    it('do not hide the end of stdin behind what follows them', async () => {
      const child = new Child('porch.mjs', { node, settings: { shutdownMs: 0 } });
      await fill(child);
      await child.write('{"jsonrpc":"2.0","id":"next","method":"ping"}\n');
      await idle(child.pid);
      expect(await child.end()).toMatchObject({ code: 0 });
    }, 10_000);
  });
});
