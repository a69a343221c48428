// Newline framing on bytes: however the bytes are cut into chunks, the same lines come out.

export interface LineSink {
  line(text: string): void;
  fault(kind: 'utf8' | 'size'): void;
}

const newline = 10;
const keepCapacity = 65_536;

/**
 * Collects bytes until a newline. All complete lines of a chunk are decoded in one go, which is what
 * makes a full pipe cheap; only a chunk with a broken character is decoded line by line.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #held = new Uint8Array(0);
  #length = 0;
  #skipping = false;
  #first = true;

  constructor(sink: LineSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    if (this.#skipping || this.#length > 0) {
      const end = chunk.indexOf(newline);
      if (end === -1) {
        this.#hold(chunk);
        return;
      }
      this.#hold(chunk.subarray(0, end));
      this.#release();
      from = end + 1;
    }
    const last = chunk.lastIndexOf(newline);
    if (last >= from) {
      this.#block(chunk.subarray(from, last));
      from = last + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
  }

  /** What is left when the stream ends without a last newline; undefined when there is nothing usable. */
  end(): string | undefined {
    if (this.#skipping || this.#length === 0) return undefined;
    try {
      return this.#text(this.#held.subarray(0, this.#length));
    } catch {
      return undefined;
    } finally {
      this.#length = 0;
    }
  }

  #block(bytes: Uint8Array): void {
    let text: string;
    try {
      if (bytes.length > this.#maxBytes) throw new RangeError();
      text = this.#text(bytes);
    } catch {
      this.#lineByLine(bytes);
      return;
    }
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#sink.line(text.slice(from, end));
      from = end + 1;
    }
    this.#sink.line(from === 0 ? text : text.slice(from));
  }

  #lineByLine(bytes: Uint8Array): void {
    let from = 0;
    while (from <= bytes.length) {
      const next = bytes.indexOf(newline, from);
      const end = next === -1 ? bytes.length : next;
      this.#one(bytes.subarray(from, end));
      from = end + 1;
    }
  }

  #one(bytes: Uint8Array): void {
    if (bytes.length > this.#maxBytes) {
      this.#first = false;
      this.#sink.fault('size');
      return;
    }
    let text: string;
    try {
      text = this.#text(bytes);
    } catch {
      this.#first = false;
      this.#sink.fault('utf8');
      return;
    }
    this.#sink.line(text);
  }

  #text(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes);
    if (!this.#first) return text;
    this.#first = false;
    // Some editors and shells start a stream with a byte order mark; only there is it tolerated.
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }

  #hold(bytes: Uint8Array): void {
    if (this.#skipping) return;
    const length = this.#length + bytes.length;
    if (length > this.#maxBytes) {
      this.#skipping = true;
      this.#first = false;
      this.#drop();
      this.#sink.fault('size');
      return;
    }
    if (length > this.#held.length) {
      const larger = new Uint8Array(Math.min(Math.max(length, 2 * this.#held.length, 4_096), Math.max(length, this.#maxBytes)));
      larger.set(this.#held.subarray(0, this.#length));
      this.#held = larger;
    }
    this.#held.set(bytes, this.#length);
    this.#length = length;
  }

  #release(): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    const bytes = this.#held.subarray(0, this.#length);
    this.#drop();
    this.#one(bytes);
  }

  #drop(): void {
    this.#length = 0;
    if (this.#held.length > keepCapacity) this.#held = new Uint8Array(0);
  }
}
