// One running child process as a channel: lines of JSON both ways, and an end that says why.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { cut } from '../jsonrpc/error.ts';
import { LineSplitter } from '../jsonrpc/lines.ts';
import type { ProcessGroup } from '../node/process-group.ts';
import type { Channel, ChannelEnd, ChannelTrace, Sending } from '../protocol/channel.ts';
import { printable } from '../text/printable.ts';
import { settledWithin } from '../text/timeouts.ts';
import type { StdioConnectOptions } from './stdio-options.ts';
import { Outbox } from './stdio-outbox.ts';
import { LastLines, later, short } from './stdio-stderr.ts';

const maxQueuedBytes = 64 * 1024 * 1024;
/** What is read before anybody listens. */
const maxHeld = 1024 * 1024;
const maxHeldJunk = 100;
/** Lines in a row that are no messages: so many are told of, and after so many the server is given up. */
const maxToldJunk = 1_000;
const maxJunk = 50_000;
/** After so many lines in one piece others have their turn: signals, time limits. */
const maxLinesAtOnce = 1_000;
/** How long one end of a process may be closed before the others are not waited for. */
const settleMs = 250;
/** Somebody else may hold the streams of a process that has ended, and write on. What it wrote itself is read in fewer turns. */
const maxSettles = 16;
/** For the system to remove what was killed. */
const killedMs = 1_000;
const brace = 123;
const blank = /^[ \t\r]*$/;
const mayBeMessage = /^[ \t\r]*[[{]/;

export class StdioChannel implements Channel {
  readonly kind = 'pipe';
  readonly closed: Promise<ChannelEnd>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #group: ProcessGroup;
  readonly #graceMs: number;
  readonly #outbox: Outbox;
  readonly #lines: LineSplitter;
  readonly #stderr: LastLines;
  readonly #exited: Promise<unknown>;
  #listener: ((message: object) => void) | undefined;
  #onJunk: ((line: string) => void) | undefined;
  #held: object[] = [];
  #heldLength = 0;
  #heldJunk: string[] = [];
  /** In a row. */
  #junkLines = 0;
  #linesAtOnce = 0;
  #lastLine: string | undefined;
  #wanted = false;
  #exit: { readonly exitCode: number | null; readonly exitSignal: string | null } | undefined;
  #ended = false;
  #end: (end: ChannelEnd) => void = () => undefined;
  #leaving: Promise<void> | undefined;
  #settling: NodeJS.Timeout | undefined;
  #heard = false;

  constructor(child: ChildProcessWithoutNullStreams, group: ProcessGroup, options: StdioConnectOptions) {
    const maxBytes = options.maxMessageBytes ?? maxQueuedBytes;
    this.#child = child;
    this.#group = group;
    this.#graceMs = options.graceMs ?? 2_000;
    this.#stderr = new LastLines([options.stderr, options.onStderr].filter((one) => typeof one === 'function'));
    this.#outbox = new Outbox(child.stdin, Math.max(maxBytes, maxQueuedBytes), () => this.#unheard());
    this.#lines = new LineSplitter(
      {
        line: (text) => this.#line(text),
        fault: (kind) => this.#junk(kind === 'size' ? `(a line of more than ${maxBytes} bytes)` : '(a line that is not UTF-8)'),
      },
      maxBytes,
    );
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#exited = new Promise((resolve) => child.once('exit', resolve));
    child.on('error', () => undefined).on('exit', (code, signal) => this.#onExit(code, signal));
    child.on('close', () => this.#finish());
    child.stdout.on('data', (chunk: Buffer) => this.#onData(chunk)).on('end', () => this.#onOutputEnd());
    child.stderr.on('data', (chunk: Buffer) => this.#onErrorData(chunk, options.stderr === 'inherit'));
    for (const stream of [child.stdout, child.stderr]) stream.on('error', () => undefined);
  }

  send(message: object, sending?: Sending): void {
    this.#outbox.put(message, sending);
  }

  receive(listener: (message: object) => void): void {
    this.#listener = listener;
    const held = this.#held.splice(0);
    this.#heldLength = 0;
    for (const message of held) later(listener, message);
    this.#child.stdout.resume();
  }

  junk(listener: (line: string) => void): void {
    this.#onJunk = listener;
    for (const line of this.#heldJunk.splice(0)) later(listener, line);
  }

  trace(): ChannelTrace {
    return { stderr: this.#stderr.lines, ...(this.#lastLine !== undefined && { lastLine: this.#lastLine }) };
  }

  close(): Promise<void> {
    if (!this.#ended && this.#exit === undefined) this.#wanted = true;
    return this.#leave();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #onData(chunk: Buffer): void {
    this.#heard = true;
    this.#linesAtOnce = 0;
    this.#lines.push(chunk);
    if (this.#ended) return;
    if (this.#heldLength > maxHeld && this.#exit === undefined) this.#child.stdout.pause();
    else if (this.#linesAtOnce > maxLinesAtOnce) this.#rest();
  }

  #rest(): void {
    const { stdout } = this.#child;
    stdout.pause();
    setImmediate(() => {
      if (this.#heldLength <= maxHeld || this.#exit !== undefined) stdout.resume();
    });
  }

  #onErrorData(chunk: Buffer, pass: boolean): void {
    this.#stderr.push(chunk);
    if (!pass || process.stderr.write(chunk)) return;
    this.#child.stderr.pause();
    process.stderr.once('drain', () => this.#child.stderr.resume());
  }

  #line(text: string): void {
    this.#linesAtOnce++;
    const isObject = text.charCodeAt(0) === brace;
    // What follows in the same piece, where a flood ended the channel in the middle of it.
    if (this.#junkLines > maxJunk || (!isObject && blank.test(text))) return;
    this.#lastLine = short(text);
    let message: unknown;
    try {
      // An exception for each line of a flood would cost more than all the rest.
      message = isObject || mayBeMessage.test(text) ? JSON.parse(text) : undefined;
    } catch {
      return this.#junk(text);
    }
    if (typeof message !== 'object' || message === null) return this.#junk(text);
    if (isJsonRpc(Array.isArray(message) ? message[0] : message)) this.#junkLines = 0;
    else this.#countJunk();
    const listener = this.#listener;
    if (listener !== undefined) return later(listener, message);
    this.#held.push(message);
    this.#heldLength += text.length;
  }

  /** `yes` instead of a server, or one that logs to where messages belong. */
  #countJunk(): void {
    if (++this.#junkLines <= maxJunk) return;
    const last = printable(cut(this.#lastLine ?? ''));
    this.#finish(`The server floods its stdout with lines that are no messages, ${maxJunk} in a row, the last of them: ${last}`);
  }

  #junk(text: string): void {
    this.#countJunk();
    if (this.#junkLines > maxToldJunk) return;
    const line = short(text.endsWith('\r') ? text.slice(0, -1) : text);
    const listener = this.#onJunk;
    if (listener !== undefined) later(listener, line);
    else if (this.#heldJunk.length < maxHeldJunk) this.#heldJunk.push(line);
  }

  /** What it wrote before is still in the pipe: the end is the end of its streams, unless somebody else holds them. */
  #onExit(exitCode: number | null, exitSignal: NodeJS.Signals | null): void {
    this.#exit = { exitCode, exitSignal };
    clearTimeout(this.#settling);
    this.#child.stdout.resume();
    this.#child.stderr.resume();
    this.#settle(maxSettles);
    void this.#leave();
  }

  #settle(times: number): void {
    this.#heard = false;
    this.#settling = setTimeout(() => {
      // If this process was busy all the while, nothing has been read yet: one more turn shows whether there is something.
      setImmediate(() => {
        if (this.#heard && times > 0) this.#settle(times - 1);
        else this.#finish();
      });
    }, settleMs);
  }

  /** No answer can come any more. Mostly the process is about to end, and will tell why. */
  #onOutputEnd(): void {
    if (this.#exit !== undefined || this.#wanted) return;
    this.#settling = setTimeout(() => {
      if (!this.#wanted) this.#finish('The server closed its stdout');
    }, settleMs);
  }

  /** It reads nothing any more. Mostly it is about to end, and the messages fail for that reason. */
  #unheard(): void {
    if (this.#ended) return;
    const timer = setTimeout(() => this.#outbox.fail('The server closed its stdin'), settleMs);
    void this.closed.then(() => clearTimeout(timer));
  }

  #finish(why?: string): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#settling);
    const rest = this.#lines.end();
    if (rest !== undefined) this.#line(rest);
    this.#stderr.end();
    const message = why ?? this.#farewell();
    this.#outbox.fail(message);
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    this.#end({ wanted: this.#wanted, ...(!this.#wanted && { message }), ...this.#exit });
    void this.#leave();
  }

  #farewell(): string {
    const { exitCode, exitSignal } = this.#exit ?? {};
    const how = exitSignal == null ? `exited with code ${exitCode ?? 'unknown'}` : `was ended by ${exitSignal}`;
    const { verdict } = this.#stderr;
    return verdict === undefined ? `The server ${how}` : `The server ${how}; its stderr says: ${printable(cut(verdict))}`;
  }

  #leave(): Promise<void> {
    this.#leaving ??= this.#endGroup();
    return this.#leaving;
  }

  /** First it is asked by the end of its stdin, then by a signal; what it leaves behind is asked by a signal only. */
  async #endGroup(): Promise<void> {
    this.#outbox.end(this.#wanted ? 'The channel is closed' : undefined);
    if (this.#exit === undefined) await settledWithin(this.#graceMs, this.#exited);
    this.#group.signal('SIGTERM');
    if (!(await this.#group.goes(this.#graceMs / 2))) {
      this.#group.signal('SIGKILL');
      await this.#group.goes(killedMs);
      // Not even that ends a process that hangs in the system.
      if (this.#exit === undefined) this.#finish('The server could not be ended');
    }
    await this.#group.release();
    await this.closed;
  }
}

function isJsonRpc(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value;
}
