// Starts the client under judgement, tells it where we are, and sees that it ends.
import { spawn } from 'node:child_process';
import { signalGroup } from '../../node/process-group.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Transport } from '../model/requirement.ts';
import { endGroup, hasGroups, holdGroup } from '../wire/group.ts';
import type { CommandLine } from '../wire/pipe.ts';
import { startFailure } from '../wire/start-failure.ts';
import type { Door } from './mock-stdio-server.ts';
import type { Ended } from './scenario.ts';

export interface Launch {
  readonly scenario: string;
  readonly conformance: string | undefined;
  readonly revision: Revision;
  readonly transport: Transport;
  readonly timeoutMs: number;
}

const maxStderr = 64 * 1024;
/** Between asking it to end and ending it. */
const grace = 1_500;

export interface Launched {
  readonly ended: Promise<Ended>;
  /** Ends it and all that it started. */
  stop(): void;
}

/** A client within this process, in the place of one with a command line. */
export type Launcher = (door: Door, told: Launch) => Launched;

/** Placeholders are replaced wherever they stand; without any, where we are is told behind the last argument. */
function argumentsFor({ args }: Pick<CommandLine, 'args'>, { url, command }: Pick<Door, 'url' | 'command'>): readonly string[] {
  if (url !== undefined)
    return args.some((one) => one.includes('{url}')) ? args.map((one) => one.replaceAll('{url}', url)) : [...args, url];
  const words = command ?? [];
  if (!args.some((one) => one.includes('{command}'))) return [...args, ...words];
  // A word of its own stands for all of them; within a word they are quoted for a shell.
  return args.flatMap((one) => (one === '{command}' ? words : [one.replaceAll('{command}', words.map(quoted).join(' '))]));
}

export function launch(client: CommandLine, door: Door, told: Launch): Launched {
  const child = spawn(client.command, argumentsFor(client, door), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...client.env, ...environment(door, told) },
    ...(client.cwd !== undefined && { cwd: client.cwd }),
    detached: hasGroups,
    windowsHide: true,
  });
  let stderr = '';
  let stopped = false;
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < maxStderr) stderr += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, stopped, stderr, failure: startFailure(error, client) }));
    child.once('exit', (code, signal) => setTimeout(() => resolve({ code, signal, stopped, stderr }), 50));
  });
  holdGroup(child.pid);
  const end = (): void => {
    if (hasGroups) endGroup(child.pid);
    else child.kill('SIGKILL');
  };
  // What it left behind goes with it.
  void ended.then(() => setTimeout(end, grace).unref());
  return {
    ended,
    stop() {
      if (stopped || child.exitCode !== null || child.signalCode !== null) return;
      stopped = true;
      if (hasGroups && child.pid !== undefined) signalGroup(child.pid, 'SIGTERM');
      else child.kill('SIGTERM');
      setTimeout(end, grace).unref();
    },
  };
}

function environment({ url, command }: Door, { scenario, conformance, revision, transport, timeoutMs }: Launch): Record<string, string> {
  return {
    ...(url !== undefined && { MCP_SERVER_URL: url }),
    ...(command !== undefined && { MCP_SERVER_COMMAND: JSON.stringify(command) }),
    VIVARIUM_CHECK_SCENARIO: scenario,
    VIVARIUM_CHECK_REVISION: revision,
    VIVARIUM_CHECK_TRANSPORT: transport,
    VIVARIUM_CHECK_TIMEOUT: String(Math.round(timeoutMs / 4)),
    MCP_CONFORMANCE_SCENARIO: conformance ?? 'tools_call',
    MCP_CONFORMANCE_PROTOCOL_VERSION: revision,
  };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
