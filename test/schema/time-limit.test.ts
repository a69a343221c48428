import { afterEach, expect, it, vi } from 'vitest';
import { bounded, isOverdue } from '../../src/schema/time-limit.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it('gives back what the work gives, and passes on what it throws', () => {
  const run = bounded();
  expect(run?.(() => 7, 1_000)).toBe(7);
  expect(() => run?.(() => JSON.parse('{'), 1_000)).toThrow(SyntaxError);
});

it.each<[string, () => unknown]>([
  [
    'a loop',
    () => {
      for (;;);
    },
  ],
  ['a search', () => /^(a+)+$/.test(`${'a'.repeat(100)}!`)],
  [
    'a run within a run',
    () =>
      bounded()?.(() => {
        for (;;);
      }, 100_000),
  ],
])('interrupts %s', (_name, work) => {
  let failure: unknown;
  try {
    bounded()?.(work, 50);
  } catch (error) {
    failure = error;
  }
  expect(isOverdue(failure)).toBe(true);
  expect(bounded()?.(() => 'still there', 1_000)).toBe('still there');
});

it.each<[string, unknown]>([
  ['there is no process', undefined],
  ['a process has no modules', {}],
  [
    'the module only throws',
    {
      getBuiltinModule: () => ({
        createContext: () => {
          throw new Error('not implemented');
        },
      }),
    },
  ],
  [
    'the limit is not heeded',
    {
      getBuiltinModule: () => ({
        createContext: (globals: object) => globals,
        Script: class {
          runInContext({ work }: { work: () => unknown }) {
            return work();
          }
        },
      }),
    },
  ],
])('is not there where %s', async (_name, process) => {
  vi.resetModules();
  const fresh = await import('../../src/schema/time-limit.ts');
  vi.stubGlobal('process', process);
  const found = fresh.bounded();
  vi.unstubAllGlobals();
  expect(found).toBeUndefined();
});
