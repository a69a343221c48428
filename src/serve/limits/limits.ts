// What callers hold at one endpoint (calls, streams, sessions, bytes), and which limit stops them: their own first, then everyone's.
import { weightOf } from '../../jsonrpc/weight.ts';
import type { Principal } from '../../protocol/authorization.ts';
import type { Settings } from '../http-options.ts';

/** The limits a request can run into, as they are counted in `stats.refused`. */
export const limitNames = [
  'caller_running',
  'caller_bytes',
  'caller_streams',
  'caller_sessions',
  'session_running',
  'session_streams',
  'running',
  'bytes',
  'streams',
  'sessions',
  'admissions',
  'unread',
] as const;

export type LimitName = (typeof limitNames)[number];

export interface Ceiling {
  readonly maxRunning: number;
  readonly maxStreams: number;
  readonly maxSessions: number;
  readonly maxBytes: number;
}

/** Objects that any message needs while it is worked on: request, response, call, session. Measured over HTTP. */
const callBytes = 12 * 1024;
/** Without authorization, calls of one connection: HTTP/1.1 answers them one after the other anyway. */
const maxPipelined = 128;

/** What one caller holds now. Whatever is added here is added to the whole endpoint too. */
export class Account {
  running = 0;
  streams = 0;
  sessions = 0;
  bytes = 0;
  /** Of these, what was said and has not been taken yet. */
  unread = 0;
  readonly #ceiling: Ceiling;
  readonly #all: Account | undefined;

  constructor(ceiling: Ceiling, all?: Account) {
    this.#ceiling = ceiling;
    this.#all = all;
  }

  get idle(): boolean {
    return this.running === 0 && this.streams === 0 && this.sessions === 0 && this.bytes === 0;
  }

  /** The limit that stands against so many more calls and bytes. */
  refuses(calls: number, bytes: number): LimitName | undefined {
    const { maxRunning, maxBytes } = this.#ceiling;
    const all = this.#all;
    if (this.running + calls > maxRunning) return all === undefined ? 'running' : 'caller_running';
    if (this.bytes + bytes > maxBytes) return all === undefined ? 'bytes' : 'caller_bytes';
    return all?.refuses(calls, bytes);
  }

  /** The limit that stands against one more stream. Where one caller may have them all, it is everyone's limit. */
  refusesStream(): LimitName | undefined {
    const all = this.#all;
    if (all === undefined) return this.streams >= this.#ceiling.maxStreams ? 'streams' : undefined;
    if (this.#ceiling.maxStreams < all.#ceiling.maxStreams && this.streams >= this.#ceiling.maxStreams) return 'caller_streams';
    return all.refusesStream();
  }

  /** The same for sessions, but of all sessions the store keeps count. */
  refusesSession(): LimitName | undefined {
    const all = this.#all;
    const own = all !== undefined && this.#ceiling.maxSessions < all.#ceiling.maxSessions;
    return own && this.sessions >= this.#ceiling.maxSessions ? 'caller_sessions' : undefined;
  }

  run(calls: number): void {
    this.running += calls;
    this.#all?.run(calls);
  }

  /** Holds so much more, where that is allowed. */
  take(bytes: number): boolean {
    const allowed = this.refuses(0, bytes) === undefined;
    if (allowed) this.hold(bytes);
    return allowed;
  }

  hold(bytes: number): void {
    this.bytes += bytes;
    this.#all?.hold(bytes);
  }

  /** Answers that wait for their reader. */
  wait(bytes: number): void {
    this.unread += bytes;
    this.hold(bytes);
  }

  stream(count: 1 | -1): void {
    this.streams += count;
    this.#all?.stream(count);
  }
}

/** One message at work: its calls count until it is answered, its bytes until its handlers have really ended. */
export class Load {
  readonly #account: Account;
  readonly #calls: number;
  #bytes: number;
  #working = 0;
  #answered = false;

  constructor(account: Account, calls: number, weight: number) {
    this.#account = account;
    this.#calls = calls;
    this.#bytes = weight + callBytes;
    account.run(calls);
    account.hold(this.#bytes);
  }

  began(): void {
    this.#working++;
  }

  ended(): void {
    this.#working--;
    this.#settle();
  }

  /** Something more that this message keeps, such as an answer to a question of ours. */
  hold(bytes: number): void {
    this.#bytes += bytes;
    this.#account.hold(bytes);
  }

  answered(): void {
    this.#account.run(-this.#calls);
    this.#answered = true;
    this.#settle();
  }

  #settle(): void {
    if (!this.#answered || this.#working > 0) return;
    this.#account.hold(-this.#bytes);
    this.#bytes = 0;
  }
}

/** What a session takes beside what its client said, and a URI beside its text. */
const sessionBytes = 4 * 1024;
const uriBytes = 64;

/** What a session keeps between its calls: what the client said of itself, and what it subscribed to. */
export function sessionWeight(client: object | undefined, subscribed: Iterable<string>): number {
  let weight = sessionBytes + (client === undefined ? 0 : weightOf(JSON.stringify(client)));
  for (const uri of subscribed) weight += 2 * uri.length + uriBytes;
  return weight;
}

/** The accounts of everyone who calls an endpoint. */
export class Callers {
  readonly all: Account;
  readonly #perCaller: Ceiling;
  readonly #perConnection: Ceiling;
  readonly #authorized: boolean;
  readonly #principals: Map<string, Account> = new Map();
  #sweepAt = 1_024;
  readonly #connections: WeakMap<object, Account> = new WeakMap();

  constructor({ auth, perCaller, maxTotalRunning, maxTotalBytes, maxStreams, sessions }: Settings) {
    const maxSessions = sessions?.max ?? maxStreams;
    this.all = new Account({ maxRunning: maxTotalRunning, maxBytes: maxTotalBytes, maxStreams, maxSessions });
    this.#perCaller = perCaller;
    this.#perConnection = { ...perCaller, maxRunning: Math.min(maxPipelined, perCaller.maxRunning) };
    this.#authorized = auth !== undefined;
  }

  /** A caller is its principal; where nobody is asked who they are, it is its connection, or everyone where there is none to be seen. */
  of(principal: Principal, { connection }: { readonly connection: object | undefined }): Account {
    return this.#authorized ? this.#ofPrincipal(principal.id) : this.ofConnection(connection);
  }

  /** In a session the caller is known by it, also where nobody says who they are. */
  ofSession(principal: string): Account {
    return this.#authorized ? this.#ofPrincipal(principal) : new Account(this.#perCaller, this.all);
  }

  ofConnection(connection: object | undefined): Account {
    if (connection === undefined) return this.all;
    let account = this.#connections.get(connection);
    if (account === undefined) {
      account = new Account(this.#perConnection, this.all);
      this.#connections.set(connection, account);
    }
    return account;
  }

  #ofPrincipal(id: string): Account {
    let account = this.#principals.get(id);
    if (account === undefined) {
      if (this.#principals.size >= this.#sweepAt) this.#sweep();
      account = new Account(this.#perCaller, this.all);
      this.#principals.set(id, account);
    }
    return account;
  }

  /** Forgets principals that hold nothing; next when there are twice as many. */
  #sweep(): void {
    for (const [id, account] of this.#principals) if (account.idle) this.#principals.delete(id);
    this.#sweepAt = Math.max(1_024, 2 * this.#principals.size);
  }
}
