// What only its owner should know, and what a report does not repeat of it: reports are passed on.
import { hideMembers } from '../../text/secret-members.ts';
import { isSecretName } from '../../text/secret-names.ts';
import { hidePairs } from '../../text/secret-pairs.ts';
import { hideSecrets } from '../../text/secrets.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import type { Exchange } from './trace.ts';

const hidden = '…';
const quoted = /'([^']*)(?:'|$)|\\'/g;
/** As a shell reads them: quoted, or anything up to a space. */
const word = /(?:'[^']*(?:'|$)|\\'|[^\s'])+/g;
/** Of a flag or an assignment, up to what it is given. */
const named = /^-{0,2}[\w.-]{1,128}(?==|$)/;
/** A header, perhaps behind a flag in the same word. */
const header = /^(?:--?[\w-]{1,80}=)?([\w-]{1,128}):(\s?)/;
/** In a line whose words are not quoted. */
const credentials = /((?<![\w-])authorization:\s{0,8}(?:[a-z]{1,20}\s{1,8})?)[^\s'"]+/gi;

/** Of a header: by its name, or because the user gave it to be let in, whatever it is called. */
export function isSecret(name: string, { secrets = [] }: Pick<Exchange['request'], 'secrets'> = {}): boolean {
  return isSecretName(name) || secrets.includes(name.toLowerCase());
}

/** An address, or a command line as a shell would read it. */
export function withoutSecrets(line: string): string {
  let before = '';
  const shown = line.replace(word, (one) => {
    const plain = one.replace(quoted, (_, inner: string | undefined) => inner ?? "'");
    const kept = wordWithoutSecrets(plain, before);
    before = plain;
    if (kept === plain) return one;
    return plain === one ? kept : shellQuote(kept);
  });
  return hideSecrets(shown.replace(credentials, `$1${hidden}`), () => hidden);
}

/** The words of a command: where one ends is known, whatever it holds. */
export function wordsWithoutSecrets(words: readonly string[]): string[] {
  return words.map((one, at) => wordWithoutSecrets(one, words[at - 1] ?? ''));
}

function wordWithoutSecrets(one: string, before: string): string {
  // A value may begin with a dash, but what begins with two is the next flag.
  if (before.startsWith('-') && isSecretFlag(before) && !one.startsWith('--')) return hidden;
  const name = named.exec(one)?.[0] ?? '';
  if (one.length > name.length + 1 && one[name.length] === '=' && isSecretFlag(name)) return `${name}=${hidden}`;
  const [start = '', field = '', space] = header.exec(one) ?? [];
  const isHeader = isSecretName(field) && (space !== '' || /^(?:-H|--headers?)$/.test(before));
  if (isHeader && one.length > start.length) return start + hidden;
  return hideSecrets(hideMembers(hidePairs(one, hidden), hidden), () => hidden);
}

/** A bare key counts as a secret on a command line and in a query, where it grants access; not inside messages. */
function isSecretFlag(name: string): boolean {
  return named.exec(name)?.[0] === name && (isSecretName(name) || /^--?key$/i.test(name));
}
