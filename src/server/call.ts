// One request while it is served: what handlers see as their context.
import { VivariumError } from '../jsonrpc/error.ts';
import type { Params, RequestId } from '../jsonrpc/message.ts';
import { Pending } from '../jsonrpc/pending.ts';
import { logLevels } from '../protocol/methods.ts';
import { type Era, metaKeys, type Revision, type RevisionTraits } from '../protocol/revision.ts';
import type { ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, LoggingLevel, Root } from '../protocol/types.ts';
import type { OutputOf } from '../schema/infer.ts';
import type { Schema } from '../schema/schema.ts';
import { elicit, elicitUrl, Flow, once, roots, sample } from './asking.ts';
import type { ClientFeature, ClientIdentity, Elicitation, Elicited, Log, Outlet, Principal, ResourceContext } from './context.ts';
import type { Core } from './core.ts';
import type { Session } from './session.ts';

const nothing: Readonly<Record<string, never>> = Object.freeze({});

export class Call implements ResourceContext {
  readonly requestId: RequestId;
  readonly method: string;
  readonly traits: RevisionTraits;
  readonly client: ClientIdentity;
  readonly session: Session;
  readonly principal: Principal | undefined;
  readonly #meta: Params | undefined;
  #outlet: Outlet | undefined;
  #controller: AbortController | undefined;
  #reason: VivariumError | undefined;
  #reached = Number.NEGATIVE_INFINITY;
  #flow: Flow | undefined;
  #log: Log | undefined;
  #last: object[] | undefined;
  #beats: Set<ReturnType<typeof setInterval>> | undefined;
  /** Set while the call runs asynchronously: ends it at once when it is cancelled. */
  release: (() => void) | undefined;
  /** The URI, when a resource is read. */
  uri = '';
  /** The name or URI the request is about, for those who are told of failures. */
  about: string | undefined;

  constructor(
    session: Session,
    id: RequestId,
    method: string,
    traits: RevisionTraits,
    client: ClientIdentity,
    meta: Params | undefined,
    outlet: Outlet,
  ) {
    this.session = session;
    this.principal = outlet.principal ?? session.principal;
    this.requestId = id;
    this.method = method;
    this.traits = traits;
    this.client = client;
    this.#meta = meta;
    this.#outlet = outlet;
  }

  get core(): Core {
    return this.session.core;
  }

  get revision(): Revision {
    return this.traits.revision;
  }

  get era(): Era {
    return this.traits.era;
  }

  get sessionId(): string | undefined {
    return this.traits.era === 'legacy' ? this.session.sessionId : undefined;
  }

  header(name: string): string | undefined {
    return /^(?:proxy-)?authorization$|^cookie$/i.test(name) ? undefined : this.#outlet?.header?.(name.toLowerCase());
  }

  detach(retryMs = 1_000): boolean {
    return this.#outlet?.detach?.(retryMs) ?? false;
  }

  get meta(): Readonly<Record<string, unknown>> {
    return this.#meta ?? nothing;
  }

  get cancelled(): boolean {
    return this.#reason !== undefined;
  }

  /** Made only when someone asks: most calls never do. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  can(feature: ClientFeature): boolean {
    // Declared too early, these mean nothing: the revision has no way to ask.
    if (feature.includes('.') && !this.traits.richElicitation) return false;
    if (feature === 'elicitation' && !this.traits.forms) return false;
    return canDo(this.client.capabilities, feature);
  }

  /** The client's settings for an extension; undefined when it did not declare it. */
  declares(extension: string): object | undefined {
    return declared(declared(this.client.capabilities, 'extensions') ?? {}, extension);
  }

  /** A fresh result, made complete for the revision. */
  finished<T extends object>(result: T): T {
    return this.traits.era === 'modern' ? this.core.stamp(result) : result;
  }

