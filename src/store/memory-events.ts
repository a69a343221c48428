// The event log of a single process: bounded for each stream, for each session, and in all; whoever has most loses first.
import { bytesOf, Ledger } from './ledger.ts';
import type { EventLimits, EventLog, Following, Reader } from './store.ts';

interface Stream {
  /** Number of the oldest event that is kept. */
  first: number;
  last: number;
  readonly events: { readonly data: string; readonly at: number }[];
  /** Characters in its events. */
  length: number;
  /** Bytes it takes. */
  size: number;
  ended: boolean;
  readonly limits: EventLimits;
  /** Whose it is, as far as that is known. */
  readonly owner: string;
  reader: Reader | undefined;
}

export interface MemoryEvents extends EventLog {
  follow(session: string, stream: string, after: number, reader: Reader): Following | 'trimmed' | undefined;
  tidy(): void;
  clear(): void;
}

/** Streams that have ended are kept for a while, in case the end did not arrive; of these, so many for each session. */
const maxEnded = 32;
/** Of those nobody reads just now, so many: a client that opens one after the other must not fill the memory. */
const maxIdle = 64;
/** Bytes in all: beyond it, the oldest streams of whoever has most go first. */
const maxBytes = 64 * 1024 * 1024;
/** Room that is made at a time: to make it for each event would mean to look at every stream for each. */
const slack = 1024 * 1024;
/** What an event, or a stream, takes beside its text. */
const overhead = 200;

/** `ownerOf` says whose a session is. */
export function memoryEvents(ownerOf: (session: string) => string = () => ''): MemoryEvents {
  const sessions = new Map<string, Map<string, Stream>>();
  const ledger = new Ledger();

  const find = (session: string, stream: string): Stream | undefined => sessions.get(session)?.get(stream);
  const trim = (stream: Stream): void => {
    const gone = stream.events.shift();
    if (gone === undefined) return;
    stream.first++;
    stream.length -= gone.data.length;
    grow(stream, -sizeOf(gone.data));
  };
  const grow = (stream: Stream, bytes: number): void => {
    stream.size += bytes;
    ledger.add(stream.owner, bytes);
  };
  const forget = (session: string, name: string): void => {
    const streams = sessions.get(session);
    const stream = streams?.get(name);
    if (stream !== undefined) grow(stream, -stream.size);
    streams?.delete(name);
    if (streams?.size === 0) sessions.delete(session);
  };
  const start = (session: string, name: string, limits: EventLimits, reader: Reader): Stream => {
    let streams = sessions.get(session);
    if (streams === undefined) {
      streams = new Map();
      sessions.set(session, streams);
    }
    const idle = [...streams].filter(([, one]) => one.reader === undefined && !one.ended);
    for (const [old] of idle.slice(0, -maxIdle)) forget(session, old);
    sessions.set(session, streams);
    const stream: Stream = { first: 1, last: 0, events: [], length: 0, size: 0, ended: false, limits, owner: ownerOf(session), reader };
    grow(stream, overhead);
    streams.set(name, stream);
    return stream;
  };
  /** The oldest events of whoever has most go first; a map keeps the order in which sessions came. */
  const makeRoom = (): void => {
    const most = ledger.largest();
    for (const [session, streams] of sessions) {
      for (const [name, stream] of streams) {
        if (stream.owner !== most) continue;
        while (ledger.total > maxBytes - slack && stream.events.length > 0) trim(stream);
        // Or every event that follows would walk past what is empty.
        if (stream.events.length === 0 && stream.ended) forget(session, name);
        if (ledger.total <= maxBytes - slack) return;
      }
    }
  };
  const bound = (stream: Stream, now: number): void => {
    const { maxCount, maxBytes: most } = stream.limits;
    while (stream.events.length > maxCount || (stream.length > most && stream.events.length > 1)) trim(stream);
    age(stream, now);
  };
  const age = (stream: Stream, now: number): void => {
    while ((stream.events[0]?.at ?? now) < now - stream.limits.maxAgeMs) trim(stream);
  };
  const leaving = (stream: Stream, reader: Reader) => (): void => {
    if (stream.reader === reader) stream.reader = undefined;
  };

  return {
    begin: (session, name, limits, reader) => leaving(start(session, name, limits, reader), reader),
    append(session, name, number, data) {
      const now = performance.now();
      const stream = find(session, name);
      if (stream === undefined) return;
      if (stream.events.length === 0) stream.first = number;
      stream.last = number;
      stream.events.push({ data, at: now });
      stream.length += data.length;
      grow(stream, sizeOf(data));
      bound(stream, now);
      if (ledger.total > maxBytes) makeRoom();
      stream.reader?.event(number, data);
    },
    end(session, name) {
      const stream = find(session, name);
      if (stream === undefined) return;
      stream.ended = true;
      stream.reader?.end();
      stream.reader = undefined;
      let ended = 0;
      for (const one of sessions.get(session)?.values() ?? []) if (one.ended) ended++;
      for (const [old, one] of sessions.get(session) ?? []) {
        if (ended <= maxEnded) break;
        if (!one.ended) continue;
        forget(session, old);
        ended--;
      }
    },
    follow(session, name, after, reader) {
      const stream = find(session, name);
      if (stream === undefined || after > stream.last || after < 0) return undefined;
      age(stream, performance.now());
      if (after < stream.first - 1) return 'trimmed';
      const missed = stream.events.slice(after - stream.first + 1).map(({ data }, at) => [after + 1 + at, data] as const);
      stream.reader?.replaced();
      stream.reader = stream.ended ? undefined : reader;
      return { missed, last: stream.last, ended: stream.ended, leave: leaving(stream, reader) };
    },
    drop(session) {
      for (const stream of sessions.get(session)?.values() ?? []) {
        grow(stream, -stream.size);
        stream.reader?.end();
      }
      sessions.delete(session);
    },
    tidy() {
      const now = performance.now();
      for (const [session, streams] of sessions) {
        for (const [name, stream] of streams) {
          age(stream, now);
          if (stream.ended && stream.events.length === 0) forget(session, name);
        }
      }
    },
    clear() {
      sessions.clear();
      ledger.clear();
    },
  };
}

function sizeOf(data: string): number {
  return bytesOf(data) + overhead;
}
