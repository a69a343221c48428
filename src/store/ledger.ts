// Who keeps how much: totals by owner, so that room is made at the cost of whoever takes most.

export class Ledger {
  readonly #owners: Map<string, number> = new Map();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  of(owner: string): number {
    return this.#owners.get(owner) ?? 0;
  }

  add(owner: string, bytes: number): void {
    this.#total += bytes;
    const sum = this.of(owner) + bytes;
    if (sum === 0) this.#owners.delete(owner);
    else this.#owners.set(owner, sum);
  }

  /** Whoever keeps most; the empty name when nobody keeps anything. */
  largest(): string {
    let most = '';
    let sum = Number.NEGATIVE_INFINITY;
    for (const [owner, own] of this.#owners) {
      if (own <= sum) continue;
      most = owner;
      sum = own;
    }
    return most;
  }

  clear(): void {
    this.#owners.clear();
    this.#total = 0;
  }
}

/** What a string takes in memory: one character outside of Latin-1 makes all of them two bytes wide. */
export function bytesOf(text: string): number {
  return wide.test(text) ? 2 * text.length : text.length;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: everything up to the last character of Latin-1
const wide = /[^\u0000-\u00ff]/;
