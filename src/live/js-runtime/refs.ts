// Values that were shown, by number. Only the newest are held strongly, the others by weak references: they must not fill the heap.
import { deref, mapClear, mapDelete, mapGet, mapHas, mapSet, weakGet, weakSet } from './primordials.ts';

const maxRefs = 10_000;
const maxHeld = 50;
const Weak = WeakRef;

export class Refs {
  readonly #refs: Map<number, WeakRef<object>> = new Map();
  readonly #held: Map<number, object> = new Map();
  readonly #numbers: WeakMap<object, number> = new WeakMap();
  #next = 1;
  /** Lower numbers were released. */
  #firstHeld = 1;
  #firstKnown = 1;

  /** The number was never given, or its value was released. */
  isMissing(ref: number): boolean {
    const found = mapGet(this.#refs, ref);
    return found === undefined || deref(found) === undefined;
  }

  /** What a number stands for. */
  get(ref: number): unknown {
    const found = mapGet(this.#refs, ref);
    if (found === undefined) throw new RangeError(`There is no #${ref} in this session`);
    const value = deref(found);
    if (value === undefined) throw new RangeError(`#${ref} is gone: nothing in the program holds it any more`);
    return value;
  }

  /** Undefined for primitive values. */
  number(value: unknown): number | undefined {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
    const known = weakGet(this.#numbers, value);
    if (known !== undefined && mapHas(this.#refs, known)) return known;
    const ref = this.#next++;
    weakSet(this.#numbers, value, ref);
    mapSet(this.#refs, ref, new Weak(value));
    mapSet(this.#held, ref, value);
    while (ref - this.#firstHeld >= maxHeld) mapDelete(this.#held, this.#firstHeld++);
    while (ref - this.#firstKnown >= maxRefs) mapDelete(this.#refs, this.#firstKnown++);
    return ref;
  }

  /** Releases all strong references when memory is short. */
  letGo(): void {
    mapClear(this.#held);
    this.#firstHeld = this.#next;
  }
}
