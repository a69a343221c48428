// The host's end of the private channel: lines of JSON. What does not carry the child's secret was not sent by the child's keeper.
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';

export type WireFrame = Readonly<Record<string, unknown>>;

/** A line longer than this is no answer of ours. */
const maxBytes = 64 * 1024 * 1024;

export class Wire {
  readonly #stream: Duplex;
  readonly #secret: string = randomBytes(24).toString('base64url');
  #rest: Buffer[] = [];
  #length = 0;
  #closed = false;

  /** `forged` when something else than the keeper wrote to the channel: then nothing that comes may be believed. */
  constructor(stream: Duplex, terms: object, received: (frame: WireFrame) => void, forged: () => void) {
    this.#stream = stream;
    stream.on('error', () => undefined);
    stream.on('data', (bytes: Buffer) => {
      if (this.#closed) return;
      for (const line of this.#lines(bytes)) {
        const frame = this.#read(line);
        if (frame !== undefined) received(frame);
        else {
          this.close();
          return forged();
        }
      }
      if (this.#length > maxBytes) {
        this.close();
        forged();
      }
    });
    this.#write({ secret: this.#secret, ...terms });
  }

  send(frame: object): void {
    if (!this.#closed) this.#write(frame);
  }

  close(): void {
    this.#closed = true;
    this.#rest = [];
    this.#length = 0;
  }

  #write(frame: object): void {
    this.#stream.write(`${JSON.stringify(frame)}\n`);
  }

  #lines(bytes: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      this.#rest.push(bytes.subarray(from, end));
      lines.push(Buffer.concat(this.#rest).toString());
      this.#rest = [];
      this.#length = 0;
      from = end + 1;
    }
    if (from < bytes.length) {
      this.#rest.push(bytes.subarray(from));
      this.#length += bytes.length - from;
    }
    return lines;
  }

  #read(line: string): WireFrame | undefined {
    try {
      const { secret, ...frame } = JSON.parse(line) as WireFrame;
      return secret === this.#secret ? frame : undefined;
    } catch {
      return undefined;
    }
  }
}
