// One answer on its way: a single body, or an event stream from the moment something must be said before it.
import { encodeEvent, encodePriming, encodeRetry } from '../jsonrpc/event-stream.ts';
import type { Principal } from '../protocol/authorization.ts';
import type { RevisionTraits } from '../protocol/revision.ts';
import type { Outlet } from '../server/context.ts';
import type { EndpointHost } from './endpoint-host.ts';
import type { Exchange, Fields } from './exchange.ts';
import type { HttpCall } from './http-call.ts';
import { type Account, Load } from './limits/limits.ts';
import { OpenStream, streamFields } from './open-stream.ts';
import { jsonFields } from './status.ts';

/** Where the stream of an answer is kept, so that it can be resumed. */
export interface KeptStream {
  readonly session: string;
  readonly traits: RevisionTraits;
}

const none: Fields = [];

export class HttpReply implements Outlet {
  readonly principal: Principal;
  readonly #endpoint: EndpointHost;
  readonly #exchange: Exchange;
  readonly #account: Account;
  readonly #calls: number;
  readonly #kept: KeptStream | undefined;
  /** Headers the answer will have, whatever becomes of it; not its type. */
  readonly #fields: Fields;
  /** There once its message takes time. */
  #load: Load | undefined;
  #since = 0;
  #stream: OpenStream | undefined;
  /** Of the stream, once it is kept. */
  #name: string | undefined;
  #number = 0;
  #leave: (() => void) | undefined;
  #begun = false;
  #gone = false;
  #done = false;
  onGone: (() => void) | undefined;

  constructor({ endpoint, exchange, principal }: HttpCall, calls: number, fields: Fields = none, kept?: KeptStream) {
    this.#endpoint = endpoint;
    this.#exchange = exchange;
    this.#account = exchange.account ?? endpoint.callers.all;
    this.#calls = calls;
    this.principal = principal;
    this.#fields = fields;
    this.#kept = kept;
  }

  header(name: string): string | undefined {
    return this.#exchange.header(name);
  }

  began(): void {
    this.#loaded().began();
  }

  ended(): void {
    this.#load?.ended();
  }

  hold(bytes: number): void {
    this.#loaded().hold(bytes);
  }

  #loaded(): Load {
    this.#load ??= new Load(this.#account, this.#calls, this.#exchange.weight);
    return this.#load;
  }

  /** The answer takes time: from now on the client may go away, and silence must be broken. */
  wait(): void {
    this.#since = performance.now();
    this.#loaded();
    this.#endpoint.replies.add(this);
    this.#endpoint.watch();
    if (!this.#begun) this.#exchange.onGone(() => this.#left());
  }

  send(message: object): void {
    if (this.#done) return;
    if (this.#stream?.blocked && (message as { method?: string }).method === 'notifications/progress') {
      this.#endpoint.counters.skipped++;
      return;
    }
    this.#emit(JSON.stringify(message));
  }

  detach(retryMs: number): boolean {
    if (this.#kept === undefined || !this.#kept.traits.primedStreams || this.#endpoint.settings.events === undefined) return false;
    if (!this.#begun && !this.#gone) this.#begin();
    if (this.#name === undefined) return false;
    this.#stream?.write(encodeRetry(retryMs));
    this.#leave?.();
    this.#stream?.end();
    this.#stream = undefined;
    return true;
  }

  /** Answers in one go where nothing was sent before. */
  finish(status: number, text: string, more: Fields = none): void {
    if (this.#done) return;
    if (this.#begun) {
      if (this.#name === undefined && this.#stream === undefined) this.#endpoint.counters.lost++;
      else this.#emit(text);
      this.end();
      return;
    }
    this.#stop();
    if (text !== '' && this.#endpoint.settings.tap !== undefined) this.#endpoint.show('out', text);
    if (this.#gone) this.#endpoint.counters.lost++;
    else if (this.#endpoint.settings.always && status === 200) this.#only(encodeEvent(text));
    else this.#endpoint.deliver(this.#exchange, this.#account, status, this.#typed(text, more), text);
  }

  /** Ends without an answer: a call that was cancelled has none. */
  end(): void {
    if (this.#done) return;
    this.#stop();
    if (!this.#begun && !this.#gone) this.#only('');
    if (this.#name !== undefined && this.#kept !== undefined) this.#endpoint.store.events.end(this.#kept.session, this.#name);
    this.#stream?.end();
    this.#stream = undefined;
  }

  /** Called now and then while it waits: a proxy would take silence for the end. */
  tick(now: number): void {
    if (!this.#begun && !this.#gone && now - this.#since >= this.#endpoint.settings.keepAliveMs) {
      this.#begin();
      this.#stream?.greet();
    }
  }

  #typed(text: string, more: Fields): Fields {
    if (text === '') return none;
    return this.#fields === none && more === none ? jsonFields : [...jsonFields, ...this.#fields, ...more];
  }

  #stop(): void {
    this.#done = true;
    this.#endpoint.replies.delete(this);
    this.#load?.answered();
  }

  /** A stream that is whole when it begins: one body, which need not be kept, because it is no less safe than a plain one. */
  #only(text: string): void {
    if (text !== '') this.#endpoint.counters.events++;
    const fields = this.#fields === none ? streamFields : [...streamFields, ...this.#fields];
    this.#endpoint.deliver(this.#exchange, this.#account, 200, fields, text);
  }

  #emit(text: string): void {
    if (!this.#begun) this.#begin();
    this.#endpoint.counters.events++;
    if (this.#endpoint.settings.tap !== undefined) this.#endpoint.show('out', text);
    if (this.#name === undefined || this.#kept === undefined) {
      this.#stream?.write(encodeEvent(text));
    } else this.#endpoint.store.events.append(this.#kept.session, this.#name, ++this.#number, text);
  }

  #begin(): void {
    this.#begun = true;
    const { settings, store } = this.#endpoint;
    if (!this.#gone) this.#stream = new OpenStream(this.#endpoint, this.#exchange, this.#account, this.#fields, () => this.#left());
    // Whoever has gone before it began does not know its name, and cannot come back for it.
    if (this.#kept === undefined || settings.events === undefined || this.#gone) return;
    const name = this.#endpoint.streamName('p');
    this.#name = name;
    this.#leave = store.events.begin(this.#kept.session, name, settings.events, {
      event: (number, data) => this.#stream?.write(encodeEvent(data, `${name}-${number}`)),
      end: () => undefined,
      // The client came back on another connection, so this one is dead.
      replaced: () => {
        this.#stream?.end();
        this.#stream = undefined;
      },
    });
    if (this.#kept.traits.primedStreams) this.#stream?.write(encodePriming(`${name}-0`, settings.retryMs));
  }

  #left(): void {
    if (this.#done || this.#gone) return;
    this.#gone = true;
    this.#stream = undefined;
    this.#leave?.();
    this.onGone?.();
  }
}
