// Pieces of text that the loader puts into a file, and takes out again wherever the file is shown or compared.

/** By its place in the text without any. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Nobody writes them by accident; and only what stands between them in our words is ours. */
const [open, close] = ['/*<vivarium.7f3a1c|*/', '/*|7f3a1c.vivarium>*/'] as const;
const ours = ['if(typeof __vivarium_', ';static{globalThis.__vivarium_guards?', ';globalThis.__vivarium_guards?'];

export function piece(text: string): string {
  return `${open}${text}${close}`;
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
  return taken(text).code;
}

export function insertionsIn(text: string): Insertion[] {
  return taken(text).insertions;
}

/** One look for each end: an expression would take ever longer for beginnings without an end. */
function taken(text: string): { readonly code: string; readonly insertions: Insertion[] } {
  const insertions: Insertion[] = [];
  let code = '';
  let from = 0;
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, at + open.length)) {
    const begin = at + open.length;
    if (!ours.some((one) => text.startsWith(one, begin))) continue;
    const end = text.indexOf(close, begin);
    if (end < 0) break;
    code += text.slice(from, at);
    from = end + close.length;
    insertions.push({ at: code.length, text: text.slice(at, from) });
  }
  return { code: code + text.slice(from), insertions };
}
