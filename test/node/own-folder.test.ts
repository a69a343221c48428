// What counts as this user's own, and what does not; run by root, who alone can make files of other users.
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { mustBeOwn, ownFolder, ownProblem } from '../../src/node/own-folder.ts';

const stranger = 65534;
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'own-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function folder(name: string, mode = 0o755, owner?: number): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  if (owner !== undefined) chownSync(path, owner, owner);
  return path;
}

function file(name: string, mode = 0o600): string {
  const path = join(root, name);
  writeFileSync(path, 'x');
  chmodSync(path, mode);
  return path;
}

describe('a folder of one’s own', () => {
  it('is made with those above it, closed to others', () => {
    const path = join(root, 'a/b');
    ownFolder(path);
    expect([path, join(root, 'a')].map((one) => statSync(one).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it('is closed where it was open', () => {
    const path = folder('open', 0o777);
    ownFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('may be below a link of one’s own, and in a sticky folder that everybody may write to', () => {
    folder('real/state');
    symlinkSync('real', join(root, 'link'));
    expect(ownProblem(join(root, 'link/state'), 'folder')).toBeUndefined();
    folder('sticky', 0o1777);
    expect(ownProblem(folder('sticky/mine'), 'folder')).toBeUndefined();
  });

  it('is not a link, not even to one', () => {
    folder('real');
    symlinkSync('real', join(root, 'link'));
    expect(() => ownFolder(join(root, 'link'))).toThrow(`${join(root, 'link')} is a symbolic link`);
  });

  it('is not a file', () => {
    expect(() => ownFolder(file('plain'))).toThrow('plain is not a folder: remove it');
  });

  it('is not below one that everybody may write to, and nothing is made there', () => {
    const open = folder('open', 0o777);
    const path = join(open, 'state');
    expect(() => ownFolder(path)).toThrow(
      `${open} can be written by other users (mode 777), who could replace ${path}: run chmod go-w ${open}`,
    );
    expect(existsSync(path)).toBe(false);
  });

  it('is not one that links in a circle', () => {
    symlinkSync('b', join(root, 'a'));
    symlinkSync('a', join(root, 'b'));
    expect(() => ownFolder(join(root, 'a/state'))).toThrow();
  });
});

describe('a file of one’s own', () => {
  it('passes where it is missing, and where only its owner can write to it', () => {
    expect(ownProblem(join(root, 'missing'), 'file')).toBeUndefined();
    expect(ownProblem(file('mine', 0o644), 'file')).toBeUndefined();
  });

  it('is not one that everybody may write to', () => {
    const path = file('open', 0o666);
    expect(() => mustBeOwn(path, 'file')).toThrow(`${path} can be written by other users (mode 666): run chmod go-w ${path}`);
  });

  it('is not a folder, and not a socket', async () => {
    expect(ownProblem(folder('folder'), 'file')).toContain('is not a regular file');
    const path = join(root, 's.sock');
    const server = createServer().listen(path);
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    expect([ownProblem(path, 'file'), ownProblem(path, 'socket')]).toEqual([expect.stringContaining('is not a regular file'), undefined]);
  });
});

describe.skipIf(process.getuid?.() !== 0)('what belongs to another user', () => {
  it('is refused, whatever it is', () => {
    expect(() => ownFolder(folder('theirs', 0o700, stranger))).toThrow('theirs belongs to another user (uid 65534; you are uid 0)');
    const path = file('file');
    chownSync(path, stranger, stranger);
    expect(ownProblem(path, 'file')).toContain('file belongs to another user');
  });

  it('is refused with everything below it', () => {
    folder('theirs', 0o755, stranger);
    const inside = folder('theirs/mine');
    expect(ownProblem(inside, 'folder')).toBe(
      `${join(root, 'theirs')} belongs to another user (uid 65534; you are uid 0), who could replace ${inside}: choose a place of your own`,
    );
  });

  it('is refused where a link of theirs leads to a folder of one’s own', () => {
    folder('mine/state');
    folder('sticky', 0o1777);
    symlinkSync(join(root, 'mine'), join(root, 'sticky/link'));
    lchownSync(join(root, 'sticky/link'), stranger, stranger);
    expect(ownProblem(join(root, 'sticky/link/state'), 'folder')).toContain(`${join(root, 'sticky/link')} belongs to another user`);
  });

  it('is refused where a link of one’s own leads through a folder of theirs', () => {
    folder('theirs', 0o755, stranger);
    symlinkSync(folder('theirs/there'), join(root, 'link'));
    expect(ownProblem(join(root, 'link/state'), 'folder')).toContain(`${join(root, 'theirs')} belongs to another user`);
  });

  it('is refused where a group with others in it may write above it', () => {
    const shared = folder('shared', 0o770);
    chownSync(shared, 0, stranger);
    expect(ownProblem(folder('shared/state'), 'folder')).toContain(`${shared} can be written by other users (mode 770)`);
  });

  it('does not reach other users than root: its files are trusted by everybody', () => {
    chownSync(folder('state'), stranger, stranger);
    chmodSync(root, 0o755);
    process.seteuid?.(stranger);
    try {
      expect(ownProblem(join(root, 'state'), 'folder')).toBeUndefined();
      expect(ownProblem(root, 'folder')).toContain('belongs to another user (uid 0; you are uid 65534)');
    } finally {
      process.seteuid?.(0);
    }
  });

  it('is not the group that is the user’s alone, which may write on many systems', () => {
    expect(ownProblem(folder('group', 0o775), 'folder')).toBeUndefined();
  });
});
