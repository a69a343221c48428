// What is kept of a session: what was evaluated, to be done again, and the whole image where the language can write it.
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustBeOwn, ownFolder } from '../../node/own-folder.ts';
import { inBrief } from '../image/outcome.ts';
import type { Session } from './session.ts';

export interface Journal {
  readonly name: string;
  readonly language: string;
  readonly cells: readonly SavedCell[];
  /** Of the program that wrote the image beside it: no other can read it. */
  readonly image?: string;
}

/** With what was said about it, where anything was. */
type SavedCell =
  | string
  | {
      readonly code: string;
      readonly language?: string;
      readonly package?: string;
      readonly within?: string;
      /** It failed, and is run again for what it did before: cells that follow may need it. */
      readonly failed?: true;
    };

const kind = '.journal.json';
const imageKind = '.image';
/** A large image on a busy machine. */
const saveMs = 300_000;

/** Readable by its owner only: code may hold what nobody else should see. */
export async function saveJournal(folder: string, session: Session, name: string = defaultName()): Promise<Saved> {
  checkName(name);
  ownFolder(folder);
  const cells = session.entries
    .filter(({ ok, failed }) => ok || failed)
    .map(({ code, language, package: pack, within, failed }): SavedCell => {
      const given = Object.entries({ language, package: pack, within }).filter(([, value]) => value !== undefined);
      const more = { ...Object.fromEntries(given), ...(failed && { failed }) };
      return Object.keys(more).length === 0 ? code : { code, ...more };
    });
  const { problem, bytes } = await saveImage(join(folder, `${name}${imageKind}`), session);
  const image = bytes === undefined ? {} : { image: session.version };
  const journal: Journal = { name, language: session.engine.language, cells, ...image };
  await writeFile(join(folder, `${name}${kind}`), `${JSON.stringify(journal, null, 1)}\n`, { mode: 0o600 });
  const failed = session.entries.filter((entry) => entry.failed).length;
  return { name, cells: cells.length - failed, failed, left: session.entries.length - cells.length, problem, bytes };
}

export interface Saved {
  readonly name: string;
  /** Those that succeeded, those that failed, and those that are not in it. */
  readonly cells: number;
  readonly failed: number;
  readonly left: number;
  /** Of the image, where there is one. */
  readonly bytes?: number | undefined;
  /** Why there is none although the language could. */
  readonly problem?: string | undefined;
}

async function saveImage(file: string, session: Session): Promise<Pick<Saved, 'bytes' | 'problem'>> {
  if (session.engine.features.save !== 'image' || session.state === 'cold') return {};
  if (session.terms.sandbox !== undefined) return { problem: 'an image behind a sandbox cannot be written down' };
  try {
    await session.ask('save', { file }, saveMs);
    await chmod(file, 0o600);
    return { bytes: (await stat(file)).size };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** The file of the image, where it can be begun with here. */
export async function imageOf(folder: string, { name, image }: Journal): Promise<string | undefined> {
  const file = join(folder, `${name}${imageKind}`);
  mustBeOwn(file, 'file');
  return image !== undefined && (await stat(file).catch(() => undefined))?.isFile() === true ? file : undefined;
}

/** What it holds is run: where other users could have written it, it throws. */
export async function loadJournal(folder: string, name: string | undefined): Promise<Journal> {
  mustBeOwn(folder, 'folder');
  const saved = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith(kind)).map((file) => file.slice(0, -kind.length));
  if (name === undefined || !saved.includes(name)) {
    const known = saved.length === 0 ? 'nothing was saved yet' : `saved are ${saved.join(', ')}`;
    throw new Error(name === undefined ? `restore needs a name; ${known}` : `There is nothing saved as "${name}"; ${known}`);
  }
  const file = join(folder, `${name}${kind}`);
  mustBeOwn(file, 'file');
  const journal = JSON.parse(await readFile(file, 'utf8')) as Journal;
  if (!Array.isArray(journal.cells) || !journal.cells.every(isCell)) throw new Error(`What was saved as "${name}" cannot be read`);
  return journal;
}

/** In order, until one fails that had not. */
export async function replay(
  session: Session,
  { cells }: Journal,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ readonly done: number; readonly again: number; readonly failed?: { readonly cell: number; readonly text: string } }> {
  let done = 0;
  let again = 0;
  for (const cell of cells) {
    if (signal.aborted) break;
    const { code, language, package: pack, within, failed = false } = typeof cell === 'string' ? { code: cell } : cell;
    const run = session.evaluate(code, { timeoutMs, language, package: pack, within });
    const stop = (): void => void session.stop(run, 'cancelled');
    signal.addEventListener('abort', stop, { once: true });
    await run.settled(2 ** 31 - 1);
    signal.removeEventListener('abort', stop);
    run.shown = true;
    const { outcome } = run;
    if (failed && outcome?.status === 'error') again++;
    else if (outcome?.status !== 'ok') {
      const text = outcome === undefined ? 'paused' : inBrief(outcome);
      return { done, again, failed: { cell: done + 1, text } };
    }
    done++;
  }
  return { done, again };
}

function isCell(cell: unknown): boolean {
  if (typeof cell === 'string') return true;
  const { code, language = '', package: pack = '', within = '', failed = true } = (cell ?? {}) as Record<string, unknown>;
  return [code, language, pack, within].every((one) => typeof one === 'string') && failed === true;
}

function checkName(name: string): void {
  if (!/^[\w-][\w.-]{0,99}$/.test(name)) throw new Error('A name is made of letters, digits, dots, dashes and underscores');
}

function defaultName(): string {
  return new Date().toISOString().slice(0, 19).replaceAll(':', '-');
}
