// The servers of one file, and why one of them cannot be started: found without starting anything.
import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { type ClientRow, pathFor, type Scope } from '../../../install/client.ts';
import { readConfigFile } from '../../../install/config-file.ts';
import { readServers } from '../../../install/edit/edit.ts';
import { Refusal } from '../../../install/edit/refusal.ts';
import { isProgram } from '../../../node/system-program.ts';
import { CommandError } from '../../args/command.ts';
import { entryOf, type ServerEntry, withVariables } from '../../target/client-config.ts';
import { quote } from '../../terminal/terminal.ts';
import { usualPathOf } from '../add/surroundings.ts';
import { maskText } from '../record/masking.ts';

export interface ListedServer {
  readonly name: string;
  readonly target: string;
  readonly problem?: string;
}

export interface ListedFile {
  readonly scope: Scope;
  readonly file: string;
  readonly exists: boolean;
  readonly problem?: string;
  readonly servers: readonly ListedServer[];
}

/** Members of an extension of Goose that runs within it, which has no command. */
const builtIn: ReadonlySet<unknown> = new Set(['builtin', 'platform', 'frontend', 'inline_python']);

export async function readListed(client: ClientRow, scope: Scope, file: string): Promise<ListedFile> {
  const common = { scope, file };
  try {
    const { text } = readConfigFile(file, 'to-look');
    if (text === undefined) return { ...common, exists: false, servers: [] };
    const servers = await readServers(text, { format: client.format, path: pathFor(client, scope, process.cwd()) });
    const folder = scope === 'user' ? undefined : process.cwd();
    return { ...common, exists: true, servers: [...servers].flatMap(([name, raw]) => listedServer(name, raw, file, client, folder)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...common, exists: true, problem: error.message, servers: [] };
  }
}

function listedServer(name: string, raw: unknown, file: string, client: ClientRow, folder: string | undefined): ListedServer[] {
  const type = (raw as { readonly type?: unknown } | null)?.type;
  if (builtIn.has(type)) return [];
  try {
    const entry = entryOf(name, raw, file);
    const problem = problemOf(entry, client, folder);
    const target = 'url' in entry ? entry.url : [entry.command, ...entry.args].map(quote).join(' ');
    return [{ name, target: maskText(target), ...(problem !== undefined && { problem }) }];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [{ name, target: '', problem: error.message }];
  }
}

function problemOf(entry: ServerEntry, client: ClientRow, folder: string | undefined): string | undefined {
  const unset = client.extras === undefined ? unsetIn(entry) : undefined;
  if (unset !== undefined) return `the variable ${unset} is not set here`;
  if ('url' in entry) return /[{}]/.test(entry.url) || /^https?:$/.test(protocolOf(entry.url)) ? undefined : 'its URL is not http or https';
  const { command, args } = entry;
  if ([command, ...args].some((one) => one.includes('${'))) return undefined;
  const cwd = entry.cwd ?? folder ?? dirname('.');
  if (/[\\/]/.test(command) ? !isThere(resolve(cwd, command)) : !isFound(command, entry.env['PATH'] ?? usualPathOf(client)))
    return `the program ${command} is not found${/[\\/]/.test(command) ? '' : ` by ${client.name}`}`;
  const script = args.find((one) => /\.(?:[cm]?[jt]s|py|rb|jar)$/.test(one) && (isAbsolute(one) || folder !== undefined));
  return script === undefined || existsSync(resolve(cwd, script)) ? undefined : `there is no file ${script}`;
}

function unsetIn(entry: ServerEntry): string | undefined {
  let unset: string | undefined;
  for (const value of Object.values('url' in entry ? entry.headers : entry.env)) {
    if (value.includes('${input:')) continue;
    withVariables(value, (variable, secret) => {
      if (secret === undefined) unset ??= variable;
      return '';
    });
  }
  return unset;
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
