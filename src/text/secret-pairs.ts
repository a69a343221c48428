// Values that stand behind the name of a secret: in a query, a form, an environment, a log or a command line.
import { isSecretName, isSecretParameter, maxName } from './secret-names.ts';
import { isSpace } from './secret-runs.ts';
import { type Replacement, replaced } from './secrets.ts';

export interface PairTerms {
  /** Also `name: value` and `--name value`, as in a log or on a command line. In a message that would be prose. */
  readonly loose?: boolean;
}

/** A code is a secret only where it is granted, and then it is long. */
const shortestCode = 8;
const [tab, space, ampersand, colon, equals, question] = [9, 32, 38, 58, 61, 63];

export function hidePairs(text: string, hidden: string, { loose = false }: PairTerms = {}): string {
  const parts: Replacement[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== equals && !(loose && (code === colon || code === space || code === tab))) continue;
    const value = valueBehind(text, at, code);
    if (value === undefined) continue;
    parts.push({ ...value, instead: hidden });
    at = value.to - 1;
  }
  return replaced(text, parts);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** `at` is the sign behind the name. */
function valueBehind(text: string, at: number, sign: number): Span | undefined {
  let start = at;
  while (start > 0 && at - start < maxName && isNamed(text.charCodeAt(start - 1))) start -= 1;
  if (start === at) return undefined;
  const name = text.slice(start, at);
  if (sign === equals) {
    const before = start === 0 ? question : text.charCodeAt(start - 1);
    const inQuery = before === question || before === ampersand;
    const least =
      isSecretName(name) || (inQuery && start > 0 && isSecretParameter(name)) ? 1 : inQuery && name === 'code' ? shortestCode : 0;
    if (least === 0) return undefined;
    const to = valueEnd(text, at + 1, '&"\'\\#;,<>');
    return to - at > least ? { from: at + 1, to } : undefined;
  }
  if ((sign !== colon && !name.startsWith('-')) || !isSecretName(name)) return undefined;
  let from = at + (sign === colon ? 1 : 0);
  while (text[from] === ' ' || text[from] === '\t') from += 1;
  const first = text[from] ?? '';
  if (first === '"' || first === "'") return { from, to: quotedEnd(text, from, first) };
  if (first === '-') return undefined;
  const to = valueEnd(text, from, ',;');
  return to > from ? { from, to } : undefined;
}

/** Up to the quote that ends it; the end of the line where there is none. */
function quotedEnd(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === quote) return at + 1;
    if (text[at] === '\n') return at;
  }
  return text.length;
}

function valueEnd(text: string, from: number, stops: string): number {
  let at = from;
  while (at < text.length && !stops.includes(text.charAt(at)) && !isSpace(text, at)) at += 1;
  return at;
}

/** Letters, digits, `_`, `.` and `-`. */
function isNamed(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46
  );
}
