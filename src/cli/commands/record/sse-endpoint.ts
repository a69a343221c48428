// HTTP+SSE begins with where to post: that event is told anew, so that the client posts through the door. Every other byte passes as it is.
import { Transform, type TransformCallback } from 'node:stream';
import { EventParser } from '../../../jsonrpc/event-stream.ts';

/** No address is longer; a larger first event is another one. */
const maxHeld = 16_384;
const [lineFeed, carriageReturn, colon] = [10, 13, 58];

/** `rewrite` is given what the server named, and gives back what the client is told. */
export class FirstEndpoint extends Transform {
  readonly #rewrite: (place: string) => string;
  readonly #parser: EventParser;
  #held: number[] = [];
  #lineStart = true;
  #last = 0;
  #first: { readonly data: string; readonly type: string } | undefined;
  #isOver = false;

  constructor(rewrite: (place: string) => string) {
    super();
    this.#rewrite = rewrite;
    this.#parser = new EventParser(
      {
        event: (data, type) => {
          this.#first ??= { data, type };
        },
        overflow: () => undefined,
      },
      maxHeld * 2,
    );
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let at = 0;
    while (at < chunk.length && !this.#isOver) this.#byte(chunk[at++] ?? 0);
    if (at < chunk.length) this.push(chunk.subarray(at));
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#release();
    done();
  }

  /** One at a time: nothing behind the first event is to be touched. */
  #byte(byte: number): void {
    const endsLine = byte === lineFeed || byte === carriageReturn;
    // The second half of a line end belongs to what is held, if anything is.
    const isHalf = byte === lineFeed && this.#last === carriageReturn && this.#held.length > 0;
    const isBlank = endsLine && this.#lineStart && !isHalf;
    this.#held.push(byte);
    this.#lineStart = endsLine;
    this.#last = byte;
    this.#parser.push(Uint8Array.of(byte));
    if (this.#first !== undefined) return this.#end(this.#first);
    if (this.#held.length > maxHeld) this.#isOver = true;
    // Comments keep a connection alive, so they must not wait for an event.
    if (isBlank || this.#isOver || (endsLine && this.#held[0] === colon)) this.#release();
  }

  #end({ data, type }: { readonly data: string; readonly type: string }): void {
    this.#isOver = true;
    if (type !== 'endpoint') return this.#release();
    const id = this.#parser.lastId === '' ? '' : `id: ${this.#parser.lastId}\n`;
    this.#held = [];
    this.push(`event: endpoint\n${id}data: ${this.#rewrite(data)}\n\n`);
  }

  #release(): void {
    if (this.#held.length > 0) this.push(Buffer.from(this.#held));
    this.#held = [];
  }
}
