import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfigFile, writeConfigFile } from '../../src/install/config-file.ts';
import { Refusal } from '../../src/install/edit/refusal.ts';

const outer = realpathSync(mkdtempSync(join(tmpdir(), 'vivarium-file-')));
afterAll(() => rmSync(outer, { recursive: true, force: true }));
let folder: string;
let file: string;
let count = 0;

beforeEach(() => {
  folder = join(outer, String(count++));
  mkdirSync(folder);
  file = join(folder, 'settings.json');
});

async function replace(path: string, text: string | undefined): Promise<void> {
  const written = await writeConfigFile(readConfigFile(path), text, { mode: 0o600 });
  written.close();
}

function refusal(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('It was not refused');
}

describe('a file that is written', () => {
  it('keeps its mode, and leaves nothing beside it', async () => {
    writeFileSync(file, 'old');
    chmodSync(file, 0o664);
    await replace(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o7777).toBe(0o664);
    expect(readdirSync(folder)).toEqual(['settings.json']);
  });

  it('stays a symbolic link, and what it leads to is written', async () => {
    mkdirSync(join(folder, 'dotfiles'));
    writeFileSync(join(folder, 'dotfiles', 'real.json'), 'old');
    symlinkSync('dotfiles/real.json', join(folder, 'middle.json'));
    symlinkSync(join(folder, 'middle.json'), file);
    await replace(file, 'new');
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'dotfiles', 'real.json'), 'utf8')).toBe('new');
    expect(readdirSync(join(folder, 'dotfiles'))).toEqual(['real.json']);
  });

  it('is made where a link leads to nothing yet', async () => {
    symlinkSync('real.json', file);
    await replace(file, 'new');
    expect(readFileSync(join(folder, 'real.json'), 'utf8')).toBe('new');
  });

  it('is closed to others when it is new', async () => {
    await replace(join(folder, 'a', 'b', 'c.json'), 'new');
    expect(statSync(join(folder, 'a', 'b', 'c.json')).mode & 0o777).toBe(0o600);
  });

  it('is not written over where another program has changed it since it was read', async () => {
    writeFileSync(file, 'old');
    const read = readConfigFile(file);
    writeFileSync(file, 'theirs');
    await expect(writeConfigFile(read, 'ours', { mode: 0o600 })).rejects.toMatchObject({ reason: 'changed' });
    expect(readFileSync(file, 'utf8')).toBe('theirs');
    expect(readdirSync(folder)).toEqual(['settings.json']);
  });

  it('is not removed where another program has changed it since it was read', async () => {
    writeFileSync(file, 'old');
    const read = readConfigFile(file);
    writeFileSync(file, 'theirs');
    await expect(writeConfigFile(read, undefined, { mode: 0o600 })).rejects.toMatchObject({ reason: 'changed' });
    expect(readFileSync(file, 'utf8')).toBe('theirs');
    expect(readdirSync(folder)).toEqual(['settings.json']);
  });

  it('lets us see what a program writes into the file that was replaced', async () => {
    writeFileSync(file, 'old');
    const read = readConfigFile(file);
    const descriptor = openSync(file, 'r+');
    const written = await writeConfigFile(read, 'ours', { mode: 0o600 });
    expect(written.strayText()).toBeUndefined();
    writeSync(descriptor, 'theirs', 0);
    closeSync(descriptor);
    expect(written.strayText()).toBe('theirs');
    written.close();
    expect(readFileSync(file, 'utf8')).toBe('ours');
  });
});

describe('a file that is refused', () => {
  it('is not UTF-8', () => {
    writeFileSync(file, Buffer.from('{"a":"\xe9"}', 'latin1'));
    expect(refusal(() => readConfigFile(file))).toMatchObject({ reason: 'damaged', message: expect.stringContaining('UTF-8') });
    writeFileSync(file, Buffer.from('\ufeff{}', 'utf16le'));
    expect(refusal(() => readConfigFile(file)).reason).toBe('damaged');
  });

  it('has several names, which a rename would separate', () => {
    writeFileSync(file, '{}');
    linkSync(file, join(folder, 'other.json'));
    expect(refusal(() => readConfigFile(file)).message).toContain('hard links');
  });

  it('is read-only', () => {
    writeFileSync(file, '{}');
    chmodSync(file, 0o444);
    expect(refusal(() => readConfigFile(file)).hint).toContain('chmod u+w');
  });

  it('is a folder, a pipe or a link that leads to itself', () => {
    mkdirSync(file);
    expect(refusal(() => readConfigFile(file)).reason).toBe('unreadable');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(refusal(() => readConfigFile(join(folder, 'pipe'))).message).toContain('no regular file');
    symlinkSync('loop', join(folder, 'loop'));
    expect(refusal(() => readConfigFile(join(folder, 'loop'))).message).toContain('leads to itself');
  });

  it('belongs to another user', () => {
    // Root owns the one, and can give the other away.
    const isRoot = process.geteuid?.() === 0;
    const foreign = isRoot ? file : '/etc/passwd';
    if (isRoot) {
      writeFileSync(file, '{}');
      chownSync(file, 12_345, 12_345);
    }
    expect(refusal(() => readConfigFile(foreign)).reason).toBe('foreign');
    expect(existsSync(foreign)).toBe(true);
  });

  it('is larger than any configuration', () => {
    writeFileSync(file, ' '.repeat(17 * 1024 * 1024));
    expect(refusal(() => readConfigFile(file)).message).toContain('larger than 16 MiB');
  });
});
