// What stands behind a piece of the loader's in the same line has moved.
import type { Insertion } from './insertions.ts';

/** Where a piece stands in the text without any, from 0, and how wide it is. */
export type Moved = readonly [line: number, column: number, width: number];

export function movedBy(code: string, insertions: readonly Insertion[]): Moved[] {
  const at = linesOf(code);
  return [...insertions].sort((a, b) => a.at - b.at).map((one) => [...at(one.at), one.text.length] as const);
}

/** Those by which something moved. */
export function movedIn(code: string, insertions: readonly Insertion[]): Moved[] {
  return movedBy(
    code,
    insertions.filter(({ at }) => !/^[ \t\r]*(?:\n|$)/.test(code.slice(at, code.indexOf('\n', at) + 1 || undefined))),
  );
}

export function linesOf(code: string): (at: number) => readonly [line: number, column: number] {
  const starts = [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (at) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= at) low = middle + 1;
      else high = middle;
    }
    return [low - 1, at - (starts[low - 1] as number)];
  };
}
