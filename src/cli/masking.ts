// Secrets in messages, headers and command lines, replaced before they reach a file.
import { secretEnding, secretName, secretText } from '../check/secrets.ts';

const masked = '***';
/** As in a form, a query or an environment. */
const pair = new RegExp(`(?<![\\w.-])([\\w.-]{0,80}${secretEnding}=)[^\\s&"'\\\\#;,<>]{3,}`, 'gi');
/** As in a log, or on a command line; in a message it would be prose. */
const loosePair = new RegExp(
  `(?<![\\w.-])([\\w.-]{0,80}${secretEnding}:[ \\t]*|--?[\\w.-]{0,80}${secretEnding}[ \\t]+)(?:"[^"]*"|'[^']*'|[^\\s"',;-][^\\s,;]*)`,
  'gi',
);
/** A code is one only where it is granted, and a key where it opens something. */
const grant = /(?<=^|[?&])(code=|(?<=[?&])key=)[^&\s"'\\]{8,}/g;
/** JSON within a string of JSON, and within that. */
const deepest = 3;

/** JSON as it stands, or any other text: what is no secret keeps its bytes. */
export function maskText(text: string): string {
  const shown = maskMembers(text, 0).replace(secretText, masked);
  const isJson = /^\s*[{[]/.test(text);
  return (isJson ? shown : shown.replace(grant, `$1${masked}`).replace(loosePair, `$1${masked}`)).replace(pair, `$1${masked}`);
}

/** Bytes that are no UTF-8: what can be read in them is treated the same. */
export function maskBytes(bytes: Buffer): Buffer {
  return Buffer.from(maskText(bytes.toString('latin1')), 'latin1');
}

/** Of HTTP: by the names of headers, whatever their values. */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secretName.test(name) ? masked : maskText(value)]));
}

/** Strings that stand under the name of a secret. By hand: a regular expression runs out of stack in a string of some megabytes. */
function maskMembers(text: string, depth: number): string {
  let done = '';
  let kept = 0;
  let [isValue, isList] = [false, false];
  const put = (from: number, to: number, instead: string): void => {
    done += text.slice(kept, from) + instead;
    kept = to;
  };
  for (let from = text.indexOf('"'); from >= 0; ) {
    const to = endOfString(text, from);
    if (to === undefined) break;
    const next = skipSpace(text, to);
    const sign = text[next];
    if (sign === ':' && !isList) {
      const value = skipSpace(text, next + 1);
      isList = text[value] === '[' && secretName.test(text.slice(from + 1, to - 1));
      isValue = text[value] === '"' && secretName.test(text.slice(from + 1, to - 1));
      // What is neither a string nor a list of strings is no secret, but may hold some.
      if (isList && text[skipSpace(text, value + 1)] !== '"') isList = false;
    } else {
      if (isValue || isList) put(from, to, `"${masked}"`);
      else if (depth < deepest && to - from > 8) putNested(text.slice(from, to), from, to);
      isValue = false;
      if (sign === ']') isList = false;
    }
    from = text.indexOf('"', to);
  }
  return kept === 0 ? text : done + text.slice(kept);

  function putNested(literal: string, from: number, to: number): void {
    // It quotes something, and an object begins in it.
    const inner = literal.includes('\\"') && literal.includes('{') ? parsed(literal) : undefined;
    const shown = inner === undefined ? undefined : maskMembers(inner, depth + 1);
    if (shown !== undefined && shown !== inner) put(from, to, JSON.stringify(shown));
  }
}

/** Behind the quote that ends it. */
function endOfString(text: string, from: number): number | undefined {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text[before] === '\\') before -= 1;
    if ((at - before) % 2 === 1) return at + 1;
  }
  return undefined;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at += 1;
  return at;
}

function parsed(literal: string): string | undefined {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}
