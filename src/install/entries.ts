// How clients write a server: the few shapes that their files share.
import { type ClientRow, type InstalledServer, isReference, type Value } from './client.ts';

type Entry = ClientRow['entry'];
type Write = (value: Value) => string;

/** `command`, `args` and `env`, or `url` and `headers`, with what else a client wants. */
export function commonEntry(
  options: {
    readonly stdio?: object;
    readonly http?: object;
    readonly sse?: object | null;
    readonly url?: string;
    readonly remote?: false;
  } = {},
): Entry {
  return (_, server, write) => {
    if ('url' in server) {
      const kind = server.sse ? options.sse : options.http;
      if (options.remote === false || kind === null) return undefined;
      return { ...kind, [options.url ?? 'url']: server.url, ...filled('headers', server.headers, write) };
    }
    const { command, args, cwd } = server;
    return { ...options.stdio, command, args: [...args], ...filled('env', server.env, write), ...(cwd !== undefined && { cwd }) };
  };
}

/** One list for the command and its arguments. */
export const localEntry: Entry = (_, server, write) => {
  if ('url' in server) return { type: 'remote', url: server.url, ...filled('headers', server.headers, write), enabled: true };
  const { command, args, cwd, env } = server;
  return {
    type: 'local',
    command: [command, ...args],
    ...filled('environment', env, write),
    ...(cwd !== undefined && { cwd }),
    enabled: true,
  };
};

/** Codex passes variables on by name, under the same name only, and knows no HTTP+SSE. */
export const codexEntry: Entry = (_, server, write) => {
  if ('url' in server) {
    if (server.sse) return undefined;
    const { headers } = server;
    const bearer = Object.entries(headers).find(
      ([key, value]) => key.toLowerCase() === 'authorization' && isReference(value) && /^bearer +$/i.test(value.before),
    );
    const token = bearer?.[1];
    const named = Object.entries(headers).filter(([key, value]) => isReference(value) && key !== bearer?.[0]);
    const written = Object.fromEntries(Object.entries(headers).filter(([, value]) => !isReference(value)));
    return {
      url: server.url,
      ...(token !== undefined && isReference(token) && { bearer_token_env_var: token.variable }),
      ...filled('http_headers', written, write),
      ...(named.length > 0 && { env_http_headers: Object.fromEntries(named.map(([key, value]) => [key, variableOf(value)])) }),
    };
  }
  const { command, args, cwd, env } = server;
  const forwarded = Object.values(env).filter(isReference);
  const written = Object.fromEntries(Object.entries(env).filter(([, value]) => !isReference(value)));
  return {
    command,
    args: [...args],
    ...(cwd !== undefined && { cwd }),
    ...filled('env', written, write),
    ...(forwarded.length > 0 && { env_vars: forwarded.map(({ variable }) => variable) }),
  };
};

/** Goose looks for the names of `env_keys` in its environment, then in the keyring. */
export const gooseEntry: Entry = (name, server, write) => {
  const values: Readonly<Record<string, Value>> = 'url' in server ? server.headers : server.env;
  const keys = Object.values(values).filter(isReference);
  const common = { name, description: '', enabled: true, timeout: 300, ...(keys.length > 0 && { env_keys: keys.map(variableOf) }) };
  if ('url' in server) {
    if (server.sse) return undefined;
    return { ...common, type: 'streamable_http', uri: server.url, ...filled('headers', server.headers, write) };
  }
  const written = Object.fromEntries(Object.entries(server.env).filter(([, value]) => !isReference(value)));
  return { ...common, type: 'stdio', cmd: server.command, args: [...server.args], ...filled('envs', written, write) };
};

/** fx calls HTTP by its name. */
export const fxEntry: Entry = (name, server, write) => {
  if (!('url' in server)) return localEntry(name, server, write);
  return server.sse ? undefined : { type: 'http', url: server.url, ...filled('headers', server.headers, write), enabled: true };
};

/** Gemini CLI has a name of its own for each transport. */
export const geminiEntry: Entry = (name, server, write) =>
  commonEntry({ url: 'url' in server && server.sse ? 'url' : 'httpUrl' })(name, server, write);

function filled(key: string, values: Readonly<Record<string, Value>>, write: Write): Record<string, Record<string, string>> {
  const entries = Object.entries(values).map(([name, value]) => [name, write(value)] as const);
  return entries.length === 0 ? {} : { [key]: Object.fromEntries(entries) };
}

function variableOf(value: Value): string {
  return isReference(value) ? value.variable : value;
}

/** The variables that an entry leaves to the environment. */
export function variablesIn(server: InstalledServer): string[] {
  return Object.values<Value>('url' in server ? server.headers : server.env)
    .filter(isReference)
    .map(variableOf);
}
