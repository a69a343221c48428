// Which server a command line means, and how to reach it: a program, a URL, a module of ours, a published package, or a name in a
// configuration file.
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { AuthProvider } from '../../protocol/authorization.ts';
import type { Connector } from '../../protocol/channel.ts';
import { near } from '../../text/did-you-mean.ts';
import { type Arguments, CommandError, exitCodes } from '../args/command.ts';
import { words } from '../args/split-words.ts';
import { confirm, visible } from '../terminal/confirm.ts';
import { quote } from '../terminal/terminal.ts';
import { entryOf, expanded, readConfigurations, type ServerEntry } from './client-config.ts';
import { concealed, hider } from './concealed.ts';
import { askInputs } from './config-inputs.ts';
import { isManifest, npmPackage, readManifest } from './package-target.ts';
import { questionOf } from './server-question.ts';

export interface ServerTarget {
  /** As a person would write it. */
  readonly label: string;
  /** In the configuration file that names it. */
  readonly name?: string;
  readonly entry: ServerEntry;
  /** `vivarium serve` of a module: its stderr ends with a report of ours when it cannot be served. */
  readonly servesModule?: true;
  /** What was put into the entry that a file names is in no message: see `whileHiding`. */
  readonly hide?: (text: string) => string;
}

export interface Chosen {
  readonly target: ServerTarget;
  /** What is left for the command itself. */
  readonly rest: readonly string[];
}

/** No target of any kind is written so. */
export class UnknownServer extends CommandError {}

/** Behind `--`, or else the first word. A quoted command line is taken apart; a file of ours is served. */
export async function chooseTarget(args: Arguments): Promise<Chosen> {
  const { program, positionals, values } = args;
  const { server: named, transport = 'stdio' } = values as Record<string, string | undefined>;
  if (!['stdio', 'http', 'sse'].includes(transport))
    throw new CommandError(exitCodes.usage, `--transport takes stdio, http or sse, not ${transport}`);
  if (program !== undefined) {
    const [command, ...rest] = program;
    if (command === undefined) throw new CommandError(exitCodes.usage, 'Nothing stands behind --', { hint: '-- node server.js' });
    return { target: programTarget(command, rest, args), rest: positionals };
  }
  if (named !== undefined) return { target: await byName(named, args), rest: positionals };
  const [first, ...rest] = positionals;
  if (first === undefined) {
    const only = await onlyServer(args);
    if (only !== undefined) return { target: only, rest };
    throw new UnknownServer(exitCodes.usage, 'Which server?', { hint: 'A URL, a name from a configuration file, or: -- node server.js' });
  }
  if (/^https?:\/\//i.test(first)) return { target: remoteTarget(first, {}, args), rest };
  if (/\s/.test(first)) {
    const [command = '', ...more] = words(first);
    return { target: programTarget(command, more, args), rest };
  }
  if (isModule(first, args)) {
    const [self = 'vivarium'] = process.argv.slice(1);
    const target = programTarget(process.execPath, [self, 'serve', first], args, `vivarium serve ${quote(first)}`);
    return { target: { ...target, servesModule: true }, rest };
  }
  const published = npmPackage(first);
  if (published !== undefined) return { target: programTarget('npx', ['-y', published], args), rest };
  if (isManifest(first, (values['cwd'] as string | undefined) ?? '.')) return { target: await byManifest(first, args), rest };
  return { target: await byName(first, args), rest };
}

async function byManifest(file: string, args: Arguments): Promise<ServerTarget> {
  const given = variables(args.lists['env'] ?? []);
  const { name, entry } = readManifest(resolve((args.values['cwd'] as string | undefined) ?? '.', file), given);
  const { lines, question, label } = questionOf(name, entry, file);
  await confirm(lines, question, args.values['yes'] === true);
  if ('url' in entry)
    return { ...remoteTarget(entry.url, entry.headers, { ...args, lists: { ...args.lists, env: [] } }, entry.sse, label), name };
  return { label, name, entry: { ...entry, env: { ...entry.env, ...given } } };
}

function isModule(word: string, { values }: Arguments): boolean {
  const file = word.replace(/:\w+$/, '');
  const there = statSync(resolve((values['cwd'] as string | undefined) ?? '.', file), { throwIfNoEntry: false });
  return moduleName.test(file) && there?.isFile() === true;
}

const moduleName = /\.(?:[cm]?[jt]s|[jt]sx)$/;

function programTarget(command: string, args: readonly string[], given: Arguments, label?: string): ServerTarget {
  const cwd = given.values['cwd'] as string | undefined;
  refuse(given, ['header', 'token', 'token-env', 'login'], 'is for a server at a URL; give a program what it needs with --env');
  const entry = { command, args, env: variables(given.lists['env'] ?? []), ...(cwd !== undefined && { cwd }) };
  return { label: label ?? [command, ...args].map(quote).join(' '), entry };
}

function remoteTarget(url: string, headers: Readonly<Record<string, string>>, given: Arguments, sse = false, label = url): ServerTarget {
  if (!URL.canParse(url)) throw new CommandError(exitCodes.usage, `${label} is no URL`);
  const transport = given.values['transport'];
  if (transport === 'stdio') throw new CommandError(exitCodes.usage, '--transport stdio is for a program, not for a URL');
  refuse(given, ['env', 'cwd'], 'is for a program that is started, not for a URL');
  const more = Object.fromEntries((given.lists['header'] ?? []).map(header));
  return { label, entry: { url, headers: { ...headers, ...more }, sse: sse || transport === 'sse' } };
}

function refuse({ values, lists }: Arguments, flags: readonly string[], why: string): void {
  const stray = flags.find((name) => values[name] !== undefined || lists[name] !== undefined);
  if (stray !== undefined) throw new CommandError(exitCodes.usage, `--${stray} ${why}`);
}

/** What a file says is started, or connected to, only once somebody has seen it: whoever wrote the project wrote the file. */
async function byName(name: string, args: Arguments): Promise<ServerTarget> {
  const { config, cwd = '.' } = args.values as Record<string, string | undefined>;
  const configurations = await readConfigurations(config, resolve(config === undefined ? cwd : '.'));
  const found = configurations.find(({ servers }) => servers.has(name));
  if (found === undefined) {
    const known = configurations.flatMap(({ servers }) => [...servers.keys()].map(visible));
    if (moduleName.test(name)) {
      const meant = near(basename(name), namesIn(resolve(cwd, dirname(name))));
      throw new CommandError(
        exitCodes.usage,
        `There is no file ${name}`,
        meant === undefined ? {} : { hint: `Did you mean ${visible(meant)}?` },
      );
    }
    const hint = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\])(?::\d+|\/)/i.test(name)
      ? `If it is a URL, write http://${name}`
      : known.length > 0
        ? `There are ${known.join(', ')}`
        : 'Write a URL, --config file, or: -- node server.js';
    throw new UnknownServer(exitCodes.usage, `"${name}" is no URL, no module, and no server of a configuration file`, { hint });
  }
  const named = entryOf(name, found.servers.get(name), found.file);
  const written = 'url' in named || args.values['cwd'] === undefined ? named : { cwd, ...named };
  const { lines, question, label } = questionOf(name, written, found.file);
  await confirm(lines, question, args.values['yes'] === true);
  const answers = await askInputs(written, found.inputs, { name, file: found.file });
  const put = new Map<string, string>();
  const entry = expanded(written, name, found.file, answers, put);
  const hide = hider(put);
  if ('url' in entry) return { ...remoteTarget(entry.url, entry.headers, args, entry.sse, label), name, hide };
  const { entry: own } = programTarget(entry.command, entry.args, args);
  return { label, name, hide, entry: { ...entry, env: { ...entry.env, ...('env' in own && own.env) } } };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => moduleName.test(name));
  } catch {
    return [];
  }
}

