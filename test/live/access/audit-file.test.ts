// The file of the audit log: whose it is, what a line is, and what happens when it is moved, torn or in somebody's way.
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditFile, isBound } from '../../../src/live/access/audit-file.ts';
import type { AuditRecord } from '../../../src/live/access/audit-record.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'));
  file = join(folder, 'audit.jsonl');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function end(line: string): AuditRecord {
  return { event: 'end', id: 'an-id', time: '2026-01-01T00:00:00.000Z', ms: 1, outcome: 'ok', line };
}

const linesIn = (path: string): readonly { event: string; line?: string; why?: string }[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the file of the audit log', () => {
  it('is for its owner only, and is appended to', () => {
    writeFileSync(file, '{"event":"old"}\n', { mode: 0o600 });
    auditFile(file)(end('new'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(linesIn(file)).toMatchObject([{ event: 'old' }, { event: 'opened', why: 'start' }, { event: 'end', line: 'new' }]);
    rmSync(file);
    auditFile(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps a record on one line of printable text, whatever is in it', () => {
    const hostile = 'a\n{"event":"start"}\r\u2028\u2029\u0085\u009b31m\u001b[2J\u202e\ud800b';
    auditFile(file)(end(hostile));
    const text = readFileSync(file, 'utf8');
    expect(text.split(/[\n\r\u2028\u2029\u0085]/)).toHaveLength(3);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(linesIn(file)[1]?.line).toBe(hostile);
  });

  it('is opened again when it was moved away, and says so', () => {
    const write = auditFile(file);
    write(end('before'));
    renameSync(file, `${file}.1`);
    write(end('after'));
    expect(linesIn(`${file}.1`)).toMatchObject([{ why: 'start' }, { line: 'before' }]);
    expect(linesIn(file)).toMatchObject([{ event: 'opened', why: 'moved' }, { line: 'after' }]);
  });

  it('is made again when it was deleted, and says so', () => {
    const write = auditFile(file);
    rmSync(file);
    write(end('after'));
    expect(linesIn(file)).toMatchObject([{ event: 'opened', why: 'deleted' }, { line: 'after' }]);
  });

  it('goes on at the beginning of a file that was emptied', () => {
    const write = auditFile(file);
    truncateSync(file);
    write(end('after'));
    expect(linesIn(file)).toMatchObject([{ line: 'after' }]);
  });

  it('does not continue half a line that somebody left', () => {
    writeFileSync(file, '{"event":"torn', { mode: 0o600 });
    auditFile(file)(end('whole'));
    const [torn, ...whole] = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(torn).toBe('{"event":"torn');
    expect(whole.map((line) => JSON.parse(line))).toMatchObject([{ why: 'start' }, { line: 'whole' }]);
  });

  it('refuses to write where it was replaced by a link', () => {
    const write = auditFile(file);
    rmSync(file);
    symlinkSync(join(folder, 'elsewhere'), file);
    expect(() => write(end('after'))).toThrow('is a symbolic link');
  });

  it.each([
    ['a symbolic link', () => symlinkSync(join(folder, 'elsewhere'), file), 'is a symbolic link'],
    ['a folder', () => mkdirSync(file), 'Name a file in it'],
    ['a file that others can read', () => writeFileSync(file, '', { mode: 0o644 }), 'chmod 600'],
    [
      'a file with a second name',
      () => {
        writeFileSync(file, '', { mode: 0o600 });
        linkSync(file, join(folder, 'other-name'));
      },
      'hard links',
    ],
    ['a folder that others can write to', () => chmodSync(folder, 0o777), 'chmod go-w'],
  ])('is not %s', (_, prepare, reason) => {
    prepare();
    expect(() => auditFile(file)).toThrow(reason);
  });

  it('is no device, and no folder that is not there', () => {
    expect(() => auditFile('/dev/full')).toThrow(/not a plain file|belongs to another user/);
    expect(() => auditFile(join(folder, 'nowhere/audit.jsonl'))).toThrow('mkdir -p');
  });
});

describe('what a sandbox has before it', () => {
  it.each([
    [['--ro-bind', '/a', '/a'], true],
    [['--ro-bind', '/b', '/b'], false],
    [['--ro-bind', '/a/lo', '/a/lo'], false],
    [['--bind', '/a/log', '/a/log'], true],
    [['--ro-bind', '/a', '/a', '--tmpfs', '/a'], false],
    [['--tmpfs', '/a', '--ro-bind', '/a', '/a'], true],
    [['--ro-bind', '/a', '/a', '--ro-bind', '/dev/null', '/a/log'], false],
    [['--ro-bind-try', '/', '/'], true],
  ])('%j: %s', (args, expected) => {
    expect(isBound('/a/log', args)).toBe(expected);
  });
});
