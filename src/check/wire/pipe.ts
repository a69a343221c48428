// A server at the other end of a pipe: a child process, or a program within this one.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { endGroup, hasGroups, holdGroup } from './group.ts';
import { startFailure } from './start-failure.ts';

/** What a server on stdio is, seen from outside. */
export interface Pipe {
  write(bytes: Buffer): void;
  /** Ends its input. */
  end(): void;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** How it ended, once it has; in words alone where no signal ended it. */
  readonly ended: Promise<PipeEnd | string>;
  /** Why it never began, where it did not. */
  readonly unstarted?: string | undefined;
}

export interface PipeEnd {
  /** In words. */
  readonly how: string;
  readonly signal?: string;
}

export interface PipeEvents {
  stdout(bytes: Buffer): void;
  stderr(bytes: Buffer): void;
}

/** Starts a new server process for each connection. */
export type OpenPipe = (events: PipeEvents) => Pipe;

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export function commandPipe(line: CommandLine): OpenPipe {
  return (events) => {
    let child: ChildProcessWithoutNullStreams;
    try {
      child = start(line);
    } catch (error) {
      return unstartedPipe(startFailure(error, line));
    }
    holdGroup(child.pid);
    let unstarted: string | undefined;
    const ended = new Promise<PipeEnd | string>((resolve) => {
      child.once('error', (error) => {
        if (child.pid === undefined) unstarted = startFailure(error, line);
        resolve(unstarted ?? `could not be reached: ${error.message}`);
      });
      // `close` waits for the end of its output, which a grandchild may hold open.
      child.once('close', (code, signal) => resolve(endOf(code, signal)));
      child.once('exit', (code, signal) => {
        // Child processes, such as those of a package runner, see end of input too and are killed with it.
        child.stdin.destroy();
        setTimeout(() => {
          resolve(endOf(code, signal));
          endGroup(child.pid);
        }, 200).unref();
      });
    });
    child.stdout.on('data', events.stdout);
    child.stderr.on('data', events.stderr);
    // Ignore write errors after the server has exited.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    return {
      write: (bytes) => void (child.stdin.writable && child.stdin.write(bytes)),
      end: () => void child.stdin.end(),
      kill: (signal) => killed(child, signal),
      ended,
      get unstarted() {
        return unstarted;
      },
    };
  };
}

function start({ command, args, env, cwd }: CommandLine): ChildProcessWithoutNullStreams {
  return spawn(command, [...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(cwd !== undefined && { cwd }),
    // Its own process group, so that children of a shell or package runner are killed with it.
    detached: hasGroups,
    windowsHide: true,
  });
}

function killed(child: ChildProcessWithoutNullStreams, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (signal === 'SIGKILL') endGroup(child.pid);
  child.kill(signal);
}

function unstartedPipe(unstarted: string): Pipe {
  const nothing = (): void => undefined;
  return { write: nothing, end: nothing, kill: nothing, ended: Promise.resolve(unstarted), unstarted };
}

function endOf(code: number | null, signal: string | null): PipeEnd | string {
  if (code !== null) return `exit code ${code}`;
  return signal === null ? 'ended by nobody knows what' : { how: `ended by ${signal}`, signal };
}
