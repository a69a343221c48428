import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { vivarium } from './vivarium.ts';

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
  });

  it.each(['zsh', 'fish'])('knows every command and flag for %s', async (shell) => {
    const { stdout } = await vivarium(['--completion', shell]);
    for (const word of ['serve', 'doctor', 'watch', 'token-env', 'no-check']) expect(stdout).toContain(word);
  });

  it('refuses a shell it does not know', async () => {
    expect(await vivarium(['--completion', 'cmd'])).toMatchObject({ code: 2, stderr: expect.stringContaining('bash, zsh or fish') });
  });
});
