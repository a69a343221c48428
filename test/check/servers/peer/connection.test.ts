import { describe, expect, it } from 'vitest';
import { type Report, runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { pipeTarget } from '../../pipe-target.ts';

/** A server whose answers have other ids than its requests. */
async function judged(rename: (id: unknown) => unknown): Promise<Report> {
  const create = (): Server => {
    const server = new Server({ name: 'ids', version: '1.0.0' });
    server.tool('look', { description: 'Looks' }, () => 'seen');
    return server;
  };
  const out = (line: string): string => {
    const message = JSON.parse(line) as { id?: unknown; method?: string };
    return JSON.stringify(message.method === undefined ? { ...message, id: rename(message.id) } : message);
  };
  // Whoever waits for an answer under another id waits longer than the test may take.
  return runCheck(
    pipeTarget(create, () => ({ out })),
    {
      revision: '2025-11-25',
      timeout: 150_000,
      startTimeout: 150_000,
      only: ['jsonrpc/response', 'jsonrpc/request/answered', 'tools/list'],
    },
  );
}

describe('a server that answers under', () => {
  it('ids of another type is judged, and each of them is named', async () => {
    const { runs } = await judged((id) => (typeof id === 'number' ? String(id) : id));
    const failed = runs.flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'failed'));
    expect(failed.map(({ id }) => id)).toEqual(['jsonrpc/response/id']);
    expect(failed[0]?.message).toBe('asked under 1, answered under "1"');
    expect(runs[0]?.outcomes.find(({ id }) => id === 'tools/list/shape')?.verdict).toBe('passed');
  });

  it.each([
    ['null', null],
    ['the id of no request', 'x'],
  ])('%s is refused at once, with that id', async (_, id) => {
    const { problem } = await judged(() => id);
    expect(problem?.message).toContain(`it answers under the id ${JSON.stringify(id)}, and was asked under 1`);
  });
});
