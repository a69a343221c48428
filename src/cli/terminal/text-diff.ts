// The lines that a change of a file takes out and puts in, with a little of what stands around them. Secrets are masked.
import { printableLines } from './terminal.ts';

const around = 2;
const mostLines = 200;

export function diffLines(before: string, after: string, mask: (line: string) => string): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - start && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const from = Math.max(0, start - around);
  const context = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
  const all = [
    ...context(now.slice(from, start)),
    ...old.slice(start, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(start, now.length - tail).map((line) => `+ ${line}`),
    ...context(now.slice(now.length - tail, now.length - tail + around)),
  ];
  const shown = all.slice(0, mostLines).map((line) => printableLines(mask(line)).trimEnd());
  return all.length > mostLines ? [...shown, `  … ${all.length - mostLines} more lines`] : shown;
}

/** Without what ends a line: where that alone differs there is nothing to see. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}
