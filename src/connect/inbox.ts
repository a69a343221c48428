// Where messages arrive: they wait until someone listens, and what is no message goes elsewhere.
import { cut } from '../jsonrpc/error.ts';
import type { ChannelTrace } from '../protocol/channel.ts';

const maxJunk = 1_000;
/** What comes before anybody listens; whoever connects listens at once. */
const maxWaiting = 1_000;
const maxLine = 500;
const mayBeMessage = /^\s*[[{]/;

export class Inbox {
  #listener: ((message: object) => void) | undefined;
  #waiting: object[] = [];
  #junk: ((line: string) => void) | undefined;
  #last: string | undefined;
  #open = true;

  receive(listener: (message: object) => void): void {
    this.#listener = listener;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const message of waiting) listener(message);
  }

  junk(listener: (line: string) => void): void {
    this.#junk = listener;
  }

  trace(): ChannelTrace {
    return this.#last === undefined ? {} : { lastLine: cut(this.#last, maxLine) };
  }

  deliver(message: object): void {
    if (!this.#open) return;
    if (this.#listener !== undefined) this.#listener(message);
    else if (this.#waiting.length < maxWaiting) this.#waiting.push(message);
  }

  /** The messages in a text, one or a batch; undefined, once the listener for junk was told, when there are none. */
  read(text: string): readonly object[] | undefined {
    // Of a large one a part would hold on to the whole, so nothing of it is kept.
    this.#last = text.length > 65_536 ? `(${text.length} characters)` : text;
    let value: unknown;
    try {
      // An exception for each event of a flood would cost more than all the rest.
      value = mayBeMessage.test(text) ? JSON.parse(text) : undefined;
    } catch {
      this.#discard(text);
      return undefined;
    }
    if (isMessage(value)) return [value];
    if (Array.isArray(value) && value.length > 0 && value.every(isMessage)) return value;
    this.#discard(text);
    return undefined;
  }

  close(): void {
    this.#open = false;
    this.#waiting = [];
  }

  #discard(text: string): void {
    if (this.#open) this.#junk?.(cut(text, maxJunk));
  }
}

function isMessage(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
