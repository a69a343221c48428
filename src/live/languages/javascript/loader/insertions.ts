// Pieces of text that the loader puts into a file, and takes out again wherever the file is shown or compared.

/** By its place in the text without any. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Nobody writes them by accident; and only what stands between them in our words is ours. */
const [open, close] = ['/*<vivarium.7f3a1c|*/', '/*|7f3a1c.vivarium>*/'] as const;
const ours =
  /\/\*<vivarium\.7f3a1c\|\*\/(?:if\(typeof __vivarium_|;(?:static\{)?globalThis\.__vivarium_guards\?).*?\/\*\|7f3a1c\.vivarium>\*\/|\n\/\*<vivarium\.7f3a1c\|\*\/ *\/\*\|7f3a1c\.vivarium>\*\//g;

export function piece(text: string): string {
  return `${open}${text}${close}`;
}

/** A line of nothing. */
export function blank(length: number): string {
  return `\n${piece(' '.repeat(length))}`;
}

export function withInsertions(code: string, insertions: readonly Insertion[]): string {
  let text = '';
  let from = 0;
  for (const one of [...insertions].sort((a, b) => a.at - b.at)) {
    text += code.slice(from, one.at) + one.text;
    from = one.at;
  }
  return text + code.slice(from);
}

export function hasMarks(text: string): boolean {
  return text.includes(open) || text.includes(close);
}

/** As the user wrote it. */
export function withoutInsertions(text: string): string {
  return text.includes(open) ? text.replace(ours, '') : text;
}

export function insertionsIn(text: string): Insertion[] {
  let before = 0;
  return [...text.matchAll(ours)].map(({ 0: piece, index }) => {
    const at = index - before;
    before += piece.length;
    return { at, text: piece };
  });
}
