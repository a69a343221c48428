// Finds secrets by their shape, in time that grows with the length of the text: a character is looked at a few times at most.
import { armour, beginsWord, byFirst, isOf, labelEnd, maxSecret, openKeyEnd, passwordEnd, runEnd, userEnd } from './secret-runs.ts';
import { base64url, kinds, type Shape } from './secret-shapes.ts';

export interface Secret {
  readonly from: number;
  readonly to: number;
  /** So many of its first characters only say of which kind it is. */
  readonly prefix: number;
}

export interface SecretTerms {
  /** No secret goes beyond a `"`: what is left has to stay JSON. */
  readonly json?: boolean;
}

export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly instead: string;
}

const [dash, slash, letterE] = [45, 47, 101];
const shortestSegment = 8;

/** `text` with each of its secrets replaced. */
export function hideSecrets(text: string, instead: (secret: string, prefix: number) => string, terms?: SecretTerms): string {
  const parts = findSecrets(text, terms).map(({ from, to, prefix }) => ({ from, to, instead: instead(text.slice(from, to), prefix) }));
  return replaced(text, parts);
}

/** `text` with parts of it replaced, which are in order and do not overlap. */
export function replaced(text: string, parts: readonly Replacement[]): string {
  if (parts.length === 0) return text;
  let [done, kept] = ['', 0];
  for (const { from, to, instead } of parts) {
    done += text.slice(kept, from) + instead;
    kept = to;
  }
  return done + text.slice(kept);
}

/** Every secret in `text`, in order; none overlaps another. */
function findSecrets(text: string, { json = false }: SecretTerms = {}): Secret[] {
  const found: Secret[] = [];
  const scan = new Scan(text, json);
  for (let at = 0; at < text.length; ) {
    const secret = scan.at(at);
    if (secret !== undefined) found.push(secret);
    at = secret?.to ?? at + 1;
  }
  return found;
}

class Scan {
  readonly #text: string;
  readonly #json: boolean;
  /** No signed token begins before this: what would be its rest was seen. */
  #noToken = 0;
  /** Where each is found next, so that nothing is looked for twice. */
  readonly #next: Map<string, number> = new Map();

  constructor(text: string, json: boolean) {
    this.#text = text;
    this.#json = json;
  }

  at(at: number): Secret | undefined {
    const code = this.#text.charCodeAt(at);
    if (code === dash) return this.#privateKey(at);
    if (code === slash) return this.#login(at);
    if (code === letterE) return this.#signedToken(at);
    const known = byFirst[code];
    if (known === undefined || known.length === 0 || !beginsWord(this.#text, at)) return undefined;
    for (const shape of known) {
      const secret = this.#text.startsWith(shape.prefix, at) ? shaped(this.#text, at, shape) : undefined;
      if (secret !== undefined) return secret;
    }
    return undefined;
  }

  /** JWT and JWE: three parts or more. */
  #signedToken(at: number): Secret | undefined {
    const text = this.#text;
    if (at < this.#noToken || !text.startsWith('eyJ', at) || !beginsWord(text, at)) return undefined;
    const first = runEnd(text, at, base64url);
    let [to, parts] = [first, first - at > shortestSegment ? 1 : 0];
    while (parts > 0 && text[to] === '.') {
      const next = runEnd(text, to + 1, base64url);
      if (next - to <= (parts === 1 ? shortestSegment : 1)) break;
      to = next;
      parts += 1;
    }
    if (parts >= 3) return { from: at, to, prefix: 3 };
    // Others that begin within the first part would end like this one.
    this.#noToken = first;
    return undefined;
  }

  /** In PEM: up to its end, or as far as it goes on. */
  #privateKey(at: number): Secret | undefined {
    const text = this.#text;
    if (!text.startsWith(armour.begin, at)) return undefined;
    const body = labelEnd(text, at + armour.begin.length);
    if (body === undefined || !text.slice(at, body).includes('PRIVATE KEY')) return undefined;
    const stop = Math.min(body + 2 * maxSecret, this.#json ? this.#ahead('"', body) : text.length);
    const end = this.#ahead(armour.end, body);
    const to = (end < stop ? labelEnd(text, end + armour.end.length) : undefined) ?? openKeyEnd(text, body, stop);
    return to > body ? { from: at, to, prefix: 4 } : undefined;
  }

  /** The password of an address: `//user:password@`. */
  #login(at: number): Secret | undefined {
    const text = this.#text;
    if (text.charCodeAt(at + 1) !== slash) return undefined;
    const colon = userEnd(text, at + 2);
    if (text[colon] !== ':') return undefined;
    const digits = runEnd(text, colon + 1, kinds.digit);
    const isPort = digits > colon + 1 && digits - colon <= 6 && (text[digits] === '?' || text[digits] === '#');
    const { sign } = passwordEnd(text, colon + 1);
    return !isPort && sign > colon + 1 ? { from: colon + 1, to: sign, prefix: 0 } : undefined;
  }

  #ahead(needle: string, from: number): number {
    const known = this.#next.get(needle);
    if (known !== undefined && known >= from) return known;
    const found = this.#text.indexOf(needle, from);
    const next = found < 0 ? this.#text.length : found;
    this.#next.set(needle, next);
    return next;
  }
}

function shaped(text: string, at: number, { prefix, body, least, most, named }: Shape): Secret | undefined {
  const from = at + prefix.length;
  let to = from;
  // Nobody needs to know how much longer it is than it may be.
  while (isOf(text, to, body) && (most === undefined || to - from <= most)) to += 1;
  if (most !== undefined && to - from > most) return undefined;
  while (text[to - 1] === '.' && to > from) to -= 1;
  if (to - from < least) return undefined;
  return named === true ? { from, to, prefix: 0 } : { from: at, to, prefix: Math.min(prefix.length, 4) };
}
