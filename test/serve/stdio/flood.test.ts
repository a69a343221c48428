// More than a server can answer or a client can read at once.
import { describe, expect, it } from 'vitest';
import { Child, onEachNode, readProc, request } from '../child.ts';

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

interface Flood {
  readonly ids: number[];
  readonly peak: number;
}

/** Writes everything at once, reads only when the server can do no more, and gives the ids of the answers as they came. */
async function flood(node: string, total: number, prologue: string, line: (id: number) => string): Promise<Flood> {
  const child = new Child('stdio.mjs', { node, unread: true });
  const written = child.write(prologue + Array.from({ length: total }, (_, id) => `${line(id)}\n`).join(''));
  await idle(child.pid);
  child.read();
  await Promise.all([written, child.answered(total)]);
  const peak = process.platform === 'linux' ? peakMegabytes(child.pid) : 0;
  expect(await child.end()).toMatchObject({ code: 0 });
  expect(child.stderr).toBe('');
  return { peak, ids: child.lines.map((one) => JSON.parse(one).id).filter((id) => typeof id === 'number') };
}

/** The first answers that are not where they belong; what an assertion on all of them would bury. */
function disorder(ids: readonly number[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < ids.length && found.length < 3; at++) {
    if (ids[at] !== (at === 0 ? 0 : (ids[at - 1] as number) + 1)) found.push(`${ids[at]} at ${at}`);
  }
  return found;
}

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
const call = (id: number, name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });

onEachNode((node) => {
  describe('requests that are written before an answer is read', () => {
    it('are 100,000 pings, each answered once and in order', async () => {
      const { ids, peak } = await flood(node, 100_000, '', (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      expect(disorder(ids)).toEqual([]);
      expect(ids).toHaveLength(100_000);
      expect(peak).toBeLessThan(maxMegabytes);
    });

    it('are 100,000 calls of a legacy client, each answered once and in order', async () => {
      const { ids, peak } = await flood(node, 100_000, prologue, (id) => call(id, 'add', { a: id, b: 1 }));
      expect(disorder(ids)).toEqual([]);
      expect(ids).toHaveLength(100_000);
      expect(peak).toBeLessThan(maxMegabytes);
    });

    it('are 20,000 calls of a modern client, each answered once and in order', async () => {
      const line = (id: number) => request(id, 'tools/call', { name: 'echo', arguments: { text: `${id}` } });
      const { ids, peak } = await flood(node, 20_000, '', line);
      expect(disorder(ids)).toEqual([]);
      expect(ids).toHaveLength(20_000);
      expect(peak).toBeLessThan(maxMegabytes);
    });

    it('are 20,000 calls that take time, each answered once', async () => {
      const { ids } = await flood(node, 20_000, prologue, (id) => call(id, 'wait', { ms: 0 }));
      expect(disorder(ids.sort((a, b) => a - b))).toEqual([]);
      expect(ids).toHaveLength(20_000);
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
    });

    it('do not hide the end of stdin behind what follows them', async () => {
      const child = new Child('porch.mjs', { node, settings: { shutdownMs: 0 } });
      await fill(child);
      await child.write('{"jsonrpc":"2.0","id":"next","method":"ping"}\n');
      await idle(child.pid);
      expect(await child.end()).toMatchObject({ code: 0 });
    });
  });
});
