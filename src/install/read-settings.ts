// A client's file, only read: also one that must not be written.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { Refusal } from './edit/refusal.ts';

const mostBytes = 16 * 1024 * 1024;

/** Undefined where there is no file. Refuses what cannot be read, with the reason. */
export function readSettings(path: string): string | undefined {
  const descriptor = opened(path);
  if (descriptor === undefined) return undefined;
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unreadable('It is no regular file');
    if (stats.size > mostBytes) throw unreadable(`It is larger than ${mostBytes / 1024 / 1024} MiB`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(descriptor));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw unreadable(
      error instanceof TypeError ? 'It is not UTF-8 text' : `It cannot be read (${(error as NodeJS.ErrnoException).code})`,
      error,
    );
  } finally {
    closeSync(descriptor);
  }
}

function opened(path: string): number | undefined {
  try {
    // A pipe that nobody writes to would hold up even the opening.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') throw unreadable('It is a symbolic link that leads to itself', error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw unreadable(`It cannot be read (${code})`, error);
    if (code === 'ENOENT' && lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      throw unreadable('It is a symbolic link that leads nowhere', error);
    return undefined;
  }
}

function unreadable(why: string, cause?: unknown): Refusal {
  return new Refusal('unreadable', why, { cause });
}
