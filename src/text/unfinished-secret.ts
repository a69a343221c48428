// How much of the end of a text may be the beginning of a secret: whatever is cut into pieces shows none of its halves.
import { armour, beginsWord, byFirst, labelEnd, maxSecret, passwordEnd, runEnd, tailStart, userEnd } from './secret-runs.ts';
import { base64url, kinds, type Shape } from './secret-shapes.ts';

const signedToken: Shape = { prefix: 'eyJ', body: base64url | kinds.dot, least: 0 };
const maxPrefix = 32;

/** Its last characters, so many of them. With `cutOff` nothing more comes: then an address without a password hides nothing. */
export function unfinishedSecret(text: string, { cutOff = false }: { readonly cutOff?: boolean } = {}): number {
  const end = text.slice(-maxSecret);
  return end.length - Math.min(openShape(end), openKey(end), openLogin(end, cutOff));
}

function openShape(text: string): number {
  const starts = new Map<number, number>();
  const startOf = (kind: number): number => {
    const start = starts.get(kind) ?? tailStart(text, kind);
    starts.set(kind, start);
    return start;
  };
  const isOpen = ({ prefix, body, most }: Shape, at: number): boolean => {
    const from = at + prefix.length;
    if (from > text.length) return prefix.startsWith(text.slice(at));
    if (most !== undefined && text.length - from > most) return false;
    return startOf(body) <= from && text.startsWith(prefix, at);
  };
  // Every body is of these.
  const tail = tailStart(text, base64url | kinds.dot | kinds.slash | kinds.sign);
  for (let at = Math.max(0, tail - maxPrefix); at < text.length; at++) {
    if (!beginsWord(text, at)) continue;
    if (isOpen(signedToken, at) || byFirst[text.charCodeAt(at)]?.some((shape) => isOpen(shape, at)) === true) return at;
  }
  return text.length;
}

/** Behind the last PEM block that has ended. */
function openKey(text: string): number {
  let [from, end] = [0, text.lastIndexOf(armour.end)];
  for (; end > 0; end = text.lastIndexOf(armour.end, end - 1)) {
    from = labelEnd(text, end + armour.end.length) ?? 0;
    if (from > 0) break;
  }
  for (let begun = text.indexOf(armour.begin, from); begun >= 0; begun = text.indexOf(armour.begin, begun + 1)) {
    const label = labelEnd(text, begun + armour.begin.length);
    if (label === undefined || text.slice(begun, label).includes('PRIVATE KEY')) return begun;
  }
  for (let length = Math.min(armour.begin.length - 1, text.length); length > 0; length--)
    if (text.endsWith(armour.begin.slice(0, length))) return text.length - length;
  return text.length;
}

function openLogin(text: string, cutOff: boolean): number {
  const at = text.lastIndexOf('//');
  const nothing = text.endsWith('/') && !cutOff ? text.length - 1 : text.length;
  if (at < 0) return nothing;
  const colon = userEnd(text, at + 2);
  if (colon === text.length) return cutOff ? colon : at;
  if (text[colon] !== ':' || passwordEnd(text, colon + 1).end < text.length) return nothing;
  const isPort = runEnd(text, colon + 1, kinds.digit) === text.length && text.length - colon <= 6;
  return cutOff && isPort ? text.length : at;
}
