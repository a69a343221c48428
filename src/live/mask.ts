// Secrets that are recognised by their shape, or because the host was started with them, do not go to a model.

const shapes: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{40,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
];
/** Of the same, what may become one when more follows. */
const beginnings: readonly RegExp[] = [
  /\b(?:(?:sk|pk|rk)-|gh[pousr]_|github_pat_|xox[abprs]-|AKIA|eyJ)[\w.-]*$/,
  /\b(?:[spr]k?|g(?:h[pousr]?|i(?:t(?:h(?:u(?:b(?:_(?:p(?:a(?:t)?)?)?)?)?)?)?)?)?|x(?:o(?:x[abprs]?)?)?|A(?:KI?)?|ey?)$/,
  /-----BEGIN (?![\s\S]*-----END [A-Z ]*-----)[\s\S]*$/,
  /-{1,5}(?:B(?:E(?:G(?:IN?)?)?)?)?$/,
];
/** How a long value says that it was cut. */
const cut = /(["'`]?\.\.\. \d+ more characters?)/;
const secretName = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;
const shortest = 8;
/** A longer secret is none of ours. */
const longest = 8_192;
/** The first character may be all that has come. */
const leastPart = 1;

export interface Mask {
  mask(text: string): string;
  /** How much of its end may be the beginning of a secret, whose rest has not come yet. */
  unfinished(text: string): number;
}

/** `env`: the host's own, whose secrets the images are not given either. */
export function createMask(env: Readonly<Record<string, string | undefined>>): Mask {
  const known = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= shortest && secretName.test(name) ? [[name, value] as const] : [],
  );
  const unfinished = (text: string): number => {
    const end = text.slice(-longest);
    let from = end.length;
    for (const [, value] of known) {
      for (let length = Math.min(value.length - 1, end.length); length >= leastPart; length--) {
        if (!end.endsWith(value.slice(0, length))) continue;
        from = Math.min(from, end.length - length);
        break;
      }
    }
    for (const beginning of beginnings) from = Math.min(from, beginning.exec(end)?.index ?? from);
    return end.length - from;
  };
  const mask = (text: string): string => {
    // What was cut off in the midst of a secret is not recognised by its other half.
    const parts = text.split(cut);
    let masked = parts.map((part, at) => (at % 2 === 0 && at < parts.length - 1 ? without(part, unfinished(part)) : part)).join('');
    for (const [name, value] of known) if (masked.includes(value)) masked = masked.replaceAll(value, `[secret ${name}]`);
    for (const shape of shapes) masked = masked.replace(shape, (found) => `${found.slice(0, 4)}[secret]`);
    return masked;
  };
  return { mask, unfinished };
}

function without(text: string, count: number): string {
  return count < shortest ? text : `${text.slice(0, -count)}[secret]`;
}
