// Whatever names a server: a URL, a command, a connector, or a channel.
import { cut, VivariumError } from '../jsonrpc/error.ts';
import type { AuthProvider } from '../protocol/authorization.ts';
import type { Channel, Connector } from '../protocol/channel.ts';
import { printable } from '../text/printable.ts';
import type { ClientOptions } from './options.ts';

/** A program to start. Never one string: taking that apart is a shell's business. */
export interface Command {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

export type Target = string | URL | Command | Connector | Channel;

export interface ConnectOptions extends ClientOptions {
  /** Tokens for a server at a URL; from `vivarium/auth`. */
  readonly auth?: AuthProvider;
  /** More headers for a server at a URL. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a connector or a channel is not, in words: programs without types, and files of settings, hand over all kinds of things. */
export function checkReachable(target: unknown): asserts target is Connector | Channel {
  const given = (typeof target === 'object' && target !== null ? target : {}) as Record<string, unknown>;
  if (typeof given['open'] === 'function' || (typeof given['send'] === 'function' && typeof given['receive'] === 'function')) return;
  throw new VivariumError('ERR_CONFIG', `${naming(target)} is nothing to connect to: ${remedy(target, given)}`);
}

function naming(target: unknown): string {
  if (typeof target === 'string' || target instanceof URL) return `"${printable(cut(String(target)))}"`;
  if (typeof target !== 'object' || target === null) return String(target);
  return `An object with ${Object.keys(target).length === 0 ? 'nothing in it' : printable(cut(Object.keys(target).join(', ')))}`;
}

function remedy(target: unknown, { command, url }: Record<string, unknown>): string {
  if (typeof target === 'string' || target instanceof URL)
    return "write fetchHttp(url) of 'vivarium/connect/fetch', or use connect of 'vivarium'";
  if (command !== undefined) return "write stdio({ command, args }) of 'vivarium/connect/stdio', or use connect of 'vivarium'";
  if (url !== undefined) return 'give the URL itself, and headers as an option: connect(url, { headers })';
  return 'write a URL, { command, args }, a connector or a channel';
}

/** Only a server at a URL has these; a connector has options of its own. */
export function checkUrlOptions(target: Command | Connector | Channel, { auth, headers }: ConnectOptions): void {
  const given = auth !== undefined ? 'auth' : headers !== undefined ? 'headers' : undefined;
  if (given === undefined) return;
  const instead = 'command' in target ? 'give a command what it needs as env' : `give it to the connector: http(url, { ${given} })`;
  throw new VivariumError('ERR_CONFIG', `${given} is for a server at a URL; ${instead}`);
}

export function asUrl(target: string | URL): URL {
  const url = typeof target === 'string' ? (URL.canParse(target) ? new URL(target) : undefined) : target;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  const hint =
    typeof target === 'string' && /\s/.test(target) ? "; a command is written { command: 'npx', args: ['-y', 'some-server'] }" : '';
  throw new VivariumError('ERR_CONFIG', `${String(target)} is no URL of a server: write http://… or https://…${hint}`);
}
