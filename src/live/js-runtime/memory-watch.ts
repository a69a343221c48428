// Watches the heap of the main thread. Near its limit the debugger is turned on, because only then the engine stops at the limit
// instead of ending the process; before that it stays off, because it makes every await many times slower.
import type { Debugger } from './debugger.ts';
import type { Inspector } from './inspector.ts';

const busyMs = 25;
const idleMs = 1_000;
/** From this share of the limit on. */
const near = 0.5;

export class MemoryWatch {
  readonly #inspector: Inspector;
  readonly #debugging: Debugger;
  #most = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #busy = false;
  #asking = false;
  #short = false;
  #caught: string | undefined;
  /** A cell was stopped, and may not be able to tell. */
  onCaught: () => void = () => undefined;

  constructor(inspector: Inspector, debugging: Debugger, told: (event: object) => void) {
    this.#inspector = inspector;
    this.#debugging = debugging;
    debugging.onMemory = (where) => {
      this.#caught = where;
      if (this.#busy) this.onCaught();
      else told({ ev: 'stray', what: 'memory', where });
    };
  }

  begin(heapMb: number): void {
    this.#most = heapMb * 1024 * 1024;
    this.#next();
  }

  work(): void {
    this.#busy = true;
    this.#caught = undefined;
    this.#next();
  }

  rest(): void {
    this.#busy = false;
    // Nothing runs now that a termination could be meant for.
    if (this.#short) void this.#inspector.ask('letGo').catch(() => undefined);
    this.#next();
  }

  /** What ended a cell, where it was memory. */
  caught(_id: number): object {
    const where = this.#caught;
    this.#caught = undefined;
    return where === undefined ? {} : { memory: where };
  }

  #next(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), this.#busy ? busyMs : idleMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    if (this.#asking) return this.#next();
    this.#asking = true;
    try {
      const { usedSize } = await this.#inspector.post<{ usedSize: number }>('Runtime.getHeapUsage');
      const short = usedSize > this.#most * near;
      // Once, and before the debugger watches: a termination would end this instead of what fills the memory.
      if (short && !this.#short) await this.#inspector.ask('letGo');
      this.#short = short;
      await (short ? this.#debugging.guardMemory() : this.#debugging.unguardMemory());
    } catch {
      // The main thread is gone; the host will know.
    } finally {
      this.#asking = false;
      this.#next();
    }
  }
}
