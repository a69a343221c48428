// A configuration file read, and written whole or not at all: beside it, then renamed. Links, modes and owners stay as they are.
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { orRefuse, Refusal, refusalOf } from './edit/refusal.ts';
import { followed, foreign } from './links.ts';
import { watchFor } from './watch-for.ts';

const mostBytes = 16 * 1024 * 1024;

export interface ConfigFile {
  /** As the client names it. */
  readonly path: string;
  /** Where its links lead. */
  readonly target: string;
  /** Undefined where there is no file. */
  readonly text: string | undefined;
  readonly stats?: Stats;
}

export interface WriteTerms {
  /** Of a file that is made. */
  readonly mode: number;
  /** Told before anything is in its place. */
  readonly onDraft?: (draft: string) => void;
}

export interface Written {
  /** Another program wrote between our last look and our rename: what it wrote is gone. */
  readonly overwrote: boolean;
  /** What a program has since written into the file that was replaced, which nobody sees any more. */
  strayText(): string | undefined;
  close(): void;
}

/** To write it: what could not be written safely is refused. */
export function readConfigFile(path: string): ConfigFile {
  return orRefuse(`${path} cannot be read`, () => read(path));
}

function read(path: string): ConfigFile {
  const target = followed(path);
  const descriptor = opened(target);
  if (descriptor === undefined) return { path, target, text: undefined };
  try {
    const stats = fstatSync(descriptor);
    const problem = unfit(stats) ?? problemOf(target, stats);
    if (problem !== undefined) throw problem;
    return { path, target, text: decoded(readFileSync(descriptor)), stats };
  } finally {
    closeSync(descriptor);
  }
}

/** `undefined` removes the file. Refuses with `changed` where it is no longer what was read. */
export async function writeConfigFile(file: ConfigFile, text: string | undefined, terms: WriteTerms): Promise<Written> {
  try {
    return await replace(file, text, terms);
  } catch (error) {
    throw refusalOf(`${file.path} cannot be written`, error);
  }
}

async function replace(file: ConfigFile, text: string | undefined, terms: WriteTerms): Promise<Written> {
  const { target, stats } = file;
  // One by one: where a folder cannot be made, as in /proc, Node tries for ever to make it with those above.
  for (const folder of text === undefined ? [] : foldersMissing(target)) mkdirSync(folder);
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.vivarium`);
  terms.onDraft?.(draft);
  if (text === undefined) {
    setAside(file, draft);
    return { overwrote: false, strayText: () => undefined, close: () => undefined };
  }
  writeDraft(draft, text, stats, terms.mode);
  const old = opened(target);
  try {
    const watch = watchFor(dirname(target), basename(draft), basename(target));
    try {
      if (readConfigFile(file.path).text !== file.text) throw changed(file.path);
      renameSync(draft, target);
      syncFolder(dirname(target));
      return {
        overwrote: await watch.wasTouched(),
        strayText: () => (old === undefined ? undefined : stray(old, file.text)),
        close: () => old !== undefined && closeSync(old),
      };
    } finally {
      watch.close();
    }
  } catch (error) {
    rmSync(draft, { force: true });
    if (old !== undefined) closeSync(old);
    throw error;
  }
}

/** The folders that have to be made first, the outermost first. */
export function foldersMissing(file: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(file); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  return missing;
}

export function removeFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      // Somebody keeps something in it.
      return;
    }
  }
}

export function digestOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : createHash('sha256').update(text).digest('hex');
}

export function changed(path: string): Refusal {
  return new Refusal('changed', `Another program has changed ${path} meanwhile`, { hint: 'Close it, then try again' });
}

function opened(target: string): number | undefined {
  try {
    // A pipe that nobody writes to would hold up even the opening.
    return openSync(target, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw error;
  }
}

function problemOf(target: string, stats: Stats): Refusal | undefined {
  const refuse = (why: string, hint: string): Refusal => new Refusal('unreadable', why, { hint });
  if (process.geteuid !== undefined && stats.uid !== process.geteuid()) return foreign('It', stats);
  if (stats.nlink > 1) return refuse('It has several names (hard links), which a safe write would separate', 'Make it a symbolic link');
  if (process.platform !== 'win32' && (stats.mode & 0o200) === 0)
    return refuse('It is read-only', `To allow the change: chmod u+w ${target}`);
  return undefined;
}

function unfit(stats: Stats): Refusal | undefined {
  if (!stats.isFile()) return new Refusal('unreadable', 'It is no regular file', { hint: 'Remove it, or name another client' });
  if (stats.size <= mostBytes) return undefined;
  return new Refusal('unreadable', `It is larger than ${mostBytes / 1024 / 1024} MiB`, { hint: 'Write the entry by hand' });
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Refusal('damaged', 'It is not UTF-8 text', { cause, hint: 'Save it as UTF-8, then try again' });
  }
}

function writeDraft(draft: string, text: string, stats: Stats | undefined, mode: number): void {
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(descriptor, text);
    if (process.platform !== 'win32') {
      const made = fstatSync(descriptor);
      if (stats !== undefined && made.gid !== stats.gid) fchownSync(descriptor, made.uid, stats.gid);
      fchmodSync(descriptor, stats === undefined ? mode & ~process.umask() : stats.mode & 0o7777);
    }
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Whatever is there is taken at once, and put back where it is not what was read. */
function setAside({ path, target, text }: ConfigFile, aside: string): void {
  renameSync(target, aside);
  if (readFileSync(aside, 'utf8') === text) return rmSync(aside);
  if (!existsSync(target)) linkSync(aside, target);
  rmSync(aside);
  throw changed(path);
}

function stray(descriptor: number, text: string | undefined): string | undefined {
  const bytes = Buffer.alloc(fstatSync(descriptor).size);
  const { length } = bytes;
  let at = 0;
  while (at < length) {
    const read = readSync(descriptor, bytes, at, length - at, at);
    if (read === 0) break;
    at += read;
  }
  const found = bytes.subarray(0, at).toString('utf8');
  return found === text ? undefined : found;
}

/** So that the new name survives a power cut. Not every system lets a folder be opened. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch {
    // Windows does it by itself.
  }
}
