// How a function or a class is written, in one line, and what is said above it.

/** Up to its body; of a class up to the brace. */
export function signatureOf(text: string): string {
  if (/^class\b/.test(text)) return oneLine(text.slice(0, firstOutside(text, '{')));
  const arrow = /^(?:async\s+)?[\w$]+\s*=>/.exec(text);
  if (arrow !== null) return oneLine(arrow[0]);
  const open = firstOutside(text, '(');
  const end = closing(text, open);
  const tail = /^\s*=>/.test(text.slice(end)) ? ' =>' : '';
  return oneLine(text.slice(0, end) + tail);
}

/** `function`, `async function`, `class` and so on, as far as its text tells. */
export function kindOf(text: string): string {
  if (/^class\b/.test(text)) return 'class';
  const async = /^async\b/.test(text) ? 'async ' : '';
  if (/^(?:async\s+)?function\s*\*/.test(text)) return `${async}generator`;
  return `${async}${/^(?:async\s+)?function\b/.test(text) || isArrow(text) ? 'function' : 'method'}`;
}

/** Of a class: what its constructor takes. */
export function constructorOf(text: string): string | undefined {
  const found = /^\s*constructor\s*\(/m.exec(text);
  return found === null ? undefined : signatureOf(text.slice(found.index).trimStart());
}

/** What may stand between a comment and the thing it is about. */
const prefix = /(?:(?:export|default|async|static|get|set)\s+|(?:(?:const|let|var)\s+)?[\w$.]+\s*=\s*)*$/;

/** The comment right above it, or on the same line, without its marks. */
export function commentAbove(source: string, start: number): string {
  // The pattern is slow on long words, so it sees little of what may be a minified file.
  const near = Math.max(0, start - 200);
  const before = source.slice(Math.max(0, near - 10_000), near) + source.slice(near, start).replace(prefix, '');
  const text = before.trimEnd();
  if (before.slice(text.length).split('\n').length > 2) return '';
  const lines = text.endsWith('*/') ? text.slice(text.lastIndexOf('/*')).split('\n') : lineComments(text.split('\n'));
  const bare = lines.map((line) =>
    line
      .replace(/^\s*(?:\/\*+|\*(?!\/)|\/\/+)\s?/, '')
      .replace(/\s*\*+\/\s*$/, '')
      .trimEnd(),
  );
  return bare.join('\n').trim();
}

function lineComments(lines: readonly string[]): string[] {
  let from = lines.length;
  while (from > 0 && /^\s*\/\//.test(lines[from - 1] ?? '')) from--;
  return lines.slice(from);
}

function isArrow(text: string): boolean {
  const rest = text.replace(/^async\s*/, '');
  if (/^[\w$]+\s*=>/.test(rest)) return true;
  return rest.startsWith('(') && /^\s*=>/.test(rest.slice(closing(rest, 0)));
}

function firstOutside(text: string, mark: string): number {
  const at = text.indexOf(mark);
  return at < 0 ? Math.min(text.length, 200) : at;
}

/** After the parenthesis that closes the one at `open`; strings are skipped. */
function closing(text: string, open: number): number {
  let depth = 0;
  let quote = '';
  for (let at = open; at < text.length; at++) {
    const one = text[at] as string;
    if (quote !== '') {
      if (one === '\\') at++;
      else if (one === quote) quote = '';
    } else if (one === '"' || one === "'" || one === '`') quote = one;
    else if ('([{'.includes(one)) depth++;
    else if (')]}'.includes(one) && --depth === 0) return at + 1;
  }
  return text.length;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300);
}
