// What everyone who works in a session must hear once, whoever asks first.

const maxKept = 20;
const maxListeners = 1_000;

export class Notices {
  readonly #texts: string[] = [];
  /** How many there were before those that are kept. */
  #dropped = 0;
  /** By listener, how many of all were told. */
  readonly #told: Map<string, number> = new Map();

  add(text: string): void {
    this.#texts.push(text);
    if (this.#texts.length <= maxKept) return;
    this.#texts.shift();
    this.#dropped++;
  }

  /** Those this listener has not heard; it then has. */
  take(listener: string): readonly string[] {
    const before = this.#told.get(listener) ?? 0;
    // The ones that are heard most often stay.
    this.#told.delete(listener);
    this.#told.set(listener, this.#dropped + this.#texts.length);
    for (const oldest of this.#told.keys()) {
      if (this.#told.size <= maxListeners) break;
      this.#told.delete(oldest);
    }
    return this.#texts.slice(Math.max(0, before - this.#dropped));
  }
}
