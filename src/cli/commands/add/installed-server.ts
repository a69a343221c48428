// A server as a client would start it: paths that hold in another folder, programs that are found there, and no secrets.
import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { ClientRow, InstalledServer, Scope, Value } from '../../../install/client.ts';
import { isProgram } from '../../../node/system-program.ts';
import { isSecretArgument } from '../../../text/secret-entries.ts';
import { isSecretParameter, isSecretVariable } from '../../../text/secret-names.ts';
import { hideSecrets } from '../../../text/secrets.ts';
import type { ServerEntry } from '../../target/client-config.ts';

export interface Adapted {
  readonly server: InstalledServer;
  /** What the client hands to the server, secrets included: for the trial. */
  readonly started: ServerEntry;
  /** What was done to it, and what its user has to know. */
  readonly notes: readonly string[];
}

export interface Surroundings {
  readonly client: ClientRow;
  readonly scope: Scope;
  readonly name: string;
  /** As the client sees it. */
  readonly path: string;
  /** Secrets are written down as they are. */
  readonly inline: boolean;
}

/**
 * `vivarium serve` of a module, by a path that stays: the copy of npx is cleared away, and one in node_modules of the project is
 * somewhere else on other machines. Outside of the project npx would find another one, or none.
 */
export function lastingEntry(entry: ServerEntry, scope: Scope): ServerEntry {
  if ('url' in entry) return entry;
  const [self = '', ...rest] = entry.args;
  const npx = (...words: readonly string[]): ServerEntry => ({ ...entry, command: 'npx', args: [...words, 'vivarium', ...rest] });
  if (/[\\/]_npx[\\/]/.test(self)) return npx('-y');
  return scope === 'project' && existsSync(join(process.cwd(), 'node_modules', '.bin', 'vivarium')) && /[\\/]node_modules[\\/]/.test(self)
    ? npx()
    : entry;
}

/** Whether a secret would stand in the arguments of a command, where other users see it. */
export function holdsSecret(server: InstalledServer): boolean {
  const isSecret = (text: string): boolean => hideSecrets(text, () => '') !== text;
  const holds = (values: Readonly<Record<string, Value>>, isName: (name: string) => boolean): boolean =>
    Object.entries(values).some(([key, value]) => typeof value === 'string' && (isName(key) || isSecret(value)));
  if (!('url' in server)) return holds(server.env, isSecretVariable) || server.args.some((_, at) => isSecretArgument(server.args, at));
  return holds(server.headers, isSecretVariable) || secretsOfUrl(server.url).length > 0;
}

/** In words. */
function secretsOfUrl(url: string): string[] {
  const { searchParams, username, password, pathname } = new URL(url);
  const isSecret = (text: string): boolean => hideSecrets(text, () => '') !== text;
  const named = [...new Set(searchParams.keys())].filter((key) => isSecretParameter(key) || searchParams.getAll(key).some(isSecret));
  return [
    ...named.map((key) => `The secret "${key}" is part of the URL`),
    ...(username !== '' || password !== '' ? ['The name and password are part of the URL'] : []),
    ...(pathname.split('/').some(isSecret) ? ['A secret is part of the path of the URL'] : []),
  ];
}

export function adapted(entry: ServerEntry, where: Surroundings): Adapted {
  return 'url' in entry ? remote(entry, where) : launched(entry, where);
}

function remote(entry: Extract<ServerEntry, { url: string }>, where: Surroundings): Adapted {
  const notes: string[] = [];
  const headers = Object.fromEntries(Object.entries(entry.headers).map(([key, value]) => [key, headerValue(key, value, where, notes)]));
  for (const secret of secretsOfUrl(entry.url)) notes.push(`${secret}, in clear text in the file${uncommitted(where)}`);
  return { server: { url: entry.url, sse: entry.sse, headers }, started: entry, notes };
}

