// What the user's code prints: told as it happens, bounded at its source, whatever the code is busy with.
import { StringDecoder } from 'node:string_decoder';
import type { MessagePort } from 'node:worker_threads';

/** So much of one cell's output is passed on; of the rest the end is kept and the length is told. */
const head = 200_000;
const tail = 20_000;

export interface Output {
  /** Whose it is, whatever prints next: the cell's that began it. */
  owner: number | undefined;
  /** What follows belongs to this cell; undefined for what runs in the background. */
  begin(cell: number | undefined): void;
  /** What was held back is told. */
  end(): void;
}

type Stream = 'out' | 'err';

/** A loop may print a million times before any callback can run; nearly all of them are one and the same function. */
const waiting: { readonly callback: () => void; times: number }[] = [];

function later(callback: () => void): void {
  const last = waiting.at(-1);
  if (last?.callback === callback) last.times++;
  else if (waiting.push({ callback, times: 1 }) === 1) process.nextTick(callBack);
}

function callBack(): void {
  for (const { callback, times } of waiting.splice(0)) for (let time = 0; time < times; time++) callback();
}

/** `also`: it still goes where it went before. */
export function captureOutput(port: MessagePort, also = false): Output {
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
    port.postMessage({ ev: 'out', cell, text: kept, skipped: gone });
    dropped = 0;
    last = '';
  };
  for (const [name, stream] of [
    ['stdout', 'out'],
    ['stderr', 'err'],
  ] as const) {
    const decoder = new StringDecoder('utf8');
    const before = process[name].write.bind(process[name]) as (...given: unknown[]) => boolean;
    process[name].write = ((chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
      put(stream, textOf(chunk, encoding, decoder));
      if (also) return before(chunk, encoding, done);
      const callback = typeof encoding === 'function' ? encoding : done;
      if (typeof callback === 'function') later(callback as () => void);
      return true;
    }) as typeof process.stdout.write;
  }
  return {
    get owner() {
      return cell;
    },
    set owner(next) {
      cell = next;
    },
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

/** Bytes may hold half a character, whose other half comes with the next ones. */
function textOf(chunk: unknown, encoding: unknown, decoder: StringDecoder): string {
  if (typeof chunk === 'string') {
    return encoding === 'hex' || encoding === 'base64' ? decoder.write(Buffer.from(chunk, encoding)) : wellFormed(chunk);
  }
  return ArrayBuffer.isView(chunk) ? decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)) : String(chunk);
}

/** Half a character would not survive on its way as UTF-8. */
function wellFormed(text: string): string {
  return (text as string & { toWellFormed?(): string }).toWellFormed?.() ?? text;
}
