// What an interrupted command has left: drafts beside the files, and records of changes that were made or were not.
import { lstatSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { digestOf, readConfigFile, removeFolders } from './config-file.ts';
import { readServers } from './edit/edit.ts';
import type { Journal, JournalRecord } from './journal.ts';

export interface Repair {
  readonly record: JournalRecord;
  /** Whether the change had been made when the command was interrupted. */
  readonly made: boolean;
  readonly draft?: string;
  /** Why it is left for another time. */
  readonly problem?: string;
}

/** Nothing of a client's is written: each file is whole, as it was or as it was to be. */
export async function repair(journal: Journal): Promise<readonly Repair[]> {
  const repairs: Repair[] = [];
  for (const record of journal.records().filter(({ state }) => state === 'planned')) {
    const made = await isMade(record);
    let draft: string | undefined;
    try {
      draft = removeDraft(record);
    } catch (error) {
      repairs.push({ record, made, problem: (error as Error).message });
      continue;
    }
    if (made) {
      const { draft: _, ...done } = record;
      journal.put({ ...done, state: 'done' });
    } else {
      if (record.before === undefined) removeFolders(record.folders);
      journal.drop(record);
    }
    repairs.push({ record, made, ...(draft !== undefined && { draft }) });
  }
  return repairs;
}

/** By the file as a whole, or where others have written it since, by the entry. */
async function isMade({ file, before, after, place, name, entry }: JournalRecord): Promise<boolean> {
  try {
    const { text } = readConfigFile(file);
    const digest = digestOf(text);
    if (digest === after || digest === before) return digest === after;
    return isDeepStrictEqual((await readServers(text ?? '', place)).get(name), entry);
  } catch {
    return false;
  }
}

function removeDraft({ draft, file, before, after }: JournalRecord): string | undefined {
  // A record is a file that could say anything.
  if (draft === undefined || !/^\..*\.[\da-f]{12}\.vivarium$/.test(basename(draft))) return undefined;
  const found = lstatSync(draft, { throwIfNoEntry: false });
  if (found?.isFile() !== true || dirname(draft) !== dirname(readConfigFile(file).target)) return undefined;
  const { target, text } = readConfigFile(file);
  // A file that was taken away to be removed, and is not what we had read: its owner keeps it.
  if (after === undefined && text === undefined && digestOf(readFileSync(draft, 'utf8')) !== before) renameSync(draft, target);
  else rmSync(draft);
  return draft;
}
