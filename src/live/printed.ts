// What was printed, bounded: the beginning and the end are kept, and how much is missing in between.

export class Printed {
  readonly #most: number;
  #head = '';
  #tail = '';
  #length = 0;
  #skipped = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  /** `skipped`: so much came before it that was not kept. */
  add(text: string, skipped = 0): void {
    if (skipped > 0) this.#skip(skipped);
    this.#length += text.length;
    const half = this.#most / 2;
    if (this.#head.length < half) {
      const room = half - this.#head.length;
      this.#head += text.slice(0, room);
      text = text.slice(room);
    }
    this.#tail += text;
    if (this.#tail.length > 2 * half) this.#tail = this.#tail.slice(-half);
  }

  #skip(count: number): void {
    this.#skipped += count;
    // What stood before the gap is not the end of what was printed.
    this.#length -= this.#tail.length;
    this.#skipped += this.#tail.length;
    this.#tail = '';
  }

  /** Everything up to now, which is then gone. */
  take(): { readonly text: string; readonly cut: number } {
    const tail = this.#tail.slice(-this.#most / 2);
    const cut = this.#length - this.#head.length - tail.length + this.#skipped;
    const text = cut > 0 ? `${this.#head}\n[… ${cut} characters left out …]\n${tail}` : this.#head + tail;
    this.#head = '';
    this.#tail = '';
    this.#length = 0;
    this.#skipped = 0;
    return { text, cut: Math.max(0, cut) };
  }

  lastLine(): string {
    const text = (this.#head + this.#tail).slice(-500).trimEnd();
    return text.slice(text.lastIndexOf('\n') + 1).slice(-120);
  }
}
