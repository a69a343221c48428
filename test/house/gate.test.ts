// The gate leaves nothing out: each test file runs in one project, and what only `npm run test:all` runs is listed.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leftOut } from '../../scripts/left-out.mjs';
import { longTests } from '../../scripts/long-tests.mjs';
import { paths, root } from './tree.ts';

const command = join(root, 'node_modules/vitest/vitest.mjs');
const { stdout } = spawnSync(process.execPath, [command, 'list', '--filesOnly', '--json'], { cwd: root, encoding: 'utf8' });
const listed: readonly { readonly file: string; readonly projectName: string }[] = JSON.parse(stdout);
const tests = paths('test').filter((path) => /\.test(?:-d)?\.ts$/.test(path));

it('each test file runs in one project', () => {
  const files = listed.map(({ file }) =>
    file
      .slice(root.length)
      .replace(/^[\\/]/, '')
      .replaceAll('\\', '/'),
  );
  expect(files.toSorted()).toEqual(tests.toSorted());
});

it('each entry of the list of long tests stands for tests that are there', () => {
  const found = (pattern: string): boolean => tests.some((path) => new RegExp(`^${asRegExp(pattern)}$`).test(path));
  expect(longTests.flatMap(({ files }) => files).filter((pattern) => !found(pattern))).toEqual([]);
});

it('tests that are left out are named, under the reason', () => {
  const texts: Readonly<Record<string, string>> = {
    'a.test.ts': "describe.skipIf(reference === undefined)('data', …); describe.skipIf(notRun('nginx'))('behind nginx', …);",
    'b.test.ts': "it.runIf(process.platform === 'win32')('there', …);",
    'c.test.ts': "it.skipIf(notRun('sbcl'))('in Lisp', …);",
  };
  const testResults = Object.keys(texts).map((name) => ({
    name,
    assertionResults: [
      { fullName: `${name} runs`, status: 'passed' },
      { fullName: `${name} does not`, status: 'skipped' },
    ],
  }));
  const found = leftOut(
    { testResults },
    (file) => texts[file] ?? '',
    (component) => component !== 'nginx',
  );
  expect(found).toEqual([
    { reason: 'VIVARIUM_REFERENCE is not set', tests: [{ file: 'a.test.ts', name: 'a.test.ts does not' }] },
    { reason: 'a condition in the test does not hold here', tests: [{ file: 'b.test.ts', name: 'b.test.ts does not' }] },
    { reason: 'sbcl is not installed', tests: [{ file: 'c.test.ts', name: 'c.test.ts does not' }] },
  ]);
});

function asRegExp(pattern: string): string {
  return pattern.replaceAll('.', '\\.').replaceAll('**', '\0').replaceAll('*', '[^/]*').replaceAll('\0', '.*');
}
