// Lines of blanks in the tail of a file that got shorter: classes keep the places of their first text, and whoever shows one that lies
// behind the end of the new text ends the process.
import { tailBody } from '../loader/transform.ts';

const line = `\n${' '.repeat(79)}`;

/** How many it takes for a text to be as long. */
export function linesFor(length: number, text: string): number {
  return Math.max(0, Math.ceil((length - filled(text, 0).length) / line.length));
}

/** Where the file was loaded by something else it has no tail, and a class in it must not get behind the end. */
export function canShrink(length: number, text: string): boolean {
  return text.length >= length || text.includes(tailBody) || !/\bclass\b/.test(text);
}

export function linesIn(text: string): number {
  return Math.round((text.length - filled(text, 0).length) / line.length);
}

export function filled(text: string, lines: number): string {
  const at = text.indexOf(tailBody) + tailBody.length;
  if (at < tailBody.length) return text;
  let end = at;
  while (text.startsWith(line, end)) end += line.length;
  return `${text.slice(0, at)}${line.repeat(lines)}${text.slice(end)}`;
}
