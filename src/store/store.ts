// What the house keeps between requests, as an interface: one process keeps it in memory, several share it.
import type { Revision } from '../protocol/revision.ts';
import type { ClientCapabilities, Implementation, LoggingLevel, ServerCapabilities } from '../protocol/types.ts';

/** At once where it is kept in this process, later where it has to be fetched: nobody waits for a promise that need not be. */
export type Now<T> = T | Promise<T>;

/** For questions that were asked in one request and are answered in another. Values expire by themselves. */
export interface Vault {
  /** `owner` is the principal it is kept for: whoever keeps too much loses its own first. */
  put(id: string, value: string, ttlMs: number, owner?: string): Promise<void>;
  get(id: string): Promise<string | undefined>;
  /** True for the first who asks, false for everyone after, and for an owner that claims too much. */
  claim(id: string, ttlMs: number, owner?: string): Promise<boolean>;
  /** Keys of 32 bytes, the newest first; every node that shares the store has the same. */
  keys(): Promise<readonly Uint8Array[]>;
}

/** What is known of a session of the 2025 revisions: enough for any node to go on with it. Plain JSON, replaced and never changed. */
export interface SessionRecord {
  readonly revision: Revision;
  readonly client: { readonly info: Implementation | undefined; readonly capabilities: ClientCapabilities };
  /** What the server promised in the handshake. */
  readonly capabilities: ServerCapabilities;
  /** The principal it belongs to; to everyone else it does not exist. */
  readonly owner: string;
  readonly level: LoggingLevel;
  readonly subscribed: readonly string[];
  readonly initialized: boolean;
  /** Counts the changes: an older one that arrives late changes nothing. */
  readonly version: number;
}

export interface Sessions {
  /** False when there are `max` already. */
  create(id: string, record: SessionRecord, ttlMs: number, max: number): Now<boolean>;
  load(id: string): Now<SessionRecord | undefined>;
  /** A session that has ended meanwhile stays ended. */
  save(id: string, record: SessionRecord): Now<void>;
  /** It is in use: it lives on for so long from now. */
  touch(id: string, ttlMs: number): Now<void>;
  /** False when there was none. */
  remove(id: string): Now<boolean>;
  count(): Now<number>;
}

export interface EventLimits {
  readonly maxCount: number;
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** Whoever receives a stream's events. There is one at a time: each event goes to one connection only. */
export interface Reader {
  event(number: number, data: string): void;
  /** Nothing more will come. */
  end(): void;
  /** Somebody else reads on. */
  replaced(): void;
}

export interface Following {
  /** Events after the one that was named, oldest first. */
  readonly missed: readonly (readonly [number: number, data: string])[];
  /** The number of the last event so far. */
  readonly last: number;
  readonly ended: boolean;
  /** Stops reading; what comes afterwards is kept for whoever resumes. */
  leave(): void;
}

/** Events of streams that can be resumed. A stream has one writer, who counts its events from 1. */
export interface EventLog {
  /** Begins a stream; gives a way to stop reading, what comes afterwards is kept for whoever resumes. */
  begin(session: string, stream: string, limits: EventLimits, reader: Reader): () => void;
  append(session: string, stream: string, number: number, data: string): void;
  end(session: string, stream: string): void;
  /** Reads on after an event, and takes the place of whoever read before. `undefined`: no such stream; `trimmed`: what came next is gone. */
  follow(session: string, stream: string, after: number, reader: Reader): Now<Following | 'trimmed' | undefined>;
  drop(session: string): void;
}

/** Tells every node that shares the store, the sender's own listeners included. Plain JSON. */
export interface Bus {
  publish(channel: string, message: object): void;
  subscribe(channel: string, listener: (message: object) => void): () => void;
}

export interface Store extends Vault {
  readonly sessions: Sessions;
  readonly events: EventLog;
  readonly bus: Bus;
  /** Forgets what has expired; called now and then by whoever serves. */
  tidy(): void;
  close(): Promise<void>;
}
