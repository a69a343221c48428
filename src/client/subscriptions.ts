// What a client wants to be told: by subscriptions of its session, or by one listening request that is renewed as wishes change.
import { VivariumError } from '../jsonrpc/error.ts';
import type { SubscriptionFilter } from '../protocol/types.ts';
import type { Warning } from './options.ts';

export interface Listening {
  /** Opens a listening request; settles when it ends, for whatever reason. */
  open(filter: SubscriptionFilter, signal: AbortSignal, acknowledged: () => void): Promise<void>;
  subscribe(uri: string): Promise<unknown>;
  unsubscribe(uri: string): Promise<unknown>;
  readonly modern: () => boolean;
  /** It is listened again: what changed meanwhile, nobody told. */
  resumed(lists: readonly List[]): void;
  warn(warning: Warning): void;
}

interface Wish {
  readonly listeners: Set<() => void>;
  /** Settles when the server has said yes, or no. */
  made: Promise<void>;
}

type List = 'tools' | 'resources' | 'prompts';
const againMs = 1_000;
const maxMs = 30_000;
/** A stream that held so long was a good one; proxies end them all. */
const lastingMs = 10_000;

export class Subscriptions {
  readonly #listening: Listening;
  readonly #uris: Map<string, Wish> = new Map();
  readonly #lists: Set<List> = new Set();
  #current: AbortController | undefined;
  #renewing: Promise<void> | undefined;
  #closed = false;

  constructor(listening: Listening) {
    this.#listening = listening;
  }

  get uris(): readonly string[] {
    return [...this.#uris.keys()];
  }

  get active(): boolean {
    return this.#uris.size > 0 || this.#lists.size > 0;
  }

  async add(uri: string, listener: () => void): Promise<() => Promise<void>> {
    if (this.#closed) throw new VivariumError('ERR_CLOSED', 'The client is closed');
    let wish = this.#uris.get(uri);
    if (wish === undefined) {
      wish = { listeners: new Set(), made: Promise.resolve() };
      this.#uris.set(uri, wish);
      wish.made = (this.#listening.modern() ? this.#renew() : this.#listening.subscribe(uri)).then(() => undefined);
    }
    wish.listeners.add(listener);
    try {
      await wish.made;
    } catch (error) {
      if (this.#uris.get(uri) === wish) this.#uris.delete(uri);
      throw error;
    }
    return () => this.#remove(uri, listener);
  }

  async #remove(uri: string, listener: () => void): Promise<void> {
    const listeners = this.#uris.get(uri)?.listeners;
    if (listeners?.delete(listener) !== true || listeners.size > 0) return;
    this.#uris.delete(uri);
    if (this.#closed) return;
    await (this.#listening.modern() ? this.#renew() : this.#listening.unsubscribe(uri));
  }

  /** Somebody wants to know when a list changes. In the older era that is told without asking. */
  async watch(...lists: readonly List[]): Promise<void> {
    const before = this.#lists.size;
    for (const list of lists) this.#lists.add(list);
    if (this.#listening.modern() && this.#lists.size > before) await this.#renew();
  }

  /** A subscription may be to a folder, and what changed is in it. */
  updated(uri: string): void {
    for (const [wanted, { listeners }] of this.#uris) {
      if (uri !== wanted && !uri.startsWith(wanted.endsWith('/') ? wanted : `${wanted}/`)) continue;
      for (const listener of [...listeners]) {
        try {
          listener();
        } catch (error) {
          this.#listening.warn({ code: 'listener', message: `A listener for ${wanted} failed: ${String(error)}` });
        }
      }
    }
  }

  /** After a new beginning: the server knows of nothing. */
  async restore(): Promise<void> {
    if (this.#listening.modern()) {
      if (this.#uris.size > 0 || this.#lists.size > 0) await this.#renew();
    } else for (const uri of this.#uris.keys()) await this.#listening.subscribe(uri);
  }

  /** One after the other; the new request is acknowledged before the old one ends, so that nothing falls between. */
  #renew(): Promise<void> {
    // At once where nothing is under way: what is asked next must not overtake it.
    const next = this.#renewing === undefined ? this.#listen(0) : this.#renewing.then(() => this.#listen(0));
    const renewing: Promise<void> = next
      .catch(() => undefined)
      .finally(() => {
        if (this.#renewing === renewing) this.#renewing = undefined;
      });
    this.#renewing = renewing;
    return next;
  }

  async #listen(failures: number, again = false): Promise<void> {
    const before = this.#current;
    this.#current = undefined;
    if (this.#closed || (this.#uris.size === 0 && this.#lists.size === 0)) {
      before?.abort();
      return;
    }
    const current = new AbortController();
    this.#current = current;
    await new Promise<void>((resolve, reject) => {
      let acknowledged: number | undefined;
      const ended = (error: unknown): void => {
        if (acknowledged === undefined) {
          // The one before it still listens.
          if (this.#current === current) this.#current = before;
          reject(error ?? new Error('The server ended the subscription'));
        } else if (!this.#closed && this.#current === current && !current.signal.aborted)
          this.#again(performance.now() - acknowledged > lastingMs ? 0 : failures);
      };
      this.#listening
        .open(this.#filter(), current.signal, () => {
          acknowledged = performance.now();
          if (again) this.#listening.resumed([...this.#lists]);
          before?.abort();
          resolve();
        })
        .then(() => ended(undefined), ended);
    });
  }

  /** It ended though nobody wanted that: it is asked for again, ever more slowly. */
  #again(failures: number): void {
    const timer = setTimeout(
      () => {
        if (this.#closed) return;
        this.#listen(failures + 1, true).catch((error: unknown) => {
          this.#listening.warn({ code: 'subscription', message: `The server no longer tells of changes: ${String(error)}` });
          if (!this.#closed) this.#again(failures + 1);
        });
      },
      Math.min(maxMs, againMs * 2 ** failures),
    );
    (timer as { unref?(): void }).unref?.();
  }

  #filter(): SubscriptionFilter {
    return {
      ...(this.#lists.has('tools') && { toolsListChanged: true }),
      ...(this.#lists.has('prompts') && { promptsListChanged: true }),
      ...(this.#lists.has('resources') && { resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris.keys()] }),
    };
  }

  close(): void {
    this.#closed = true;
    this.#current?.abort();
  }
}
