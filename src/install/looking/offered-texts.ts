// Every text of what a server offers, schemas included, at any depth: as much as can be looked at in a moment, and how much was left out.

/** Of all that is looked at: characters, and members. */
const mostCharacters = 8_000_000;
const mostMembers = 500_000;

export class TextReader {
  #characters = mostCharacters;
  #members = mostMembers;
  /** What was not looked at, or not to its end. */
  readonly cut: string[] = [];

  /** `about` says what it belongs to. */
  read(about: string, value: unknown): string[] {
    const texts: string[] = [];
    const waiting: unknown[] = [value];
    let isWhole = true;
    while (waiting.length > 0) {
      if (this.#members-- <= 0 || this.#characters <= 0) {
        isWhole = false;
        break;
      }
      const one = waiting.pop();
      if (typeof one === 'string') {
        texts.push(one.slice(0, this.#characters));
        isWhole &&= one.length <= this.#characters;
        this.#characters -= one.length;
      } else if (typeof one === 'object' && one !== null) {
        // In their order; a list of very many would not fit into the arguments of a call.
        const inside: readonly unknown[] = Array.isArray(one) ? one : Object.entries(one).flat();
        for (let at = Math.min(inside.length, mostMembers) - 1; at >= 0; at--) waiting.push(inside[at]);
      }
    }
    if (!isWhole) this.cut.push(about);
    return texts;
  }
}
