// Server-sent events: the framing of messages in an answer that stays open.

/** A comment: it keeps a connection from looking idle, and every reader passes over it. */
export const keepAlive = ': keep-alive\n\n';

/** `data` must be one line, which JSON always is. */
export function encodeEvent(data: string, id?: string): string {
  return id === undefined ? `event: message\ndata: ${data}\n\n` : `event: message\nid: ${id}\ndata: ${data}\n\n`;
}

/** An event without data: it only tells where to resume, and how long to wait before doing so. */
export function encodePriming(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

export function encodeRetry(retryMs: number): string {
  return `retry: ${retryMs}\n\n`;
}

export interface EventSink {
  /** `data` is empty where an event only tells where to resume. `type` is empty where it says none. */
  event(data: string, type: string): void;
  /** A block without data: a comment, an id or a retry alone. */
  bare?(): void;
  /** One event is larger than it may be: nothing more is read. */
  overflow(): void;
}

const lineFeed = 10;
const carriageReturn = 13;
const colon = 58;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads a stream by the rules of WHATWG, however it is cut into chunks. */
export class EventParser {
  /** Of the last event that was whole; empty for none. */
  lastId: string;
  retryMs: number | undefined;
  readonly #sink: EventSink;
  readonly #maxBytes: number;
  /** The beginning of a line. */
  readonly #held: Bytes = new Bytes();
  #id: string;
  #data: string | undefined;
  #type = '';
  #size = 0;
  #first = true;
  #afterReturn = false;
  #inComment = false;
  #stopped = false;

  /** `lastId`: of a stream that goes on here. */
  constructor(sink: EventSink, maxBytes: number, lastId = '') {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
    this.lastId = lastId;
    this.#id = lastId;
  }

  push(chunk: Uint8Array): void {
    if (this.#stopped || chunk.length === 0) return;
    let from = this.#afterReturn && chunk[0] === lineFeed ? 1 : 0;
    this.#afterReturn = chunk[chunk.length - 1] === carriageReturn;
    const end = 1 + Math.max(chunk.lastIndexOf(lineFeed), chunk.lastIndexOf(carriageReturn));
    if (this.#inComment) {
      if (end <= from) return;
      this.#inComment = false;
      from = afterLine(chunk, from);
    }
    if (end > from) {
      this.#held.add(chunk.subarray(from, end));
      this.#lines(this.#held.take(utf8));
      from = end;
    }
    if (from < chunk.length && !this.#stopped) this.#hold(chunk.subarray(from));
  }

  /** Nothing more is told. */
  stop(): void {
    this.#stopped = true;
    this.#data = undefined;
    this.#held.clear();
  }

  #hold(bytes: Uint8Array): void {
    // A comment may go on for ever, and nobody wants to know what it says.
    if (this.#held.length === 0 && bytes[0] === colon) this.#inComment = true;
    else {
      this.#held.add(bytes);
      this.#grow(0);
    }
  }

  #grow(by: number): void {
    this.#size += by;
    if (this.#size + this.#held.length <= this.#maxBytes) return;
    this.stop();
    this.#sink.overflow();
  }

  /** `text` ends with the end of a line. */
  #lines(text: string): void {
    const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    let from = this.#first && lines.charCodeAt(0) === 0xfeff ? 1 : 0;
    this.#first = false;
    for (let to = lines.indexOf('\n', from); to !== -1 && !this.#stopped; to = lines.indexOf('\n', from)) {
      if (to === from) this.#dispatch();
      else if (lines.charCodeAt(from) !== colon) this.#field(lines.slice(from, to));
      from = to + 1;
    }
  }

  #field(line: string): void {
    const at = line.indexOf(':');
    const name = at === -1 ? line : line.slice(0, at);
    const value = at === -1 ? '' : line.slice(line.charCodeAt(at + 1) === 32 ? at + 2 : at + 1);
    if (name === 'data') {
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      this.#grow(value.length + 1);
    } else if (name === 'event') this.#type = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  #dispatch(): void {
    const data = this.#data;
    const type = this.#type;
    this.lastId = this.#id;
    this.#data = undefined;
    this.#type = '';
    this.#size = 0;
    if (data !== undefined) this.#sink.event(data, type);
    else this.#sink.bare?.();
  }
}

/** Where the next line begins. */
function afterLine(chunk: Uint8Array, from: number): number {
  let at = from;
  while (chunk[at] !== lineFeed && chunk[at] !== carriageReturn) at++;
  return chunk[at] === carriageReturn && chunk[at + 1] === lineFeed ? at + 2 : at + 1;
}

const blockSize = 16_384;
const firstBlock = 512;
const worthCopying = 4_096;

interface Decoder {
  decode(bytes: Uint8Array): string;
}

/** Bytes that come piece by piece: large pieces are kept as they are, small ones together, so that nothing is copied twice. */
export class Bytes {
  length = 0;
  #pieces: Uint8Array[] = [];
  /** The last piece, where it is a block with room, and what is used of it. */
  #block: Uint8Array | undefined;
  #used = 0;

  add(bytes: Uint8Array): void {
    this.length += bytes.length;
    // The first one mostly is the only one.
    if (bytes.length > worthCopying || this.length === bytes.length) {
      this.#seal();
      this.#pieces.push(bytes);
      return;
    }
    if (this.#block === undefined || this.#used + bytes.length > this.#block.length) {
      this.#seal();
      // As much room as there are bytes: somebody who sends two of them and waits must not cost a whole block.
      this.#block = new Uint8Array(Math.min(blockSize, Math.max(firstBlock, this.length)));
    }
    this.#block.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** All of it as text, which is then no longer here. */
  take(decoder: Decoder): string {
    return this.length === 0 ? '' : decoder.decode(this.whole());
  }

  /** All of it in one piece, which is then no longer here. */
  whole(): Uint8Array {
    this.#seal();
    const { length } = this;
    const pieces = this.#pieces;
    this.clear();
    if (pieces.length === 1) return pieces[0] as Uint8Array;
    const all = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }

  clear(): void {
    this.length = 0;
    this.#pieces = [];
    this.#block = undefined;
    this.#used = 0;
  }

  #seal(): void {
    const block = this.#block;
    // One that is mostly empty would be kept whole by a view of it.
    if (block !== undefined) this.#pieces.push(2 * this.#used < block.length ? block.slice(0, this.#used) : block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}
