// Why a server cannot be started, as far as that can be seen without starting it, or anything else.
import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { ClientRow } from '../../../install/client.ts';
import { isProgram } from '../../../node/system-program.ts';
import { type ServerEntry, withVariables } from '../../target/client-config.ts';
import { likelyPathOf } from '../add/surroundings.ts';

/** `raw` is the entry as it is written; `folder` the one that it is started in, where that is known. */
export function problemOf(entry: ServerEntry, raw: unknown, client: ClientRow, folder: string | undefined): string | undefined {
  const unset = unsetIn(entry, raw);
  if (unset !== undefined) return `the variable ${unset} is not set here: set it where ${client.name} is started`;
  if ('url' in entry) return /[{}]/.test(entry.url) || /^https?:$/.test(protocolOf(entry.url)) ? undefined : 'its URL is not http or https';
  const { command, args } = entry;
  if ([command, ...args].some((one) => one.includes('${'))) return undefined;
  const cwd = entry.cwd ?? folder ?? dirname('.');
  const isPath = /[\\/]/.test(command);
  if (isPath ? !isThere(resolve(cwd, command)) : !isFound(command, entry.env['PATH'] ?? likelyPathOf(client)))
    return `the program ${command} is not found${isPath ? '' : wherever[client.starts](client.name)}`;
  const script = args.find((one) => /\.(?:[cm]?[jt]s|py|rb|jar)$/.test(one) && (isAbsolute(one) || folder !== undefined));
  return script === undefined || existsSync(resolve(cwd, script)) ? undefined : `there is no file ${script}`;
}

const wherever: Readonly<Record<ClientRow['starts'], (name: string) => string>> = {
  terminal: (name) => ` by ${name}`,
  desktop: (name) => ` by ${name}, which is started from the desktop`,
  'login-shell': (name) => ` in PATH here; ${name} asks your login shell for its own`,
};

/** However this client names a variable. Those that Goose reads may be in its keyring. */
function unsetIn(entry: ServerEntry, raw: unknown): string | undefined {
  let unset: string | undefined;
  const use = (variable: string): void => {
    if (process.env[variable] === undefined) unset ??= variable;
  };
  for (const value of Object.values('url' in entry ? entry.headers : entry.env)) {
    if (value.includes('${input:')) continue;
    withVariables(value, (variable) => {
      use(variable);
      return '';
    });
  }
  const { env_vars, env_http_headers, environment, headers, type } = raw as Readonly<Record<string, unknown>>;
  for (const one of listed(env_vars)) use(typeof one === 'string' ? one : String((one as { name?: unknown } | null)?.name));
  for (const one of values(env_http_headers)) use(String(one));
  // OpenCode puts nothing in the place of one that is not set.
  if (type === 'local' || type === 'remote')
    for (const one of [...values(environment), ...values(headers)])
      for (const [, name = ''] of String(one).matchAll(/\{env:(\w+)\}/g)) use(name);
  return unset;
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function values(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function isThere(file: string): boolean {
  return process.platform === 'win32' ? true : isProgram(file);
}

/** On Windows by its extensions, which is left to the client. */
function isFound(command: string, path: string): boolean {
  if (process.platform === 'win32') return true;
  return path.split(delimiter).some((folder) => isAbsolute(folder) && isProgram(join(folder, command)));
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}
