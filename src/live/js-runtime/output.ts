// What the user's code prints: told as it happens, bounded at its source, whatever the code is busy with.
import { StringDecoder } from 'node:string_decoder';
import type { MessagePort } from 'node:worker_threads';
import { append, apply, bytesFrom, decodeBytes, isView, slice, toText } from './primordials.ts';

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
let waiting: { readonly callback: () => void; times: number }[] = [];

function later(callback: () => void): void {
  const last = waiting[waiting.length - 1];
  if (last?.callback === callback) last.times++;
  else {
    append(waiting, { callback, times: 1 });
    if (waiting.length === 1) nextTick(callBack);
  }
}

function callBack(): void {
  const all = waiting;
  waiting = [];
  for (let at = 0; at < all.length; at++) {
    const { callback, times } = all[at] as (typeof all)[number];
    for (let time = 0; time < times; time++) callback();
  }
}

const { nextTick } = process;

/** `also`: it still goes where it went before. */
export function captureOutput(port: MessagePort, also = false): Output {
  const tell: (message: unknown) => void = port.postMessage.bind(port);
  let cell: number | undefined;
  let left = head;
  let dropped = 0;
  let last = '';
  const put = (stream: Stream, text: string): void => {
    if (left > 0) {
      const now = slice(text, 0, left);
      left -= now.length;
      tell({ ev: stream, cell, text: now });
      if (now.length === text.length) return;
      text = slice(text, now.length);
    }
    dropped += text.length;
    last = (text.length > tail ? '' : last) + text;
    if (last.length > 2 * tail) last = slice(last, -tail);
  };
  const flush = (): void => {
    if (dropped === 0) return;
    const kept = slice(last, -tail);
    const gone = dropped - kept.length;
    tell({ ev: 'out', cell, text: kept, skipped: gone });
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
    return encoding === 'hex' || encoding === 'base64' ? decodeBytes(decoder, bytesFrom(chunk, encoding)) : wellFormed(chunk);
  }
  return isView(chunk) ? decodeBytes(decoder, bytesFrom(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength)) : toText(chunk);
}

const { toWellFormed } = String.prototype as { toWellFormed?: () => string };

/** Half a character would not survive on its way as UTF-8. */
function wellFormed(text: string): string {
  return toWellFormed === undefined ? text : (apply(toWellFormed, text, []) as string);
}
