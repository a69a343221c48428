// The servers that the configuration file of a client names, whichever client it belongs to.
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, extname, resolve, sep } from 'node:path';
import { isNestedDeeply } from '../../text/nesting.ts';
import { CommandError, exitCodes } from '../args/command.ts';
import { readText } from '../args/read-file.ts';
import { type ConfigInput, inputPattern, inputsIn, mapTexts } from './config-inputs.ts';

/** How to reach a server, as a client would. */
export type ServerEntry =
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly sse: boolean };

/** Where clients keep servers of a project; looked through when no file is named. */
const projectFiles = [
  '.mcp.json',
  '.vscode/mcp.json',
  '.cursor/mcp.json',
  '.gemini/settings.json',
  '.codex/config.toml',
  'opencode.json',
  'opencode.jsonc',
];
/** Members under which clients write their servers. */
const lists = ['mcpServers', 'servers', 'context_servers', 'mcp_servers', 'mcp', 'extensions'];

export interface Configuration {
  readonly file: string;
  readonly servers: ReadonlyMap<string, unknown>;
  readonly inputs: ReadonlyMap<string, ConfigInput>;
}

/** The file that was named, or those of the project in this folder. */
export async function readConfigurations(file: string | undefined, cwd: string): Promise<readonly Configuration[]> {
  if (file !== undefined) return [{ file, ...(await serversIn(resolve(cwd, file))) }];
  const there = projectFiles.filter((name) => statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile());
  return Promise.all(there.map(async (name) => ({ file: name, ...(await serversIn(resolve(cwd, name))) })));
}

async function serversIn(path: string): Promise<Omit<Configuration, 'file'>> {
  const whole = asObject(await parse(path));
  for (const name of lists) {
    const list = whole?.[name];
    const nested = name === 'mcp' ? asObject(list) : undefined;
    const found = byName(nested?.['servers'] ?? list);
    if (found === undefined) continue;
    const servers = new Map(found.filter(([, entry]) => asObject(entry) !== undefined));
    return { servers, inputs: inputsIn(nested?.['inputs'] ?? whole?.['inputs']) };
  }
  throw new CommandError(exitCodes.usage, `${path} names no servers`, { hint: `They are looked for under ${lists.join(', ')}` });
}

/** Most clients write names as members; Continue writes a list, each with its name. */
function byName(list: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (!Array.isArray(list)) return asObject(list) && Object.entries(asObject(list) ?? {});
  return list.flatMap((one) => {
    const name = asObject(one)?.['name'];
    return typeof name === 'string' ? [[name, one] as const] : [];
  });
}

async function parse(path: string): Promise<unknown> {
  const text = readText(path, { mostMiB: 4, hint: 'See --config' }).replace(/^\uFEFF/, '');
  try {
    const kind = extname(path);
    if (kind === '.toml') return (await import('smol-toml')).parse(text);
    if (kind === '.yaml' || kind === '.yml') {
      if (isNestedDeeply(text)) throw new Error('it is nested too deeply');
      return (await import('yaml')).parse(text, { maxAliasCount: 100, logLevel: 'error' });
    }
    const { parse: parseJsonc, printParseErrorCode } = await import('jsonc-parser');
    const errors: { readonly error: number; readonly offset: number }[] = [];
    const value: unknown = parseJsonc(text, errors as never, { allowTrailingComma: true });
    const [first] = errors;
    if (first === undefined) return value;
    throw new Error(`${printParseErrorCode(first.error)} in line ${text.slice(0, first.offset).split('\n').length}`);
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `${path} cannot be read: ${(cause as Error).message.split('\n')[0]}`, { cause });
  }
}

/** Clients write the same things under several names. Variables stand in it as they are written: see `expanded`. */
export function entryOf(name: string, raw: unknown, file: string): ServerEntry {
  const given = asObject(raw) ?? {};
  const entry = written(given, name, file);
  // OpenCode writes {env:NAME}, and means nothing where it is not set.
  const isOpenCode = given['type'] === 'local' || given['type'] === 'remote';
  return isOpenCode ? mapTexts(entry, (text) => text.replaceAll(/\{env:(\w+)\}/g, (_, variable) => `\${${variable}:-}`)) : entry;
}

function written(given: Readonly<Record<string, unknown>>, name: string, file: string): ServerEntry {
  const refuse = (why: string): CommandError => new CommandError(exitCodes.usage, `The server "${name}" in ${file} ${why}`);
  const url = [given['url'], given['httpUrl'], given['serverUrl'], given['uri']].find((one) => typeof one === 'string');
  if (typeof url === 'string') {
    const headers = texts(given['headers'] ?? given['http_headers'] ?? asObject(given['requestOptions'])?.['headers']);
    const tokenVariable = given['bearer_token_env_var'];
    if (typeof tokenVariable === 'string') headers['authorization'] = `Bearer \${${tokenVariable}}`;
    return { url, headers, sse: given['type'] === 'sse' || given['transport'] === 'sse' };
  }
  const line = given['command'] ?? given['cmd'];
  const [command, ...first] = Array.isArray(line) ? line.map(String) : [line];
  if (typeof command !== 'string' || command === '') throw refuse('has neither a command nor a URL');
  const args = given['args'] ?? [];
  if (!Array.isArray(args)) throw refuse('has args that are no list');
  return {
    command,
    args: [...first, ...args].map(String),
    env: texts(given['env'] ?? given['envs'] ?? given['environment']),
    ...(typeof given['cwd'] === 'string' && { cwd: given['cwd'] }),
  };
}

/**
 * With the values of variables in their places: only for what somebody has agreed to, because it may hold secrets from here on.
 * `put` is told each of them, and what stands for it in the file.
 */
export function expanded(
  entry: ServerEntry,
  name: string,
  file: string,
  answers: ReadonlyMap<string, string>,
  put: Map<string, string> = new Map(),
): ServerEntry {
  const told = (value: string, written: string): string => {
    put.set(value, `\${${written}}`);
    return value;
  };
  const fill = (text: string): string =>
    withVariables(text, (variable, value) => {
      if (value !== undefined) return told(value, variable);
      throw new CommandError(exitCodes.usage, `The server "${name}" in ${file} needs the variable ${variable}, which is not set`);
    });
  // In one go: what somebody typed, and the value of a variable, are taken as they are.
  return mapTexts(entry, (text) =>
    text
      .split(inputPattern)
      .map((part, at) => (at % 2 === 1 ? told(answers.get(part) ?? '', `input:${part}`) : fill(part)))
      .join(''),
  );
}

/** Of VS Code, about where it runs. */
const places: Readonly<Record<string, () => string>> = {
  workspaceFolder: () => process.cwd(),
  workspaceFolderBasename: () => basename(process.cwd()),
  userHome: homedir,
  pathSeparator: () => sep,
};

/** `${VAR}`, `${env:VAR}` and `${VAR:-otherwise}`. `secret` is a value that comes from the environment; undefined when it is not set. */
export function withVariables(text: string, put: (variable: string, secret: string | undefined) => string): string {
  return text.replace(/\$\{(?:env:)?(\w+)(?::-((?:(?!\$\{)[^}])*))?\}/g, (_, variable: string, otherwise: string | undefined) => {
    const place = Object.hasOwn(places, variable) ? places[variable] : undefined;
    if (place !== undefined) return place();
    const value = process.env[variable];
    return value === undefined && otherwise !== undefined ? otherwise : put(variable, value);
  });
}

function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(asObject(value) ?? {}).map(([key, one]) => [key, String(one)]));
}

/** Its own members only: a file may write `__proto__`, which some parsers take for the prototype. */
function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
