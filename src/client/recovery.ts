// A lost connection is made anew: by one for all who noticed, and ever more slowly where it is lost again and again.
import type { Connection } from './connection.ts';
import type { Lost } from './failure.ts';
import type { ClientOptions, Warning } from './options.ts';
import { pause } from './timeouts.ts';

export interface Recoverable {
  readonly connection: () => Connection;
  readonly options: ClientOptions;
  /** Everything is over: nothing is waited for any more. */
  readonly ending: AbortSignal;
  /** Makes a new connection and puts it in place of the lost one. */
  renew(lost: Connection, cause: Lost): Promise<void>;
  warn(warning: Warning): void;
}

const firstMs = 100;
const longestMs = 30_000;
/** A connection that held so long was a good one. */
const lastingMs = 10_000;

export class Recovery {
  readonly #host: Recoverable;
  #turns = 0;
  #since: number = Date.now();
  /** While it is under way. */
  current: Promise<void> | undefined;

  constructor(host: Recoverable) {
    this.#host = host;
  }

  /** One at a time, whoever noticed it first. */
  async recover(lost: Connection, cause: Lost): Promise<boolean> {
    if (this.#host.connection() !== lost) return true;
    const { restart = false } = this.#host.options;
    if (isChild(lost) && (restart === false || this.#turns >= restart.max)) return false;
    this.current ??= this.#renew(lost, cause).finally(() => {
      this.current = undefined;
    });
    try {
      await this.current;
      return true;
    } catch (error) {
      if (!this.#host.ending.aborted)
        this.#host.warn({ code: 'recovery', message: `The connection could not be restored: ${reasonOf(error)}` });
      return false;
    }
  }

  /** Until it is there again, for who only listens and would not notice. A child that may not be started again is gone for good. */
  async persist(lost: Connection, cause: Lost): Promise<boolean> {
    while (!this.#host.ending.aborted) {
      if (await this.recover(lost, cause)) return true;
      if (isChild(lost)) return false;
    }
    return false;
  }

  async #renew(lost: Connection, cause: Lost): Promise<void> {
    const child = isChild(lost);
    const held = Date.now() - this.#since >= lastingMs;
    this.#turns = held && !child ? 0 : this.#turns + 1;
    // A child is always given a moment; anything else only when it was lost before.
    const waits = child ? this.#turns : this.#turns - 1;
    if (waits > 0) await pause(Math.min(longestMs, firstMs * 2 ** (waits - 1)), this.#host.ending);
    try {
      await this.#host.renew(lost, cause);
    } finally {
      this.#since = Date.now();
    }
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isChild({ link }: Connection): boolean {
  return link.channel.kind === 'pipe';
}
