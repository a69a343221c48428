// Where files lie: few enough in a folder to be seen at once, and each test under the name of what it tests.
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { paths } from './tree.ts';

const maxFiles = 30;

/** Tests of more than one source: by subject. */
const bySubject = /^test\/(?:house|peers|conformance|threats|types|matrix|wire|requirements|examples\.test\.ts$)|\/mutants\//;

describe('a folder of src', () => {
  it(`holds at most ${maxFiles} files`, () => {
    const count = new Map<string, number>();
    for (const path of paths('src').filter((one) => one.endsWith('.ts'))) count.set(dirname(path), (count.get(dirname(path)) ?? 0) + 1);
    expect([...count].filter(([, files]) => files > maxFiles)).toEqual([]);
  });
});

describe('a test', () => {
  const complaints = (tests: readonly string[], sources: ReadonlySet<string>): string[] =>
    tests.filter((path) => !bySubject.test(path) && !namesOf(path).some((source) => sources.has(source)));

  it('is named after its source, or lies in a folder of that name', () => {
    const tests = paths('test').filter((path) => path.endsWith('.test.ts'));
    expect(complaints(tests, new Set(paths('src')))).toEqual([]);
  });

  it.each([
    ['test/serve/http.test.ts', []],
    ['test/serve/http/limits.test.ts', []],
    ['test/serve/http-limits.test.ts', ['test/serve/http-limits.test.ts']],
    ['test/threats/other-user/planted-files.test.ts', []],
  ] as const)('%s of src/serve/http.ts is judged', (path, expected) => {
    expect(complaints([path], new Set(['src/serve/http.ts']))).toEqual(expected);
  });
});

/** test/serve/http/limits.test.ts may be named after src/serve/http/limits.ts or src/serve/http.ts. */
function namesOf(path: string): string[] {
  const source = path.replace(/^test\//, 'src/').replace(/\.test\.ts$/, '.ts');
  return [source, `${dirname(source)}.ts`];
}
