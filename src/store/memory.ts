// vivarium/store/memory: the store of a single process.
import { VivariumError } from '../jsonrpc/error.ts';
import { memoryEvents } from './memory-events.ts';
import { memorySessions } from './memory-sessions.ts';
import type { Store } from './store.ts';

export type { Store } from './store.ts';

interface Kept {
  readonly value: string;
  readonly until: number;
}

/** Above this the oldest entries go first: memory is bounded even when nobody comes back. */
const maxEntries = 10_000;
const maxLength = 67_108_864;
/** One value may take an eighth of the room: it must not push out everything else. */
const maxValueLength = maxLength / 8;
const maxClaims = 100_000;

export function memoryStore(): Store {
  const kept = new Map<string, Kept>();
  /** Apart: what others keep must not push out that something was used. */
  const claims = new Map<string, number>();
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
  const sessions = memorySessions();
  const events = memoryEvents();
  const listeners = new Map<string, Set<(message: object) => void>>();
  return {
    sessions,
    events,
    bus: {
      publish(channel, message) {
        for (const listener of [...(listeners.get(channel) ?? [])]) listener(message);
      },
      subscribe(channel, listener) {
        const all = listeners.get(channel) ?? new Set();
        listeners.set(channel, all.add(listener));
        return () => all.delete(listener);
      },
    },
    tidy() {
      for (const expired of sessions.tidy()) events.drop(expired);
      events.tidy();
    },
    async put(id, value, ttlMs) {
      if (value.length > maxValueLength)
        throw new VivariumError('ERR_TOO_LARGE', `A value of ${value.length} characters is too large for this store`);
      keep(id, value, ttlMs);
    },
    async get(id) {
      return alive(id)?.value;
    },
    async claim(id, ttlMs) {
      const now = Date.now();
      if ((claims.get(id) ?? 0) > now) return false;
      if (claims.size >= maxClaims) for (const [old, until] of claims) if (until <= now) claims.delete(old);
      // Full of claims that still hold: refusing one more use is safe, forgetting one is not.
      if (claims.size >= maxClaims) return false;
      claims.set(id, now + ttlMs);
      return true;
    },
    async keys() {
      return [key];
    },
    async close() {
      kept.clear();
      claims.clear();
      sessions.clear();
      events.clear();
      listeners.clear();
      length = 0;
    },
  };
}
