// vivarium/store/memory: the store of a single process.
import type { Store } from './store.ts';

export type { Store } from './store.ts';

interface Kept {
  readonly value: string;
  readonly until: number;
}

/** Above this the oldest entries go first: memory is bounded even when nobody comes back. */
const maxEntries = 10_000;
const maxLength = 67_108_864;

export function memoryStore(): Store {
  const kept = new Map<string, Kept>();
  let length = 0;
  const forget = (id: string): void => {
    length -= kept.get(id)?.value.length ?? 0;
    kept.delete(id);
  };
  const key = crypto.getRandomValues(new Uint8Array(32));
  const alive = (id: string): Kept | undefined => {
    const found = kept.get(id);
    if (found !== undefined && found.until <= Date.now()) forget(id);
    return found !== undefined && found.until > Date.now() ? found : undefined;
  };
  const keep = (id: string, value: string, ttlMs: number): void => {
    forget(id);
    length += value.length;
    kept.set(id, { value, until: Date.now() + ttlMs });
    for (const oldest of kept.keys()) {
      if (kept.size <= maxEntries && length <= maxLength) break;
      forget(oldest);
    }
  };
  return {
    async put(id, value, ttlMs) {
      keep(id, value, ttlMs);
    },
    async get(id) {
      return alive(id)?.value;
    },
    async claim(id, ttlMs) {
      if (alive(id) !== undefined) return false;
      keep(id, '', ttlMs);
      return true;
    },
    async keys() {
      return [key];
    },
    async close() {
      kept.clear();
      length = 0;
    },
  };
}
