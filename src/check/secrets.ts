// What a report does not repeat: reports are passed on.
import type { Exchange } from './trace.ts';

const ending = '(?:authorization|cookie|password|passwd|secret|(?:api|access|private)[-_.]?key|token)';
const name = new RegExp(`${ending}$`, 'i');
const pair = new RegExp(`([\\w.-]*${ending}=)(?:'[^']*'|[^&\\s'"#]+)`, 'gi');
const flag = new RegExp(`((?<![\\w-])--?[\\w-]*${ending}\\s+)(?:'[^']*'|[^\\s'-]\\S*)`, 'gi');
const login = /(\/\/[^/\s:@]+:)[^@\s/]+(?=@)/g;

/** Of a header: by its name, or because the user gave it to be let in, whatever it is called. */
export function isSecret(header: string, { secrets = [] }: Pick<Exchange['request'], 'secrets'> = {}): boolean {
  return name.test(header) || secrets.includes(header.toLowerCase());
}

/** An address or a command line without what only its owner should know. */
export function withoutSecrets(text: string): string {
  return text.replace(pair, '$1…').replace(flag, '$1…').replace(login, '$1…');
}
