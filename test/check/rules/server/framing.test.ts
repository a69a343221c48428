import { describe, expect, it } from 'vitest';
import { type Outcome, runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { type Meddling, pipeTarget } from '../../pipe-target.ts';

async function clean(meddling: Meddling): Promise<Outcome | undefined> {
  const target = pipeTarget(
    () => new Server({ name: 'lines', version: '1.0.0' }),
    () => meddling,
  );
  const { runs } = await runCheck(target, { revision: '2025-11-25', only: ['stdio', 'ping', 'jsonrpc/conformance'] });
  expect(runs[0]?.outcomes.find(({ id }) => id === 'jsonrpc/conformance')?.verdict).toBe('passed');
  return runs[0]?.outcomes.find(({ id }) => id === 'stdio/stdout-clean');
}

describe('standard output', () => {
  it.each([
    ['pino', { level: 30, time: 1_700_000_000_000, pid: 7, hostname: 'here', msg: 'listening' }],
    ['bunyan', { name: 'server', hostname: 'here', pid: 7, level: 30, msg: 'listening', time: '2026-01-02T03:04:05Z', v: 0 }],
    ['a logger of requests', { level: 'info', method: 'tools/list', message: 'asked' }],
    ['a logger of errors', { level: 50, error: { message: 'no network' }, msg: 'failed' }],
  ])('is polluted by JSON that is no message: %s', async (_, line) => {
    const outcome = await clean({ greeting: `${JSON.stringify(line)}\n` });
    expect(outcome).toMatchObject({ verdict: 'failed', message: expect.stringContaining('1 line on standard output') });
  });

  it.each([
    ['a request, which is not answered', { method: 'initialize', params: {} }, ['jsonrpc/version', 'stdio/stdout-clean']],
    ['an answer, which is taken for none', { error: { message: 'no network' } }, ['stdio/stdout-clean']],
  ])('is polluted by log lines that have the members of %s, and nothing else is held against the server', async (_, members, broken) => {
    const replies: string[] = [];
    const target = pipeTarget(
      () => new Server({ name: 'lines', version: '1.0.0' }),
      () => ({
        echo(line) {
          const { id, method } = /^\{"jsonrpc"/.test(line) ? JSON.parse(line) : {};
          if (id !== undefined && method === undefined) replies.push(line);
          return JSON.stringify({ level: 30, time: 1, id: id ?? 0, ...members, msg: 'asked' });
        },
      }),
    );
    const { runs } = await runCheck(target, { revision: '2025-11-25' });
    const failed = runs[0]?.outcomes.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);
    expect(failed?.sort()).toEqual(broken);
    expect(replies.filter((line) => line.includes('-32601'))).toEqual([]);
  });

  it('is polluted by such JSON in its last bytes, too', async () => {
    expect(await clean({ dying: '{"level":30,"msg":"bye"}' })).toMatchObject({ verdict: 'failed' });
  });

  it('is polluted by words in its last bytes, whoever ended the process', async () => {
    expect(await clean({ dying: 'shutting down' })).toMatchObject({ verdict: 'failed' });
  });

  it('is not polluted by a message that our own signal cut off', async () => {
    expect(await clean({ dying: '{"jsonrpc":"2.0","id":1,"res' })).toMatchObject({ verdict: 'passed' });
  });
});
