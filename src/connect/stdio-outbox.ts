// What is on its way to a child process: bounded, and known message by message, so that a failure says what cannot have arrived.
import type { Writable } from 'node:stream';
import { VivariumError } from '../jsonrpc/error.ts';
import type { ChannelFailure, Sending } from '../protocol/channel.ts';
import { unwritable } from './refusal.ts';

interface Waiting {
  readonly text: string;
  readonly bytes: number;
  readonly sending: Sending | undefined;
}

const maxBatch = 1024 * 1024;

export class Outbox {
  readonly #stream: Writable;
  readonly #maxBytes: number;
  readonly #broke: () => void;
  #queue: Waiting[] = [];
  #flying: readonly Waiting[] | undefined;
  #bytes = 0;
  #scheduled = false;
  #ending = false;
  #broken = false;
  /** What cannot leave any more is told once the reason is known. */
  readonly #lost: [waiting: Waiting, unsent: boolean][] = [];
  #reason: { readonly message: string; readonly cause: unknown } | undefined;

  constructor(stream: Writable, maxBytes: number, broke: () => void) {
    this.#stream = stream;
    this.#maxBytes = maxBytes;
    this.#broke = broke;
    stream.on('error', () => this.#break());
  }

  put(message: object, sending: Sending | undefined): void {
    let text: string;
    try {
      text = JSON.stringify(message);
    } catch (error) {
      return fail(sending, unwritable(message, error));
    }
    const waiting = { text, bytes: Buffer.byteLength(text) + 1, sending };
    if (this.#reason !== undefined) this.#tell(waiting, true);
    else if (this.#broken || this.#ending) this.#lost.push([waiting, true]);
    else if (this.#bytes + waiting.bytes > this.#maxBytes) this.#refuse(sending);
    else this.#add(waiting);
  }

  /** What waits is written, and then the stream ends. Whatever comes now is refused for this reason, if it is known. */
  end(reason?: string): void {
    this.#ending = true;
    if (reason !== undefined) this.#reason ??= { message: reason, cause: undefined };
    this.#pump();
  }

  /** Nothing will leave any more, for this reason. */
  fail(message: string, cause?: unknown): void {
    this.#break();
    this.#reason ??= { message, cause };
    for (const [waiting, unsent] of this.#lost.splice(0)) this.#tell(waiting, unsent);
  }

  #add(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#bytes += waiting.bytes;
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Everything that is sent in one turn leaves in one write.
    process.nextTick(() => {
      this.#scheduled = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#flying !== undefined || this.#broken) return;
    if (this.#queue.length === 0) {
      if (this.#ending) this.#stream.end();
      return;
    }
    let count = 0;
    let bytes = 0;
    for (; count < this.#queue.length && bytes < maxBatch; count++) bytes += (this.#queue[count] as Waiting).bytes;
    const batch = count === this.#queue.length ? this.#queue : this.#queue.slice(0, count);
    this.#queue = count === this.#queue.length ? [] : this.#queue.slice(count);
    this.#flying = batch;
    let text = '';
    for (const one of batch) text += `${one.text}\n`;
    // Text that has only ASCII is written as it is, which costs the least.
    this.#stream.write(text, text.length === bytes ? 'latin1' : 'utf8', (error) => {
      if (error !== null && error !== undefined) return this.#break();
      this.#flying = undefined;
      this.#bytes -= bytes;
      this.#pump();
    });
  }

  #break(): void {
    if (this.#broken) return;
    this.#broken = true;
    // The end of a message that was being written may be missing, and it may be understood without it.
    for (const one of this.#flying ?? []) this.#lost.push([one, false]);
    for (const one of this.#queue) this.#lost.push([one, true]);
    this.#flying = undefined;
    this.#queue = [];
    this.#bytes = 0;
    this.#broke();
  }

  #refuse(sending: Sending | undefined): void {
    const waiting = `${this.#bytes} bytes wait for a server that reads too slowly or not at all`;
    const cause = new VivariumError('ERR_TOO_LARGE', `${waiting}; with this message it would be more than ${this.#maxBytes}`);
    // Not a fault of the connection: a smaller message would go through.
    fail(sending, { kind: 'protocol', message: cause.message, unsent: true, cause });
  }

  #tell({ sending }: Waiting, unsent: boolean): void {
    const { message = '', cause } = this.#reason ?? {};
    fail(sending, { kind: 'network', message, unsent, ...(cause !== undefined && { cause }) });
  }
}

function fail(sending: Sending | undefined, failure: ChannelFailure): void {
  sending?.failed?.(failure);
}
