// What one HTTP endpoint holds: its settings, its open streams and waiting answers, and the beat that looks after them.

import { type ErrorObject, faults, VivariumError } from '../jsonrpc/error.ts';
import { isRequestId, type ParsedNotification, type RequestId } from '../jsonrpc/message.ts';
import type { Principal } from '../protocol/authorization.ts';
import { encodeAnswer, reworded, toErrorAnswer } from '../server/answer.ts';
import type { Outlet } from '../server/context.ts';
import type { Change, Core } from '../server/core.ts';
import { equip } from '../server/requests.ts';
import type { Session } from '../server/session.ts';
import { memoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { pause } from '../text/timeouts.ts';
import { Counters, type HttpStats } from './counters.ts';
import type { Audience, EndpointHost, Refusing, Watched } from './endpoint-host.ts';
import type { Delivery, Exchange, Fields } from './exchange.ts';
import { Gate } from './gate.ts';
import { type HttpRules, type Settings, settle } from './http-options.ts';
import { type Account, Callers } from './limits/limits.ts';
import { HttpSessions } from './sessions.ts';
import { SseSessions } from './sse.ts';
import { requireAuth, requireHeaders, requireName } from './start-checks.ts';
import { jsonFields, randomName } from './status.ts';

interface BusChange {
  readonly core: string;
  readonly change: Change;
}

interface Stray {
  readonly key: string;
  readonly id: RequestId;
  readonly reason?: string;
}

/** A shorter answer fits into the buffers of the system, whether or not anybody reads it. */
const systemTakes = 64 * 1024;
const nowhere: Outlet = { send: () => undefined };
const channel = 'changes';
const strayChannel = 'strays';

export class Endpoint implements EndpointHost {
  readonly core: Core;
  readonly settings: Settings;
  readonly gate: Gate;
  readonly store: Store;
  readonly counters: Counters = new Counters();
  readonly callers: Callers;
  readonly id: string = randomName();
  /** Exactly this path, or whatever path it is mounted on. */
  readonly path: string | undefined;
  /** Where it listens, once that is known. */
  port: number | undefined;
  readonly sessions: HttpSessions;
  readonly sse: SseSessions;
  readonly streams: Set<Watched> = new Set();
  readonly replies: Set<Watched> = new Set();
  readonly audience: Set<Audience> = new Set();
  /** Calls without a session that take time. */
  readonly #alone: Set<Session> = new Set();
  /** The same, by who made them: a cancellation comes in a request of its own. */
  readonly #strays: Map<string, Set<Session>> = new Map();
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
    this.callers = new Callers(this.settings);
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
        this.store.bus.publish(channel, { core: core.id, change } satisfies BusChange);
      }),
      this.store.bus.subscribe(strayChannel, (message) => this.#cancelStray(message as Stray)),
      // Changes of this very definition have been heard already.
      this.store.bus.subscribe(channel, (message) => {
        const { core: from, change } = message as BusChange;
        if (from !== core.id) this.#announce(change, Number.POSITIVE_INFINITY);
      }),
    );
  }

  get draining(): boolean {
    return this.#draining;
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
      refused: { ...counters.refused },
      heldBytes: this.callers.all.bytes,
      cutOff: counters.cutOff,
      skipped: counters.skipped,
      lost: counters.lost,
    };
  }

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

  answer(exchange: Exchange, status: number, fields: Fields, body: string, close = false, delivery?: Delivery): void {
    this.counters.answered(status);
    const cors = this.gate.cors(exchange);
    exchange.answer(status, cors.length === 0 ? fields : [...fields, ...cors], body, close || this.#draining, delivery);
  }

  deliver(exchange: Exchange, account: Account, status: number, fields: Fields, body: string): void {
    if (body.length <= systemTakes && !exchange.backlog) return this.answer(exchange, status, fields, body);
    if (account.unread > 0 && account.refuses(0, body.length) !== undefined) {
      this.counters.refuse('unread');
      return exchange.destroy();
    }
    account.wait(body.length);
    this.answer(exchange, status, fields, body, false, {
      over: () => account.wait(-body.length),
      cut: () => void this.counters.cutOff++,
    });
  }

  quietly(work: unknown): void {
    if (work instanceof Promise) work.catch((error: unknown) => this.core.report(error, 'store'));
  }

  /** What is thrown by mistake, ours or an author's, costs one answer and not the process. */
  failed(exchange: Exchange, error: unknown): void {
    this.core.report(error, 'http');
    this.refuse(exchange, 500, faults.internal());
  }

  refuse(exchange: Exchange, status: number, error: ErrorObject, more: Refusing = {}): void {
    const { errorDetails } = this.core;
    const worded = errorDetails === undefined ? error : reworded(error, errorDetails);
    const text = encodeAnswer(toErrorAnswer(more.id, worded, more.traits));
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

  watch(): void {
    if (this.#beat !== undefined) return;
    this.#beat = setInterval(() => this.#onBeat(), this.#beatMs);
    (this.#beat as { unref?(): void }).unref?.();
  }

  #onBeat(): void {
    const now = performance.now();
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
    const tell = (hear: () => void): void => {
      try {
        hear();
      } catch (error) {
        this.core.report(error, 'announce');
      }
    };
    for (const one of this.audience) tell(() => one.hear(change, at));
    // Most of these are plain calls; a few have asked to be told, each on its own stream.
    for (const session of this.#alone) if (session.listeners.size > 0) tell(() => session.announce(change, at, nowhere));
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
    for (const session of this.#alone) session.endListeners();
    // Their last answers leave before anything is aborted.
    await pause(0);
    const deadline = performance.now() + this.settings.drainMs;
    while (this.replies.size + this.sse.running > 0 && performance.now() < deadline)
      await pause(Math.min(10, Math.max(1, deadline - performance.now())));
    this.sse.close();
    this.sessions.close();
    for (const session of [...this.#alone]) session.close();
    // What was aborted is answered in a moment.
    for (let turn = 0; turn < 5 && this.replies.size > 0; turn++) await pause(1);
    for (const reply of [...this.replies]) reply.end();
    for (const stream of [...this.streams]) stream.end();
    for (const release of this.#release.splice(0)) release();
    this.#rest();
    if (this.#ownStore) await this.store.close();
  }

  /** A call without a session takes time; the function given back says that it has ended. */
  track(session: Session, principal: Principal, id?: RequestId): () => void {
    this.#alone.add(session);
    // Without authorization nobody knows whose call that would be.
    const key = this.settings.auth === undefined || id === undefined ? undefined : strayKey(principal, id);
    if (key !== undefined) this.#strays.set(key, (this.#strays.get(key) ?? new Set()).add(session));
    return () => {
      this.#alone.delete(session);
      const same = key === undefined ? undefined : this.#strays.get(key);
      if (same?.delete(session) === true && same.size === 0) this.#strays.delete(key as string);
    };
  }

  /** What a client without a session has to say: nothing but that it gives up a call, which may run at another endpoint. */
  hearStray(principal: Principal, { method, params }: ParsedNotification): void {
    const id = params?.['requestId'];
    if (method !== 'notifications/cancelled' || !isRequestId(id) || this.settings.auth === undefined) return;
    const reason = params?.['reason'];
    const stray: Stray = { key: strayKey(principal, id), id, ...(typeof reason === 'string' && { reason }) };
    if (this.#strays.has(stray.key)) this.#cancelStray(stray);
    else this.store.bus.publish(strayChannel, stray);
  }

  /** Only when there is no doubt which call is meant. */
  #cancelStray({ key, id, reason }: Stray): void {
    const same = this.#strays.get(key);
    if (same?.size === 1) for (const session of same) session.cancel(id, reason);
  }
}

function strayKey(principal: Principal, id: RequestId): string {
  return `${principal.id}\n${typeof id}\n${id}`;
}
