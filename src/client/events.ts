// Who listens to a client, and how one that fails does not harm the others.
import type { ClientEvents } from './options.ts';

export class Events {
  readonly #listeners: Map<keyof ClientEvents, Set<(event: never) => void>> = new Map();

  on<N extends keyof ClientEvents>(name: N, listener: (event: ClientEvents[N]) => void): Disposable {
    const all = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, all.add(listener as (event: never) => void));
    return { [Symbol.dispose]: () => void all.delete(listener as (event: never) => void) };
  }

  emit<N extends keyof ClientEvents>(name: N, event: ClientEvents[N]): void {
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
}
