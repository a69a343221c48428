// Strings that stand under the name of a secret in JSON, also in JSON within a string.
import { isSecretName } from './secret-names.ts';
import { type Replacement, replaced } from './secrets.ts';

/** JSON within a string of JSON, and within that. */
const deepest = 3;

/** What is no secret keeps its bytes. By hand: a regular expression runs out of stack in a string of some megabytes. */
export function hideMembers(text: string, hidden: string, depth = 0): string {
  const parts: Replacement[] = [];
  let [isValue, isList] = [false, false];
  for (let from = text.indexOf('"'); from >= 0; ) {
    const to = endOfString(text, from);
    if (to === undefined) {
      // Cut off: its rest is elsewhere.
      if ((isValue || isList) && from + 1 < text.length) parts.push({ from, to: text.length, instead: `"${hidden}` });
      break;
    }
    const next = skipSpace(text, to);
    const sign = text[next];
    if (sign === ':' && !isList) {
      const value = skipSpace(text, next + 1);
      const isNamed = (text[value] === '[' || text[value] === '"') && isSecretName(text.slice(from + 1, to - 1));
      isValue = isNamed && text[value] === '"';
      // What is neither a string nor a list of strings is no secret, but may hold some.
      isList = isNamed && text[value] === '[' && text[skipSpace(text, value + 1)] === '"';
    } else {
      const instead = isValue || isList ? `"${hidden}"` : nested(text, from, to, hidden, depth);
      if (instead !== undefined) parts.push({ from, to, instead });
      isValue = false;
      if (sign === ']') isList = false;
    }
    from = text.indexOf('"', to);
  }
  return replaced(text, parts);
}

/** Undefined where there is nothing to hide. */
function nested(text: string, from: number, to: number, hidden: string, depth: number): string | undefined {
  if (depth >= deepest || to - from <= 8) return undefined;
  const literal = text.slice(from, to);
  // It quotes something, and an object begins in it.
  const inner = literal.includes('\\"') && literal.includes('{') ? parsed(literal) : undefined;
  const shown = inner === undefined ? undefined : hideMembers(inner, hidden, depth + 1);
  return shown === inner ? undefined : JSON.stringify(shown);
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
