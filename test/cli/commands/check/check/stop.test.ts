// What a run that is over leaves behind in its own process.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { checkCases } from '../../../../../src/cli/commands/check/cases.ts';
import { watchRun } from '../../../../../src/cli/commands/check/progress.ts';

vi.mock('../../../../../src/check/cases/suite.ts', () => ({
  generateSuite: () => Promise.reject(new Error('it broke')),
  runSuite: () => Promise.reject(new Error('it broke')),
}));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('has all the time it needs for its report once it was stopped and has ended', () => {
  vi.useFakeTimers();
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const watch = watchRun({ values: { quiet: true } } as never);
  process.listeners('SIGINT').at(-1)?.('SIGINT');
  watch.end();
  vi.advanceTimersByTime(60_000);
  expect([watch.isStopped, exit.mock.calls]).toEqual([true, []]);
});

it('hears no signals any more when making cases has failed', async () => {
  const before = process.listenerCount('SIGINT');
  const args = { values: { quiet: true, generate: join(tmpdir(), 'never-written.json') } } as never;
  const target = { kind: 'url', url: 'http://127.0.0.1:1/' } as const;
  await expect(checkCases(args, () => Promise.resolve([target]), {})).rejects.toThrow('it broke');
  expect(process.listenerCount('SIGINT')).toBe(before);
});
