// Sessions of a single process: records with an end.
import type { SessionRecord, Sessions } from './store.ts';

interface Kept {
  record: SessionRecord;
  until: number;
}

export interface MemorySessions extends Sessions {
  load(id: string): SessionRecord | undefined;
  /** Removes what has expired and says which that was. */
  tidy(): readonly string[];
  clear(): void;
}

export function memorySessions(): MemorySessions {
  const kept = new Map<string, Kept>();
  /** Removed, but not yet told to whoever tidies. */
  let gone: string[] = [];
  const alive = (id: string): Kept | undefined => {
    const found = kept.get(id);
    return found !== undefined && found.until > performance.now() ? found : undefined;
  };
  const sweep = (): void => {
    const now = performance.now();
    const expired = [...kept].filter(([, { until }]) => until <= now).map(([id]) => id);
    for (const id of expired) kept.delete(id);
    gone.push(...expired);
  };
  return {
    create(id, record, ttlMs, max) {
      if (kept.size >= max) sweep();
      if (kept.size >= max) return false;
      kept.set(id, { record, until: performance.now() + ttlMs });
      return true;
    },
    load: (id) => alive(id)?.record,
    save(id, record) {
      const found = alive(id);
      if (found !== undefined) found.record = record;
    },
    touch(id, ttlMs) {
      const found = alive(id);
      if (found !== undefined) found.until = performance.now() + ttlMs;
    },
    remove: (id) => kept.delete(id),
    count: () => kept.size,
    tidy() {
      sweep();
      const told = gone;
      gone = [];
      return told;
    },
    clear: () => kept.clear(),
  };
}
