// A tap between a client and a program: every byte passes as it is, and is written down a line at a time.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { CommandError, exitCodes } from './command.ts';
import type { Recorder, Side } from './recording.ts';

/** A longer line passes, and is recorded in pieces. */
const mostLine = 64 * 1024 * 1024;

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Ends with the exit code of the program. */
export async function recordProgram({ command, args, env, cwd }: Program, recorder: Recorder): Promise<number> {
  // Transparent: it is started as the client would have started it.
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new CommandError(exitCodes.unreachable, `${command} could not be started: ${cause.message}`, {
          hint: 'vivarium doctor says why',
          cause,
        }),
      ),
    );
  });
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
  for (const signal of signals) process.on(signal, () => void child.kill(signal));
  pass(process.stdin, child.stdin, 'client', recorder);
  pass(child.stdout, process.stdout, 'server', recorder);
  child.stderr.pipe(process.stderr, { end: false });
  split(child.stderr, (line) => recorder.add('server', { stderr: line.toString('utf8') }));
  const ended = new Promise<number>((resolve) => {
    child.once('close', (code, signal) => {
      recorder.add('server', { end: { code, signal } });
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
  return Promise.race([ended, failed]).finally(() => process.stdin.destroy());
}

function pass(from: Readable, to: Writable, side: Side, recorder: Recorder): void {
  // Whoever reads may be gone before whoever writes knows.
  to.on('error', () => undefined);
  from.on('error', () => undefined);
  from.pipe(to, { end: side === 'client' });
  split(from, (line) => recorder.line(side, line));
  if (side === 'client') from.once('end', () => recorder.add('client', { end: {} }));
}

function split(stream: Readable, told: (line: Buffer) => void): void {
  let held: Buffer[] = [];
  let length = 0;
  const flush = (): void => {
    if (length > 0) told(Buffer.concat(held));
    held = [];
    length = 0;
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      held.push(chunk.subarray(from, end));
      told(Buffer.concat(held));
      held = [];
      length = 0;
      from = end + 1;
    }
    if (from < chunk.length) held.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > mostLine) flush();
  });
  stream.once('end', flush);
}
