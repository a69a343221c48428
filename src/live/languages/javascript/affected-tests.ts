// Which test files a change concerns: those that import one of the changed files, by way of others too. For runners that cannot tell.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { realOf } from '../../../node/real-path.ts';
import { findFile, ownFile, source } from './loader/resolve.ts';

/** More than any project has; what is beyond it counts as concerned. */
const maxFiles = 20_000;
const imported = /\b(?:from|import|require)\b\s{0,20}\(?\s{0,20}['"]([^'"\n]{1,500})['"]/g;

/** `changed` and `tests` by their paths in `cwd`, which is also where the result is. */
export function affectedBy(changed: readonly string[], tests: readonly string[], cwd: string): string[] {
  const wanted = new Set(changed.map((file) => realOf(resolve(cwd, file))));
  const needs = new Map<string, readonly string[]>();
  const reaches = (test: string): boolean => {
    const met = new Set([realOf(resolve(cwd, test))]);
    for (const file of met) {
      if (wanted.has(file) || needs.size > maxFiles) return true;
      for (const one of needs.get(file) ?? neededBy(file, needs)) met.add(one);
    }
    return false;
  };
  return tests.filter(reaches);
}

function neededBy(file: string, needs: Map<string, readonly string[]>): readonly string[] {
  const found: string[] = [];
  const text = source.test(file) && ownFile(file) ? read(file) : '';
  for (const [, specifier = ''] of text.matchAll(imported)) {
    const needed = findFile(specifier.split('?', 1)[0] ?? '', file);
    if (needed !== undefined) found.push(realOf(needed));
  }
  needs.set(file, found);
  return found;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
