// Lines of blanks in the tail of a file that got shorter: classes keep the places of their first text, and whoever shows one that lies
// behind the end of the new text ends the process.
import type { Insertion } from '../loader/insertions.ts';
import { tailBody } from '../loader/transform.ts';

const line = `\n${' '.repeat(79)}`;

/** How many it takes for a text to be as long. */
export function linesFor(length: number, text: string): number {
  return Math.max(0, Math.ceil((length - text.length) / line.length));
}

/** Where the file was loaded by something else it has no tail, and a class in it must not get behind the end. */
export function canShrink(length: number, text: string): boolean {
  return text.length >= length || text.includes(tailBody) || !/\bclass\b/.test(text);
}

export function filling(text: string, lines: number): Insertion[] {
  const at = endOfTail(text);
  return at === undefined || lines === 0 ? [] : [{ at, text: line.repeat(lines) }];
}

export function withoutFilling(text: string): string {
  const at = endOfTail(text);
  let end = at ?? 0;
  while (text.startsWith(line, end)) end += line.length;
  return at === undefined ? text : text.slice(0, at) + text.slice(end);
}

function endOfTail(text: string): number | undefined {
  const at = text.lastIndexOf(tailBody);
  return at < 0 ? undefined : at + tailBody.length;
}
