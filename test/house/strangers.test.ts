// The script that installs other people's clients and gateways: what it says where that fails, and when it is a failure.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from './tree.ts';

describe('scripts/strangers.mjs', () => {
  let cache: string;

  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'strangers-'));
  });

  afterEach(() => {
    rmSync(cache, { recursive: true });
  });

  /** With an npm that installs nothing and ends so. */
  function prepare(status: number, environment: Readonly<Record<string, string>>): { ready: boolean; said: string; kept: string[] } {
    const npm = join(cache, 'npm.cjs');
    writeFileSync(npm, `console.error('npm error network'); process.exit(${status});`);
    const { CI: _, ...inherited } = process.env;
    const env = { ...inherited, XDG_CACHE_HOME: cache, npm_execpath: npm, ...environment };
    const ended = spawnSync(process.execPath, [join(root, 'scripts/strangers.mjs')], { encoding: 'utf8', env });
    return { ready: ended.status === 0, said: ended.stderr, kept: readdirSync(join(cache, 'vivarium')) };
  }

  it('says what went wrong and that tests are not run, and leaves nothing behind', () => {
    const { ready, said, kept } = prepare(1, {});
    expect(ready).toBe(true);
    expect(said).toContain('attempt 1 of 1: npm error network');
    expect(said).toContain('not run');
    expect(kept).toEqual([]);
  });

  it('tries three times with CI set, and then fails', () => {
    const { ready, said, kept } = prepare(1, { CI: 'true' });
    expect(ready).toBe(false);
    expect(said).toContain('attempt 3 of 3');
    expect(kept).toEqual([]);
  });

  it('keeps what is installed under the hash of its lock', () => {
    const { ready, said, kept } = prepare(0, { CI: 'true' });
    expect([ready, said]).toEqual([true, '']);
    expect(kept).toEqual([expect.stringMatching(/^strangers-[0-9a-f]{16}$/)]);
    expect(readdirSync(join(cache, 'vivarium', kept[0] ?? '')).sort()).toEqual(['load.mjs', 'package-lock.json', 'package.json']);
  });
});

it('each stranger is pinned, and its lock names no host', () => {
  const read = (name: string): string => readFileSync(join(root, 'test/peers/strangers', name), 'utf8');
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  expect(Object.values(dependencies).filter((version) => !/^(?:npm:.+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(read('package-lock.json')).not.toContain('"resolved"');
});
