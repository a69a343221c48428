// The private channel to the host: lines of JSON on fd 3. Every line we send carries a secret that the user's code never sees.
import { Socket } from 'node:net';

export type Frame = Readonly<Record<string, unknown>>;

export class Wire {
  readonly #socket: Socket = new Socket({ fd: 3, readable: true, writable: true });
  #secret: string | undefined;
  #rest = '';

  /** The first line brings the secret and the terms; all others are requests. */
  constructor(begun: (terms: Frame) => void, asked: (request: Frame) => void) {
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (text) => {
      this.#rest += String(text);
      for (let end = this.#rest.indexOf('\n'); end >= 0; end = this.#rest.indexOf('\n')) {
        const frame = JSON.parse(this.#rest.slice(0, end)) as Frame;
        this.#rest = this.#rest.slice(end + 1);
        if (this.#secret === undefined) {
          this.#secret = String(frame['secret']);
          begun(frame);
        } else asked(frame);
      }
    });
    // Without a host there is nobody to live for.
    const end = (): void => process.exit(0);
    this.#socket.on('close', end).on('end', end).on('error', end);
  }

  send(frame: object): void {
    this.#socket.write(`${JSON.stringify({ secret: this.#secret, ...frame })}\n`);
  }
}
