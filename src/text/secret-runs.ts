// How far a part of a secret goes on: each question is answered in one pass, without going back.
import { kinds, type Shape, shapes } from './secret-shapes.ts';

/** Longer than any private key in use: so far its end is looked for. */
export const maxSecret = 8_192;
export const armour = { begin: '-----BEGIN ', end: '-----END ', dashes: '-----' } as const;

const maxLabel = 64;
/** A line of a key that is shorter is its last one. */
const shortestLine = 16;
const wordKinds = kinds.digit | kinds.upper | kinds.lower | kinds.underscore;
const base64 = kinds.digit | kinds.upper | kinds.lower | kinds.slash | kinds.sign;

const kindOf = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\d/.test(character)) return kinds.digit;
  if (/[a-z]/.test(character)) return kinds.lower;
  if (/[A-Z]/.test(character)) return kinds.upper;
  const at = '_-./+=~'.indexOf(character);
  return at < 0 ? 0 : ([kinds.underscore, kinds.dash, kinds.dot, kinds.slash][at] ?? kinds.sign);
});

/** Shapes by the code of the character they begin with. */
export const byFirst: readonly (readonly Shape[])[] = Array.from({ length: 128 }, (_, code) =>
  shapes.filter(({ prefix }) => prefix.charCodeAt(0) === code),
);

export function isOf(text: string, at: number, wanted: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && ((kindOf[code] ?? 0) & wanted) !== 0;
}

/** As a regular expression would say, a hundred times faster for what mostly comes. */
export function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 32 || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(text.charAt(at)));
}

export function runEnd(text: string, from: number, wanted: number): number {
  let at = from;
  while (isOf(text, at, wanted)) at += 1;
  return at;
}

/** Where the run of characters begins that goes to the end of `text`. */
export function tailStart(text: string, wanted: number): number {
  let at = text.length;
  while (at > 0 && isOf(text, at - 1, wanted)) at -= 1;
  return at;
}

export function beginsWord(text: string, at: number): boolean {
  return at === 0 || !isOf(text, at - 1, wordKinds);
}

/** Behind the dashes that end the label of a PEM block. */
export function labelEnd(text: string, from: number): number | undefined {
  let at = from;
  while (at - from <= maxLabel && (text[at] === ' ' || isOf(text, at, kinds.upper | kinds.digit))) at += 1;
  return text.startsWith(armour.dashes, at) ? at + armour.dashes.length : undefined;
}

/** How far a key goes on whose end is missing: lines of base64, with line breaks as they are or escaped. */
export function openKeyEnd(text: string, from: number, stop: number): number {
  for (let to = from; ; ) {
    let line = to;
    while (isSpace(text, line) || text.startsWith('\\n', line) || text.startsWith('\\r', line)) line += text[line] === '\\' ? 2 : 1;
    const end = Math.min(runEnd(text, line, base64), stop);
    if (end <= line || (to === from && end - line < shortestLine && end < stop)) return to;
    to = end;
    if (end - line < shortestLine) return to;
  }
}

/** Of an address, from behind its `//`: where the user ends. */
export function userEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !'/:@"\\'.includes(text.charAt(at)) && !isSpace(text, at)) at += 1;
  return at;
}

/** From behind the colon: where the password can go on no longer, and the last `@` before that. */
export function passwordEnd(text: string, from: number): { readonly end: number; readonly sign: number } {
  let [at, sign] = [from, -1];
  for (; at < text.length && !'/"\'\\'.includes(text.charAt(at)) && !isSpace(text, at); at++) if (text[at] === '@') sign = at;
  return { end: at, sign };
}
