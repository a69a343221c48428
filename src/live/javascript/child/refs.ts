// Values that were shown, by number. The newest are held, the others only as long as the program holds them: what was shown must
// not fill the memory.

const mostRefs = 10_000;
const mostHeld = 50;

export class Refs {
  readonly #refs: Map<number, WeakRef<object>> = new Map();
  readonly #held: Map<number, object> = new Map();
  readonly #numbers: WeakMap<object, number> = new WeakMap();
  #next = 1;

  /** What a number stands for. */
  get(ref: number): unknown {
    const found = this.#refs.get(ref);
    if (found === undefined) throw new RangeError(`There is no #${ref} in this session`);
    const value = found.deref();
    if (value === undefined) throw new RangeError(`#${ref} is gone: nothing in the program holds it any more`);
    return value;
  }

  /** Undefined for what is its own name, such as a number. */
  number(value: unknown): number | undefined {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
    const known = this.#numbers.get(value);
    if (known !== undefined && this.#refs.has(known)) return known;
    const ref = this.#next++;
    this.#numbers.set(value, ref);
    this.#refs.set(ref, new WeakRef(value));
    this.#held.set(ref, value);
    dropOldest(this.#held, mostHeld);
    dropOldest(this.#refs, mostRefs);
    return ref;
  }

  /** Memory is short. */
  letGo(): void {
    this.#held.clear();
  }
}

function dropOldest(map: Map<number, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
