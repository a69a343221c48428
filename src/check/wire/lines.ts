// Splits bytes into lines and reports carriage returns.

const newline = 0x0a;
const carriageReturn = 0x0d;

export interface LineReader {
  push(bytes: Buffer): void;
  /** What stands after the last newline. */
  rest(): Buffer;
}

/** Empty lines are given too: they are not messages either. */
export function createLineReader(onLine: (line: Buffer, carriage: boolean) => void, limit: number = 64 * 1024 * 1024): LineReader {
  let pieces: Buffer[] = [];
  let held = 0;
  return {
    push(bytes) {
      let from = 0;
      for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
        const line = pieces.length === 0 ? bytes.subarray(from, end) : Buffer.concat([...pieces, bytes.subarray(from, end)]);
        pieces = [];
        held = 0;
        from = end + 1;
        const carriage = line.length > 0 && line[line.length - 1] === carriageReturn;
        onLine(carriage ? line.subarray(0, -1) : line, carriage);
      }
      if (from === bytes.length) return;
      // Beyond the limit the beginning is enough to show what was sent.
      if (held < limit) pieces.push(bytes.subarray(from));
      held += bytes.length - from;
    },
    rest: () => Buffer.concat(pieces),
  };
}
