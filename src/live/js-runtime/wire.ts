// The private channel to the host: lines of JSON. Every line we send carries a secret that the user's code never sees.
import type { Socket } from 'node:net';

export type WireFrame = Readonly<Record<string, unknown>>;

export interface WireEvents {
  /** The first line has the secret and the terms. */
  begun(terms: WireFrame): void;
  asked(request: WireFrame): void;
  ended(): void;
}

export class Wire {
  readonly #socket: Socket;
  #secret: string | undefined;
  #rest = '';

  constructor(socket: Socket, events: WireEvents) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      this.#rest += String(text);
      for (let end = this.#rest.indexOf('\n'); end >= 0; end = this.#rest.indexOf('\n')) {
        const frame = JSON.parse(this.#rest.slice(0, end)) as WireFrame;
        this.#rest = this.#rest.slice(end + 1);
        if (this.#secret === undefined) {
          this.#secret = String(frame['secret']);
          events.begun(frame);
        } else events.asked(frame);
      }
    });
    socket.on('error', () => undefined);
    socket.once('close', () => events.ended());
  }

  send(frame: object): void {
    // Nothing can be sent before the host has sent the secret.
    if (!this.#socket.destroyed && this.#secret !== undefined)
      this.#socket.write(`${JSON.stringify({ secret: this.#secret, ...frame })}\n`);
  }

  /** Notifies `flushed` once everything is written. */
  flush(flushed: Int32Array): void {
    this.#socket.write('', () => {
      Atomics.store(flushed, 0, 1);
      Atomics.notify(flushed, 0);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
