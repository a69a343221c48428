// Sessions of the 2025 revisions at one endpoint. Their state is in the store; what is held here is what runs here.
import type { Params, ParsedResponse, RequestId } from '../jsonrpc/message.ts';
import type { Principal } from '../protocol/authorization.ts';
import { traitsOf } from '../protocol/revision.ts';
import type { Change } from '../server/core.ts';
import { type Agreement, Session } from '../server/session.ts';
import type { Now, SessionRecord } from '../store/store.ts';
import type { Audience, EndpointHost } from './endpoint-host.ts';
import { type Account, sessionWeight } from './limits/limits.ts';
import { Standalone } from './standalone.ts';
import { randomName } from './status.ts';

/** A session as this endpoint knows it. */
export class Held implements Audience {
  readonly id: string;
  readonly session: Session;
  /** Where the server's own messages go, once the client has asked for them. */
  readonly standalone: Standalone;
  /** Who pays for what it keeps and runs: its principal, or the session itself where callers have no names. */
  readonly account: Account;
  /** Whose sessions it is one of. */
  readonly opener: Account;
  record: SessionRecord;
  /** Bytes it takes between its calls. */
  weight = 0;
  busy = 0;
  used: number = performance.now();
  /** There while the store has not taken the latest state yet. */
  saving: Promise<void> | undefined;

  constructor(endpoint: EndpointHost, session: Session, id: string, record: SessionRecord, opener?: Account) {
    this.id = id;
    this.session = session;
    this.record = record;
    this.account = endpoint.callers.ofSession(record.owner);
    this.opener = opener ?? this.account;
    this.opener.sessions++;
    this.standalone = new Standalone(endpoint, id, this.account);
  }

  hear(change: Change, at: number): void {
    this.session.announce(change, at, this.standalone);
  }
}

/** What endpoints that share a store tell each other about a session. */
type News = { readonly from: string; readonly session: string } & (
  | { readonly kind: 'answer'; readonly response: ParsedResponse }
  | { readonly kind: 'cancel'; readonly id: RequestId; readonly reason?: string }
  | { readonly kind: 'record' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'listening' }
);

const channel = 'sessions';

export class HttpSessions {
  readonly #endpoint: EndpointHost;
  readonly #held: Map<string, Held> = new Map();
  readonly #unsubscribe: () => void;
  #count = 0;

  constructor(endpoint: EndpointHost) {
    this.#endpoint = endpoint;
    this.#unsubscribe = endpoint.store.bus.subscribe(channel, (message) => this.#hear(message as News));
  }

  /** Sessions in the store, as far as that is known at once. */
  get count(): number {
    const count = this.#endpoint.store.sessions.count();
    if (typeof count === 'number') this.#count = count;
    else this.#endpoint.quietly(count.then((later) => (this.#count = later)));
    return this.#count;
  }

  get held(): number {
    return this.#held.size;
  }

  fresh(principal: Principal, id: string = randomName(18)): Session {
    const session = new Session(this.#endpoint.core, principal, id);
    session.askPrefix = `${this.#endpoint.id}-`;
    session.streams = true;
    return session;
  }

  /** Keeps a session whose handshake is made; false when there are too many. */
  keep(session: Session, principal: Principal, opener: Account): Now<boolean> {
    const { store, settings, counters } = this.#endpoint;
    const id = session.sessionId as string;
    const record = recordOf(session, principal.id, 0);
    const limits = settings.sessions as { idleMs: number; max: number };
    const kept = (done: boolean): boolean => {
      if (!done) return false;
      counters.sessionsOpened++;
      this.#hold(session, id, record, opener);
      return true;
    };
    const created = store.sessions.create(id, record, limits.idleMs, limits.max);
    return created instanceof Promise ? created.then(kept) : kept(created);
  }

  /** To anyone but its owner a session does not exist. */
  find(id: string, principal: Principal): Now<Held | undefined> {
    const loaded = this.#endpoint.store.sessions.load(id);
    return loaded instanceof Promise ? loaded.then((record) => this.#found(id, record, principal)) : this.#found(id, loaded, principal);
  }

  #found(id: string, record: SessionRecord | undefined, principal: Principal): Held | undefined {
    if (record === undefined || record.owner !== principal.id) {
      const held = record === undefined ? this.#held.get(id) : undefined;
      // It expired in the store, or another node ended it.
      if (held !== undefined) this.#drop(held);
      return undefined;
    }
    let held = this.#held.get(id);
    if (held === undefined) {
      const session = this.fresh(principal, id);
      restore(session, record);
      held = this.#hold(session, id, record);
    } else this.#refresh(held, record);
    held.session.principal = principal;
    this.touch(held);
    return held;
  }

  #hold(session: Session, id: string, record: SessionRecord, opener?: Account): Held {
    const held = new Held(this.#endpoint, session, id, record, opener);
    weigh(held);
    session.onState = () => this.#save(held);
    this.#held.set(id, held);
    this.#endpoint.watch();
    return held;
  }

  #refresh(held: Held, record: SessionRecord): void {
    if (record.version <= held.record.version) return;
    held.record = record;
    restore(held.session, record);
    weigh(held);
  }

