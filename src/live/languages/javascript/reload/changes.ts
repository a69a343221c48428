// Files that changed, and the scripts that run of them.
import { statSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFile, ownFile, source } from '../loader/resolve.ts';
import { type Runnable, tailBody, withoutTail } from '../loader/transform.ts';
import type { Script } from './swap.ts';

export interface Change {
  readonly file: string;
  readonly text: string;
  readonly wanted: Runnable;
  /** The newest last. */
  readonly scripts: readonly Script[];
}

/** The new exports of a file are there when another takes them. */
export function inOrder(changes: readonly Change[]): Change[] {
  const byFile = new Map(changes.map((change) => [change.file, change]));
  const ordered = new Set<Change>();
  const add = (change: Change, above: readonly Change[]): void => {
    if (ordered.has(change) || above.includes(change)) return;
    for (const [, specifier = ''] of change.wanted.code.matchAll(/\b(?:from|import|require)\b\s*\(?\s*['"]([^'"\n]+)['"]/g)) {
      const needed = byFile.get(findFile(specifier, change.file) ?? '');
      if (needed !== undefined) add(needed, [...above, change]);
    }
    ordered.add(change);
  };
  for (const change of changes) add(change, []);
  return [...ordered];
}

/** Whatever loaded it, we want the same text of it as far as we can make it. */
export function wantedFor({ running }: Script, wanted: Runnable): Runnable {
  return running.includes(tailBody) ? wanted : { ...wanted, code: withoutTail(wanted) };
}

export function isCurrent(script: Script, file: string, made: Runnable): boolean {
  if (script.known === wantedFor(script, made).code) return true;
  // Compiled by another tool before we came: its text says nothing, but the time does.
  return !script.running.includes(tailBody) && statSync(file).mtimeMs < Date.now() - process.uptime() * 1_000;
}

export function fileOf(url: string): string | undefined {
  // What stands in front of a module has no text of the user's.
  if (!url.startsWith('file:') || /\?facade=\d+$/.test(url)) return undefined;
  const file = fileURLToPath(url.replace(/\?v=\d+$/, ''));
  return source.test(file) && ownFile(file) ? file : undefined;
}

/** The one that others get; the same file may also be loaded under names with a query. */
export function newestOf(scripts: readonly Script[]): Script {
  return scripts.findLast(({ url }) => !/\?(?!v=\d+$)/.test(url)) ?? (scripts.at(-1) as Script);
}

export function versionOf(url: string): number {
  return Number(/\?v=(\d+)$/.exec(url)?.[1] ?? 0);
}

/** The file itself, or one in the folder. */
export function isWithin(file: string, given: string): boolean {
  return file === given || file.startsWith(given + sep);
}
