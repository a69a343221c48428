// The statements of a TOML file with their places. The file has been parsed before: what is valid is read, nothing is judged.

export interface Statement {
  /** From the root of the file. */
  readonly path: readonly string[];
  readonly kind: 'table' | 'pair';
  readonly from: number;
  /** Behind its last character; a comment on the same line is not part of it. */
  readonly to: number;
  /** Where the value of a pair begins. */
  readonly value?: number;
}

export function statementsOf(text: string): Statement[] {
  const found: Statement[] = [];
  let table: readonly string[] = [];
  for (let at = skip(text, 0); at < text.length; at = skip(text, at)) {
    const from = at;
    if (text[at] === '[') {
      const brackets = text[at + 1] === '[' ? 2 : 1;
      const { path, to } = keysAt(text, at + brackets);
      table = path;
      at = text.indexOf(']', to) + brackets;
      found.push({ path, kind: 'table', from, to: at });
    } else {
      const { path, to } = keysAt(text, at);
      const value = blanks(text, text.indexOf('=', to) + 1);
      at = valueEnd(text, value);
      found.push({ path: [...table, ...path], kind: 'pair', from, to: at, value });
    }
    // Whatever is not understood is passed over, line by line.
    if (at <= from) at = text.indexOf('\n', from) < 0 ? text.length : text.indexOf('\n', from);
  }
  return found;
}

/** The pairs of a table in one line, which begins with the brace at `at`. */
export function inlinePairs(text: string, at: number, to: number): Statement[] {
  const found: Statement[] = [];
  for (let from = skip(text, at + 1); from < to - 1; from = skip(text, from)) {
    const { path, to: end } = keysAt(text, from);
    const value = blanks(text, text.indexOf('=', end) + 1);
    const last = valueEnd(text, value, true);
    found.push({ path, kind: 'pair', from, to: last, value });
    from = skip(text, last);
    if (text[from] !== ',') return found;
    from++;
  }
  return found;
}

function blanks(text: string, at: number): number {
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}

/** To the next statement: over blanks, line breaks and comments. */
function skip(text: string, at: number): number {
  for (;;) {
    while (at < text.length && /\s/.test(text[at] as string)) at++;
    if (text[at] !== '#') return at;
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end;
  }
}

function keysAt(text: string, at: number): { readonly path: readonly string[]; readonly to: number } {
  const path: string[] = [];
  for (;;) {
    at = blanks(text, at);
    const quote = text[at];
    const to = quote === '"' || quote === "'" ? stringEnd(text, at) : at + (/^[\w-]*/.exec(text.slice(at, at + 1_000))?.[0].length ?? 0);
    const written = text.slice(at, to);
    path.push(quote === '"' ? unquoted(written) : quote === "'" ? written.slice(1, -1) : written);
    at = blanks(text, to);
    if (text[at] !== '.') return { path, to };
    at++;
  }
}

/** Escapes of TOML that JSON has not are rare in a key; where there is one the key stays as it is written. */
function unquoted(written: string): string {
  try {
    return JSON.parse(written) as string;
  } catch {
    return written.slice(1, -1);
  }
}

/** Of any of the four kinds of strings; `at` is its first quote. */
function stringEnd(text: string, at: number): number {
  const quote = text[at] as string;
  const isLong = text.startsWith(quote.repeat(3), at);
  const end = isLong ? quote.repeat(3) : quote;
  for (let to = at + end.length; to < text.length; to++) {
    if (quote === '"' && text[to] === '\\') to++;
    else if (text.startsWith(end, to)) {
      // A long string may end with two quotes of its own.
      while (isLong && text[to + 3] === quote) to++;
      return to + end.length;
    }
  }
  return text.length;
}

/** In a table in one line, a comma or a brace ends it, too. */
function valueEnd(text: string, at: number, inline = false): number {
  let [depth, end] = [0, at];
  while (at < text.length) {
    const one = text[at] as string;
    if (one === '"' || one === "'") at = stringEnd(text, at);
    else if (one === '#') {
      if (depth === 0) return end;
      const line = text.indexOf('\n', at);
      at = line < 0 ? text.length : line;
      continue;
    } else {
      if (inline && depth === 0 && (one === ',' || one === '}')) return end;
      if (one === '[' || one === '{') depth++;
      if (one === ']' || one === '}') depth--;
      if (one === '\n' && depth === 0) return end;
      at++;
    }
    if (!/\s/.test(one)) end = at;
  }
  return end;
}
