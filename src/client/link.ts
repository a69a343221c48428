// One connection while it lasts: requests with their answers, time limits and progress, and what the server says by itself.
import { cut, faults, RpcError, VivariumError } from '../jsonrpc/error.ts';
import {
  deeperThan,
  isRequestId,
  type Params,
  type ParsedMessage,
  type ParsedRequest,
  parseMessage,
  type RequestId,
} from '../jsonrpc/message.ts';
import type { Channel, ChannelEnd, ChannelFailure, Sending } from '../protocol/channel.ts';
import type { Era, Revision } from '../protocol/revision.ts';
import { maxTimerMs } from '../text/timeouts.ts';
import { cancelled, Lost } from './failure.ts';
import type { Progress, Timeouts, Warning } from './options.ts';

export interface LinkHost {
  asked(id: RequestId, method: string, params: Params | undefined): void;
  told(method: string, params: Params | undefined): void;
  warn(warning: Warning): void;
  ended(end: ChannelEnd): void;
  readonly target: string;
  readonly tap: ((event: { readonly direction: 'in' | 'out'; readonly message: object }) => void) | undefined;
}

export interface RequestTerms {
  readonly era: Era;
  readonly revision?: Revision | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeouts: Required<Timeouts>;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Stays open for ever: only silence on a connection that should beat would end it, and there is none. */
  readonly open?: boolean;
  /** When `totalMs` is over, where the request is not the first of its call. */
  readonly until?: number;
  /** Called with the id before anything is sent. */
  readonly onId?: (id: number) => void;
}

interface Waiting {
  readonly method: string;
  readonly era: Era;
  readonly resolve: (result: object) => void;
  readonly reject: (error: Error) => void;
  until: number;
  /** When there was a sign of life last. */
  alive: number;
  /** Since when its clock stands still. */
  stopped?: number | undefined;
  readonly how: RequestTerms;
  readonly aborted: (() => void) | undefined;
}

/** Ids of requests we gave up, so that their late answers are known for what they are; the oldest are forgotten. */
const maxGivenUp = 256;
/** A server that asks before it is introduced has a few questions at most. */
const maxEarly = 100;

/** What is deeper cannot be written as JSON again, nor looked through, without the risk of exhausting the stack. */
const maxLevels = 1_000;

export class Link {
  readonly channel: Channel;
  readonly #host: LinkHost;
  readonly #waiting: Map<RequestId, Waiting> = new Map();
  readonly #givenUp: Set<RequestId> = new Set();
  /** What was asked before both sides knew each other. */
  #early: ParsedRequest[] | undefined = [];
  #next = 1;
  #end: ChannelEnd | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When it rings. */
  #due: number = Number.POSITIVE_INFINITY;
  /** Messages need headers, and perhaps a token. */
  readonly #web: boolean;

