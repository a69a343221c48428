// Who listens to a client, and how one that fails does not harm the others.
import { VivariumError } from '../jsonrpc/error.ts';
import type { ClientEvents } from './options.ts';

/** What is odd while connecting comes before anybody can listen: so much of it waits for whoever does first. */
const maxEarly = 100;
const calmMs = 200;

const names: Readonly<Record<keyof ClientEvents, true>> = {
  closed: true,
  listChanged: true,
  log: true,
  notification: true,
  reconnected: true,
  resourceUpdated: true,
  warning: true,
};

type Listener = (event: never) => unknown;

export class Events {
  #early: ClientEvents['warning'][] | undefined = [];
  /** Lists that have changed a moment ago, and whether they did again since. */
  readonly #changed: Map<string, boolean> = new Map();
  #quiet = false;
  readonly #listeners: Map<keyof ClientEvents, Set<Listener>> = new Map();

  on<N extends keyof ClientEvents>(name: N, listener: (event: ClientEvents[N]) => void): Disposable {
    if (!Object.hasOwn(names, name)) {
      throw new VivariumError('ERR_CONFIG', `There is no event "${String(name)}": ${Object.keys(names).join(', ')} are those there are`);
    }
    if (typeof listener !== 'function') throw new VivariumError('ERR_CONFIG', `A listener for "${name}" must be a function`);
    const all = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, all.add(listener));
    if (name === 'warning' && this.#early !== undefined) {
      const early = this.#early;
      this.#early = undefined;
      queueMicrotask(() => {
        for (const warning of early) this.emit('warning', warning);
      });
    }
    return { [Symbol.dispose]: () => void all.delete(listener) };
  }

  emit<N extends keyof ClientEvents>(name: N, event: ClientEvents[N]): void {
    if (name === 'warning' && this.#early !== undefined && this.#early.length < maxEarly)
      this.#early.push(event as ClientEvents['warning']);
    this.#tell(name, event, (listener, error) => this.#failed(name, listener, error));
  }

  #tell(name: keyof ClientEvents, event: object, failed: (listener: Listener, error: unknown) => void, except?: Listener): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      if (listener === except) continue;
      try {
        const back = listener(event as never);
        if (back instanceof Promise) back.catch((error: unknown) => failed(listener, error));
      } catch (error) {
        failed(listener, error);
      }
    }
  }

  /** Neither the other listeners nor the connection pay for it. */
  #failed(name: keyof ClientEvents, culprit: Listener, error: unknown): void {
    const message = `A listener for "${name}" failed: ${error instanceof Error ? error.message : String(error)}`;
    const warning = { code: 'listener', message } as const;
    if (name !== 'warning') this.emit('warning', warning);
    // The others hear of it, and if they fail too, nobody does: otherwise it would never end.
    else this.#tell(name, warning, () => undefined, culprit);
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
