// A tap between a client and a program: every byte passes as it is, and is written down a line at a time.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { type Readable, Transform, type TransformCallback, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { Bytes } from '../../../jsonrpc/event-stream.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { printableLines } from '../../terminal/terminal.ts';
import type { Recorder, Side } from './recording.ts';

/** A longer line passes, and is not recorded: by halves, its secrets would not be known for what they are. */
const maxLine = 64 * 1024 * 1024;

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
  // A client reads the bytes as the program wrote them; a terminal would obey some.
  const shown = process.stderr.isTTY === true ? child.stderr.pipe(new Escaped()) : child.stderr;
  shown.pipe(process.stderr, { end: false });
  split(child.stderr, (line) => recorder.add('server', { stderr: line.toString('utf8') }));
  const ended = new Promise<number>((resolve) => {
    child.once('close', (code, signal) => {
      recorder.add('server', { end: { code, signal } });
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
  return Promise.race([ended, failed]).finally(() => process.stdin.destroy());
}

/** What a terminal may show. */
export class Escaped extends Transform {
  readonly #decoder = new StringDecoder('utf8');

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    done(null, printableLines(this.#decoder.write(chunk)));
  }

  override _flush(done: TransformCallback): void {
    done(null, printableLines(this.#decoder.end()));
  }
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
  const held = new Bytes();
  let length = 0;
  const hold = (part: Buffer): void => {
    length += part.length;
    if (length > maxLine) held.clear();
    else if (part.length > 0) held.add(part);
  };
  const tell = (): void => {
    told(length > maxLine ? Buffer.from(`(a line of ${length} bytes, which is more than 64 MiB)`) : asBuffer(held));
    held.clear();
    length = 0;
  };
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      hold(chunk.subarray(from, end));
      tell();
      from = end + 1;
    }
    hold(chunk.subarray(from));
  });
  stream.once('end', () => length > 0 && tell());
}

function asBuffer(held: Bytes): Buffer {
  if (held.length === 0) return Buffer.alloc(0);
  const { buffer, byteOffset, byteLength } = held.whole();
  return Buffer.from(buffer, byteOffset, byteLength);
}
