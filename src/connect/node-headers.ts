// Header fields as undici gives them, names and values in turn: read only when somebody asks for one.
import type { HeaderLookup } from './requester.ts';

/** Of these the first counts, as with node:http; the values of others are a list. */
const single: ReadonlySet<string> = new Set(['content-type', 'location', 'retry-after']);

export function lookupIn(raw: readonly Buffer[]): HeaderLookup {
  return (name) => {
    let found: string | undefined;
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const field = raw[at] as Buffer;
      if (field.length !== name.length || field.toString('latin1').toLowerCase() !== name) continue;
      const value = (raw[at + 1] as Buffer).toString('latin1');
      if (single.has(name)) return value;
      found = found === undefined ? value : `${found}, ${value}`;
    }
    return found;
  };
}
