import { expect, it } from 'vitest';
import { type Report, runCheck } from 'vivarium/check';
import type { Revision } from 'vivarium/protocol';
import { Server } from 'vivarium/server';
import { pipeTarget } from '../pipe-target.ts';

const create = (): Server => new Server({ name: 'ends', version: '1.0.0' });

const judged = (stays: boolean, revision: Revision): Promise<Report> =>
  runCheck(
    pipeTarget(create, () => ({ stays })),
    { revision, only: ['ping', 'stdio/exit-on-eof', 'quality'] },
  );

it('a process that stays after the end of its input gets advice in a revision that asks for nothing', async () => {
  const { quality, runs } = await judged(true, '2025-11-25');
  expect(quality?.advice).toMatchObject([
    { id: 'quality/process/stays', about: 'the process', message: expect.stringContaining('exit when') },
  ]);
  expect(runs[0]?.tally).toMatchObject({ failed: 0, warned: 0 });
});

it('one that ends with its input gets none', async () => {
  expect((await judged(false, '2025-11-25')).quality?.advice).toEqual([]);
});

it('where the revision recommends it, the verdict says so and the advice does not repeat it', async () => {
  const { quality, runs } = await judged(true, '2026-07-28');
  expect(runs[0]?.outcomes.filter(({ verdict }) => verdict === 'warned').map(({ id }) => id)).toEqual(['stdio/exit-on-eof']);
  expect(quality?.advice).toEqual([]);
});
