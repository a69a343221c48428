// Bounded output: keeps the beginning and the end, and counts what is left out between them.

/** How many characters at the end of a text must be held back until more arrives: they may begin a secret. */
export type Unfinished = (text: string) => number;

const nothing: Unfinished = () => 0;
/** After a gap, one long word of letters and digits may be the second half of a secret. */
const otherHalf = /^(?=[\w+/=.-]{0,512}\d)(?=[\w+/=.-]{0,512}[A-Za-z])[\w+/=.-]{12,512}(?![\w+/=.-])/;
const endOfKey = /^(?:(?!-----BEGIN )[\s\S]){0,8192}?-----END [A-Z ]*PRIVATE KEY-----/;

/** A shorter part of a secret reveals nothing. */
const telling = 8;

export class OutputBuffer {
  readonly #most: number;
  #head = '';
  #tail = '';
  #length = 0;
  #skipped = 0;
  /** Held back until more arrives; fewer than `telling` characters only once. */
  #held = '';

  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  /** `skipped`: characters before it that the image left out. */
  add(text: string, skipped = 0): void {
    if (skipped > 0) this.#skip(skipped);
    this.#length += text.length;
    const half = this.#most / 2;
    if (this.#head.length < half && this.#skipped === 0) {
      const room = half - this.#head.length;
      this.#head += text.slice(0, room);
      text = text.slice(room);
    }
    this.#tail += text;
    if (this.#tail.length > 2 * half) this.#tail = this.#tail.slice(-half);
  }

  #skip(count: number): void {
    this.#skipped += count;
    // The tail before the gap is not the end of the output.
    this.#length -= this.#tail.length;
    this.#skipped += this.#tail.length;
    this.#tail = '';
  }

  /** Removes and returns everything so far, except for what is `unfinished` where more may come. */
  take(unfinished: Unfinished = nothing, more = false): { readonly text: string; readonly cut: number } {
    let head = this.#head;
    let tail = this.#tail.slice(-this.#most / 2);
    const gap = this.#length - head.length - tail.length + this.#skipped > 0;
    if (gap) {
      head = head.slice(0, head.length - unfinished(head));
      tail = tail.replace(endOfKey, '').replace(otherHalf, '');
    }
    const cut = this.#length - head.length - tail.length + this.#skipped;
    const text = gap ? `${head}\n[… ${cut} characters left out …]\n${tail}` : head + tail;
    const count = more && !(gap && tail === '') ? unfinished(gap ? tail : text) : 0;
    const held = text.slice(text.length - count);
    const keeps = held !== '' && (held !== this.#held || held.length >= telling);
    this.#held = keeps ? held : '';
    this.#head = this.#held;
    this.#tail = '';
    this.#length = this.#held.length;
    this.#skipped = 0;
    return { text: keeps ? text.slice(0, -count) : text, cut: Math.max(0, cut) };
  }

  /** Without what may be part of a secret. */
  lastLine(unfinished: Unfinished): string {
    const all = (this.#head + this.#tail).slice(-2_000);
    const text = all.slice(0, all.length - unfinished(all)).trimEnd();
    return text.slice(text.lastIndexOf('\n') + 1).replace(otherHalf, '');
  }
}
