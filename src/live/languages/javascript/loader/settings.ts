// Files that say how others are read, package.json and tsconfig.json: what they said, so that it can be told when they say something else.
import { readFileSync, statSync } from 'node:fs';

interface Settings {
  readonly stamp: string;
  readonly said: string;
  /** What of it concerns the files it is for. */
  readonly read: () => string;
}

const known = new Map<string, Settings>();

export function noteSettings(file: string, read: () => string): void {
  if (!known.has(file)) known.set(file, { stamp: stampOf(file), said: read(), read });
}

export function notePackage(file: string): void {
  noteSettings(file, () => {
    const { type, imports } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    return JSON.stringify([type, imports]);
  });
}

export function changedSettings(): string[] {
  return [...known].flatMap(([file, { stamp, said, read }]) => (stampOf(file) !== stamp && saidBy(read) !== said ? [file] : []));
}

function saidBy(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.mtimeMs} ${found.size} ${found.ino}`;
}
