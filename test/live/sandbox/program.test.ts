// What a program is found to need in a sandbox.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ownFiles, programOf } from '../../../src/live/sandbox/program.ts';

let root: string;
let project: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'program-')));
  project = join(root, 'project');
  mkdirSync(project);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

function script(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return file;
}

describe('a program', () => {
  it('is found by the path that images have', () => {
    symlinkSync('/bin/sh', join(root, 'tool'));
    const { command, reads } = programOf('tool', { cwd: project, env: { PATH: `relative:${root}` } });
    expect([command, reads]).toEqual([realpathSync('/bin/sh'), []]);
  });

  it('that is nowhere stays as it is: whoever starts it says so', () => {
    expect(programOf('no-such-program', { cwd: project, env: {} })).toEqual({ command: 'no-such-program', reads: [], links: [] });
  });

  it('of the project is not run outside of the sandbox to be asked what it is', () => {
    const file = script(join(project, 'tools/node'), `touch ${join(root, 'ran')}; echo /etc/hostname`);
    expect(programOf(file, { cwd: project, env: {} })).toEqual({ command: file, reads: [file], links: [] });
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  it('that is not called node is not asked either', () => {
    const file = script(join(root, 'bin/engine'), `touch ${join(root, 'ran')}`);
    expect(programOf(file, { cwd: project, env: {} })).toEqual({ command: file, reads: [file], links: [] });
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  it('that stands for another is asked again once that is gone', () => {
    const [first, second] = [script(join(root, '1/bin/node'), 'exit'), script(join(root, '2/bin/node'), 'exit')];
    const shim = script(join(root, 'shims/node'), `test -e ${first} && echo ${first} || echo ${second}`);
    expect(programOf(shim, { cwd: project, env: {} }).command).toBe(first);
    rmSync(first);
    expect(programOf(shim, { cwd: project, env: {} }).command).toBe(second);
  });
});

describe('this package', () => {
  it('is what was built, and what it depends on, each by itself', () => {
    const own = realpathSync(join(import.meta.dirname, '../../..'));
    expect(ownFiles()).toEqual(expect.arrayContaining(['package.json', 'dist', 'node_modules/acorn'].map((name) => join(own, name))));
    expect(ownFiles()).not.toContain(own);
    expect(ownFiles()).not.toContain(join(own, 'node_modules'));
  });
});
