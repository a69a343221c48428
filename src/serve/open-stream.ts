// An event stream to one reader: kept alive when nothing happens, cut off when nobody reads.
import { keepAlive } from '../jsonrpc/event-stream.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange, Fields, Sink } from './exchange.ts';

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
  readonly #endpoint: Endpoint;
  readonly #sink: Sink;
  #written: number = Date.now();
  /** Since when the reader has taken nothing. */
  #blocked: number | undefined;
  #gone: (() => void) | undefined;

  /** `onGone` is called once, when the reader has left or was cut off; not after `end`. */
  constructor(endpoint: Endpoint, exchange: Exchange, fields: Fields, onGone: () => void) {
    this.#endpoint = endpoint;
    const more = [...fields, ...endpoint.gate.cors(exchange)];
    this.#sink = exchange.open(more.length === 0 ? streamFields : [...streamFields, ...more]);
    this.#gone = onGone;
    endpoint.counters.answered(200);
    endpoint.counters.streamsOpened++;
    endpoint.streams.add(this);
    endpoint.watch();
    this.#sink.onDrain(() => {
      this.#blocked = undefined;
    });
    exchange.onGone(() => this.#left());
  }

  /** The reader does not keep up: what can be left out should be. */
  get blocked(): boolean {
    return this.#blocked !== undefined;
  }

  write(text: string): void {
    if (this.#gone === undefined) return;
    if (this.#sink.waiting > this.#endpoint.settings.maxUnreadBytes) {
      this.cut();
      return;
    }
    this.#written = Date.now();
    if (!this.#sink.write(text)) this.#blocked ??= this.#written;
  }

  /** Called now and then. */
  tick(now: number): void {
    const { keepAliveMs, stallMs } = this.#endpoint.settings;
    if (this.#blocked !== undefined) {
      if (now - this.#blocked >= stallMs) this.cut();
    } else if (now - this.#written >= keepAliveMs) this.write(keepAlive);
  }

  cut(): void {
    this.#endpoint.counters.cutOff++;
    this.#sink.destroy();
    this.#left();
  }

  end(): void {
    if (this.#gone === undefined) return;
    this.#gone = undefined;
    this.#endpoint.streams.delete(this);
    this.#sink.end();
  }

  #left(): void {
    const gone = this.#gone;
    this.#gone = undefined;
    this.#endpoint.streams.delete(this);
    gone?.();
  }
}
