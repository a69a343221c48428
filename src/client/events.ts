// Who listens to a client, and how one that fails does not harm the others.
import type { ClientEvents } from './options.ts';

/** What is odd while connecting comes before anybody can listen: so much of it waits for whoever does first. */
const maxEarly = 100;
const calmMs = 200;

export class Events {
  #early: ClientEvents['warning'][] | undefined = [];
  /** Lists that have changed a moment ago, and whether they did again since. */
  readonly #changed: Map<string, boolean> = new Map();
  #quiet = false;
  readonly #listeners: Map<keyof ClientEvents, Set<(event: never) => void>> = new Map();

  on<N extends keyof ClientEvents>(name: N, listener: (event: ClientEvents[N]) => void): Disposable {
    const all = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, all.add(listener as (event: never) => void));
    if (name === 'warning' && this.#early !== undefined) {
      const early = this.#early;
      this.#early = undefined;
      queueMicrotask(() => {
        for (const warning of early) this.emit('warning', warning);
      });
    }
    return { [Symbol.dispose]: () => void all.delete(listener as (event: never) => void) };
  }

  emit<N extends keyof ClientEvents>(name: N, event: ClientEvents[N]): void {
    if (name === 'warning' && this.#early !== undefined && this.#early.length < maxEarly)
      this.#early.push(event as ClientEvents['warning']);
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        (listener as (event: ClientEvents[N]) => void)(event);
      } catch (error) {
        // A listener's own failure, reported as such, and not at the cost of the others.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  close(): void {
    this.#quiet = true;
  }

  /** At once, and then at most one more in a while: whoever lists anew at each must not be driven by the server. */
  changed(of: ClientEvents['listChanged']['of']): void {
    if (this.#changed.has(of)) {
      this.#changed.set(of, true);
      return;
    }
    this.#changed.set(of, false);
    this.emit('listChanged', { of });
    const timer = setTimeout(() => {
      const more = this.#changed.get(of) === true;
      this.#changed.delete(of);
      // Whoever has closed it wants to hear nothing more.
      if (more && !this.#quiet) this.changed(of);
    }, calmMs);
    (timer as { unref?(): void }).unref?.();
  }
}
