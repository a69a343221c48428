// What somebody is shown before a server of a configuration file is started or reached: everything that matters, and no secret.
import { randomUUID } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { cut } from '../../jsonrpc/error.ts';
import { isSecretVariable } from '../../text/secret-names.ts';
import { hideSecrets } from '../../text/secrets.ts';
import { CommandError, exitCodes } from '../args/command.ts';
import { visible } from '../terminal/confirm.ts';
import { printable, quote } from '../terminal/terminal.ts';
import { type ServerEntry, withVariables } from './client-config.ts';

export interface ServerQuestion {
  readonly lines: readonly string[];
  readonly question: string;
  /** The server as a person would write it, without secrets. */
  readonly label: string;
}

export function questionOf(name: string, entry: ServerEntry, file: string): ServerQuestion {
  const head = (kind: string): string => `${printable(file)} names the server "${visible(cut(name))}", ${kind}:`;
  if ('url' in entry) {
    const headers = Object.entries(entry.headers);
    const used = usedIn([['the address', entry.url], ...headers.map(([key, value]) => [`the header ${key}`, value] as const)]);
    return {
      lines: [
        head('at a URL'),
        row('address', shownAs(entry.url)),
        row('host', hostOf(entry.url)),
        ...(headers.length > 0 ? [row('headers', headers.map(([key]) => key).join(', '))] : []),
        ...(used === '' ? [] : [row('sends', used)]),
      ],
      question: 'Connect to it?',
      label: shownAs(entry.url),
    };
  }
  const { command, args, env, cwd } = entry;
  const line = [command, ...args].map((word) => quote(shownAs(word))).join(' ');
  const names = Object.keys(env);
  const used = usedIn([
    ['the command', [command, ...args].join(' ')],
    ['the folder', cwd ?? ''],
    ...names.map((key) => [`the variable ${key}`, env[key] ?? ''] as const),
  ]);
  return {
    lines: [
      head('a program'),
      row('command', line),
      cwd === undefined
        ? `  folder     ${printable(process.cwd())}`
        : row('folder', isAbsolute(withVariables(cwd, (_, value = '') => value)) ? shownAs(cwd) : resolve(shownAs(cwd))),
      ...(names.length > 0 ? [row('variables', names.join(', '))] : []),
      ...(used === '' ? [] : [row('receives', used)]),
    ],
    question: 'Start it?',
    label: line,
  };
}

function row(what: string, text: string): string {
  return `  ${what.padEnd(10)} ${visible(text)}`;
}

/** What is set here is not shown: it may be a secret. */
function shownAs(text: string): string {
  return withVariables(text, (variable) => `\${${variable}}`);
}

function usedIn(texts: readonly (readonly [where: string, text: string])[]): string {
  const found = texts.flatMap(([where, text]) => {
    const names = new Set<string>();
    withVariables(text, (variable) => {
      names.add(variable);
      return '';
    });
    return [...names].map((variable) => `\${${variable}} in ${where}`);
  });
  return found.join(', ');
}

function isSecret({ variable, value }: { readonly variable: string; readonly value: string }): boolean {
  return isSecretVariable(variable) || hideSecrets(value, () => '') !== value;
}

/** Where a request goes once the values are put in; a secret stays the name of its variable. */
function hostOf(url: string): string {
  const real = withVariables(url, (_, value = '') => value);
  const seal = randomUUID().replaceAll('-', '');
  const used: { readonly variable: string; readonly value: string }[] = [];
  const marked = withVariables(url, (variable, value = '') => `${seal}${used.push({ variable, value }) - 1}z`);
  const refuse = (why: string): CommandError =>
    new CommandError(exitCodes.usage, `The address ${visible(shownAs(url))} ${why}`, { hint: 'Write its host into the file' });
  if (!URL.canParse(real)) throw refuse('is no URL');
  const { host } = new URL(real);
  // The variable holds the beginning of a URL, so it is no secret.
  if (!URL.canParse(marked)) return host;
  const put = (write: (one: { readonly variable: string; readonly value: string } | undefined) => string | undefined): string =>
    new URL(marked).host.replace(new RegExp(`${seal}(\\d+)z`, 'g'), (_, at: string) => write(used[Number(at)]) ?? '');
  // A value with a slash or an @ in it would make another host of the same text.
  if (put((one) => one?.value.toLowerCase()) !== host) throw refuse('gets its host from the value of a variable');
  return put((one) => (one === undefined || isSecret(one) ? `\${${one?.variable}}` : one.value.toLowerCase()));
}
