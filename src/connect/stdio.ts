// vivarium/connect/stdio: a server as a child process of ours, spoken to through its standard streams.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cut, VivariumError } from '../jsonrpc/error.ts';
import { ProcessGroup } from '../node/process-group.ts';
import type { Channel, Connector } from '../protocol/channel.ts';
import { printable } from '../text/printable.ts';
import { StdioChannel } from './stdio-channel.ts';
import { childEnvironment } from './stdio-environment.ts';
import { spawnFailure } from './stdio-failure.ts';
import type { Command, StdioConnectOptions } from './stdio-options.ts';
import { variable, windowsCommand } from './stdio-windows.ts';

export type { Command, StdioConnectOptions } from './stdio-options.ts';

/**
 * Describes a server that is started as a process of its own; each `open()` starts one. It and everything it starts are gone
 * when the channel is closed, and when this process ends, however it ends.
 *
 * @example
 * const client = await connect(stdio({ command: 'npx', args: ['-y', 'some-server'] }));
 */
export function stdio(command: Command, options: StdioConnectOptions = {}): Connector {
  check(command, options);
  const target = commandLine(command);
  return { target, open: () => open(command, options, target) };
}

async function open(command: Command, options: StdioConnectOptions, target: string): Promise<Channel> {
  const started = performance.now();
  const env = childEnvironment(process.env, command.env, options.inheritEnv);
  try {
    const child = start(command, env);
    const { pid } = child;
    if (pid === undefined) throw (await once(child, 'error'))[0];
    const channel = new StdioChannel(child, new ProcessGroup(child, pid), options);
    await once(child, 'spawn');
    return channel;
  } catch (error) {
    const { cause, hint } = await spawnFailure(error, command, variable(env, 'PATH') ?? '');
    const where = cause.includes(target) ? '' : ` [${cut(target)}]`;
    throw new VivariumError('ERR_CONNECT', `${hint === undefined ? cause : `${cause}; ${hint}`}${where}`, {
      cause: error,
      failure: { phase: 'open', target, cause, ...(hint !== undefined && { hint }), elapsedMs: Math.round(performance.now() - started) },
    });
  }
}

function start(command: Command, env: Record<string, string>): ChildProcessWithoutNullStreams {
  const windows = process.platform === 'win32';
  const plain = { file: command.command, args: command.args ?? [], verbatim: false };
  const { file, args, verbatim } = windows ? windowsCommand(command, env) : plain;
  return spawn(file, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: command.cwd,
    env,
    // A group of its own: what it starts can be ended with it.
    detached: !windows,
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  });
}

/** For people: what has to be quoted is. */
function commandLine({ command, args = [] }: Command): string {
  const word = (text: string): string => (/^[\w./:@%+=,\\~-]+$/.test(text) ? text : JSON.stringify(text));
  return cut(printable([command, ...args].map(word).join(' ')), 500);
}

const names: Readonly<Record<keyof StdioConnectOptions, true>> = {
  graceMs: true,
  inheritEnv: true,
  maxMessageBytes: true,
  onStderr: true,
  stderr: true,
};

function check({ command, args = [] }: Command, options: StdioConnectOptions): void {
  const { maxMessageBytes, graceMs } = options;
  const odd = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (odd !== undefined)
    throw new VivariumError('ERR_CONFIG', `There is no option "${odd}": ${Object.keys(names).join(', ')} are those there are`);
  if (typeof command !== 'string' || command === '') {
    throw new VivariumError('ERR_CONFIG', "command must be the name of a program; write { command: 'node', args: ['server.js'] }");
  }
  if (!(Array.isArray(args) && args.every((arg) => typeof arg === 'string'))) {
    throw new VivariumError('ERR_CONFIG', "args must be strings, one for each argument; write { args: ['--port', '80'] }");
  }
  if (maxMessageBytes !== undefined && !(Number.isSafeInteger(maxMessageBytes) && maxMessageBytes > 0)) {
    throw new VivariumError('ERR_CONFIG', `maxMessageBytes must be a positive integer, got ${maxMessageBytes}; leave it out for 64 MiB`);
  }
  if (graceMs !== undefined && !(graceMs >= 0 && graceMs < 2 ** 31)) {
    throw new VivariumError('ERR_CONFIG', `graceMs must be a number of milliseconds, got ${graceMs}; leave it out for 2,000`);
  }
}
