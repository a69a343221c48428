// Whatever names a server: a URL, a command, a connector, or a channel.
import { VivariumError } from '../jsonrpc/error.ts';
import type { AuthProvider } from '../protocol/authorization.ts';
import type { Channel, Connector } from '../protocol/channel.ts';
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

export function asUrl(target: string | URL): URL {
  const url = typeof target === 'string' ? (URL.canParse(target) ? new URL(target) : undefined) : target;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  const hint =
    typeof target === 'string' && /\s/.test(target) ? "; a command is written { command: 'npx', args: ['-y', 'some-server'] }" : '';
  throw new VivariumError('ERR_CONFIG', `${String(target)} is no URL of a server: write http://… or https://…${hint}`);
}
