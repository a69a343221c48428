// The files of a project, without those of others and those that were made: which are tests, and which have changed.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { source } from './loader/resolve.ts';

/** Entries of folders that are looked at. */
const maxEntries = 20_000;
const left = /^(?:node_modules|dist|build|coverage|\..*)$/;
const testFile = /(?:\.|-|_)(?:test|spec)\.[cm]?[jt]sx?$|^test-.*\.[cm]?[jt]s$/;

/** By their paths in the folder. */
export function testFilesOf(folder: string): string[] {
  return filesIn(folder, (name) => testFile.test(name));
}

/** Programs and JSON that were written, moved or copied there at this time or later. */
export function changedSince(folder: string, since: number): string[] {
  return filesIn(folder, (name) => source.test(name) || name.endsWith('.json')).filter((path) => {
    const found = statSync(join(folder, path), { throwIfNoEntry: false });
    // One that was moved or copied keeps the time it was written at.
    return found !== undefined && Math.max(found.mtimeMs, found.ctimeMs) >= since;
  });
}

function filesIn(folder: string, isWanted: (name: string) => boolean): string[] {
  const found: string[] = [];
  const folders = [''];
  for (let seen = 0; folders.length > 0 && seen < maxEntries; ) {
    const path = folders.shift() as string;
    for (const entry of entriesOf(join(folder, path))) {
      seen++;
      if (entry.isDirectory() && !left.test(entry.name)) folders.push(join(path, entry.name));
      else if (entry.isFile() && isWanted(entry.name)) found.push(join(path, entry.name));
    }
  }
  return found;
}

function entriesOf(folder: string): { readonly name: string; isDirectory(): boolean; isFile(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
