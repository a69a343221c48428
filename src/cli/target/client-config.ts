// The servers that the configuration file of a client names, whichever client it belongs to.
import { statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { CommandError, exitCodes } from '../args/command.ts';
import { readText } from '../args/read-file.ts';

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
const projectFiles = ['.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json', '.gemini/settings.json', '.codex/config.toml', 'opencode.json'];
/** Members under which clients write their servers. */
const lists = ['mcpServers', 'servers', 'context_servers', 'mcp_servers', 'mcp', 'extensions'];

export interface Configuration {
  readonly file: string;
  readonly servers: ReadonlyMap<string, unknown>;
}

/** The file that was named, or those of the project in this folder. */
export async function readConfigurations(file: string | undefined, cwd: string): Promise<readonly Configuration[]> {
  if (file !== undefined) return [{ file, servers: await serversIn(resolve(cwd, file)) }];
  const there = projectFiles.filter((name) => statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile());
  return Promise.all(there.map(async (name) => ({ file: name, servers: await serversIn(resolve(cwd, name)) })));
}

async function serversIn(path: string): Promise<ReadonlyMap<string, unknown>> {
  const whole = asObject(await parse(path));
  for (const name of lists) {
    const list = whole?.[name];
    const found = asObject(name === 'mcp' && asObject(list)?.['servers'] !== undefined ? asObject(list)?.['servers'] : list);
    if (found !== undefined) return new Map(Object.entries(found).filter(([, entry]) => asObject(entry) !== undefined));
  }
  throw new CommandError(exitCodes.usage, `${path} names no servers`, { hint: `They are looked for under ${lists.join(', ')}` });
}

async function parse(path: string): Promise<unknown> {
  const text = readText(path, { mostMiB: 4, hint: 'See --config' }).replace(/^\uFEFF/, '');
  try {
    const kind = extname(path);
    if (kind === '.toml') return (await import('smol-toml')).parse(text);
    if (kind === '.yaml' || kind === '.yml') return (await import('yaml')).parse(text, { maxAliasCount: 100, logLevel: 'error' });
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
  const refuse = (why: string): CommandError => new CommandError(exitCodes.usage, `The server "${name}" in ${file} ${why}`);
  const url = [given['url'], given['httpUrl'], given['serverUrl'], given['uri']].find((one) => typeof one === 'string');
  if (typeof url === 'string') {
    const headers = texts(given['headers'] ?? given['http_headers']);
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

/** With the values of variables in their places: only for what somebody has agreed to, because it may hold secrets from here on. */
export function expanded(entry: ServerEntry, name: string, file: string): ServerEntry {
  const fill = (text: string): string =>
    withVariables(text, (variable, value) => {
      if (value !== undefined) return value;
      throw new CommandError(exitCodes.usage, `The server "${name}" in ${file} needs the variable ${variable}, which is not set`);
    });
  const all = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fill(value)]));
  if ('url' in entry) return { ...entry, url: fill(entry.url), headers: all(entry.headers) };
  const { command, args, env, cwd } = entry;
  return { command: fill(command), args: args.map(fill), env: all(env), ...(cwd !== undefined && { cwd: fill(cwd) }) };
}

/** `${VAR}`, `${env:VAR}` and `${VAR:-otherwise}`. `secret` is a value that comes from the environment; undefined when it is not set. */
export function withVariables(text: string, put: (variable: string, secret: string | undefined) => string): string {
  return text.replace(/\$\{(?:env:)?(\w+)(?::-((?:(?!\$\{)[^}])*))?\}/g, (_, variable: string, otherwise: string | undefined) => {
    if (variable === 'workspaceFolder') return process.cwd();
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
