// The table of docs/reload-proof.md: a row for each package, a column for each Node.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Row } from './prove.ts';

const page = new URL('../../../../../../docs/reload-proof.md', import.meta.url);
const [begin, end] = ['<!-- table -->', '<!-- end of table -->'];
const head = ['| package | versions | kind | Node 20 | Node 24 |', '|---|---|---|---|---|'];

/** The rows as this run has them; the column of the other Node stays as it is. */
export function tableWith(rows: readonly Row[], node: '20' | '24'): string {
  const kept = new Map(
    keptTable()
      .split('\n')
      .slice(2)
      .map((line) => [cellsOf(line)[0], cellsOf(line)]),
  );
  const lines = rows.map(({ name, before, after, kind, outcome }) => {
    const old = kept.get(name);
    const outcomes = node === '20' ? [outcome, old?.[4] ?? ''] : [old?.[3] ?? '', outcome];
    return `| ${[name, `${before} → ${after}`, kind, ...outcomes].join(' | ')} |`;
  });
  return [...head, ...lines].join('\n');
}

export function keptTable(): string {
  const text = readFileSync(page, 'utf8');
  return text.slice(text.indexOf(begin) + begin.length, text.indexOf(end)).trim();
}

/** With UPDATE_RELOAD_PROOF set, the page follows. */
export function keepTable(table: string): void {
  const text = readFileSync(page, 'utf8');
  writeFileSync(page, `${text.slice(0, text.indexOf(begin) + begin.length)}\n${table}\n${text.slice(text.indexOf(end))}`);
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
