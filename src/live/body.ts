// What an image lives in: a process of ours, with a group of its own, or a program that was there before and is only visited.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { Launch } from './engine.ts';

export interface Body {
  /** The private channel. */
  readonly wire: Duplex;
  readonly pid: number | undefined;
  /** It may be ended, and is watched. */
  readonly ours: boolean;
  readonly closed: Promise<void>;
  /** Ends it with everything it started that did not leave its group; a program that is visited is only left. */
  kill(): void;
}

export interface BodyEvents {
  printed(stream: 'out' | 'err', text: string): void;
  /** Told once, with the reason in words. */
  ended(reason: string): void;
}

/** So long the last words of a process that has ended are waited for. */
const drainMs = 100;

export function spawnBody({ command, args, cwd, env }: Launch, { printed, ended }: BodyEvents): Body {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true });
  // Native code and children of the user's code write there; what the image itself prints comes over the wire.
  for (const [stream, name] of [
    [child.stdout, 'out'],
    [child.stderr, 'err'],
  ] as const) {
    (stream as Readable).setEncoding('utf8').on('data', (text: string) => printed(name, text));
  }
  const kill = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  };
  child.once('error', (error) => ended(`it could not be started: ${error.message}`));
  child.once('exit', (code, signal) => {
    // What it left behind in its group.
    kill();
    ended(signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`);
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve()).once('error', () => resolve());
    // Something it started may hold its output open for ever.
    child.once('exit', () => {
      setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy();
        resolve();
      }, drainMs).unref();
    });
  });
  return { wire: child.stdio[3] as Duplex, pid: child.pid, ours: true, closed, kill };
}

export function visitBody(way: string | Duplex, { ended }: BodyEvents): Body {
  const wire = typeof way === 'string' ? connect(way) : way;
  let failed: string | undefined;
  wire.once('error', (error) => {
    failed = `it cannot be reached: ${error.message}`;
  });
  const closed = new Promise<void>((resolve) =>
    wire.once('close', () => {
      ended(failed ?? 'the program ended, or somebody else works in it');
      resolve();
    }),
  );
  return { wire, pid: undefined, ours: false, closed, kill: () => void wire.destroy() };
}
