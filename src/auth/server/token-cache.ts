// A bounded memory of tokens that were judged: the least recently used one goes first, and none outlives its time.

interface Entry<T> {
  readonly value: T;
  readonly until: number;
}

/** Keyed by the token itself: a digest would have to be awaited, and a hit is to be answered at once. */
export class Recent<T> {
  readonly #max: number;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(token: string): T | undefined {
    const entry = this.#entries.get(token);
    if (entry === undefined) return undefined;
    this.#entries.delete(token);
    if (entry.until <= Date.now()) return undefined;
    this.#entries.set(token, entry);
    return entry.value;
  }

  set(token: string, value: T, until: number): void {
    this.#entries.delete(token);
    if (until <= Date.now() || this.#max < 1) return;
    if (this.#entries.size >= this.#max) this.#makeRoom();
    this.#entries.set(token, { value, until });
  }

  #makeRoom(): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#max) break;
      this.#entries.delete(oldest);
    }
  }
}