  get log(): Log {
    this.#log ??= Object.assign((level: LoggingLevel, data: unknown, logger?: string) => this.#write(level, data, logger), {
      debug: (data: unknown, logger?: string) => this.#write('debug', data, logger),
      info: (data: unknown, logger?: string) => this.#write('info', data, logger),
      warning: (data: unknown, logger?: string) => this.#write('warning', data, logger),
      error: (data: unknown, logger?: string) => this.#write('error', data, logger),
    });
    return this.#log;
  }

  /** A modern request is silent unless it carried a level; a connection of before has one, which the client may set. */
  #write(level: LoggingLevel, data: unknown, logger: string | undefined): void {
    const wanted = this.era === 'modern' ? this.#meta?.[metaKeys.logLevel] : this.session.logLevel;
    if (wanted === undefined || !this.core.announces || !(logLevels.indexOf(level) >= logLevels.indexOf(wanted as LoggingLevel))) return;
    if (typeof data === 'function' || typeof data === 'symbol') {
      this.core.report(new VivariumError('ERR_NOT_JSON', `A ${typeof data} cannot be logged: log JSON`), this.method, this.about);
      return;
    }
    this.send({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level, ...(logger !== undefined && { logger }), data: data === undefined ? null : data },
    });
  }

  progress(done: number, total?: number, message?: string): void {
    const progressToken = this.#meta?.['progressToken'];
    if (progressToken === undefined || !Number.isFinite(done) || done <= this.#reached) return;
    this.#reached = done;
    this.send({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: {
        progressToken,
        progress: done,
        ...(total !== undefined && Number.isFinite(total) && { total }),
        ...(message !== undefined && this.traits.progressMessages && { message }),
      },
    });
  }

  /** A millionth at a time: it grows, and hardly ever overtakes what the handler reports itself. */
  heartbeat(everyMs = 5_000, message?: string): Disposable {
    if (this.#outlet === undefined) return { [Symbol.dispose]: () => undefined };
    const timer = setInterval(() => this.progress(justAbove(Math.max(this.#reached, 0)), undefined, message), everyMs);
    this.#beats ??= new Set();
    this.#beats.add(timer);
    return {
      [Symbol.dispose]: () => {
        clearInterval(timer);
        this.#beats?.delete(timer);
      },
    };
  }

  get flow(): Flow {
    this.#flow ??= new Flow();
    return this.#flow;
  }

  /** What was asked so far, if anything was. */
  get asked(): Flow | undefined {
    return this.#flow;
  }

  /** A later round of a call that was suspended. */
  resume(flow: Flow): void {
    this.#flow = flow;
  }

  elicit<const S extends object>(key: string, { message, schema }: Elicitation<S>): Promise<Elicited<OutputOf<S>>> {
    let form: Schema;
    try {
      form = this.core.formSchema(schema, key);
    } catch (error) {
      return Promise.reject(error);
    }
    return elicit(this, key, message, form) as Promise<Elicited<OutputOf<S>>>;
  }

  elicitUrl(
    key: string,
    { message, url }: { readonly message: string; readonly url: string },
  ): Promise<{ readonly action: Elicited<never>['action'] }> {
    return elicitUrl(this, key, message, url);
  }

  sample(key: string, params: CreateMessageRequestParams): Promise<CreateMessageResult> {
    return sample(this, key, params);
  }

  roots(): Promise<readonly Root[]> {
    return roots(this);
  }

  once<T>(key: string, step: () => T | Promise<T>): Promise<T> {
    return once(this, key, step);
  }

  /** A request to the client, on the stream of this call. */
  ask(method: string, params: object | undefined): Promise<unknown> {
    const outlet = this.#outlet;
    if (outlet === undefined) return Promise.reject(this.#reason ?? new VivariumError('ERR_CLOSED', 'The call has been answered'));
    const { signal } = this;
    this.session.pending ??= new Pending(this.session.askPrefix);
    const hold = (bytes: number): void => this.hold(bytes);
    return this.session.pending.ask((message) => outlet.send(message), method, params, { timeoutMs: this.core.asking.ttlMs, signal, hold });
  }

  /** Dropped once the answer has left. What cannot be written as JSON is dropped too, and its author told. */
  send(message: object): void {
    if (this.#outlet === undefined) return;
    try {
      this.#outlet.send(message);
    } catch (error) {
      this.core.report(error, this.method);
    }
  }

  /** The handler takes time: the porch counts it until it has ended, not only until the call is answered or cancelled. */
  begin(): Outlet | undefined {
    this.#outlet?.began?.();
    return this.#outlet;
  }

  /** Something from outside is kept with this call: the porch counts that too. */
  hold(bytes: number): void {
    this.#outlet?.hold?.(bytes);
  }

  /** To be sent when the handler has ended. */
  atEnd(message: object): void {
    this.#last ??= [];
    this.#last.push(message);
  }

  /** Ends the call without an answer; nothing more is sent for it. */
  cancel(reason: VivariumError): void {
    if (this.#reason !== undefined || this.#outlet === undefined) return;
    this.#reason = reason;
    this.#last = undefined;
    this.#controller?.abort(reason);
    this.finish();
    this.release?.();
  }

  /** The answer leaves now: what the handler still tries to send is dropped. */
  finish(): void {
    if (this.#last !== undefined) for (const message of this.#last) this.send(message);
    if (this.#beats !== undefined) for (const timer of this.#beats) clearInterval(timer);
    this.#outlet = undefined;
  }
}

/** The least that is still more: far out, a millionth is lost to rounding. */
function justAbove(reached: number): number {
  return Math.max(reached + 1e-6, reached * (1 + 2 * Number.EPSILON));
}

/** An empty `elicitation` means forms: that is how 2025-06-18 declared them, and later revisions kept the reading. */
function canDo(capabilities: ClientCapabilities, feature: ClientFeature): boolean {
  const [name = feature, part] = feature.split('.');
  const capability = declared(capabilities, name);
  if (capability === undefined) return false;
  if (part !== undefined) return declared(capability, part) !== undefined;
  return feature !== 'elicitation' || declared(capability, 'form') !== undefined || declared(capability, 'url') === undefined;
}

/** A capability is declared by an object; anything else a client may send there declares nothing. */
function declared(of: object, name: string): object | undefined {
  const value = Object.hasOwn(of, name) ? (of as Record<string, unknown>)[name] : undefined;
  return typeof value === 'object' && value !== null ? value : undefined;
}
