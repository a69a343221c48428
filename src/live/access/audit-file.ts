// The file of the audit log: JSON Lines, appended to synchronously, of this user alone, and opened again when it was rotated.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats, writeSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { wayProblem } from '../../node/own-folder.ts';
import { contains } from '../sandbox/paths.ts';
import type { AuditOpened, AuditRecord, AuditSink } from './audit-record.ts';

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/** JSON leaves these as they are, and a terminal or a reader of lines may not. */
const unsafe = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Opened at once, so that a log that cannot be kept is known at the start. Throws in words. */
export function auditFile(path: string): AuditSink {
  const file = placeOf(path);
  let fd = open(file);
  const append = (record: AuditRecord): void => {
    const json = JSON.stringify(record).replace(unsafe, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const line = Buffer.from(`${endsTorn(fd) ? '\n' : ''}${json}\n`);
    // One write for a line: what other servers append to the same file comes before or after it.
    const written = writeSync(fd, line);
    if (written < line.length) throw unfit(`The disk of the audit log ${file} is full`, 'ENOSPC');
  };
  const opened = (why: AuditOpened['why']): void => append({ event: 'opened', time: new Date().toISOString(), pid: process.pid, why });
  opened('start');
  return (record) => {
    const [held, found] = [fstatSync(fd), lstatSync(file, { throwIfNoEntry: false })];
    if (found?.ino !== held.ino || found.dev !== held.dev) {
      const next = open(file);
      closeSync(fd);
      fd = next;
      opened(held.nlink === 0 ? 'deleted' : 'moved');
    }
    append(record);
  };
}

/** Where it really is: no folder on the way may be a link that is turned elsewhere later. */
export function placeOf(path: string): string {
  const whole = resolve(path);
  try {
    return join(realpathSync(dirname(whole)), basename(whole));
  } catch (cause) {
    throw new Error(`There is no folder ${dirname(whole)} for the audit log. Create it: mkdir -p -m 700 ${dirname(whole)}`, { cause });
  }
}

/** Whether a program started by bubblewrap with these arguments has the file before it: later mounts cover earlier ones. */
export function isBound(file: string, args: readonly string[]): boolean {
  let bound = false;
  for (const [at, word] of args.entries()) {
    const covers = (place: string | undefined): boolean => place !== undefined && contains(place, file);
    if (/^--(?:ro-|dev-)?bind(?:-try)?$/.test(word) && covers(args[at + 2])) bound = args[at + 1] !== '/dev/null';
    else if (word === '--tmpfs' && covers(args[at + 1])) bound = false;
  }
  return bound;
}

function open(file: string): number {
  const replaceable = process.geteuid === undefined ? undefined : wayProblem(dirname(file), file);
  if (replaceable !== undefined) throw unfit(`The audit log cannot be kept there: ${replaceable}`);
  let fd: number;
  try {
    // A pipe that nobody reads would otherwise be waited for.
    fd = openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') throw unfit(`The audit log ${file} is a folder. Name a file in it.`, code);
    if (code === 'ELOOP') throw unfit(`The audit log ${file} is a symbolic link. Name the file itself.`, code);
    throw error;
  }
  const problem = problemOf(file, fstatSync(fd));
  if (problem === undefined) return fd;
  closeSync(fd);
  throw unfit(problem);
}

function problemOf(file: string, found: Stats): string | undefined {
  const { uid, mode, nlink } = found;
  if (!found.isFile()) return `The audit log ${file} is not a plain file`;
  if (process.geteuid !== undefined && uid !== process.geteuid()) return `The audit log ${file} belongs to another user`;
  if (nlink > 1) return `The audit log ${file} has other names (hard links). Remove them, or name another file.`;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    return `Other users can read the audit log ${file}. Close it: chmod 600 ${file}`;
  return undefined;
}

/** With a code, which is all that callers of the server are told. */
function unfit(message: string, code = 'EPERM'): Error {
  return Object.assign(new Error(message), { code });
}

/** A disk that was full may have left half a line, here or in another server: the next record must not continue it. */
function endsTorn(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}
