// Secrets that are recognised by their shape, or because the host was started with them, do not go to a model.
import { isSecretVariable } from '../../text/secret-names.ts';
import { hideSecrets } from '../../text/secrets.ts';
import { unfinishedSecret } from '../../text/unfinished-secret.ts';

/** How a value or a text says that it was cut. */
const cut = /(["'`]?\.\.\. \d{1,15} more characters?|…)/;
const shortest = 8;
/** More than any answer has reason to say. */
const maxText = 1_000_000;

export interface Mask {
  mask(text: string): string;
  /** How much of its end may be the beginning of a secret, whose rest has not come yet. */
  unfinished(text: string): number;
}

interface Known {
  readonly name: string;
  readonly value: string;
  /** For each of its beginnings, the longest shorter one that it ends with. */
  readonly borders: readonly number[];
}

/** `env`: the host's own, whose secrets the images are not given either. */
export function createMask(env: Readonly<Record<string, string | undefined>>): Mask {
  const known = Object.entries(env).flatMap(([name, value = '']) =>
    value.length >= shortest && isSecretVariable(name) ? [{ name, value, borders: bordersOf(value) }] : [],
  );
  const open = (text: string, shape: number): number => known.reduce((most, one) => Math.max(most, begunAtEnd(text, one)), shape);
  const mask = (text: string): string => {
    // What was cut off in the midst of a secret is not recognised by its other half.
    const parts = capped(text).split(cut);
    let masked = parts
      .map((part, at) =>
        at % 2 === 0 && at < parts.length - 1 ? without(part, open(part, unfinishedSecret(part, { cutOff: true }))) : part,
      )
      .join('');
    for (const { name, value } of known) masked = masked.replaceAll(value, `[secret ${name}]`);
    return hideSecrets(masked, (secret, prefix) => `${secret.slice(0, prefix)}[secret]`);
  };
  return { mask, unfinished: (text) => open(text, unfinishedSecret(text)) };
}

function capped(text: string): string {
  if (text.length <= maxText) return text;
  return `${text.slice(0, maxText)}…\n[… ${text.length - maxText} characters left out …]`;
}

function without(text: string, count: number): string {
  return count < shortest ? text : `${text.slice(0, -count)}[secret]`;
}

/** How many of the last characters are the beginning of the value, and not all of it. */
function begunAtEnd(text: string, { value, borders }: Known): number {
  let length = 0;
  for (let at = Math.max(0, text.length - value.length + 1); at < text.length; at++)
    length = extended(value, borders, length, text.charCodeAt(at));
  return length;
}

function bordersOf(value: string): number[] {
  const borders = [0];
  for (let at = 1; at < value.length; at++) borders.push(extended(value, borders, borders[at - 1] ?? 0, value.charCodeAt(at)));
  return borders;
}

/** The step of Knuth, Morris and Pratt, which never goes back in the text. */
function extended(value: string, borders: readonly number[], length: number, code: number): number {
  let known = length;
  while (known > 0 && value.charCodeAt(known) !== code) known = borders[known - 1] ?? 0;
  return value.charCodeAt(known) === code ? known + 1 : 0;
}
