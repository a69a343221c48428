// What has been done to which file, so that it can be taken back: a record per change, and the file as it was before.
import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../node/lock.ts';
import { mustBeOwn, ownFolder } from '../node/own-folder.ts';
import { readPlainFile } from '../node/plain-file.ts';
import { stateFolder } from '../node/user-folders.ts';
import type { Scope } from './client.ts';
import type { Extra, Place } from './edit/edit.ts';
import type { Splice } from './splice.ts';

export interface JournalRecord {
  readonly version: 1;
  readonly id: string;
  /** Of one command line, which is undone as a whole. */
  readonly batch: string;
  readonly at: string;
  /** `planned` until the file is in its place; `undone` where there was nothing left to take back. */
  readonly state: 'planned' | 'done' | 'undone';
  readonly by: 'edit' | 'command';
  /** It took back another one, and is not taken back itself. */
  readonly undo?: true;
  /** The id of that one. */
  readonly undoes?: string;
  readonly client: string;
  readonly scope: Scope;
  readonly name: string;
  readonly file: string;
  readonly place: Place;
  /** What was there under the name, and what is there now. */
  readonly previous?: unknown;
  readonly entry?: unknown;
  /** Digests; undefined where there was, or is, no file. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly splice: Splice;
  readonly folders: readonly string[];
  /** What was put beside the entry, and what was taken away with it. */
  readonly extras?: readonly Extra[];
  readonly dropped?: readonly Extra[];
  readonly draft?: string;
  /** What the server offered when it was added. */
  readonly tools?: readonly string[];
}

const maxRecords = 1_000;
const maxRecordBytes = 64 * 1024 * 1024;

export class Journal {
  readonly #folder: string;
  #made = 0;

  constructor(folder: string = defaultFolder()) {
    this.#folder = folder;
  }

  /** One command at a time: two at once would take each other's edits for those of a stranger. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    ownFolder(this.#folder);
    return withLock(join(this.#folder, 'lock'), work);
  }

  newId(): string {
    const order = (this.#made++).toString(36).padStart(3, '0');
    return `${Date.now().toString(36).padStart(9, '0')}-${order}-${randomBytes(4).toString('hex')}`;
  }

  /** The oldest first. What cannot be read is passed over: a journal helps, it decides nothing. */
  records(): JournalRecord[] {
    return this.#names().flatMap((name) => {
      try {
        const record = JSON.parse(readPlainFile(join(this.#folder, name), maxRecordBytes) ?? '') as JournalRecord;
        return isRecord(record) && `${record.id}.json` === name ? [record] : [];
      } catch {
        return [];
      }
    });
  }

  /** Every change of a file that was made, taken back or not. */
  past(file: string): JournalRecord[] {
    return this.records().filter((record) => record.file === file && record.state !== 'planned');
  }

  /** Changes that have not been taken back, and did not take back others. */
  standing(): JournalRecord[] {
    const done = this.records().filter(({ state }) => state === 'done');
    const undone = new Set(done.map(({ undoes }) => undoes));
    return done.filter(({ id, undo }) => undo === undefined && !undone.has(id));
  }

  put(record: JournalRecord): void {
    ownFolder(this.#folder);
    const path = join(this.#folder, `${record.id}.json`);
    const draft = `${path}.${randomBytes(4).toString('hex')}`;
    writeFileSync(draft, `${JSON.stringify(record)}\n`, { flag: 'wx', mode: 0o600, flush: true } as object);
    renameSync(draft, path);
    for (const name of this.#names().slice(0, -maxRecords)) this.#remove(name.replace(/\.json$/, ''));
  }

  backUp(id: string, text: string): string {
    ownFolder(this.#folder);
    const path = this.backupOf(id);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  backupOf(id: string): string {
    return join(this.#folder, `${id}.backup`);
  }

  drop({ id }: JournalRecord): void {
    this.#remove(id);
  }

  /** A file as it was, which nobody needs any more. */
  discard(id: string): void {
    this.#remove(id);
  }

  #remove(id: string): void {
    rmSync(join(this.#folder, `${id}.json`), { force: true });
    rmSync(this.backupOf(id), { force: true });
  }

  #names(): string[] {
    mustBeOwn(this.#folder, 'folder');
    try {
      return readdirSync(this.#folder)
        .filter((name) => /^[\w-]+\.json$/.test(name))
        .sort();
    } catch {
      return [];
    }
  }
}

function defaultFolder(): string {
  return join(stateFolder(process.platform === 'win32' ? process.env['LOCALAPPDATA'] : undefined), 'installs');
}

function isRecord(value: JournalRecord): boolean {
  const { version, id, batch, at, state, client, scope, name, file, place, splice, folders, tools = [], extras = [], dropped = [] } = value;
  const { removed, inserted, lead, trail } = splice ?? {};
  const texts = [id, batch, at, state, client, scope, name, file, place?.format, removed, inserted, lead, trail];
  const isTexts = (list: unknown): boolean => Array.isArray(list) && list.every((one) => typeof one === 'string');
  const isExtras = [extras, dropped].every((list) => Array.isArray(list) && list.every((one) => isTexts(one?.path)));
  const isWhole = texts.every((text) => typeof text === 'string') && [place?.path, folders, tools].every(isTexts) && isExtras;
  return version === 1 && isWhole && typeof splice.at === 'number';
}
