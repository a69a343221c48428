import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { vivarium } from '../vivarium.ts';

describe('vivarium --completion', () => {
  it('lets bash complete commands, flags, and what stands behind --', async () => {
    const { stdout: script } = await vivarium(['--completion', 'bash']);
    const complete = (...words: string[]): string[] => {
      const line = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vivarium; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', line, 'bash', ...words], { encoding: 'utf8' })
        .split('\n')
        .filter((word) => word !== '');
    };
    expect(complete('vivarium', 'do')).toEqual(['doctor']);
    expect(complete('vivarium', 'call', '--tok')).toEqual(['--token', '--token-env']);
    expect(complete('vivarium', 'list', '--', 'package-l')).toContain('package-lock.json');
    expect(complete('vivarium', '--co')).toEqual(['--completion']);
    const folder = mkdtempSync(join(tmpdir(), 'vivarium-completion-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'two words.js'), '');
    expect(complete('vivarium', 'serve', join(folder, 'two'))).toEqual([join(folder, 'two words.js')]);
  });

  it.each(['zsh', 'fish'])('knows every command and flag for %s', async (shell) => {
    const { stdout } = await vivarium(['--completion', shell]);
    for (const word of ['serve', 'doctor', 'watch', 'token-env', 'no-check']) expect(stdout).toContain(word);
  });

  it('tells zsh of each flag in the three parts that it reads', async () => {
    const { stdout } = await vivarium(['--completion', 'zsh']);
    const flags = stdout.split('\n').filter((line) => line.startsWith("      '") && line.includes('--'));
    expect(flags.length).toBeGreaterThan(100);
    // --name[help], and for a value :what it is:how it is completed
    const wellFormed = /^ {6}'\*?--[\w-]+\[[^[\]:]+\](?::[^:"[\]]+:(?:_files| ))?'(?: \\)?$/;
    expect(flags.filter((line) => !wellFormed.test(line))).toEqual([]);
  });

  it('refuses a shell it does not know', async () => {
    expect(await vivarium(['--completion', 'cmd'])).toMatchObject({ code: 2, stderr: expect.stringContaining('bash, zsh or fish') });
  });
});
