// What the user's code prints: told as it happens, bounded at its source, whatever the code is busy with.
import type { MessagePort } from 'node:worker_threads';

/** So much of one cell's output is passed on; of the rest the end is kept and the length is told. */
const head = 200_000;
const tail = 20_000;

export interface Output {
  /** What follows belongs to this cell; undefined for what runs in the background. */
  begin(cell: number | undefined): void;
  /** What was held back is told. */
  end(): void;
}

type Stream = 'out' | 'err';

export function captureOutput(port: MessagePort): Output {
  let cell: number | undefined;
  let left = head;
  let dropped = 0;
  let last = '';
  const put = (stream: Stream, text: string): void => {
    if (left > 0) {
      const now = text.slice(0, left);
      left -= now.length;
      port.postMessage({ ev: stream, cell, text: now });
      if (now.length === text.length) return;
      text = text.slice(now.length);
    }
    dropped += text.length;
    last = (text.length > tail ? '' : last) + text;
    if (last.length > 2 * tail) last = last.slice(-tail);
  };
  const flush = (): void => {
    if (dropped === 0) return;
    const kept = last.slice(-tail);
    const gone = dropped - kept.length;
    port.postMessage({ ev: 'out', cell, text: gone > 0 ? `\n[… ${gone} characters left out …]\n${kept}` : kept });
    dropped = 0;
    last = '';
  };
  for (const [name, stream] of [
    ['stdout', 'out'],
    ['stderr', 'err'],
  ] as const) {
    process[name].write = ((chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
      put(stream, textOf(chunk, encoding));
      const callback = typeof encoding === 'function' ? encoding : done;
      if (typeof callback === 'function') process.nextTick(callback as () => void);
      return true;
    }) as typeof process.stdout.write;
  }
  return {
    begin(next) {
      flush();
      cell = next;
      left = head;
    },
    end() {
      flush();
      cell = undefined;
      left = head;
    },
  };
}

function textOf(chunk: unknown, encoding: unknown): string {
  if (typeof chunk === 'string') {
    return encoding === 'hex' || encoding === 'base64' ? Buffer.from(chunk, encoding).toString() : wellFormed(chunk);
  }
  return ArrayBuffer.isView(chunk) ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString() : String(chunk);
}

/** Half a character would not survive on its way as UTF-8. */
function wellFormed(text: string): string {
  return (text as string & { toWellFormed?(): string }).toWellFormed?.() ?? text;
}
