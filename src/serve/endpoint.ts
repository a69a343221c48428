// What one HTTP endpoint holds: its settings, its open streams and waiting answers, and the beat that looks after them.
import { type ErrorObject, faults, VivariumError } from '../jsonrpc/error.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { Principal } from '../protocol/authorization.ts';
import { headerParameters } from '../protocol/headers.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import { encodeAnswer, toErrorAnswer } from '../server/answer.ts';
import type { Change, Core } from '../server/core.ts';
import { equip } from '../server/requests.ts';
import type { Session } from '../server/session.ts';
import { memoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { Counters, type HttpStats } from './counters.ts';
import type { Exchange, Fields } from './exchange.ts';
import { Gate, isLoopback } from './gate.ts';
import { type HttpRules, type Settings, settle } from './http-options.ts';
import type { OpenStream } from './open-stream.ts';
import type { Reply } from './reply.ts';
import { HttpSessions } from './sessions.ts';
import { SseSessions } from './sse.ts';
import { jsonFields, randomName } from './status.ts';

/** Whoever is told of changes through this endpoint. */
export interface Audience {
  hear(change: Change, at: number): void;
}

interface Told {
  readonly core: string;
  readonly change: Change;
}

interface Stray {
  readonly key: string;
  readonly id: RequestId;
  readonly reason?: string | undefined;
}

const channel = 'changes';
const strayChannel = 'strays';

export class Endpoint {
  readonly core: Core;
  readonly settings: Settings;
  readonly gate: Gate;
  readonly store: Store;
  readonly counters: Counters = new Counters();
  /** Tells this endpoint from others that share its store. */
  readonly id: string = randomName();
  /** Exactly this path, or whatever path it is mounted on. */
  readonly path: string | undefined;
  /** Where it listens, once that is known. */
  port: number | undefined;
  readonly sessions: HttpSessions;
  readonly sse: SseSessions;
  readonly streams: Set<OpenStream> = new Set();
  readonly replies: Set<Reply> = new Set();
  readonly audience: Set<Audience> = new Set();
  /** Calls without a session, by who made them: a cancellation comes in a request of its own. */
  readonly strays: Map<string, Set<Session>> = new Map();
  readonly #ownStore: boolean;
  readonly #beatMs: number;
  readonly #release: (() => void)[] = [];
  #beat: ReturnType<typeof setInterval> | undefined;
  #streamCount = 0;
  #tidied = 0;
  #draining = false;
  #closing: Promise<void> | undefined;

  constructor(core: Core, rules: HttpRules, path?: string) {
    this.core = core;
    this.path = path;
    this.settings = settle(rules);
    this.gate = new Gate(rules);
    requireAuth(core, this.settings.auth !== undefined);
    requireName(this.settings, rules, path !== undefined);
    requireHeaders(core);
    this.#ownStore = rules.store === undefined;
    this.store = rules.store ?? memoryStore();
    equip(core);
    // A store that was given is shared, and rounds of one call may then be served by different nodes.
    if (rules.store !== undefined) core.vault ??= rules.store;
    core.openVault ??= async () => this.store;
    if (rules.store === undefined && core.options.asking?.key !== undefined) {
      const hint =
        'asking.key was given, as for several nodes, but each node has a store of its own: singleUse holds within one; give store';
      core.report(new VivariumError('ERR_CONFIG', hint), 'serve');
    }
    this.sessions = new HttpSessions(this);
    this.sse = new SseSessions(this);
    const { keepAliveMs, stallMs, sessions } = this.settings;
    this.#beatMs = Math.max(5, Math.min(5_000, Math.floor(Math.min(keepAliveMs, stallMs, sessions?.idleMs ?? stallMs) / 4)));
    this.#release.push(
      core.onChange((change, at) => {
        this.#announce(change, at);
        this.store.bus.publish(channel, { core: core.id, change } satisfies Told);
      }),
      this.store.bus.subscribe(strayChannel, (message) => this.#cancelStray(message as Stray)),
      // Changes of this very definition have been heard already.
      this.store.bus.subscribe(channel, (message) => {
        const { core: from, change } = message as Told;
        if (from !== core.id) this.#announce(change, Number.POSITIVE_INFINITY);
      }),
    );
  }

  get draining(): boolean {
    return this.#draining;
  }

  get full(): boolean {
    return this.streams.size >= this.settings.maxStreams;
  }

  get stats(): HttpStats {
    const { counters } = this;
    return {
      requests: counters.requests,
      answers: Object.fromEntries([...counters.answers].sort(([a], [b]) => a - b)),
      running: this.replies.size + this.sse.running,
      sessions: this.sessions.count + this.sse.count,
      sessionsOpened: counters.sessionsOpened,
      sessionsEnded: counters.sessionsEnded,
      streams: this.streams.size,
      streamsOpened: counters.streamsOpened,
      streamsResumed: counters.streamsResumed,
      events: counters.events,
      cutOff: counters.cutOff,
      skipped: counters.skipped,
      lost: counters.lost,
    };
  }

  /** Unique among all endpoints that share the store; `kind` tells whose stream it is. */
  streamName(kind: 'g' | 'p'): string {
    return `${kind}${this.id}${(++this.#streamCount).toString(36)}`;
  }

  show(direction: 'in' | 'out', text: string): void {
    try {
      this.settings.tap?.({ direction, text });
    } catch (error) {
      this.core.report(error, 'tap');
    }
  }

  answer(exchange: Exchange, status: number, fields: Fields, body: string, close = false): void {
    this.counters.answered(status);
    const cors = this.gate.cors(exchange);
    exchange.answer(status, cors.length === 0 ? fields : [...fields, ...cors], body, close || this.#draining);
  }

  /** What nobody waits for may still fail, and that is told to the author. */
  quietly(work: unknown): void {
    if (work instanceof Promise) work.catch((error: unknown) => this.core.report(error, 'store'));
  }

  /** What is thrown by mistake, ours or an author's, costs one answer and not the process. */
  failed(exchange: Exchange, error: unknown): void {
    this.core.report(error, 'http');
    this.refuse(exchange, 500, faults.internal());
  }

  /** An answer that is an error, with the id of its request where that could be read. */
  refuse(exchange: Exchange, status: number, error: ErrorObject, more: Refusing = {}): void {
    const text = encodeAnswer(toErrorAnswer(more.id, error, more.traits));
    if (this.settings.tap !== undefined) this.show('out', text);
    this.answer(exchange, status, more.fields === undefined ? jsonFields : [...jsonFields, ...more.fields], text, more.close);
  }

  /** The public URL of the endpoint. Never from what a client may say about proxies, nor with the port of a neighbour. */
  resource(exchange: Exchange, path: string, exact = false): string {
    const { publicUrl } = this.settings;
    if (publicUrl !== undefined) return publicUrl;
    const host = exchange.header('host') ?? '';
    const name = host.replace(/:\d+$/, '');
    const own = this.port === undefined ? host : `${name}${this.port === 80 ? '' : `:${this.port}`}`;
    return `${exchange.secure ? 'https' : 'http'}://${own}${exact ? path : (this.path ?? path)}`;
  }

  /** Starts the beat, when there is something to look after. */
  watch(): void {
    if (this.#beat !== undefined) return;
    this.#beat = setInterval(() => this.#onBeat(), this.#beatMs);
    (this.#beat as { unref?(): void }).unref?.();
  }

  #onBeat(): void {
    const now = Date.now();
    for (const one of [...this.replies, ...this.streams]) {
      try {
        one.tick(now);
      } catch (error) {
        this.core.report(error, 'http');
      }
    }
    const every = Math.min(30_000, (this.settings.sessions?.idleMs ?? 30_000) / 4);
    if (now - this.#tidied >= every) {
      this.#tidied = now;
      try {
        this.#tidy(now);
      } catch (error) {
        this.core.report(error, 'store');
      }
    }
  }

  #tidy(now: number): void {
    this.sessions.tidy(now);
    this.sse.tidy();
    this.store.tidy();
    if (this.streams.size === 0 && this.replies.size === 0 && this.sessions.held === 0 && this.sessions.count === 0) this.#rest();
  }

  #rest(): void {
    clearInterval(this.#beat);
    this.#beat = undefined;
  }

  #announce(change: Change, at: number): void {
    for (const one of this.audience) {
      try {
        one.hear(change, at);
      } catch (error) {
        this.core.report(error, 'announce');
      }
    }
  }

  /** Ends listeners at once, lets calls finish for a while, aborts the rest. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#draining = true;
    this.sessions.hangUp();
    this.sse.endListeners();
    for (const session of this.#modern) session.endListeners();
    // Their last answers leave before anything is aborted.
    await pause(0);
    const deadline = Date.now() + this.settings.drainMs;
    while (this.replies.size + this.sse.running > 0 && Date.now() < deadline) await pause(Math.min(10, Math.max(1, deadline - Date.now())));
    this.sse.close();
    this.sessions.close();
    for (const session of [...this.#modern]) session.close();
    // What was aborted is answered in a moment.
    for (let turn = 0; turn < 5 && this.replies.size > 0; turn++) await pause(1);
    for (const reply of [...this.replies]) reply.end();
    for (const stream of [...this.streams]) stream.end();
    for (const release of this.#release.splice(0)) release();
    this.#rest();
    if (this.#ownStore) await this.store.close();
  }

  readonly #modern: Set<Session> = new Set();

  /** Calls without a session that take time; the function given back says that they have ended. */
  track(session: Session, principal: Principal, id?: RequestId): () => void {
    this.#modern.add(session);
    const listener: Audience = { hear: (change) => session.announce(change, Number.POSITIVE_INFINITY, { send: () => undefined }) };
    this.audience.add(listener);
    const key = id === undefined ? '' : strayKey(principal, id);
    // Without authorization nobody knows whose call that would be.
    const named = this.settings.auth !== undefined && id !== undefined;
    if (named) {
      const same = this.strays.get(key) ?? new Set();
      this.strays.set(key, same.add(session));
    }
    return () => {
      this.#modern.delete(session);
      this.audience.delete(listener);
      if (!named) return;
      const same = this.strays.get(key);
      same?.delete(session);
      if (same?.size === 0) this.strays.delete(key);
    };
  }

  /** The call may be running at another endpoint. */
  cancelStray(principal: Principal, id: RequestId, reason: string | undefined): void {
    const key = strayKey(principal, id);
    if (this.strays.has(key)) this.#cancelStray({ key, id, reason });
    else if (this.settings.auth !== undefined) this.store.bus.publish(strayChannel, { key, id, reason } satisfies Stray);
  }

  /** Only when there is no doubt which call is meant. */
  #cancelStray({ key, id, reason }: Stray): void {
    const same = this.strays.get(key);
    if (same?.size === 1) for (const session of same) session.cancel(id, reason);
  }
}