function launched(entry: Extract<ServerEntry, { command: string }>, where: Surroundings): Adapted {
  const notes: string[] = [];
  const { command, env: added } = reachable(entry, where, notes);
  const values = { ...entry.env, ...added };
  const env = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, variableValue(key, value, where, notes)]));
  const isAnywhere = where.scope === 'user' || (entry.cwd !== undefined && where.client.cwd !== true);
  const args = isAnywhere ? entry.args.map((one) => absolute(one, entry.cwd, notes)) : entry.args;
  if (args.some((_, at) => isSecretArgument(args, at)))
    notes.push(`An argument holds a secret, which lies in clear text in the file${uncommitted(where)}`);
  const isOfHere = (word: string): boolean => isAbsolute(word) || isAbsolute(word.replace(/^--?[\w-]+=/, ''));
  if (where.scope === 'project' && ([command, ...args].some(isOfHere) || added['PATH'] !== undefined))
    notes.push('The file holds paths of this machine: do not commit it, or name programs and files in another way');
  if (entry.cwd !== undefined && where.client.cwd !== true)
    notes.push(`${where.client.name} has no setting for a folder: it starts the server wherever it was started itself`);
  const cwd = entry.cwd === undefined || where.client.cwd !== true ? undefined : resolve(entry.cwd);
  const folder = cwd !== undefined && { cwd };
  return { server: { command, args, env, ...folder }, started: { command, args, env: { PATH: where.path, ...values }, ...folder }, notes };
}

/** A desktop has fewer folders of programs than a terminal. */
function reachable(
  { command, cwd }: Extract<ServerEntry, { command: string }>,
  { path, client, scope }: Surroundings,
  notes: string[],
): { readonly command: string; readonly env: Readonly<Record<string, string>> } {
  if (/[\\/]/.test(command)) {
    const isAnywhere = scope === 'user' || (cwd !== undefined && client.cwd !== true);
    return { command: isAnywhere ? absolute(command, cwd, notes) : command, env: {} };
  }
  const own = process.env['PATH'] ?? '';
  const here = found(command, own);
  if (process.platform === 'win32' || here === undefined || found(command, path) !== undefined) return { command, env: {} };
  notes.push(`${client.name} does not find "${command}" by itself: its path is written down, and PATH with it`);
  return { command: here, env: { PATH: `${dirname(here)}${delimiter}${path}` } };
}

function found(command: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, command))
    .find(isProgram);
}

/** A client starts its servers wherever it was started itself. */
function absolute(word: string, cwd: string | undefined, notes: string[]): string {
  if (isAbsolute(word) || word.startsWith('-') || !/[./\\]/.test(word)) return word;
  const file = resolve(cwd ?? '.', word);
  if (!existsSync(file)) return word;
  notes.push(`"${word}" is written as ${file}: a client may start it in any folder`);
  return file;
}

function variableValue(key: string, value: string, where: Surroundings, notes: string[]): Value {
  if (!isSecretVariable(key) && hideSecrets(value, () => '') === value) return value;
  return kept({ variable: key, before: '' }, value, key, where, notes);
}

function headerValue(key: string, value: string, where: Surroundings, notes: string[]): Value {
  if (!isSecretVariable(key) && hideSecrets(value, () => '') === value) return value;
  const isAuthorization = /^authorization$/i.test(key);
  const [, before = '', secret = value] = (isAuthorization && /^(Bearer +)(.*)$/is.exec(value)) || [];
  // Whoever writes "Bearer $TOKEN" has it in a variable.
  const own = Object.entries(process.env).find(([, one]) => one === secret && secret.length >= 8)?.[0];
  const [prefix, said] = [where.name, isAuthorization ? 'token' : key].map((one) => one.toUpperCase().replaceAll(/\W/g, '_'));
  const made = said?.startsWith(`${prefix}_`) ? said : `${prefix}_${said}`;
  return kept({ variable: own ?? made, before }, value, `header ${key}`, where, notes);
}

/** A file of a project is often committed. */
function uncommitted({ scope }: Surroundings): string {
  return scope === 'project' ? ': do not commit it' : '';
}

function kept(reference: Exclude<Value, string>, value: string, what: string, where: Surroundings, notes: string[]): Value {
  const { client, inline } = where;
  if (inline || client.reference === undefined) {
    const why = inline ? '' : `: ${client.name} has no way to name a variable`;
    notes.push(`The value of ${what} lies in clear text in the file${why}${uncommitted(where)}`);
    return value;
  }
  const asks = client.extras !== undefined;
  const content = !what.startsWith('header ') ? '' : reference.before === '' ? ' to the whole value of the header' : ' to the token';
  notes.push(
    asks
      ? `${client.name} asks for ${reference.variable} once and keeps it; the file has only its name`
      : `Set ${reference.variable}${content} where ${client.name} is started; the file has only its name`,
  );
  return reference;
}
