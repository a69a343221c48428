import { describe, expect, it } from 'vitest';
import { type Report, runCheck } from 'vivarium/check';
import type { Revision } from 'vivarium/protocol';
import { Server } from 'vivarium/server';
import { pipeTarget } from '../pipe-target.ts';

/** A server with a resource that does not know these methods. */
function judged(unknown: readonly string[], revision: Revision): Promise<Report> {
  const create = (): Server => {
    const server = new Server({ name: 'lists', version: '1.0.0' });
    server.resource('lists:///one', { name: 'one', mimeType: 'text/plain' }, () => 'one');
    return server;
  };
  const meddling = () => ({
    in(line: string): string {
      const message = JSON.parse(line) as { method?: string };
      return unknown.includes(message.method ?? '') ? line.replace(`"${message.method}"`, '"vivarium/unknown"') : line;
    },
  });
  return runCheck(pipeTarget(create, meddling), { revision, only: ['resources/list', 'quality/lists'] });
}

const failed = ({ runs }: Report): string[] =>
  runs.flatMap(({ outcomes }) => outcomes.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id));
const advised = ({ quality }: Report): string[] => (quality?.advice ?? []).map(({ id, about }) => `${id}: ${about}`);

describe('a server that declares resources and does not know', () => {
  it.each(['resources/list', 'resources/templates/list'])('%s breaks nothing in 2025-11-25, and gets advice', async (method) => {
    const report = await judged([method], '2025-11-25');
    expect(failed(report)).toEqual([]);
    expect(advised(report)).toEqual([`quality/lists/unanswered: ${method}`]);
    expect(report.quality?.advice[0]?.message).toContain('is answered with the error -32601');
  });

  it('resources/list breaks what 2026-07-28 demands', async () => {
    const report = await judged(['resources/list'], '2026-07-28');
    expect(failed(report)).toEqual(['resources/list/answered']);
    expect(advised(report)).toEqual([]);
  });

  it('resources/templates/list gets advice in 2026-07-28, too', async () => {
    const report = await judged(['resources/templates/list'], '2026-07-28');
    expect(failed(report)).toEqual([]);
    expect(advised(report)).toEqual(['quality/lists/unanswered: resources/templates/list']);
  });

  it('nothing of that gets none', async () => {
    expect(advised(await judged([], '2025-11-25'))).toEqual([]);
  });
});
