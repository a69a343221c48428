// How a file is laid out, so that what is added looks like what is there.

export interface Layout {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
  /** Without a blank anywhere. */
  readonly compact?: boolean;
}

export function layoutOf(text: string, near = 0): Layout {
  return { eol: eolAt(text, near), unit: unitOf(text) };
}

/** As the line before is ended, or else the first one: a file may mix them. */
function eolAt(text: string, near: number): string {
  const before = text.lastIndexOf('\n', Math.max(0, near - 1));
  const at = before >= 0 ? before : text.indexOf('\n');
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** The whitespace of the first line that has some; a comment's second line begins with one blank more than its first. */
function unitOf(text: string): string {
  const [, found = '  '] = /^([ \t]+)[^\s*]/m.exec(text) ?? [];
  return found.startsWith('\t') ? '\t' : found.length > 8 ? '  ' : found;
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Before the line break, or at the end of the text. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  if (at < 0) return text.length;
  return at > offset && text[at - 1] === '\r' ? at - 1 : at;
}

/** Behind the line break. */
export function nextLine(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at + 1;
}

export function indentAt(text: string, offset: number): string {
  const start = lineStart(text, offset);
  return /^[ \t]*/.exec(text.slice(start, start + 1_000))?.[0] ?? '';
}

export interface Cut {
  readonly from: number;
  readonly to: number;
  readonly put?: string;
}

/** A member of a list in one line, with the comma that belongs to it; the list is between `open` and `close`. */
export function memberCut(text: string, [from, to]: readonly [number, number], [open, close]: readonly [number, number]): Cut {
  const after = /^\s*,[ \t]*/.exec(text.slice(to, close));
  if (after !== null) return { from, to: to + after[0].length };
  const before = text.slice(open, from);
  const kept = before.trimEnd();
  if (kept.endsWith(',')) return { from: open + kept.length - 1, to };
  return kept === '' && text.slice(to, close).trim() === '' ? { from: open, to: close } : { from, to };
}

/** `cuts` do not overlap. */
export function withCuts(text: string, cuts: readonly Cut[]): string {
  let [done, at] = ['', 0];
  for (const { from, to, put = '' } of [...cuts].sort((a, b) => a.from - b.from)) {
    done += text.slice(at, from) + put;
    at = to;
  }
  return done + text.slice(at);
}
