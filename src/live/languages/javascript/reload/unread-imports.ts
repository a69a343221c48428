// What an edit imports besides what is loaded: it is read before anything is changed, because half of an edit is no program.
import { readFileSync } from 'node:fs';
import { writtenIn } from '../../../js-runtime/positions.ts';
import { findFile, ownFile, source } from '../loader/resolve.ts';
import { flawIn, runnable } from '../loader/transform.ts';
import type { Change } from './changes.ts';
import { unitsOf } from './units.ts';

/** More than an edit brings; the rest is read when it is imported. */
const maxFiles = 1_000;

/** Why the edit cannot be taken. */
export function unreadImports(changes: readonly Change[], loaded: ReadonlyMap<string, unknown>, short: (file: string) => string): string[] {
  const problems: string[] = [];
  const met = new Map<string, string>(changes.map(({ file, wanted }) => [file, wanted.format === 'module' ? wanted.code : '']));
  const known = new Set([...loaded.keys(), ...met.keys()]);
  for (const [file, code] of met) {
    for (const [specifier, line] of code === '' ? [] : importsIn(code)) {
      const found = findFile(specifier, file);
      if (found === undefined) {
        if (/^\.{1,2}\//.test(specifier)) problems.push(`${short(file)}:${line} imports ${specifier}, and there is no such file`);
        continue;
      }
      if (known.has(found) || met.size > maxFiles || !source.test(found) || !ownFile(found)) continue;
      known.add(found);
      const read = textOf(found);
      if ('problem' in read) problems.push(read.problem);
      else met.set(found, read.code);
    }
  }
  return problems;
}

function textOf(file: string): { readonly code: string } | { readonly problem: string } {
  try {
    const made = runnable(file, readFileSync(file, 'utf8'));
    const flaw = flawIn(file, made);
    if (flaw !== undefined) throw flaw;
    return { code: made.format === 'module' ? made.code : '' };
  } catch (error) {
    return { problem: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

/** Each with its line in the file. */
function importsIn(code: string): [specifier: string, line: number][] {
  return unitsOf({ code, format: 'module' }).program.body.flatMap((one) => {
    const from = 'source' in one && one.source != null ? one.source : undefined;
    if (from === undefined) return [];
    const before = code.slice(0, from.start).split('\n');
    return [[String(from.value), writtenIn(code, before.length - 1, before.at(-1)?.length ?? 0)[0] + 1]];
  });
}
