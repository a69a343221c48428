// What the messages of one pipe take in memory while they are worked on, and when the next has to wait or is refused.
import { type ErrorObject, faults } from '../../jsonrpc/error.ts';
import type { Batch, ParsedMessage } from '../../jsonrpc/message.ts';
import type { Outlet } from '../../server/context.ts';

/** Handlers at work, with those that go on although their call was cancelled; with more of them every call is refused. */
const maxWorking = 8_192;
/** Smaller messages are bounded by their number. */
const heavy = 16 * 1024;

export class PipeLoad {
  /** For messages that run at a time. One alone may take twice as much. */
  readonly maxBytes: number;
  #held = 0;
  /** Of these, messages of listeners, which may stay for ever. */
  #listening = 0;
  /** And messages that were cancelled, whose handlers go on. */
  #abandoned = 0;
  /** Heavy answers to questions of ours, since nothing ran last. */
  #answered = 0;
  #working = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Why a message is refused at once: waiting would not help. */
  refuses(message: ParsedMessage | Batch, bytes: number): ErrorObject | undefined {
    if (message.kind === 'response') {
      return bytes > heavy && this.#answered + bytes > this.maxBytes ? faults.tooMany('Too many large answers at a time') : undefined;
    }
    if (message.kind !== 'request') return undefined;
    if (this.#working >= maxWorking) return faults.tooMany(`${maxWorking} handlers are still at work: wait until some have ended`);
    if (bytes > heavy && this.#abandoned + bytes > this.maxBytes)
      return faults.tooMany(`Handlers of cancelled calls hold ${this.#abandoned} bytes: wait until some have ended`);
    const room = this.maxBytes / 4;
    return listens(message) && bytes > heavy && this.#listening + bytes > room
      ? faults.tooMany(`The subscriptions of a connection may take ${room} bytes: end one first`)
      : undefined;
  }

  /** It has to wait until others have ended; but one alone may always run. */
  lacksRoom(bytes: number): boolean {
    return bytes > heavy && this.#held > this.#listening + this.#abandoned && this.#held + bytes > this.maxBytes;
  }

  /** Where the answer goes, and what counts the message until it is answered and its handlers have ended. */
  carry(message: ParsedMessage | Batch, bytes: number, outlet: Outlet): Weighed | undefined {
    if (bytes <= heavy) return undefined;
    if (message.kind === 'response') this.#answered += bytes;
    if (message.kind !== 'request' && message.kind !== 'batch') return undefined;
    const isListener = listens(message);
    const count = (more: number): void => {
      this.#held += more;
      if (isListener) this.#listening += more;
    };
    count(bytes);
    return new Weighed(outlet, (state) => {
      if (state !== 'ended') this.#abandoned += state === 'abandoned' ? bytes : -bytes;
      if (state !== 'abandoned') count(-bytes);
    });
  }

  began(): void {
    this.#working++;
  }

  ended(): void {
    this.#working--;
  }

  /** No call runs: nobody holds an answer any more. */
  rest(): void {
    this.#answered = 0;
  }
}

function listens(message: ParsedMessage | Batch): boolean {
  return message.kind === 'request' && message.method === 'subscriptions/listen';
}

/** The way back for a heavy message. */
export class Weighed implements Outlet {
  readonly #outlet: Outlet;
  readonly #became: (state: 'ended' | 'abandoned' | 'ended late') => void;
  #working = 0;
  #answered = false;

  constructor(outlet: Outlet, became: (state: 'ended' | 'abandoned' | 'ended late') => void) {
    this.#outlet = outlet;
    this.#became = became;
  }

  send(message: object): void {
    this.#outlet.send(message);
  }

  began(): void {
    this.#working++;
    this.#outlet.began?.();
  }

  ended(): void {
    this.#working--;
    this.#outlet.ended?.();
    if (this.#answered && this.#working === 0) this.#became('ended late');
  }

  answered(): void {
    this.#answered = true;
    this.#became(this.#working === 0 ? 'ended' : 'abandoned');
  }
}
