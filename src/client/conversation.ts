// The conversation behind a client: sends what it asks in the words of the era, answers what it is asked, and begins anew when it must.
import { cut, errorCodes, RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { Params, RequestId } from '../jsonrpc/message.ts';
import type { ChannelEnd, Connector } from '../protocol/channel.ts';
import { metaKeys } from '../protocol/revision.ts';
import type { InputRequiredResult, LoggingLevel, SubscriptionFilter, Tool } from '../protocol/types.ts';
import { maxTimerMs, pause, withBoth } from '../text/timeouts.ts';
import { type Connection, establish } from './connection.ts';
import { Events } from './events.ts';
import { type About, endCause, fail, isGone, Lost } from './failure.ts';
import { Answering, capabilitiesOf } from './incoming.ts';
import type { LinkHost, RequestTerms } from './link.ts';
import { type ConnectTerms, checkMethod, ends, refused } from './negotiate.ts';
import type { ClientEvents, ClientOptions, Introduction, RequestOptions, Warning } from './options.ts';
import { pagesOf } from './pages.ts';
import { createTerms, withMeta } from './request-terms.ts';
import { KeptResults } from './result-cache.ts';
import { nextRound, resultHandler } from './rounds.ts';
import { Subscriptions } from './subscriptions.ts';
import { withinTerms } from './timeouts.ts';
import { KnownTools } from './tools.ts';

type Replay = 'safe' | 'unsafe';
type CallParams = { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
type List = 'tools' | 'resources' | 'prompts';

const lists: readonly List[] = ['tools', 'resources', 'prompts'];
const listChanges: ReadonlyMap<string, List> = new Map(lists.map((list) => [`notifications/${list}/list_changed`, list]));
const firstBackoffMs = 100;
const maxBackoffMs = 30_000;
/** A connection that lasted so long was a good one: the next loss begins with the shortest wait again. */
const stableMs = 10_000;

/** What was done already to get an answer. */
interface Tries {
  /** On the same session. */
  resent: number;
  /** On a new one. */
  recovered: number;
}

export class Conversation implements LinkHost {
  readonly options: ClientOptions;
  readonly limits: { readonly pages: number; readonly rounds: number };
  readonly tools: KnownTools;
  readonly subscriptions: Subscriptions;
  readonly #terms: ConnectTerms;
  readonly #how: ReturnType<typeof createTerms>;
  readonly #kept: KeptResults;
  readonly #events: Events = new Events();
  readonly #answering: Answering;
  readonly #acknowledged: Map<RequestId, () => void> = new Map();
  #connector: Connector;
  #connection!: Connection;
  /** While a new connection is made: one attempt for all requests that noticed the loss. */
  #recovering: Promise<void> | undefined;
  /** Connections lost one after the other; each attempt waits longer than the one before. */
  #losses = 0;
  #connectedAt: number = performance.now();
  #learning: Promise<void> | undefined;
  /** What became of the calls that were lost with the last connection. */
  #affected = { replayed: 0, unknown: 0 };
  #level: LoggingLevel | undefined;
  #closed = false;
  #closing: Promise<void> | undefined;
  readonly #ending: AbortController = new AbortController();

  private constructor(connector: Connector, options: ClientOptions) {
    this.#connector = connector;
    this.options = options;
    this.limits = { pages: options.limits?.pages ?? 1_000, rounds: options.limits?.rounds ?? 10 };
    this.#answering = new Answering(options);
    this.#how = createTerms(options.timeouts);
    this.tools = new KnownTools((warning) => this.warn(warning));
    this.#kept = new KeptResults(options.cache ?? true);
    this.#terms = {
      info: options.client ?? { name: 'vivarium', version: '0' },
      capabilities: capabilitiesOf(options),
      revision: options.revision ?? 'auto',
      prior: options.prior,
      probeMs: options.timeouts?.probeMs ?? 5_000,
      connectMs: options.timeouts?.connectMs ?? 30_000,
    };
    this.subscriptions = new Subscriptions({
      open: (filter, signal, acknowledged) => this.#listen(filter, signal, acknowledged),
      subscribe: (uri) => this.ask('resources/subscribe', { uri }, {}, 'safe'),
      unsubscribe: (uri) => this.ask('resources/unsubscribe', { uri }, {}, 'safe'),
      modern: () => this.introduction.era === 'modern',
      resumed: (lists) => {
        this.#kept.clear();
        for (const list of lists) this.#events.changed(list);
      },
      warn: (warning) => this.warn(warning),
    });
  }

  static async begin(connector: Connector, options: ClientOptions): Promise<Conversation> {
    const conversation = new Conversation(connector, options);
    conversation.#connection = await establish(connector, conversation.#terms, conversation);
    conversation.#connector = conversation.#connection.connector;
    conversation.#connection.link.ready();
    return conversation;
  }

  get introduction(): Introduction {
    return this.#connection.introduction;
  }

  get target(): string {
    return this.#connector.target;
  }

  get tap(): ClientOptions['tap'] {
    return this.options.tap;
  }

  #about({ link }: Connection): About {
    return { phase: 'request', target: this.#connector.target, since: performance.now(), channel: link.channel };
  }

  /** Rejects with RpcError as the server sent it, or with VivariumError. */
  async ask(
    method: string,
    params: object,
    options: RequestOptions,
    replay: Replay,
    headers?: Readonly<Record<string, string>>,
    deadline?: number,
  ): Promise<object> {
    this.#checkMethod(method);
    const kept = this.#kept.get(method, params);
    if (kept !== undefined) return kept;
    const since = this.#kept.generation;
    let current = params;
    const tries = { resent: 0, recovered: 0 };
    let until = deadline;
    // Until there is a final result: a connection may be lost, and a server of 2026-07-28 may ask in between.
    for (let round = 0; ; ) {
      if (this.#recovering !== undefined) await withinTerms(this.#recovering, method, this.#how(options, headers, this.introduction));
      const connection = this.#connection;
      const { introduction } = connection;
      const sent = this.#withMeta(current, options, connection);
      const shared = this.#how(options, headers, introduction);
      until ??= performance.now() + shared.timeouts.totalMs;
      // What a call may take in all holds for all of its rounds.
      const how = deadline === undefined && round === 0 && tries.resent + tries.recovered === 0 ? shared : { ...shared, until };
      let result: { resultType?: unknown };
      try {
        result = await connection.link.request(method, sent, how);
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        await this.#lost(connection, error, method, how, replay, tries);
        continue;
      }
      const { resultType = 'complete' } = result;
      if (introduction.era === 'legacy' || resultType === 'complete') {
        this.#kept.put(method, params, result, since);
        return result;
      }
      if (resultType !== 'input_required') return this.#extended(method, current, String(resultType), result, options);
      tries.resent = 0;
      tries.recovered = 0;
      current = await this.#answered(method, params, result, round++, options);
    }
  }

  #answered(method: string, params: object, result: object, round: number, { signal }: RequestOptions): Promise<object> {
    const { rounds } = this.limits;
    if (round >= rounds) throw new VivariumError('ERR_ROUNDS', `${method} asked more than ${rounds} times: raise limits.rounds`);
    return nextRound(params, result as InputRequiredResult, this.options, this.introduction.revision, signal, this.#ending.signal);
  }

  #checkMethod(method: string): void {
    if (this.#closed) throw new VivariumError('ERR_CLOSED', 'The client is closed');
    checkMethod(method, this.introduction);
  }

  #extended(method: string, params: object, type: string, result: object, { signal }: RequestOptions): Promise<object> {
    const handle = resultHandler(this.options.extensions, method, type);
    return handle(result, { method, params, signal, request: (other, more = {}) => this.ask(other, more, {}, 'unsafe') });
  }

  /** Comes back when the request may be sent again. */
  async #lost(connection: Connection, error: Lost, method: string, how: RequestTerms, replay: Replay, tries: Tries): Promise<void> {
    const { why, unsent } = error;
    if (this.#closed) throw new VivariumError('ERR_CLOSED', 'The client is closed');
    // Over HTTP a connection carries one request: that it broke says nothing of the session, nor of the other calls.
    const alone = 'kind' in why && why.kind === 'network' && connection.link.channel.kind === 'http';
    if ('kind' in why && !alone && !isGone(why))
      throw why.error !== undefined ? RpcError.from(why.error, { method, target: this.target }) : refused(why, this.#about(connection));
    // A session that is not known was refused before anything was done.
    const again = unsent || replay === 'safe' || ('kind' in why && why.kind === 'status');
    const recover = this.options.recover ?? true;
    if (alone && again && recover && tries.resent++ === 0) return;
    const tried = !alone && recover && tries.recovered++ === 0;
    const recovered = tried ? await withinTerms(this.#recover(connection, error), method, how) : false;
    if (this.#closed) throw new VivariumError('ERR_CLOSED', 'The client is closed');
    if (recovered) this.#affected[again ? 'replayed' : 'unknown']++;
    if (recovered && again) return;
    if (!again) {
      throw fail(
        'ERR_OUTCOME_UNKNOWN',
        `The connection was lost while ${method} ran: whether it was carried out is not known`,
        this.#about(connection),
        {
          ...('kind' in why ? {} : ends(why)),
          error,
          hint: recovered ? 'the connection is back; look before calling again' : 'look before calling again',
        },
      );
    }
    if ('kind' in why) throw refused(why, this.#about(connection));
    throw fail('ERR_CLOSED', endCause(why, connection.link.channel.trace?.().stderr), this.#about(connection), { ...ends(why), error });
  }

  async #recover(lost: Connection, cause: Lost): Promise<boolean> {
    if (this.#connection !== lost) return true;
    const { restart = false } = this.options;
    if (isChild(lost) && (restart === false || this.#losses >= restart.max)) return false;
    this.#recovering ??= this.#reconnect(lost, cause).finally(() => {
      this.#recovering = undefined;
    });
    try {
      await this.#recovering;
      return true;
    } catch (error) {
      if (!this.#closed) this.warn({ code: 'recovery', message: `The connection could not be restored: ${reasonOf(error)}` });
      return false;
    }
  }

  /** For subscribers, who send no request that would notice the loss. A child that may not be restarted is gone for good. */
  async #recoverUntilClosed(lost: Connection, cause: Lost): Promise<boolean> {
    while (!this.#closed) {
      if (await this.#recover(lost, cause)) return true;
      if (isChild(lost)) return false;
    }
    return false;
  }

  async #reconnect(lost: Connection, cause: Lost): Promise<void> {
    const child = isChild(lost);
    const lasted = performance.now() - this.#connectedAt >= stableMs;
    this.#losses = lasted && !child ? 0 : this.#losses + 1;
    // A child always gets a moment; any other connection only if it was lost before.
    const waits = child ? this.#losses : this.#losses - 1;
    if (waits > 0) await pause(Math.min(maxBackoffMs, firstBackoffMs * 2 ** (waits - 1)), this.#ending.signal);
    try {
      await this.#replaceConnection(lost, cause);
    } finally {
      this.#connectedAt = performance.now();
    }
  }

  async #replaceConnection(lost: Connection, cause: Lost): Promise<void> {
    this.#answering.close();
    await lost.link.channel.close().catch(() => undefined);
    const { era, revision, at = Date.now() } = lost.introduction;
    const prior = { era, revision, at };
    const connection = await establish(this.#connector, { ...this.#terms, prior }, this, this.#ending.signal);
    // Closed meanwhile: nobody else would end what was just begun.
    if (this.#closed) {
      await connection.link.close();
      throw new VivariumError('ERR_CLOSED', 'The client is closed');
    }
    if (connection.link.ended !== undefined) throw new Lost(true, connection.link.ended);
    this.#connection = connection;
    connection.link.ready();
    this.tools.forget();
    this.#kept.clear();
    // What the server has forgotten is said again, and what it offers may have changed.
    setTimeout(() => void this.#restore(cause.message));
  }

  async #restore(cause: string): Promise<void> {
    try {
      if (this.#level !== undefined && this.introduction.era === 'legacy')
        await this.ask('logging/setLevel', { level: this.#level }, {}, 'safe');
      await this.subscriptions.restore();
    } catch (error) {
      if (!this.#closed) this.warn({ code: 'recovery', message: `Not everything could be set up again: ${reasonOf(error)}` });
    }
    if (this.#closed) return;
    const { replayed, unknown } = this.#affected;
    this.#affected = { replayed: 0, unknown: 0 };
    this.#events.emit('reconnected', { cause, replayed, unknown });
    for (const of of lists) if (this.introduction.capabilities[of] !== undefined) this.#events.emit('listChanged', { of });
  }

  #withMeta(params: object, options: RequestOptions, { introduction }: Connection): object {
    return withMeta(params, options, introduction, this.#terms, options.logLevel ?? this.#level);
  }

  /** Over HTTP of 2026-07-28 the schema must be known before a call: some arguments travel in headers. */
  callTool(name: string, args: Readonly<Record<string, unknown>>, options: RequestOptions): Promise<object> {
    const params = { name, arguments: args };
    return this.#inHeaders ? this.#callWithHeaders(params, options) : this.ask('tools/call', params, options, this.#replayOf(name));
  }

  async #callWithHeaders(params: CallParams, options: RequestOptions): Promise<object> {
    const { name, arguments: args } = params;
    let until: number | undefined;
    if (!this.tools.complete && this.tools.get(name) === undefined) {
      until = performance.now() + this.#how(options, undefined, this.introduction).timeouts.totalMs;
      await this.#learnTools(options);
    }
    const call = (): Promise<object> =>
      this.ask('tools/call', params, options, this.#replayOf(name), this.tools.headersFor(name, args), until);
    try {
      return await call();
    } catch (error) {
      // The schema has changed since it was read.
      if (!(error instanceof RpcError) || error.code !== errorCodes.headerMismatch) throw error;
      this.#kept.drop('tools/list');
      await this.#learnTools(options);
      return call();
    }
  }

  /** Throws for a tool that cannot be called. */
  #replayOf(name: string): Replay {
    const { annotations, execution } = this.tools.get(name) ?? {};
    if (execution?.taskSupport === 'required')
      throw new VivariumError('ERR_PROTOCOL', `The tool "${cut(name)}" runs as a task only, and this client asks for no tasks`);
    return annotations?.readOnlyHint === true || annotations?.idempotentHint === true ? 'safe' : 'unsafe';
  }

  get #inHeaders(): boolean {
    return this.introduction.era === 'modern' && this.#connection.link.channel.kind === 'http';
  }

  /** Many may wait for it, so the first of them does not decide when it is given up. */
  async #learnTools(options: RequestOptions): Promise<void> {
    this.#learning ??= this.#allTools().finally(() => {
      this.#learning = undefined;
    });
    await withinTerms(this.#learning, 'tools/list', this.#how(options, undefined, this.introduction));
  }

  async #allTools(): Promise<void> {
    for await (const _page of pagesOf(this, 'tools/list', {}));
  }

  learn(tools: readonly Tool[], first: boolean): readonly Tool[] {
    if (first) this.tools.forget();
    return this.tools.learn(tools, this.#inHeaders);
  }

  /** One request of 2026-07-28 that stays open. `idleMs` limits the time until the server acknowledges it, not the time it is open. */
  async #listen(filter: SubscriptionFilter, signal: AbortSignal, acknowledged: () => void): Promise<void> {
    const connection = this.#connection;
    const usual = this.#how({}, undefined, connection.introduction);
    const { idleMs } = usual.timeouts;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), Math.min(idleMs, maxTimerMs));
    let own: RequestId | undefined;
    const onId = (id: RequestId): void => {
      own = id;
      this.#acknowledged.set(id, () => {
        clearTimeout(timer);
        acknowledged();
      });
    };
    try {
      const params = this.#withMeta({ notifications: filter }, {}, connection);
      const listen = (either: AbortSignal) =>
        connection.link.request('subscriptions/listen', params, { ...usual, signal: either, open: true, onId });
      await withBoth(signal, late.signal, listen);
    } catch (error) {
      if (!late.signal.aborted) throw error;
      throw new VivariumError('ERR_TIMEOUT', `The server did not acknowledge subscriptions/listen within ${idleMs} ms (idleMs)`);
    } finally {
      clearTimeout(timer);
      if (own !== undefined) this.#acknowledged.delete(own);
    }
  }

  async setLogLevel(level: LoggingLevel): Promise<void> {
    this.#checkMethod('');
    this.#level = level;
    if (this.introduction.era === 'legacy') await this.ask('logging/setLevel', { level }, {}, 'safe');
  }

  notify(method: string, params: object | undefined): void {
    this.#checkMethod(method);
    this.#connection.link.notify(method, params, this.introduction);
  }

  asked(id: RequestId, method: string, params: Params | undefined): void {
    const { link, introduction } = this.#connection;
    const { era, revision } = introduction;
    // Nothing may come, and nothing may be answered.
    if (era === 'modern') {
      return this.warn({ code: 'bad-message', message: `The server sent a request (${cut(method)}), which ${revision} does not have` });
    }
    this.#answering.answer(id, method, params, revision, (outcome) => link.answer(id, outcome, { era, revision }));
  }

  told(method: string, params: Params | undefined): void {
    const list = listChanges.get(method);
    if (list !== undefined) this.#listChanged(list);
    else if (method === 'notifications/resources/updated') this.#resourceUpdated(params?.['uri']);
    else if (method === 'notifications/message') this.#logged(params);
    else if (method === 'notifications/cancelled') this.#answering.cancel(params?.['requestId'] as RequestId);
    else if (method === 'notifications/subscriptions/acknowledged') {
      const id = (params?.['_meta'] as Params | undefined)?.[metaKeys.subscriptionId] as RequestId;
      this.#acknowledged.get(id)?.();
    }
    this.#events.emit('notification', { method, ...(params !== undefined && { params }) });
  }

  #listChanged(list: List): void {
    this.#kept.drop(`${list}/list`);
    if (list === 'resources') this.#kept.drop('resources/templates/list');
    if (list === 'tools') this.tools.complete = false;
    this.#events.changed(list);
  }

  #resourceUpdated(uri: unknown): void {
    if (typeof uri !== 'string') return;
    this.#kept.drop('resources/read', uri);
    this.#events.emit('resourceUpdated', { uri });
    this.subscriptions.updated(uri);
  }

  /** The type of the event promises a level. */
  #logged(params: Params | undefined): void {
    if (typeof params?.['level'] === 'string') this.#events.emit('log', params as never);
    else this.#events.emit('warning', { code: 'bad-message', message: 'The server sent a log message without a level' });
  }

  warn(warning: Warning): void {
    this.#events.emit('warning', warning);
  }

  ended(end: ChannelEnd): void {
    // Before there is a connection, and while a new one is made, whoever makes it hears of it by other ways.
    const connection = this.#connection;
    if (connection === undefined || this.#recovering !== undefined || this.#closed || connection.link.ended !== end) return;
    const told = (): void =>
      this.#events.emit('closed', { wanted: end.wanted, ...(end.message !== undefined && { message: end.message }) });
    // Whoever only listens makes no request that would notice it.
    const listens = !end.wanted && this.subscriptions.active && (this.options.recover ?? true);
    if (!listens) return told();
    void this.#recoverUntilClosed(connection, new Lost(true, end)).then((recovered) => recovered || this.#closed || told());
  }

  on<N extends keyof ClientEvents>(name: N, listener: (event: ClientEvents[N]) => void): Disposable {
    if (name === 'listChanged') this.#watchLists();
    return this.#events.on(name, listener);
  }

  #watchLists(): void {
    const wanted = lists.filter((of) => this.introduction.capabilities[of]?.listChanged === true);
    this.subscriptions
      .watch(...wanted)
      .catch((error: unknown) => this.warn({ code: 'subscription', message: `The server does not tell of changes: ${String(error)}` }));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = true;
    this.subscriptions.close();
    this.#events.close();
    this.#answering.close();
    this.#ending.abort();
    await Promise.all([this.#connection.link.close(), this.#recovering?.catch(() => undefined)]);
    this.#events.emit('closed', { wanted: true });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isChild({ link }: Connection): boolean {
  return link.channel.kind === 'pipe';
}
