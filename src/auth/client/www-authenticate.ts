// Reads `WWW-Authenticate` as RFC 9110 writes it, in one pass, whatever a server has put there.

export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By lower-case name; of two that are named alike the first counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** What a client can act upon. */
export interface Demand {
  readonly metadata: string | undefined;
  /** Undefined when the server names none. */
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
}

const token = /[\w!#$%&'*+.^`|~-]+/y;
const token68 = /[\w.~+/-]+=*/y;
const blank = /[ \t]*/y;
/** More than RFC 9110 allows without quotes: addresses are sent so. */
const bare = /[^ \t,"]*/y;

export function readDemand(header: string | undefined): Demand {
  const challenges = parseChallenges(header ?? '');
  const ours = challenges.filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  const first = (name: string, among: readonly Challenge[]): string | undefined => {
    for (const { parameters } of among) if (parameters.has(name)) return parameters.get(name);
    return undefined;
  };
  const scope = first('scope', ours);
  return {
    // RFC 9728, section 5.1: any scheme may say where the metadata is.
    metadata: first('resource_metadata', ours) ?? first('resource_metadata', challenges),
    scopes: scope === undefined ? undefined : splitScopes(scope),
    error: first('error', ours),
  };
}

export function splitScopes(text: string): string[] {
  return [...new Set(text.split(' ').filter((scope) => scope !== ''))];
}

export function parseChallenges(header: string): Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(header)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const endsHere = (): boolean => at >= header.length || header[at] === ',';
  const skipElement = (): void => {
    const comma = header.indexOf(',', at);
    at = comma === -1 ? header.length : comma;
  };
  /** Undefined when the closing quote is missing: then nothing after it can be trusted either. */
  const takeQuoted = (): string | undefined => {
    const parts: string[] = [];
    let from = ++at;
    for (; at < header.length; at++) {
      if (header[at] === '"') {
        parts.push(header.slice(from, at++));
        return parts.join('');
      }
      if (header[at] === '\\') {
        parts.push(header.slice(from, at));
        from = ++at;
      }
    }
    return undefined;
  };
  /** After a name: `= value`. */
  const takeValue = (): string | undefined => {
    at++;
    take(blank);
    return header[at] === '"' ? takeQuoted() : take(bare);
  };

  while (at < header.length) {
    if (header[at] === ',' || header[at] === ' ' || header[at] === '\t') {
      at++;
      continue;
    }
    const name = take(token);
    if (name === '') {
      skipElement();
      continue;
    }
    const spaces = take(blank);
    if (header[at] === '=') {
      const value = takeValue();
      const parameters = challenges.at(-1)?.parameters;
      if (value !== undefined && parameters !== undefined && !parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
      continue;
    }
    challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    if (spaces === '') {
      if (!endsHere()) skipElement();
      continue;
    }
    const start = at;
    take(token68);
    take(blank);
    // Not credentials in one piece, so parameters.
    if (!endsHere()) at = start;
  }
  return challenges;
}
