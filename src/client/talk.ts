// The conversation behind a client: sends what it asks in the words of the era, answers what it is asked, and begins anew when it must.
import { cut, errorCodes, RpcError, VivariumError } from '../jsonrpc/error.ts';
import type { Params, RequestId } from '../jsonrpc/message.ts';
import type { ChannelEnd, Connector } from '../protocol/channel.ts';
import { metaKeys } from '../protocol/revision.ts';
import type { InputRequiredResult, LoggingLevel, SubscriptionFilter, Tool } from '../protocol/types.ts';
import { type Connection, establish } from './connection.ts';
import { Events } from './events.ts';
import { type About, endCause, fail, isGone, Lost } from './failure.ts';
import { Answering, capabilitiesOf } from './incoming.ts';
import { KeptResults } from './kept-results.ts';
import type { How, LinkHost } from './link.ts';
import { ends, exists, refused, type Terms } from './negotiate.ts';
import type { ClientEvents, ClientOptions, Introduction, RequestOptions, Warning } from './options.ts';
import { pagesOf } from './pages.ts';
import { createHow, withMeta } from './request-terms.ts';
import { nextRound } from './rounds.ts';
import { Subscriptions } from './subscriptions.ts';
import { KnownTools } from './tools.ts';

type Replay = 'safe' | 'unsafe';

const lists = {
  'notifications/tools/list_changed': 'tools',
  'notifications/resources/list_changed': 'resources',
  'notifications/prompts/list_changed': 'prompts',
} as const;
const restartMs = 100;

export class Talk implements LinkHost {
  readonly options: ClientOptions;
  readonly limits: { readonly pages: number; readonly rounds: number };
  readonly tools: KnownTools;
  readonly subscriptions: Subscriptions;
  readonly #terms: Terms;
  readonly #how: ReturnType<typeof createHow>;
  readonly #kept: KeptResults;
  readonly #events: Events = new Events();
  readonly #answering: Answering;
  readonly #acknowledged: Map<RequestId, () => void> = new Map();
  #connector: Connector;
  #connection!: Connection;
  #recovering: Promise<void> | undefined;
  #restarts = 0;
  /** What became of the calls that were lost with the last connection. */
  #affected = { replayed: 0, unknown: 0 };
  #level: LoggingLevel | undefined;
  #closed = false;
  readonly #ending: AbortController = new AbortController();

