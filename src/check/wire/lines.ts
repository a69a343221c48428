// Lines out of bytes, with what is wrong about their ends.

const newline = 0x0a;
const manyPieces = 1_024;
const carriageReturn = 0x0d;

/** Bytes that come piece by piece: a thousand pieces become one, since each takes more memory than its bytes. */
export class Pieces {
  #joined: Buffer[] = [];
  #last: Buffer[] = [];

  add(piece: Buffer): void {
    if (this.#last.push(piece) < manyPieces) return;
    this.#joined.push(Buffer.concat(this.#last));
    this.#last = [];
  }

  /** All of it, which is then no longer here. */
  take(): Buffer {
    const all = [...this.#joined, ...this.#last];
    this.#joined = [];
    this.#last = [];
    return all.length === 1 ? (all[0] as Buffer) : Buffer.concat(all);
  }
}

export interface LineReader {
  push(bytes: Buffer): void;
  /** What stands after the last newline. */
  rest(): Buffer;
}

/** Empty lines are given too: they are not messages either. */
export function createLineReader(onLine: (line: Buffer, carriage: boolean) => void, limit: number = 64 * 1024 * 1024): LineReader {
  const pieces = new Pieces();
  let held = 0;
  return {
    push(bytes) {
      let from = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
        pieces.add(bytes.subarray(from, end));
        const line = pieces.take();
        held = 0;
        from = end + 1;
        const carriage = line.length > 0 && line[line.length - 1] === carriageReturn;
        onLine(carriage ? line.subarray(0, -1) : line, carriage);
      }
      if (from === bytes.length) return;
      // Beyond the limit the beginning is enough to show what was sent.
      if (held < limit) pieces.add(bytes.subarray(from));
      held += bytes.length - from;
    },
    rest: () => pieces.take(),
  };
}
