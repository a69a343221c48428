// What clients call a server where nobody has said it: by its package, file or host, or else by its own name.
import { basename } from 'node:path';
import { isLoopback } from '../../../text/loopback.ts';
import { isSecretArgument } from '../../../text/secret-entries.ts';
import { type Arguments, CommandError, exitCodes } from '../../args/command.ts';
import type { ServerTarget } from '../../target/target.ts';
import type { Trial } from './trial.ts';

/** In every client. */
const validName = /^[A-Za-z\d][\w-]{0,63}$/;
/** Many files and packages are called so. */
const weak = /^(?:server|index|main|app|mcp|mcp-server|server-mcp|stdio|cli|run|start|bin|dist|build|src|node|python\d*|npx|\d[\d-]*)?$/i;
/** Flags of those that fetch a package, and of docker run, which take a value. */
const valued =
  /^(?:-p|--package|-c|--call|--from|--with|--python|-e|--env|--env-file|-v|--volume|--mount|--name|--network|-w|--workdir|-u|--user|--platform)$/;

export function provisionalName({ values }: Arguments, { name, entry }: ServerTarget): string {
  const given = (values['name'] as string | undefined) ?? name ?? guessed(entry);
  if (validName.test(given)) return given;
  throw new CommandError(exitCodes.usage, `"${given}" is no name that every client takes`, {
    hint: '--name with letters, digits, - and _, at most 64',
  });
}

/** A server may not choose whose entry is replaced. */
export function finalName({ values }: Arguments, target: ServerTarget, provisional: string, trials: readonly Trial[]): string {
  if (values['name'] !== undefined || target.name !== undefined || !weak.test(provisional)) return provisional;
  if (values['replace'] === true)
    throw new CommandError(exitCodes.usage, `Which server is replaced? "${provisional}" says little`, { hint: 'Pass --name' });
  const own = slug(trials.find(({ server }) => server !== undefined)?.server?.name ?? '');
  return validName.test(own) ? own : provisional;
}

function guessed(entry: ServerTarget['entry']): string {
  const word = 'url' in entry ? hostWord(new URL(entry.url).hostname) : programWord(entry.command, entry.args);
  return slug(word) || 'server';
}

function hostWord(host: string): string {
  if (isLoopback(host) || /^[\d.]+$|^\[/.test(host)) return 'server';
  const [first = ''] = host.replace(/^(?:www|api|mcp)\./, '').split('.');
  return first;
}

function programWord(command: string, args: readonly string[]): string {
  const program = basename(command).replace(/\.(?:exe|cmd)$/i, '');
  if (/^(?:npx|bunx|uvx|pipx|docker|podman)$/.test(program)) return packageWord(args);
  // Values of flags may be anything, secrets included.
  const script = args.find((one, at) => /\.(?:[cm]?[jt]sx?|py|rb|jar|php|sh)(?::\w+)?$/.test(one) && !isSecretArgument(args, at));
  if (script !== undefined) return basename(script.replace(/:\w+$/, '')).replace(/\.\w+$/, '');
  const [, module] = /^-m (\S+)/.exec(args.slice(0, 2).join(' ')) ?? [];
  return module ?? program;
}

/** `@playwright/mcp` is called after its scope, everything else after itself. */
function packageWord(args: readonly string[]): string {
  const found = args.find((one, at) => !one.startsWith('-') && !valued.test(args[at - 1] ?? '') && !/^(?:run|exec|dlx)$/.test(one)) ?? '';
  const [, scope = '', name = ''] = /^(?:@([^/]+)\/)?(?:.*\/)?([^@:/]+)/.exec(found) ?? [];
  return weak.test(name) && scope !== '' ? scope : name;
}

function slug(text: string): string {
  return text
    .split(/[^A-Za-z\d_]+/)
    .filter((part) => part !== '')
    .join('-')
    .slice(0, 64);
}
