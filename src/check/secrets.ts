// What only its owner should know, and what a report does not repeat of it: reports are passed on.
import { quote } from './shell-word.ts';
import type { Exchange } from './trace.ts';

/** How names of secrets end: `OPENAI_API_KEY`, `x-auth-token`, `clientSecret`. Tokens of pages and of progress are none, nor are counted ones. */
export const secretEnding =
  '(?:authorization|cookie|password|passwd|passphrase|secret|(?:api|access|private|secret|signing)[-_.]?key|code[-_.]?verifier|(?<!(?:progress|page|next|continuation|stop|max|min|num)[-_.]?)token)';
export const secretName: RegExp = new RegExp(`${secretEnding}$`, 'i');
/** What is a secret whatever it is called. */
export const secretText: RegExp =
  /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAKIA[A-Z0-9]{16}\b|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+|(?<=\bBearer )[A-Za-z0-9._~+/=-]{8,}|(?<=\bBasic )[A-Za-z0-9+/=]{8,}|(?<=\/\/[^/\s:@]{0,100}:)(?!\d{1,5}[?#])[^\s/"'\\]{1,200}(?=@)/g;

const hidden = '…';
const quoted = /'([^']*)(?:'|$)|\\'/g;
/** As a shell reads them: quoted, or anything up to a space. */
const word = /(?:'[^']*(?:'|$)|\\'|[^\s'])+/g;
/** A key of its own is a secret where it opens something: on a command line and in a query, not in any message. */
const flag = new RegExp(`^--?(?:key|[\\w.-]{0,80}${secretEnding})$`, 'i');
const assigned = new RegExp(`^(-{0,2}(?:[\\w.-]{0,80}${secretEnding}|(?<=--)key)=)[^]+$`, 'i');
const header = new RegExp(`^((?:--?[\\w-]{1,80}=)?[\\w-]{0,80}${secretEnding}:\\s+)[^]+$`, 'i');
const headerBehindFlag = new RegExp(`^([\\w-]{0,80}${secretEnding}:\\s*)[^]+$`, 'i');
const pair = new RegExp(`(?<![\\w.-])([\\w.-]{0,80}${secretEnding}=|(?<=[?&])key=)[^&\\s'"#]+`, 'gi');
const member = new RegExp(`("[\\w.-]{0,80}${secretEnding}"\\s*:\\s*")[^"]+`, 'gi');
const login = /(?<=\/\/[^/\s:@]{0,100}:)(?!\d{1,5}[?#])[^\s/]+(?=@)/g;
/** In a line whose words are not quoted. */
const credentials = /((?<![\w-])authorization:\s{0,8}(?:[a-z]{1,20}\s+)?)[^\s'"]+/gi;

/** Of a header: by its name, or because the user gave it to be let in, whatever it is called. */
export function isSecret(name: string, { secrets = [] }: Pick<Exchange['request'], 'secrets'> = {}): boolean {
  return secretName.test(name) || secrets.includes(name.toLowerCase());
}

/** An address, or a command line as a shell would read it. */
export function withoutSecrets(line: string): string {
  let before = '';
  const shown = line.replace(word, (one) => {
    const plain = one.replace(quoted, (_, inner: string | undefined) => inner ?? "'");
    const kept = wordWithoutSecrets(plain, before);
    before = plain;
    if (kept === plain) return one;
    return plain === one ? kept : quote(kept);
  });
  return shown.replace(credentials, `$1${hidden}`).replace(secretText, hidden);
}

/** The words of a command: where one ends is known, whatever it holds. */
export function wordsWithoutSecrets(words: readonly string[]): string[] {
  return words.map((one, at) => wordWithoutSecrets(one, words[at - 1] ?? ''));
}

function wordWithoutSecrets(one: string, before: string): string {
  // A value may begin with a dash, but what begins with two is the next flag.
  if (flag.test(before) && !one.startsWith('--')) return hidden;
  const named = /^(?:-H|--headers?)$/.test(before) ? headerBehindFlag : header;
  return one
    .replace(assigned, `$1${hidden}`)
    .replace(named, `$1${hidden}`)
    .replace(pair, `$1${hidden}`)
    .replace(member, `$1${hidden}`)
    .replace(login, hidden)
    .replace(secretText, hidden);
}