  constructor(channel: Channel, host: LinkHost) {
    this.channel = channel;
    this.#host = host;
    this.#web = channel.kind === 'http' || channel.kind === 'sse';
    channel.receive((message) => this.#arrived(message));
    channel.junk?.((line) => host.warn({ code: 'junk', message: `The server sent what is no message: ${cut(line)}` }));
    // A channel of another make may settle with nothing.
    void channel.closed.then((end) => this.#closed((end as ChannelEnd | undefined) ?? { wanted: false }));
  }

  get pending(): number {
    return this.#waiting.size;
  }

  get ended(): ChannelEnd | undefined {
    return this.#end;
  }

  /** From now on the host can answer questions. */
  ready(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const { id, method, params } of early) this.#host.asked(id, method, params);
  }

  /** Rejects with RpcError, VivariumError, or Lost. */
  request(method: string, params: object, how: RequestTerms): Promise<object> {
    if (this.#end !== undefined) return Promise.reject(new Lost(true, this.#end));
    if (how.signal?.aborted) return Promise.reject(cancelled(how.signal));
    const id = this.#next++;
    how.onId?.(id);
    return new Promise((resolve, reject) => {
      const aborted = how.signal === undefined ? undefined : () => this.#giveUp(id, cancelled(how.signal as AbortSignal));
      if (aborted !== undefined) how.signal?.addEventListener('abort', aborted, { once: true });
      const { era } = how;
      const now = performance.now();
      const until = how.until ?? now + how.timeouts.totalMs;
      this.#waiting.set(id, { method, era, resolve, reject, until, alive: now, how, aborted });
      this.#expect(dueOf(how, now, until));
      const meta = (params as { _meta?: Record<string, unknown> })._meta;
      if (meta !== undefined) meta['progressToken'] = id;
      this.#send({ jsonrpc: '2.0', id, method, params }, this.#sending(id, how));
    });
  }

  #sending(id: number, { era, revision, headers }: RequestTerms): Sending {
    const failed = (failure: ChannelFailure): void => this.#failed(id, failure);
    if (!this.#web) return { failed };
    const authorizing = (on: boolean): void => this.#authorizing(id, on);
    // What Streamable HTTP says in headers; the older transport has none.
    return this.channel.kind === 'http' ? { era, revision, headers, failed, authorizing } : { failed, authorizing };
  }

  notify(method: string, params: object | undefined, how: { readonly era: Era; readonly revision?: Revision | undefined }): void {
    if (this.#end !== undefined) return;
    const message = { jsonrpc: '2.0', method, ...(params !== undefined && { params }) };
    this.#send(message, this.#plain(how));
  }

  answer(
    id: RequestId,
    outcome: { readonly result: object } | { readonly error: object },
    how: { readonly era: Era; readonly revision?: Revision | undefined },
  ): void {
    if (this.#end === undefined) this.#send({ jsonrpc: '2.0', id, ...outcome }, this.#plain(how));
  }

  #plain({ era, revision }: { readonly era: Era; readonly revision?: Revision | undefined }): Sending | undefined {
    return this.channel.kind === 'http' ? { era, revision } : undefined;
  }

  #send(message: object, sending: Sending | undefined): void {
    this.#host.tap?.({ direction: 'out', message });
    this.channel.send(message, sending);
  }

  #arrived(message: object): void {
    if (this.#end?.wanted) return;
    this.#host.tap?.({ direction: 'in', message });
    if (Array.isArray(message)) {
      for (const one of message) this.#one(one);
    } else this.#one(message);
  }

  #one(message: unknown): void {
    const parsed = parseMessage(message);
    if (deeperThan(message, maxLevels)) return this.#tooDeep(parsed);
    switch (parsed.kind) {
      case 'response': {
        const waiting = parsed.id === undefined ? undefined : this.#take(parsed.id);
        if (waiting === undefined) return this.#misnamed(message) ? undefined : this.#unknown(parsed.id);
        if (parsed.error !== undefined) waiting.reject(RpcError.from(parsed.error, { method: waiting.method, target: this.#host.target }));
        else if (typeof parsed.result !== 'object' || parsed.result === null || Array.isArray(parsed.result)) {
          waiting.reject(new VivariumError('ERR_PROTOCOL', `The server answered ${waiting.method} with a result that is no object`));
        } else waiting.resolve(parsed.result);
        return;
      }
      case 'request':
        // Allowed at any time, also before the handshake is over; a modern server has no such thing.
        if (parsed.method === 'ping' && this.channel.kind !== 'http') return this.answer(parsed.id, { result: {} }, { era: 'legacy' });
        if (this.#early === undefined) this.#host.asked(parsed.id, parsed.method, parsed.params);
        else if (this.#early.push(parsed) > maxEarly) this.#early.shift();
        return;
      case 'notification':
        if (parsed.method === 'notifications/progress') return this.#progress(parsed.params);
        return this.#host.told(parsed.method, parsed.params);
      case 'refused':
        if (this.#misnamed(message)) return;
        this.#host.warn({
          code: 'bad-message',
          message: `The server sent a message that cannot be read: ${String(parsed.error.data)}: ${cut(JSON.stringify(message))}`,
        });
    }
  }

  #tooDeep(parsed: ParsedMessage): void {
    const problem = `nested deeper than ${maxLevels} levels`;
    const waiting = parsed.kind === 'response' && parsed.id !== undefined ? this.#take(parsed.id) : undefined;
    if (waiting !== undefined)
      waiting.reject(new VivariumError('ERR_TOO_LARGE', `The answer of the server to ${waiting.method} is ${problem}`));
    else this.#host.warn({ code: 'bad-message', message: `The server sent a message that is ${problem}` });
    if (parsed.kind === 'request') this.answer(parsed.id, { error: faults.invalidRequest(`The message is ${problem}`) }, { era: 'legacy' });
  }

  /** Our ids are integers. "1" is meant for 1, and a result with what can be no id at all for the only one that waits. */
  #misnamed(message: unknown): boolean {
    if (typeof message !== 'object' || message === null || !('result' in message || 'error' in message)) return false;
    const { id } = message as { readonly id?: unknown };
    // An integer may be anybody's, but before the handshake is over there is nobody else.
    const isAnybodys = Number.isInteger(id) && ((id as number) < this.#next || this.#early === undefined);
    if (isAnybodys || ('error' in message && typeof id !== 'string')) return false;
    const alike = typeof id === 'string' && id !== '' ? Number(id) : Number.NaN;
    const [only] = typeof id !== 'string' && this.#waiting.size === 1 ? this.#waiting.keys() : [];
    const meant = this.#waiting.has(alike) ? alike : only;
    if (meant === undefined || this.#waiting.get(meant)?.how.open === true) return false;
    const { method, reject } = this.#take(meant) as Waiting;
    const said = id === undefined ? 'no id' : `the id ${typeof id === 'object' && id !== null ? '{…}' : cut(JSON.stringify(id))}`;
    const rule = 'an answer repeats the id of its request, type included';
    reject(new VivariumError('ERR_PROTOCOL', `The server answered ${method}, whose id is ${meant}, with ${said}: ${rule}`));
    return true;
  }

  #unknown(id: RequestId | undefined): void {
    if (id !== undefined && this.#givenUp.delete(id)) {
      this.#host.warn({ code: 'late-answer', message: `The answer to request ${id} came after it was given up` });
    } else this.#host.warn({ code: 'unknown-answer', message: `The server answered something that was not asked (id ${String(id)})` });
  }

  #progress(params: Params | undefined): void {
    const token = params?.['progressToken'];
    const waiting = isRequestId(token) ? this.#waiting.get(token) : undefined;
    if (waiting === undefined || params === undefined) return;
    waiting.alive = performance.now();
    const { progress, total, message } = params as unknown as Progress;
    try {
      if (typeof progress === 'number') {
        waiting.how.onProgress?.({
          progress,
          ...(typeof total === 'number' && { total }),
          ...(typeof message === 'string' && { message }),
        });
      }
    } catch (error) {
      this.#host.warn({ code: 'listener', message: `onProgress failed: ${String(error)}` });
    }
  }

  /** One timer for all of them, set for the first: nearly every request is answered long before. */
  #expect(due: number): void {
    if (due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => this.#sweep(), Math.min(Math.max(0, due - performance.now()), maxTimerMs));
    // Whoever waits for an answer is kept alive by what brings it.
    (this.#timer as { unref?(): void }).unref?.();
  }

  #sweep(): void {
    this.#due = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [id, { how, alive, until, stopped }] of [...this.#waiting]) {
      const due = stopped === undefined ? dueOf(how, alive, until) : Number.POSITIVE_INFINITY;
      // Timers may be a little early.
      if (due - now <= 1) this.#late(id, now);
      else next = Math.min(next, due);
    }
    this.#expect(next);
  }

  #late(id: RequestId, now: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    const { idleMs, totalMs } = waiting.how.timeouts;
    const limit = now >= waiting.until - 1 ? 'totalMs' : 'idleMs';
    const [ms, what] = limit === 'totalMs' ? [totalMs, 'in all'] : [idleMs, 'without a sign of life'];
    const cause = `No answer to ${waiting.method} within ${ms} ms ${what} (${limit})`;
    const failure = { phase: 'request', target: this.#host.target, cause, elapsedMs: ms, limit, ...this.channel.trace?.() };
    this.#giveUp(id, new VivariumError('ERR_TIMEOUT', cause, { failure }));
  }

  /** The clock stops while a token is being got: logging in takes as long as it takes. */
  #authorizing(id: RequestId, on: boolean): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined || waiting.how.open === true) return;
    const now = performance.now();
    if (on) {
      waiting.stopped = now;
      return;
    }
    waiting.until += now - (waiting.stopped ?? now);
    waiting.alive = now;
    waiting.stopped = undefined;
    this.#expect(dueOf(waiting.how, now, waiting.until));
  }

  /** The work on the server is to stop: by a message, or by closing the stream, as the era has it. */
  #giveUp(id: RequestId, error: Error): void {
    const waiting = this.#take(id);
    if (waiting === undefined) return;
    this.#givenUp.add(id);
    for (const oldest of this.#givenUp) {
      if (this.#givenUp.size <= maxGivenUp) break;
      this.#givenUp.delete(oldest);
    }
    const byMessage = waiting.era === 'legacy' || this.channel.kind !== 'http';
    if (byMessage && waiting.method !== 'initialize') {
      this.notify('notifications/cancelled', { requestId: id, reason: error.message }, waiting.how);
    }
    this.channel.abandon?.(id);
    waiting.reject(error);
  }

  #failed(id: RequestId, failure: ChannelFailure): void {
    const waiting = this.#take(id);
    if (waiting === undefined) return;
    waiting.reject(new Lost(failure.unsent, failure));
  }

  #take(id: RequestId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    if (waiting.aborted !== undefined) waiting.how.signal?.removeEventListener('abort', waiting.aborted);
    return waiting;
  }

  #closed(end: ChannelEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const id of [...this.#waiting.keys()]) this.#take(id)?.reject(new Lost(false, end));
    this.#host.ended(end);
  }

  async close(): Promise<void> {
    this.#end ??= { wanted: true };
    const error = new VivariumError('ERR_CLOSED', 'The client is closed');
    for (const id of [...this.#waiting.keys()]) {
      this.#take(id)?.reject(error);
    }
    await this.channel.close();
  }
}

/** When there must have been an answer or a sign of life. */
function dueOf({ open, timeouts: { idleMs } }: RequestTerms, alive: number, until: number): number {
  return open === true ? Number.POSITIVE_INFINITY : Math.min(alive + idleMs, until);
}
