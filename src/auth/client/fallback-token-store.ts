// A store that cannot fail: what it cannot read or write is told, and kept in memory instead.
import type { TokenStore } from './token-store.ts';

export interface KeptTokens {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string | undefined, expected: string | undefined): Promise<boolean>;
  lock<T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** By store, because several clients may share one. */
const queues = new WeakMap<TokenStore, Map<string, Promise<unknown>>>();

export function keptTokens(store: TokenStore, report: (error: unknown) => void): KeptTokens {
  /** What could not be written: from then on it is this that counts, for as long as the process lives. */
  const own = new Map<string, string | undefined>();
  const get = async (key: string): Promise<string | undefined> => {
    if (own.has(key)) return own.get(key);
    try {
      return await store.get(key);
    } catch (error) {
      report(error);
      return undefined;
    }
  };
  return {
    get,
    async set(key, value, expected) {
      try {
        if (!own.has(key)) return await store.set(key, value, expected);
      } catch (error) {
        report(error);
      }
      if ((await get(key)) !== expected) return false;
      own.set(key, value);
      return true;
    },
    async lock(key, work, signal) {
      if (store.lock === undefined) return queued(store, key, work);
      let started = false;
      try {
        return await store.lock(
          key,
          () => {
            started = true;
            return work();
          },
          signal,
        );
      } catch (error) {
        if (started || signal.aborted) throw error;
        // A folder that cannot be written, say: then this process is on its own.
        report(error);
        return queued(store, key, work);
      }
    },
  };
}

/** One after the other, within this process. */
async function queued<T>(store: TokenStore, key: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(store) ?? new Map<string, Promise<unknown>>();
  queues.set(store, queue);
  const mine = (queue.get(key) ?? Promise.resolve()).then(work);
  const ended = mine.then(
    () => undefined,
    () => undefined,
  );
  queue.set(key, ended);
  try {
    return await mine;
  } finally {
    if (queue.get(key) === ended) queue.delete(key);
  }
}
