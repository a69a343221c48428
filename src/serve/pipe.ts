// A server on a stream of bytes: lines in, lines out, bounded on both sides. Knows nothing of processes.

import { faults, VivariumError } from '../jsonrpc/error.ts';
import { LineSplitter } from '../jsonrpc/lines.ts';
import { type Batch, decodeMessage, type ParsedMessage, refusal } from '../jsonrpc/message.ts';
import { weightOf } from '../jsonrpc/weight.ts';
import { type Answer, type BatchOutcome, encodeAnswer } from '../server/answer.ts';
import type { Outlet, Principal } from '../server/context.ts';
import { type Core, soon } from '../server/core.ts';
import { dispatch, dispatchBatch } from '../server/dispatch.ts';
import { Session } from '../server/session.ts';
import { settledWithin } from '../text/timeouts.ts';
import { PipeLoad } from './limits/pipe-load.ts';
import type { TapEvent } from './serving.ts';

export interface PipeOptions {
  readonly principal?: Principal | undefined;
  /** What handlers see as the session, up to 2025-11-25. Default: none, there is only one. */
  readonly sessionId?: string | undefined;
  readonly maxMessageBytes?: number | undefined;
  /** Sees every message as it is on the wire; what it throws is reported and forgotten. */
  readonly tap?: ((event: TapEvent) => void) | undefined;
}

/** The far end. `write` says false when it wants no more for now. */
export interface PipeEnd {
  write(text: string): boolean;
  /** Stop or resume delivering bytes. */
  flow(on: boolean): void;
}

const maxDepth = 256;
const warmMs = 20;
const maxUnread = 1_000;
const maxRunning = 1_024;
/** Answers are collected up to this size, and then leave in the middle of a turn. */
const maxUnwritten = 1024 * 1024;
const maxWaiting = 4_096;
/** What messages may take in memory while they run, or four times the largest one. */
const leastHeld = 256 * 1024 * 1024;
/** As they take in memory. */
const maxWaitingBytes = 32 * 1024 * 1024;
interface Queued {
  message: ParsedMessage | Batch;
  /** In memory, once parsed. */
  readonly bytes: number;
}

const blank = /^[ \t\r]*$/;

export class Pipe implements Outlet {
  readonly #core: Core;
  readonly #tap: ((event: TapEvent) => void) | undefined;
  readonly #end: PipeEnd;
  readonly #session: Session;
  readonly #lines: LineSplitter;
  readonly #unsubscribe: () => void;
  /** Requests read while too many run. Reading goes on for a while, or a cancellation could not make room. */
  readonly #queue: Set<Queued> = new Set();
  #queuedBytes = 0;
  readonly #load: PipeLoad;
  #out = '';
  #reading = false;
  #scheduled = false;
  #running = 0;
  #drained = true;
  #flowing = true;
  #begun = false;
  #advancing = false;
  #closed = false;
  #unread = 0;
  readonly #waiters: (() => void)[] = [];

