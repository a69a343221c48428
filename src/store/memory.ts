// vivarium/store/memory: the store of a single process.
import { VivariumError } from '../jsonrpc/error.ts';
import { bytesOf, Ledger } from './ledger.ts';
import { memoryEvents } from './memory-events.ts';
import { memorySessions } from './memory-sessions.ts';
import type { Store } from './store.ts';

export type { Store } from './store.ts';

interface Kept {
  readonly value: string;
  readonly bytes: number;
  readonly until: number;
  readonly owner: string;
}

/** Above this the oldest entries of whoever keeps most go first: memory is bounded even when nobody comes back. */
const maxEntries = 10_000;
const maxBytes = 67_108_864;
/** One value may take an eighth of the room: it must not push out everything else. */
const maxValueLength = maxBytes / 8;
const maxClaims = 100_000;
/** Of these, so many for one owner. Whoever has no name has them all: it is the only one. */
const maxOwnClaims = maxClaims / 4;

export function memoryStore(): Store {
  const kept = new Map<string, Kept>();
  /** Apart: what others keep must not push out that something was used. */
  const claims = new Map<string, { readonly until: number; readonly owner: string }>();
  const bytes = new Ledger();
  const entries = new Ledger();
  const claimed = new Ledger();
  const forget = (id: string): void => {
    const found = kept.get(id);
    if (found === undefined) return;
    bytes.add(found.owner, -found.bytes);
    entries.add(found.owner, -1);
    kept.delete(id);
  };
  /** The oldest of whoever keeps most; not the newest, for which the room is made. */
  const makeRoom = (ledger: Ledger, max: number, newest: string): void => {
    while (ledger.total > max) {
      const most = ledger.largest();
      for (const [id, one] of kept) {
        if (ledger.total <= max) return;
        if (one.owner === most && id !== newest) forget(id);
      }
      if (ledger.largest() === most) return;
    }
  };
  const unclaim = (now: number): void => {
    for (const [id, { until, owner }] of claims) {
      if (until > now) continue;
      claims.delete(id);
      claimed.add(owner, -1);
    }
  };
  const key = crypto.getRandomValues(new Uint8Array(32));
  const alive = (id: string): Kept | undefined => {
    const found = kept.get(id);
    if (found !== undefined && found.until <= performance.now()) forget(id);
    return found !== undefined && found.until > performance.now() ? found : undefined;
  };
  const keep = (id: string, value: string, ttlMs: number, owner: string): void => {
    forget(id);
    const size = bytesOf(value);
    bytes.add(owner, size);
    entries.add(owner, 1);
    kept.set(id, { value, bytes: size, until: performance.now() + ttlMs, owner });
    makeRoom(bytes, maxBytes, id);
    makeRoom(entries, maxEntries, id);
  };
  const sessions = memorySessions();
  const events = memoryEvents((session) => sessions.load(session)?.owner ?? '');
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
    async put(id, value, ttlMs, owner = '') {
      if (value.length > maxValueLength)
        throw new VivariumError('ERR_TOO_LARGE', `A value of ${value.length} characters is too large for this store`);
      keep(id, value, ttlMs, owner);
    },
    async get(id) {
      return alive(id)?.value;
    },
    async claim(id, ttlMs, owner = '') {
      const now = performance.now();
      if ((claims.get(id)?.until ?? 0) > now) return false;
      const full = (): boolean => claims.size >= maxClaims || (owner !== '' && claimed.of(owner) >= maxOwnClaims);
      if (full()) unclaim(now);
      // Full of claims that still hold: refusing one more use is safe, forgetting one is not.
      if (full()) return false;
      if (!claims.has(id)) claimed.add(owner, 1);
      claims.set(id, { until: now + ttlMs, owner });
      return true;
    },
    async keys() {
      return [key];
    },
    async close() {
      kept.clear();
      claims.clear();
      claimed.clear();
      sessions.clear();
      events.clear();
      listeners.clear();
      bytes.clear();
      entries.clear();
    },
  };
}
