// An event stream to one reader: kept alive when nothing happens, cut off when nobody reads.
import { keepAlive } from '../jsonrpc/event-stream.ts';
import type { EndpointHost } from './endpoint-host.ts';
import type { Exchange, Fields, Sink } from './exchange.ts';
import type { Account } from './limits/limits.ts';

export const streamFields: Fields = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-cache, no-transform',
  // Asks nginx and its kind not to hold events back.
  'x-accel-buffering',
  'no',
];

export class OpenStream {
  readonly #endpoint: EndpointHost;
  readonly #account: Account;
  readonly #sink: Sink;
  /** Bytes that wait for the reader, as they were counted last. */
  #waiting = 0;
  #written: number = performance.now();
  #blocked = false;
  #cut = false;
  #gone: (() => void) | undefined;

  /** `onGone` is called once, when the reader has left or was cut off; not after `end`. */
  constructor(endpoint: EndpointHost, exchange: Exchange, account: Account, fields: Fields, onGone: () => void) {
    this.#endpoint = endpoint;
    this.#account = account;
    account.stream(1);
    const more = [...fields, ...endpoint.gate.cors(exchange)];
    this.#sink = exchange.open(more.length === 0 ? streamFields : [...streamFields, ...more]);
    this.#gone = onGone;
    endpoint.counters.answered(200);
    endpoint.counters.streamsOpened++;
    endpoint.streams.add(this);
    endpoint.watch();
    this.#sink.onDrain(() => {
      this.#blocked = false;
      this.#count(0);
    });
    this.#sink.onStall(endpoint.settings.stallMs, () => this.cut());
    exchange.onGone(() => this.#left());
  }

  /** The reader does not keep up: what can be left out should be. */
  get blocked(): boolean {
    return this.#blocked;
  }

  write(text: string): void {
    if (this.#gone === undefined) return;
    if (this.#sink.waiting > this.#endpoint.settings.maxUnreadBytes) {
      this.cut();
      return;
    }
    this.#written = performance.now();
    if (this.#sink.write(text)) return;
    this.#blocked = true;
    this.#count(this.#sink.waiting);
    // One message may wait, however large; it is the pile that is bounded.
    if (this.#account.unread === this.#waiting || this.#account.refuses(0, 0) === undefined) return;
    this.#endpoint.counters.refuse('unread');
    this.cut();
  }

  #count(waiting: number): void {
    this.#account.wait(waiting - this.#waiting);
    this.#waiting = waiting;
  }

  /** A first sign, so that whoever waits for the answer to begin knows that it has. */
  greet(): void {
    this.write(keepAlive);
  }

  /** Called now and then. */
  tick(now: number): void {
    if (!this.#blocked && now - this.#written >= this.#endpoint.settings.keepAliveMs) this.write(keepAlive);
  }

  cut(): void {
    // Also after the end: the last bytes may be the ones nobody takes.
    if (this.#cut) return;
    this.#cut = true;
    this.#endpoint.counters.cutOff++;
    this.#sink.destroy();
    this.#left();
    this.#count(0);
  }

  end(): void {
    if (this.#gone === undefined) return;
    this.#gone = undefined;
    this.#close();
    this.#sink.end(() => this.#count(0));
  }

  #left(): void {
    const gone = this.#gone;
    this.#gone = undefined;
    this.#close();
    // After the end, the last bytes may still wait.
    if (gone !== undefined) this.#count(0);
    gone?.();
  }

  #close(): void {
    if (this.#endpoint.streams.delete(this)) this.#account.stream(-1);
  }
}
