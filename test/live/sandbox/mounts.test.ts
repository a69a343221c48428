// In which order a sandbox shows and hides, and what it refuses to show.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isSystem, mountsOf, type Shown } from '../../../src/live/sandbox/mounts.ts';
import { contains } from '../../../src/live/sandbox/paths.ts';

let root: string;

beforeEach(() => {
  const { HOME } = process.env;
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mounts-')));
  process.env['HOME'] = join(root, 'home');
  mkdirSync(join(root, 'home/project/.vivarium'), { recursive: true });
  onTestFinished(() => {
    process.env['HOME'] = HOME;
    rmSync(root, { recursive: true, force: true });
  });
});

/** With names below the root alone. */
function mounts(shown: Partial<Shown> = {}): string {
  const usual = { project: join(root, 'home/project'), write: false, reads: [], writes: [], links: [], hidden: [] };
  return mountsOf({ ...usual, ...shown })
    .join(' ')
    .replaceAll(`${root}/`, '');
}

describe('a sandbox', () => {
  it('shows the project, and nothing where sockets of its programs are', () => {
    expect(mounts()).toBe(
      '--ro-bind home/project home/project --size 4096 --tmpfs home/project/.vivarium --remount-ro home/project/.vivarium',
    );
  });

  it('has what lies deeper after what lies above it, whatever may be written to', () => {
    for (const folder of ['home/project/a/b', 'home/project/out']) mkdirSync(join(root, folder), { recursive: true });
    const text = mounts({ reads: [join(root, 'home/project/a/b')], writes: [join(root, 'home/project/out')] });
    expect(text).toMatch(/^--ro-bind home\/project home\/project .*--bind home\/project\/out .*--ro-bind home\/project\/a\/b /);
  });

  it('mounts nothing from where code may write', () => {
    mkdirSync(join(root, 'home/project/a/b'), { recursive: true });
    expect(mounts({ write: true, reads: [join(root, 'home/project/a/b')] })).toBe(
      '--bind home/project home/project --size 4096 --tmpfs home/project/.vivarium --remount-ro home/project/.vivarium',
    );
  });

  it('hides a folder that is not there yet, by making it', () => {
    const state = join(root, 'home/project/data/state');
    expect(mounts({ hidden: [state] })).toContain('--tmpfs home/project/data/state');
    expect(statSync(state).mode & 0o777).toBe(0o700);
  });

  it('shows single files of a folder that it hides', () => {
    const state = join(root, 'home/project/state');
    mkdirSync(join(state, 'saved'), { recursive: true });
    expect(mounts({ hidden: [state], reads: [join(state, 'saved')] })).toMatch(
      /--tmpfs home\/project\/state .*--ro-bind home\/project\/state\/saved /,
    );
  });

  it('mounts under real names, and links the others to them where nothing shows them already', () => {
    symlinkSync('home', join(root, 'alias'));
    symlinkSync('.', join(root, 'home/project/inner'));
    const reads = [join(root, 'home/project/inner/.vivarium/..'), join(root, 'alias/project/.vivarium')];
    const text = mounts({ project: join(root, 'alias/project'), reads });
    expect(text.match(/--symlink \S+ \S+/g)).toEqual(['--symlink home/project alias/project']);
    expect(text).not.toContain('inner');
  });

  it('makes nothing and hides nothing where a link stands in the place of a folder of sockets', () => {
    rmSync(join(root, 'home/project/.vivarium'), { recursive: true });
    mkdirSync(join(root, 'home/project/src'), { mode: 0o755 });
    symlinkSync('src', join(root, 'home/project/.vivarium'));
    expect(mounts()).toBe('--ro-bind home/project home/project');
    expect(statSync(join(root, 'home/project/src')).mode & 0o777).toBe(0o755);
  });

  it('is refused where the project is the state folder', () => {
    expect(() => mounts({ hidden: [join(root, 'home/project')] })).toThrow('is where Vivarium keeps its own files');
  });

  it('is refused where it would show the home, a folder above it, or one with tokens in it', () => {
    const state = join(root, 'elsewhere/state');
    mkdirSync(state, { recursive: true });
    for (const path of [join(root, 'home'), root, dirname(root), dirname(state), state])
      expect(() => mounts({ reads: [path], hidden: [state] })).toThrow(`The sandbox would show ${path}, which holds`);
  });
});

it('knows folders by whole names', () => {
  expect([contains('/usr', '/usr'), contains('/usr', '/usr/bin'), contains('/', '/x'), contains('/usr', '/usrlocal')]).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect([isSystem('/usr/bin/node'), isSystem('/usrlocal/node')]).toEqual([true, false]);
});
