// Work that many wait for and that is done once: it goes on while anyone waits, and ends when nobody does.
import { cancelled } from './authorization-server-request.ts';

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export class SingleFlight<T> {
  #current: Flight<T> | undefined;

  /** `joined`: the work had been started by someone else, perhaps for another reason. */
  async join(
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly value: T; readonly joined: boolean }> {
    if (signal?.aborted) throw cancelled(signal);
    const known = this.#current;
    const flight = known ?? this.#start(work);
    flight.waiting++;
    let leave: (() => void) | undefined;
    try {
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(cancelled(signal as AbortSignal));
        signal?.addEventListener('abort', leave, { once: true });
      });
      return { value: await Promise.race([flight.result, left]), joined: known !== undefined };
    } finally {
      if (leave !== undefined) signal?.removeEventListener('abort', leave);
      if (--flight.waiting === 0) {
        this.#end(flight);
        flight.controller.abort();
      }
    }
  }

  #start(work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = { result: work(controller.signal), controller, waiting: 0 };
    this.#current = flight;
    const done = (): void => this.#end(flight);
    flight.result.then(done, done);
    return flight;
  }

  #end(flight: Flight<T>): void {
    if (this.#current === flight) this.#current = undefined;
  }
}