async function onlyServer(args: Arguments): Promise<ServerTarget | undefined> {
  const { config } = args.values as Record<string, string | undefined>;
  if (config === undefined) return undefined;
  const [configuration] = await readConfigurations(config, resolve('.'));
  const names = [...(configuration?.servers.keys() ?? [])];
  if (names.length === 1) return byName(names[0] as string, args);
  throw new CommandError(exitCodes.usage, `${config} names ${names.length} servers`, {
    hint: `--server ${names.map(visible).join(' or --server ')}`,
  });
}

/** As docker does: a name alone passes on what is set here. */
function variables(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((one) => {
      const [, name, value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(one) ?? [];
      if (name === undefined) throw new CommandError(exitCodes.usage, `--env takes NAME=value or NAME, not ${one}`);
      const found = value ?? process.env[name];
      if (found === undefined) throw new CommandError(exitCodes.usage, `--env ${name}: there is no such variable here`);
      return [name, found];
    }),
  );
}

function header(given: string): [string, string] {
  const [, name, value] = /^([^:\s]+):(.*)$/.exec(given) ?? [];
  if (name === undefined || value === undefined) throw new CommandError(exitCodes.usage, `--header takes "Name: value", not ${given}`);
  return [name, value.trimStart()];
}

/** What carries messages to it; loaded only when it is used. */
export async function connectorOf(target: ServerTarget, options: ConnectorOptions = {}): Promise<Connector> {
  const connector = await plainConnector(target, options);
  return target.hide === undefined ? connector : concealed(connector, target.label, target.hide);
}

interface ConnectorOptions {
  readonly auth?: AuthProvider | undefined;
  readonly onStderr?: ((line: string) => void) | undefined;
}

async function plainConnector({ entry }: ServerTarget, { auth, onStderr }: ConnectorOptions): Promise<Connector> {
  if ('command' in entry) {
    const { stdio } = await import('../../connect/stdio.ts');
    return stdio(entry, onStderr === undefined ? {} : { onStderr });
  }
  const options = { headers: entry.headers, ...(auth !== undefined && { auth }) };
  if (entry.sse) return (await import('../../connect/sse.ts')).sse(entry.url, options);
  return (await import('../../connect/http.ts')).http(entry.url, options);
}
