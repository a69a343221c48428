// vivarium/serve/stdio: a server as a child process, spoken to through its standard streams.

import type { Writable } from 'node:stream';
import { VivariumError } from '../jsonrpc/error.ts';
import type { Principal } from '../server/context.ts';
import { coreOf } from '../server/core.ts';
import type { Server } from '../server/server.ts';
import { settledWithin } from '../text/timeouts.ts';
import { guardProcess, type ProcessGuard } from './guard.ts';
import { Pipe } from './pipe.ts';
import type { Serving, TapEvent } from './serving.ts';

export type { Serving, TapEvent } from './serving.ts';

export interface StdioOptions {
  /** Default: none, the local user with every scope granted. */
  readonly principal?: Principal;
  /** A longer line costs one error. Default: 64 MiB. */
  readonly maxMessageBytes?: number;
  /** Sends to stderr what the program prints on stdout. Default: true. */
  readonly guardStdout?: boolean;
  /** How long running calls may go on once the client has gone. Default: 2,000. */
  readonly shutdownMs?: number;
  readonly onShutdown?: () => unknown;
  /** Sees every message as it is on the wire. */
  readonly tap?: (event: TapEvent) => void;
}

type Cause = 'close' | 'eof' | 'output' | 'parent' | NodeJS.Signals;

/** Time for hooks, children and the last bytes after the running calls have had theirs: three seconds in all. */
const graceMs = 850;
/** Of that, what a hook or a child may take before the others are thought of. */
const shareMs = 350;
const signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT'];

/**
 * Serves until the client goes away. The end of stdin, a closed stdout, a signal or a vanished parent all end
 * the process: what was read is answered, hooks run, children go.
 *
 * @example
 * await serveStdio(server);
 */
export async function serveStdio(server: Server, options: StdioOptions = {}): Promise<Serving> {
  // Before anything is awaited: the next line of the program may print.
  const guard = guardProcess(options.guardStdout ?? true);
  return new StdioServing(server, options, await openOutput(), guard);
}

class StdioServing implements Serving {
  readonly closed: Promise<void>;
  readonly #options: StdioOptions;
  readonly #guard: ProcessGuard;
  readonly #output: Writable;
  readonly #write: Writable['write'];
  readonly #pipe: Pipe;
  readonly #core: ReturnType<typeof coreOf>;
  readonly #parent = process.ppid;
  readonly #watch: NodeJS.Timeout;
  #ending: Promise<void> | undefined;
  #ended: () => void = () => undefined;

  constructor(server: Server, options: StdioOptions, output: Writable, guard: ProcessGuard) {
    this.#core = coreOf(server);
    this.#options = options;
    this.#output = output;
    this.#guard = guard;
    if (this.#guard.serving)
      throw new VivariumError('ERR_CONFIG', 'stdio is being served already: a process has only one stdin and stdout');
    this.#guard.serving = true;
    this.#write = this.#output === process.stdout ? this.#guard.write : this.#output.write.bind(this.#output);
    this.#pipe = new Pipe(
      this.#core,
      {
        write: (text) => this.#write(text),
        flow: (on) => void (on ? process.stdin.resume() : process.stdin.pause()),
      },
      options,
    );
    this.closed = new Promise((resolve) => {
      this.#ended = resolve;
    });
    process.stdin.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onEnd).resume();
    this.#output.on('drain', this.#onDrain).on('error', this.#onOutputError);
    // Nobody reads it any more: what is lost there must not become an error to report there.
    process.stderr.on('error', this.#ignore);
    for (const signal of signals) process.on(signal, this.#onSignal);
    process.on('unhandledRejection', this.#onStray).on('uncaughtException', this.#onStray);
    // A pipe can outlive its owner when someone else holds the other end.
    this.#watch = setInterval(() => {
      if (process.ppid !== this.#parent) this.#leave('parent');
    }, 1_000).unref();
  }

  close(): Promise<void> {
    this.#ending ??= this.#end('close');
    return this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #onData = (chunk: Buffer): void => this.#pipe.receive(chunk);
  readonly #onEnd = (): void => this.#leave('eof');
  readonly #onDrain = (): void => this.#pipe.drained();
  readonly #onOutputError = (): void => this.#leave('output');
  readonly #ignore = (): void => undefined;
  readonly #onSignal = (signal: NodeJS.Signals): void => this.#leave(signal);
  /** A promise or a timer that a handler left behind fails alone: the answer has left, and the client still needs us. */
  readonly #onStray = (error: unknown): void => void this.#core.report(error, 'background');

  #leave(cause: Cause): void {
    this.#ending ??= this.#end(cause);
    void this.#ending.then(() => process.exit(cause === 'SIGINT' ? 130 : 0));
  }

  async #end(cause: Cause): Promise<void> {
    clearInterval(this.#watch);
    process.stdin.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onEnd).pause();
    const { shutdownMs = 2_000, onShutdown } = this.#options;
    const deadline = performance.now() + shutdownMs + graceMs;
    if (cause === 'output') this.#pipe.close();
    else await this.#pipe.finish(shutdownMs);
    if (onShutdown !== undefined) await settledWithin(shareMs, this.#run(onShutdown));
    const left = deadline - performance.now();
    await Promise.all([endChildren(this.#guard.children, Math.min(shareMs, left)), settledWithin(left, this.#flushed())]);
    this.#release();
  }

  async #run(hook: () => unknown): Promise<void> {
    try {
      await hook();
    } catch (error) {
      this.#core.report(error, 'shutdown');
    }
  }

  #flushed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#output.destroyed) resolve();
      else this.#write('', () => resolve());
    });
  }

  #release(): void {
    for (const signal of signals) process.off(signal, this.#onSignal);
    process.off('unhandledRejection', this.#onStray).off('uncaughtException', this.#onStray);
    this.#output.off('drain', this.#onDrain);
    process.stderr.off('error', this.#ignore);
    this.#guard.release();
    this.#ended();
  }
}

/** stdout, or the descriptor that `vivarium serve --guard` moved it to. */
async function openOutput(): Promise<Writable> {
  const fd = Number(process.env['VIVARIUM_STDOUT_FD'] ?? 1);
  delete process.env['VIVARIUM_STDOUT_FD'];
  if (fd === 1) return process.stdout;
  if (!(Number.isSafeInteger(fd) && fd > 2))
    throw new VivariumError('ERR_CONFIG', 'VIVARIUM_STDOUT_FD must be the number of an open descriptor');
  const [{ createWriteStream, fstatSync }, { Socket }] = await Promise.all([import('node:fs'), import('node:net')]);
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket() ? new Socket({ fd, readable: false, writable: true }) : createWriteStream('', { fd });
}

async function endChildren(children: ProcessGuard['children'], withinMs: number): Promise<void> {
  if (children.size === 0) return;
  for (const child of children) child.kill('SIGTERM');
  const gone = [...children].map((child) => new Promise((resolve) => child.once('exit', resolve)));
  await settledWithin(withinMs, Promise.all(gone));
  for (const child of children) child.kill('SIGKILL');
}
