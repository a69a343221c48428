import { expect, it } from 'vitest';
import { runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { pipeTarget } from '../../pipe-target.ts';

it.each([
  ['an unknown version', '1999-01-01', '2025-11-25', 'lifecycle/version/other'],
  ['a handshake that it does not need', '"initialize"', '2026-07-28', 'versioning/initialize-refused'],
] as const)('a server has as long to start for %s as for any first answer', { timeout: 60_000 }, async (_, ignored, revision, id) => {
  const target = pipeTarget(
    () => new Server({ name: 'slow', version: '1.0.0' }),
    () => ({ in: (line) => (line.includes(ignored) ? undefined : line) }),
  );
  const { runs } = await runCheck(target, { revision, startTimeout: 4_321, only: [id] });
  expect(runs[0]?.outcomes.find((one) => one.id === id)?.message).toContain('no answer within 4321 ms');
});