  private constructor(connector: Connector, options: ClientOptions) {
    this.#connector = connector;
    this.options = options;
    this.limits = { pages: options.limits?.pages ?? 1_000, rounds: options.limits?.rounds ?? 10 };
    this.#answering = new Answering(options);
    this.#how = createHow(options.timeouts);
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
      warn: (warning) => this.warn(warning),
    });
  }

  static async begin(connector: Connector, options: ClientOptions): Promise<Talk> {
    const talk = new Talk(connector, options);
    talk.#connection = await establish(connector, talk.#terms, talk);
    talk.#connector = talk.#connection.connector;
    return talk;
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
    return { phase: 'request', target: this.#connector.target, since: Date.now(), channel: link.channel };
  }

  /** Rejects with RpcError as the server sent it, or with VivariumError. */
  async ask(
    method: string,
    params: object,
    options: RequestOptions,
    replay: Replay,
    headers?: Readonly<Record<string, string>>,
  ): Promise<object> {
    this.#checkMethod(method);
    const kept = this.#kept.get(method, params);
    if (kept !== undefined) return kept;
    const since = this.#kept.generation;
    const result = await this.#rounds(method, params, options, replay, headers);
    this.#kept.put(method, params, result, since);
    return result;
  }

  #checkMethod(method: string): void {
    if (this.#closed) throw new VivariumError('ERR_CLOSED', 'The client is closed');
    if (!exists(method, this.introduction)) {
      throw new VivariumError('ERR_UNSUPPORTED_BY_REVISION', `${method} does not exist in ${this.introduction.revision}`);
    }
  }

  /** Until there is a final result: a server of 2026-07-28 may ask in between. */
  async #rounds(
    method: string,
    params: object,
    options: RequestOptions,
    replay: Replay,
    headers: Readonly<Record<string, string>> | undefined,
  ): Promise<object> {
    let current = params;
    for (let round = 0; ; round++) {
      const result = (await this.#once(method, current, options, replay, headers)) as { resultType?: unknown };
      if (this.introduction.era === 'legacy') return result;
      const { resultType = 'complete' } = result;
      if (resultType === 'complete') return result;
      if (resultType !== 'input_required') return this.#extended(method, current, String(resultType), result, options);
      if (round >= this.limits.rounds)
        throw new VivariumError('ERR_ROUNDS', `${method} asked more than ${this.limits.rounds} times: raise limits.rounds`);
      current = await nextRound(
        params,
        result as unknown as InputRequiredResult,
        this.options,
        this.introduction.revision,
        options.signal,
        this.#ending.signal,
      );
    }
  }

  async #extended(method: string, params: object, type: string, result: object, { signal }: RequestOptions): Promise<object> {
    const handler = this.options.extensions?.map(({ results }) => results?.[type]).find((one) => one !== undefined);
    if (handler === undefined) throw new VivariumError('ERR_PROTOCOL', `${method} gave a result of the unknown type "${cut(type)}"`);
    return handler(result, { method, params, signal, request: (other, more = {}) => this.ask(other, more, {}, 'unsafe') });
  }

  async #once(
    method: string,
    params: object,
    options: RequestOptions,
    replay: Replay,
    headers: Readonly<Record<string, string>> | undefined,
  ): Promise<object> {
    for (let attempt = 0; ; attempt++) {
      if (this.#recovering !== undefined) await this.#recovering;
      const connection = this.#connection;
      try {
        return await connection.link.request(
          method,
          this.#withMeta(params, options, connection),
          this.#how(options, headers, connection.introduction),
        );
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        await this.#lost(connection, error, method, replay, attempt);
      }
    }
  }

  /** Comes back when the request may be sent again. */
  async #lost(connection: Connection, error: Lost, method: string, replay: Replay, attempt: number): Promise<void> {
    const { why, unsent } = error;
    if (this.#closed) throw new VivariumError('ERR_CLOSED', 'The client is closed');
    if ('kind' in why && !isGone(why)) throw why.error !== undefined ? RpcError.from(why.error) : refused(why, this.#about(connection));
    // A session that is not known was refused before anything was done.
    const again = unsent || replay === 'safe' || ('kind' in why && why.kind === 'status');
    const recovered = attempt === 0 && (this.options.recover ?? true) ? await this.#recover(connection, error) : false;
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
          hint: recovered ? 'the connection is back; look before calling again' : 'the connection is lost',
        },
      );
    }
    if ('kind' in why) throw refused(why, this.#about(connection));
    throw fail('ERR_CLOSED', endCause(why, connection.link.channel.trace?.().stderr), this.#about(connection), { ...ends(why), error });
  }

  /** One at a time, whoever noticed it first. */
  async #recover(lost: Connection, cause: Lost): Promise<boolean> {
    if (this.#connection !== lost) return true;
    const { kind = 'pipe' } = lost.link.channel;
    const child = kind === 'pipe';
    const { restart = false } = this.options;
    if (child && (restart === false || this.#restarts >= restart.max)) return false;
    this.#recovering ??= this.#again(lost, child, cause).finally(() => {
      this.#recovering = undefined;
    });
    try {
      await this.#recovering;
      return true;
    } catch (error) {
      this.warn({
        code: 'recovery',
        message: `The connection could not be restored: ${error instanceof Error ? error.message : String(error)}`,
      });
      return false;
    }
  }

  async #again(lost: Connection, child: boolean, cause: Lost): Promise<void> {
    if (child) await new Promise((resolve) => setTimeout(resolve, restartMs * 2 ** this.#restarts++));
    await lost.link.channel.close().catch(() => undefined);
    const { era, revision } = lost.introduction;
    const prior = { era, revision, at: Date.now() };
    const connection = await establish(this.#connector, { ...this.#terms, prior }, this);
    // Closed meanwhile: nobody else would end what was just begun.
    if (this.#closed) {
      await connection.link.close();
      throw new VivariumError('ERR_CLOSED', 'The client is closed');
    }
    this.#connection = connection;
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
      this.warn({
        code: 'recovery',
        message: `Not everything could be set up again: ${error instanceof Error ? error.message : String(error)}`,
      });
    }
    const { replayed, unknown } = this.#affected;
    this.#affected = { replayed: 0, unknown: 0 };
    this.#events.emit('reconnected', { cause, replayed, unknown });
    for (const of of ['tools', 'resources', 'prompts'] as const)
      if (this.introduction.capabilities[of] !== undefined) this.#events.emit('listChanged', { of });
  }

  #withMeta(params: object, options: RequestOptions, { introduction }: Connection): object {
    return withMeta(params, options, introduction, this.#terms, options.logLevel ?? this.#level);
  }

  /** Over HTTP of 2026-07-28 the schema must be known before a call: some arguments travel in headers. */
  async callTool(name: string, args: Readonly<Record<string, unknown>>, options: RequestOptions): Promise<object> {
    const params = { name, arguments: args };
    const inHeaders = this.#inHeaders;
    if (inHeaders && !this.tools.complete && this.tools.get(name) === undefined) await this.#learnTools(options);
    const { annotations } = this.tools.get(name) ?? {};
    const replay: Replay = annotations?.readOnlyHint === true || annotations?.idempotentHint === true ? 'safe' : 'unsafe';
    const call = (): Promise<object> =>
      this.ask('tools/call', params, options, replay, inHeaders ? this.tools.headersFor(name, args) : undefined);
    try {
      return await call();
    } catch (error) {
      // The schema has changed since it was read.
      if (!inHeaders || !(error instanceof RpcError) || error.code !== errorCodes.headerMismatch) throw error;
      this.#kept.drop('tools/list');
      await this.#learnTools(options);
      return call();
    }
  }

  get #inHeaders(): boolean {
    return this.introduction.era === 'modern' && this.#connection.link.channel.kind === 'http';
  }

  async #learnTools({ signal }: RequestOptions): Promise<void> {
    for await (const _page of pagesOf(this, 'tools/list', signal === undefined ? {} : { signal }));
  }

  learn(tools: readonly Tool[], first: boolean): readonly Tool[] {
    if (first) this.tools.forget();
    return this.tools.learn(tools, this.#inHeaders);
  }

  async #listen(filter: SubscriptionFilter, signal: AbortSignal, acknowledged: () => void): Promise<void> {
    const connection = this.#connection;
    let own: RequestId | undefined;
    const how: How = {
      ...this.#how({ signal }, undefined, connection.introduction),
      open: true,
      onId: (id) => {
        own = id;
        this.#acknowledged.set(id, acknowledged);
      },
    };
    try {
      await connection.link.request('subscriptions/listen', this.#withMeta({ notifications: filter }, {}, connection), how);
    } finally {
      if (own !== undefined) this.#acknowledged.delete(own);
    }
  }

  async setLogLevel(level: LoggingLevel): Promise<void> {
    this.#checkMethod('');
    this.#level = level;
    if (this.introduction.era === 'legacy') await this.ask('logging/setLevel', { level }, {}, 'safe');
  }

  notify(method: string, params: object | undefined): void {
    this.#connection.link.notify(method, params, this.introduction);
  }

  asked(id: RequestId, method: string, params: Params | undefined): void {
    const { link, introduction } = this.#connection ?? {};
    if (link === undefined || introduction === undefined) return;
    const { era, revision } = introduction;
    // Nothing may come, and nothing may be answered.
    if (era === 'modern') {
      return this.warn({ code: 'bad-message', message: `The server sent a request (${cut(method)}), which ${revision} does not have` });
    }
    this.#answering.answer(id, method, params, revision, (outcome) => link.answer(id, outcome, { era, revision }));
  }

  told(method: string, params: Params | undefined): void {
    const of = Object.hasOwn(lists, method) ? lists[method as keyof typeof lists] : undefined;
    if (of !== undefined) {
      this.#kept.drop(`${of}/list`);
      if (of === 'resources') this.#kept.drop('resources/templates/list');
      if (of === 'tools') this.tools.complete = false;
      this.#events.changed(of);
    } else if (method === 'notifications/resources/updated' && typeof params?.['uri'] === 'string') {
      this.#kept.drop('resources/read', params['uri']);
      this.#events.emit('resourceUpdated', { uri: params['uri'] });
      this.subscriptions.updated(params['uri']);
    } else if (method === 'notifications/message') this.#events.emit('log', params as never);
    else if (method === 'notifications/cancelled') this.#answering.cancel(params?.['requestId'] as RequestId);
    else if (method === 'notifications/subscriptions/acknowledged') {
      const id = (params?.['_meta'] as Params | undefined)?.[metaKeys.subscriptionId] as RequestId;
      this.#acknowledged.get(id)?.();
    }
    this.#events.emit('notification', { method, ...(params !== undefined && { params }) });
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
    void this.#recover(connection, new Lost(true, end)).then((recovered) => recovered || told());
  }

  on<N extends keyof ClientEvents>(name: N, listener: (event: ClientEvents[N]) => void): Disposable {
    if (name === 'listChanged') this.#watchLists();
    return this.#events.on(name, listener);
  }

  #watchLists(): void {
    const wanted = (['tools', 'resources', 'prompts'] as const).filter((of) => this.introduction.capabilities[of]?.listChanged === true);
    this.subscriptions
      .watch(...wanted)
      .catch((error: unknown) => this.warn({ code: 'subscription', message: `The server does not tell of changes: ${String(error)}` }));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.subscriptions.close();
    this.#events.close();
    this.#answering.close();
    this.#ending.abort();
    await Promise.all([this.#connection.link.close(), this.#recovering?.catch(() => undefined)]);
    this.#events.emit('closed', { wanted: true });
  }
}
