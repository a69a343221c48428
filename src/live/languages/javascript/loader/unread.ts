// Modules that could not be read. Node keeps that for good, by their address and by that of all that import them: under another address
// they are read again.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { digestAt } from './data-files.ts';
import { source } from './resolve.ts';
import { flawIn, runnable } from './transform.ts';

/** Addresses that were asked for, until it is known that they ran. */
const begun = new Set<string>();
/** Those that import what is not there. */
const lacking = new Set<string>();
/** Files as they were when they could not be read. */
const unread = new Map<string, string>();

export function noteBegun(url: string): void {
  begun.add(url);
  unread.delete(fileURLToPath(url));
}

export function noteLacking(url: string): void {
  lacking.add(url);
}

export function begunModules(): string[] {
  return [...begun];
}

/** Of those that did not run the ones that cannot be read or linked; `at` is one of which the engine said so. */
export function flawed(notRun: readonly string[], at: string): string[] {
  begun.clear();
  for (const one of notRun) begun.add(one);
  const found = notRun.filter((url) => url === at || lacking.has(url) || hasFlaw(fileURLToPath(url)));
  for (const url of found) unread.set(fileURLToPath(url), digestAt(fileURLToPath(url)));
  lacking.clear();
  return found;
}

/** Files that could not be read, and have changed since. */
export function mendedFiles(): string[] {
  return [...unread].flatMap(([file, digest]) => (digestAt(file) !== digest ? [file] : []));
}

function hasFlaw(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    if (/\.json$/.test(file)) JSON.parse(text);
    return source.test(file) && flawIn(file, runnable(file, text)) !== undefined;
  } catch {
    return true;
  }
}
