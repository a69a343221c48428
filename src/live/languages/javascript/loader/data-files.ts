// Files that are loaded but are no programs, such as JSON: known by their bytes, so that it can be told when they have changed.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const known = new Map<string, string>();

export function noteData(file: string, bytes: Uint8Array): void {
  known.set(file, digestOf(bytes));
}

/** Of those that are still `used`. */
export function changedData(used: (file: string) => boolean = () => true): string[] {
  return [...known].flatMap(([file, digest]) => (used(file) && digestAt(file) !== digest ? [file] : []));
}

export function digestAt(file: string): string {
  try {
    return digestOf(readFileSync(file));
  } catch {
    // It is gone, or cannot be read.
    return '';
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}
