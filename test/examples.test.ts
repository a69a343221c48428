import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { notRun } from '../scripts/prepare.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const without = (name: string): boolean => name.includes('lisp') && notRun('sbcl');
const examples = readdirSync(`${root}examples`).filter((name) => name.endsWith('.ts') && !without(name));

describe('every example', () => {
  it('is found', () => {
    expect(examples).toContain('ten-lines.ts');
  });

  it.each(examples)('%s runs on the built package and finds its outcome as asserted', (name) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', `examples/${name}`], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).not.toBe('');
  });
});
