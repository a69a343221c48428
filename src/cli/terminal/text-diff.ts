// The lines that a change of a file takes out and puts in, with a little of what stands around them. Secrets are masked.
import { printableLines } from './terminal.ts';

const around = 2;
const maxLines = 200;
const maxWidth = 240;
/** Of the table that finds what two texts share; beyond it all between the first and the last difference counts as changed. */
const maxCells = 4_000_000;

type Sign = ' ' | '-' | '+';
interface Line {
  readonly sign: Sign;
  readonly text: string;
}

export function diffLines(before: string, after: string, mask: (line: string) => string): string[] {
  const all = linesBetween(linesOf(before), linesOf(after)).map(({ sign, text }) => ({ sign, text: mask(text) }));
  const isNear = (at: number): boolean => all.slice(Math.max(0, at - around), at + around + 1).some(({ sign }) => sign !== ' ');
  const shown: string[] = [];
  for (const [at, { sign, text }] of all.entries()) {
    if (isNear(at)) shown.push(printableLines(`${sign} ${clipped(text, all, at)}`).trimEnd());
    else if (isNear(at - 1) && all.slice(at).some((one) => one.sign !== ' ')) shown.push('  …');
  }
  return shown.length > maxLines ? [...shown.slice(0, maxLines), `  … ${shown.length - maxLines} more lines`] : shown;
}

/** A file may be one long line: the part that differs from its counterpart is shown. */
function clipped(text: string, all: readonly Line[], at: number): string {
  if (text.length <= maxWidth) return text;
  const other = all[at]?.sign === '-' ? all[at + 1] : all[at - 1];
  const isPair = other !== undefined && all[at]?.sign !== ' ' && other.sign !== ' ' && other.sign !== all[at]?.sign;
  let same = 0;
  while (isPair && same < text.length && text[same] === other.text[same]) same++;
  const from = same < text.length ? Math.max(0, same - maxWidth / 3) : 0;
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + maxWidth)}${from + maxWidth < text.length ? ' …' : ''}`;
}

function linesBetween(old: readonly string[], now: readonly string[]): Line[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - start && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const context = (lines: readonly string[]): Line[] => lines.map((text) => ({ sign: ' ', text }));
  return [
    ...context(now.slice(Math.max(0, start - around), start)),
    ...changedLines(old.slice(start, old.length - tail), now.slice(start, now.length - tail)),
    ...context(now.slice(now.length - tail, now.length - tail + around)),
  ];
}

/** By the longest common subsequence. */
function changedLines(old: readonly string[], now: readonly string[]): Line[] {
  const removed = (lines: readonly string[]): Line[] => lines.map((text) => ({ sign: '-', text }));
  const added = (lines: readonly string[]): Line[] => lines.map((text) => ({ sign: '+', text }));
  const width = now.length + 1;
  if ((old.length + 1) * width > maxCells) return [...removed(old), ...added(now)];
  const best = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => best[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = now.length - 1; column >= 0; column--)
      best[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < now.length) {
    const [gone, come] = [old[row] as string, now[column] as string];
    if (gone === come) {
      lines.push({ sign: ' ', text: come });
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      lines.push({ sign: '-', text: gone });
      row++;
    } else {
      lines.push({ sign: '+', text: come });
      column++;
    }
  }
  return [...lines, ...removed(old.slice(row)), ...added(now.slice(column))];
}

/** Without what ends a line: where that alone differs there is nothing to see. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}
