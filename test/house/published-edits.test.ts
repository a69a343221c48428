// The packages that prove reload: both versions of each are pinned, and fetched once, whole or not at all.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publishedNames, publishedVersions } from '../../scripts/published-edits.mjs';
import { root } from './tree.ts';

const read = (name: string): string => readFileSync(join(root, 'test/live/languages/javascript/reload/published', name), 'utf8');

it('each published edit is pinned in two versions, and its lock names no host', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  expect(Object.values(dependencies).filter((version) => !/^npm:.+@\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(Object.keys(dependencies)).toHaveLength(publishedNames().length * 2);
  expect(publishedNames().filter((name) => publishedVersions(name)[0] === publishedVersions(name)[1])).toEqual([]);
  expect(read('package-lock.json')).not.toContain('"resolved"');
  expect(read('package-lock.json').match(/"integrity"/g)?.length).toBeGreaterThanOrEqual(publishedNames().length * 2);
});

describe('scripts/published-edits.mjs', () => {
  it.each([
    ['without CI', {}, 0, 'The tests that need it are not run.'],
    ['with CI set', { CI: 'true' }, 1, 'With CI set that is a failure.'],
  ])('says what went wrong, and leaves nothing behind: %s', (_, environment, status, outcome) => {
    const cache = mkdtempSync(join(tmpdir(), 'published-'));
    try {
      const npm = join(cache, 'npm.cjs');
      writeFileSync(npm, `console.error('npm error network'); process.exit(1);`);
      const { CI: _inherited, ...inherited } = process.env;
      const env = { ...inherited, XDG_CACHE_HOME: cache, npm_execpath: npm, ...environment };
      const ended = spawnSync(process.execPath, [join(root, 'scripts/published-edits.mjs')], { encoding: 'utf8', env });
      expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(`npm error network. ${outcome}`)]);
      expect(readdirSync(join(cache, 'vivarium'))).toEqual([]);
    } finally {
      rmSync(cache, { recursive: true });
    }
  });
});
