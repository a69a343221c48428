// The host's end of the private channel: lines of JSON. What does not carry the child's secret was not sent by the child's keeper.
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';

export type WireFrame = Readonly<Record<string, unknown>>;

/** A line longer than this is no answer of ours. */
const maxBytes = 64 * 1024 * 1024;

export class Wire {
  readonly #stream: Duplex;
  readonly #secret: string = randomBytes(24).toString('base64url');
  /** The beginning of a line, in a buffer that grows: a list of parts of one byte each would cost a hundred times as much. */
  #rest: Buffer = Buffer.alloc(0);
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
    this.#rest = Buffer.alloc(0);
    this.#length = 0;
  }

  #write(frame: object): void {
    this.#stream.write(`${JSON.stringify(frame)}\n`);
  }

  #lines(bytes: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      const part = bytes.subarray(from, end);
      lines.push(this.#length === 0 ? part.toString() : this.#keep(part).toString());
      this.#rest = Buffer.alloc(0);
      this.#length = 0;
      from = end + 1;
    }
    if (from < bytes.length) this.#keep(bytes.subarray(from));
    return lines;
  }

  /** All that is kept of the line. */
  #keep(bytes: Buffer): Buffer {
    const length = this.#length + bytes.length;
    if (length > this.#rest.length) {
      const larger = Buffer.allocUnsafe(2 * length);
      this.#rest.copy(larger, 0, 0, this.#length);
      this.#rest = larger;
    }
    bytes.copy(this.#rest, this.#length);
    this.#length = length;
    return this.#rest.subarray(0, length);
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