  touch(held: Held): void {
    held.used = performance.now();
    this.#endpoint.quietly(this.#endpoint.store.sessions.touch(held.id, this.#endpoint.settings.sessions?.idleMs ?? 0));
  }

  #save(held: Held): void {
    const record = recordOf(held.session, held.record.owner, held.record.version + 1);
    held.record = record;
    weigh(held);
    const save = (): Now<void> => this.#endpoint.store.sessions.save(held.id, record);
    // One after the other, or the older could land last.
    const saved = held.saving === undefined ? save() : held.saving.then(save, save);
    if (saved instanceof Promise) {
      const saving = saved.finally(() => {
        if (held.saving === saving) held.saving = undefined;
        this.#tell({ kind: 'record', session: held.id });
      });
      held.saving = saving;
      this.#endpoint.quietly(saving);
    } else this.#tell({ kind: 'record', session: held.id });
  }

  /** The client listens here from now on. */
  listen(held: Held): void {
    this.#endpoint.audience.add(held);
    this.#tell({ kind: 'listening', session: held.id });
  }

  /** A question may have been asked by another node. */
  answered(held: Held, response: ParsedResponse, bytes: number): boolean {
    if (held.session.answered(response, bytes)) return true;
    const { id } = response;
    if (typeof id !== 'string' || id.startsWith(`${this.#endpoint.id}-`) || !/^[0-9a-f]+-\d+$/.test(id)) return false;
    this.#tell({ kind: 'answer', session: held.id, response });
    return true;
  }

  /** The call may be running on another node. */
  cancel(held: Held, params: Params | undefined): void {
    const id = params?.['requestId'] as RequestId;
    if (held.session.running.has(id) || held.session.queue?.has(id)) return;
    const reason = params?.['reason'];
    this.#tell({ kind: 'cancel', session: held.id, id, ...(typeof reason === 'string' && { reason }) });
  }

  /** Ends it everywhere. */
  end(held: Held): Now<boolean> {
    this.#drop(held);
    this.#endpoint.counters.sessionsEnded++;
    this.#tell({ kind: 'ended', session: held.id });
    this.#endpoint.store.events.drop(held.id);
    return this.#endpoint.store.sessions.remove(held.id);
  }

  #drop(held: Held): void {
    if (!this.#held.delete(held.id)) return;
    held.opener.sessions--;
    held.account.hold(-held.weight);
    held.weight = 0;
    this.#endpoint.audience.delete(held);
    held.session.onState = undefined;
    held.session.close();
    held.standalone.close();
    for (const told of this.#endpoint.core.farewells) told(held.id);
  }

  #tell(news: { kind: News['kind']; session: string; [more: string]: unknown }): void {
    this.#endpoint.store.bus.publish(channel, { from: this.#endpoint.id, ...news });
  }

  #hear(news: News): void {
    const held = news.from === this.#endpoint.id ? undefined : this.#held.get(news.session);
    if (held === undefined) return;
    switch (news.kind) {
      case 'answer':
        held.session.answered(news.response);
        return;
      case 'cancel':
        held.session.cancel(news.id, news.reason);
        return;
      case 'ended':
        this.#drop(held);
        return;
      case 'listening':
        this.#endpoint.audience.delete(held);
        held.standalone.yield();
        return;
      case 'record': {
        const loaded = this.#endpoint.store.sessions.load(held.id);
        if (!(loaded instanceof Promise)) {
          if (loaded !== undefined) this.#refresh(held, loaded);
        } else this.#endpoint.quietly(loaded.then((record) => record !== undefined && this.#refresh(held, record)));
      }
    }
  }

  /** What is in use lives on; what is not is only kept in the store, until it expires there. */
  tidy(now: number): void {
    const idleMs = this.#endpoint.settings.sessions?.idleMs ?? 0;
    for (const held of this.#held.values()) {
      if (held.busy > 0 || held.standalone.open > 0) this.touch(held);
      else if (now - held.used >= idleMs) this.#drop(held);
    }
  }

  /** Streams that would stay open for ever end; calls go on. */
  hangUp(): void {
    for (const held of this.#held.values()) held.standalone.hangUp();
  }

  close(): void {
    this.#unsubscribe();
    for (const held of [...this.#held.values()]) this.#drop(held);
  }
}

function weigh(held: Held): void {
  const weight = sessionWeight(held.record.client, held.record.subscribed);
  held.account.hold(weight - held.weight);
  held.weight = weight;
}

function recordOf(session: Session, owner: string, version: number): SessionRecord {
  const { traits, client, capabilities } = session.handshake as Agreement;
  return {
    revision: traits.revision,
    client: { info: client.info, capabilities: client.capabilities },
    capabilities,
    owner,
    level: session.logLevel,
    subscribed: [...session.subscribed],
    initialized: session.initialized,
    version,
  };
}

function restore(session: Session, record: SessionRecord): void {
  const traits = traitsOf(record.revision);
  session.handshake ??= { traits, client: record.client, capabilities: record.capabilities, since: session.core.changes };
  session.spoken = traits;
  session.logLevel = record.level;
  session.subscribed = new Set(record.subscribed);
  session.initialized = record.initialized;
}