  constructor(core: Core, end: PipeEnd, options: PipeOptions = {}) {
    const maxBytes = options.maxMessageBytes ?? 64 * 1024 * 1024;
    if (!(Number.isSafeInteger(maxBytes) && maxBytes > 0)) {
      throw new VivariumError('ERR_CONFIG', `maxMessageBytes must be a positive integer, got ${maxBytes}; leave it out for 64 MiB`);
    }
    this.#load = new PipeLoad(Math.max(leastHeld, 4 * maxBytes));
    this.#core = core;
    core.openVault ??= async () => (await import('../store/memory.ts')).memoryStore();
    this.#tap = options.tap;
    this.#end = end;
    this.#session = new Session(core, options.principal, options.sessionId);
    this.#lines = new LineSplitter(
      {
        line: (text) => this.#line(text),
        fault: (kind) =>
          this.#message(
            refusal(
              kind === 'utf8' ? faults.parseError('Not valid UTF-8') : faults.invalidRequest(`Message larger than ${maxBytes} bytes`),
            ),
          ),
      },
      maxBytes,
    );
    this.#unsubscribe = core.onChange((change, at) => this.#session.announce(change, at, this));
  }

  /** All answers that are ready when a chunk has been read leave in one write. */
  receive(chunk: Uint8Array): void {
    if (!this.#begun) this.#begin();
    this.#together(() => this.#lines.push(chunk));
    this.#regulate();
  }

  /** What the first answer does not need is loaded once it has left. */
  #begin(): void {
    this.#begun = true;
    // A moment later: the client's next message comes first, and loads by itself what it needs.
    const timer: { unref?(): void } = setTimeout(() => this.#core.warm(), warmMs) as never;
    timer.unref?.();
  }

  /** The far end has room again. */
  drained(): void {
    this.#drained = true;
    this.#unread = 0;
    if (this.#queue.size > 0) this.#advance();
    this.#regulate();
  }

  /** A notification of ours; never ahead of answers that were ready before it. */
  send(message: object): void {
    // Nobody reads: progress that is late is no progress, and anything else must not pile up.
    if (!this.#drained && !('id' in message) && this.#isDroppable(message)) return;
    this.#put(JSON.stringify(message));
  }

  /** No more bytes will come: settles when everything that was read is answered, or after the time given. */
  async finish(withinMs: number): Promise<void> {
    this.#session.endListeners();
    const rest = this.#lines.end();
    // A last message without its newline counts if it is whole; half a message is nobody's request.
    if (rest !== undefined && isJson(rest)) this.#line(rest);
    this.#session.ending = true;
    this.#session.endListeners();
    await settledWithin(withinMs, this.idle());
    this.close();
  }

  /** Settles when no call is running and none is waiting to. */
  async idle(): Promise<void> {
    if (this.#busy > 0 || this.#queue.size > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    this.#flush();
  }

  /** Aborts what still runs and writes what is ready. */
  close(): void {
    this.#closed = true;
    this.#queue.clear();
    this.#unsubscribe();
    this.#session.close();
    this.#flush();
  }

  #line(text: string): void {
    if (blank.test(text)) return;
    if (this.#tap !== undefined) this.#show('in', text);
    const bytes = weightOf(text);
    // It would have to be parsed first: that alone could end the process.
    if (bytes > 2 * this.#load.maxBytes) {
      const why = `Message takes more than ${2 * this.#load.maxBytes} bytes of memory: send less at a time`;
      return this.#message(refusal(faults.invalidRequest(why)));
    }
    this.#message(decodeMessage(text, maxDepth), bytes);
  }

  #message(message: ParsedMessage | Batch, bytes = 0): void {
    // A ping asks whether anyone is there, so it passes those who wait for room to run.
    const passes = message.kind === 'request' && message.method === 'ping' && this.#drained;
    const refused = passes ? undefined : this.#load.refuses(message, bytes);
    if (refused !== undefined && message.kind === 'request') return this.#answer({ id: message.id, error: refused });
    const full = this.#running >= maxRunning || this.#queue.size > 0 || !this.#drained || this.#load.lacksRoom(bytes);
    if (full && !passes && (message.kind === 'request' || message.kind === 'batch')) {
      this.#queue.add({ message, bytes });
      this.#queuedBytes += bytes;
      return;
    }
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') this.#unqueue(message.params?.['requestId']);
    // Whoever asked is told, and keeps nothing of it.
    if (refused !== undefined && message.kind === 'response') this.#dispatch({ kind: 'response', id: message.id, error: refused }, 0);
    else this.#dispatch(message, bytes);
  }

  began(): void {
    this.#load.began();
  }

  ended(): void {
    this.#load.ended();
  }

  /** What becomes ready meanwhile leaves in one write. */
  #together(work: () => void): void {
    this.#reading = true;
    try {
      work();
    } finally {
      this.#reading = false;
      this.#flush();
    }
  }

  #unqueue(id: unknown): void {
    for (const waiting of this.#queue) {
      const { message } = waiting;
      if (message.kind === 'request' && message.id === id && message.method !== 'initialize') this.#take(waiting);
      if (message.kind !== 'batch') continue;
      const members = message.members.filter((member) => !asks(member, id));
      // Nothing is left of it that could be answered.
      if (members.length === 0 && message.members.length > 0) this.#take(waiting);
      else waiting.message = { kind: 'batch', members };
    }
  }

  #take(waiting: Queued): ParsedMessage | Batch {
    this.#queue.delete(waiting);
    this.#queuedBytes -= waiting.bytes;
    return waiting.message;
  }

  #dispatch(message: ParsedMessage | Batch, bytes: number): void {
    const weighed = this.#load.carry(message, bytes, this);
    const outlet = weighed ?? this;
    const outcome: BatchOutcome =
      message.kind === 'batch' ? dispatchBatch(this.#session, message, outlet) : dispatch(this.#session, message, outlet);
    if (!(outcome instanceof Promise)) {
      weighed?.answered();
      this.#answer(outcome);
      return;
    }
    const weight = message.kind === 'batch' ? message.members.length : 1;
    this.#running += weight;
    void outcome.then((answer) => {
      this.#running -= weight;
      if (this.#running === 0) this.#load.rest();
      weighed?.answered();
      this.#answer(answer);
      if (this.#queue.size > 0) this.#advance();
      else if (this.#busy <= 0) this.#wake();
    });
  }

  /** In the next turn: those that end in this one are answered first. */
  #advance(): void {
    if (this.#advancing) return;
    this.#advancing = true;
    soon(() => {
      this.#advancing = false;
      this.#together(() => {
        for (const waiting of this.#queue) {
          if (this.#running >= maxRunning || !this.#drained || this.#load.lacksRoom(waiting.bytes)) break;
          this.#dispatch(this.#take(waiting), waiting.bytes);
        }
      });
      this.#regulate();
      if (this.#busy <= 0 && this.#queue.size === 0) this.#wake();
    });
  }

  #isDroppable(message: object): boolean {
    const { method } = message as { method?: string };
    if (method === 'notifications/progress') return true;
    this.#unread++;
    if (this.#unread <= maxUnread) return false;
    if (this.#unread === maxUnread + 1) {
      this.#core.report(
        new VivariumError('ERR_TOO_LARGE', `The client reads nothing: notifications are dropped after ${maxUnread}`),
        'pipe',
      );
    }
    return true;
  }

  /** Calls that will end by themselves: a listener does not count. */
  get #busy(): number {
    return this.#running - this.#session.listeners.size;
  }

  #show(direction: TapEvent['direction'], text: string): void {
    try {
      this.#tap?.({ direction, text });
    } catch (error) {
      this.#core.report(error, 'tap');
    }
  }

  #wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }

  #answer(answer: Answer | readonly Answer[] | undefined): void {
    if (answer === undefined) return;
    if (!('length' in answer)) this.#put(this.#encode(answer));
    else if (answer.length > 0) this.#put(`[${answer.map((one) => this.#encode(one)).join(',')}]`);
  }

  #encode(answer: Answer): string {
    return encodeAnswer(answer, (error) => this.#core.report(error, 'encode'));
  }

  /** At once when nothing else is about to finish; otherwise together with the rest of this turn. */
  #put(text: string): void {
    if (this.#tap !== undefined) this.#show('out', text);
    this.#out += `${text}\n`;
    if (this.#out.length > maxUnwritten) this.#flush();
    if (this.#reading || this.#scheduled) return;
    if (this.#busy <= 0) this.#flush();
    else {
      this.#scheduled = true;
      soon(() => {
        this.#scheduled = false;
        this.#flush();
      });
    }
  }

  #flush(): void {
    if (this.#out === '') return;
    const text = this.#out;
    this.#out = '';
    if (!this.#end.write(text)) {
      this.#drained = false;
      this.#regulate();
    }
  }

  /** Reads on only while the reader keeps up and there is room for more calls: memory stays bounded. */
  #regulate(): void {
    const flowing = this.#drained && this.#queue.size < maxWaiting && this.#queuedBytes < maxWaitingBytes;
    // Once closed, the stream is somebody else's again.
    if (flowing === this.#flowing || this.#closed) return;
    this.#flowing = flowing;
    this.#end.flow(flowing);
  }
}

function asks(member: unknown, id: unknown): boolean {
  const { id: own, method } = (member ?? {}) as { id?: unknown; method?: unknown };
  return own === id && method !== undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