export interface Refusing {
  readonly id?: RequestId | undefined;
  readonly traits?: RevisionTraits | undefined;
  readonly fields?: Fields;
  readonly close?: boolean;
}

function strayKey(principal: Principal, id: RequestId): string {
  return `${principal.id}\n${typeof id}\n${id}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Whoever names the server in Host would choose which tokens are for it. */
function requireName({ auth, publicUrl }: Settings, { allowedHosts = [] }: HttpRules, listens: boolean): void {
  if (auth?.usesResource !== true || publicUrl !== undefined) return;
  // Whoever listens knows its own port and path; a handler does not, so elsewhere than on loopback it must be told.
  if (listens ? !allowedHosts.includes('*') : allowedHosts.every((host) => isLoopback(host.replace(/:\d+$/, '').toLowerCase()))) return;
  throw new VivariumError(
    'ERR_CONFIG',
    'Tokens are granted for the URL of this server, which any Host could claim to be: ' +
      'give publicUrl (--public-url), allowedHosts (--allow-host), or the audience (--auth-audience)',
  );
}

/** Scopes that nobody could be granted would be scopes that nobody checks. */
function requireAuth(core: Core, authorized: boolean): void {
  if (authorized) return;
  const kinds = [core.tools.values(), core.resources.values(), core.templates.values(), core.prompts.values()];
  for (const kind of kinds) {
    for (const one of kind) {
      if ((one.details.scopes?.length ?? 0) > 0) throw scoped(one.name);
    }
  }
  for (const row of core.extensionMethods.values()) if ((row.scopes?.length ?? 0) > 0) throw scoped(row.method);
}

function scoped(name: string): VivariumError {
  return new VivariumError(
    'ERR_CONFIG',
    `"${name}" has scopes, which only authorization can grant: give auth, from 'vivarium/auth' (--auth-token-env or --auth-issuer)`,
  );
}

function requireHeaders(core: Core): void {
  for (const tool of core.tools.values()) {
    const [fault] = tool.input === undefined ? [] : headerParameters(tool.input.json).faults;
    if (fault !== undefined) throw new VivariumError('ERR_SCHEMA', `Tool "${tool.name}": ${fault}; correct it or leave it out`);
  }
}
