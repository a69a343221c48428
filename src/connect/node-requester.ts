// Requests by undici's client, which costs less than node:http: each has a connection to itself while it lasts.
import type { Client } from 'undici';
// The package as a whole takes three times as long to load.
// @ts-expect-error It is the class of the line above, without its types.
import Untyped from 'undici/lib/dispatcher/client.js';
import { VivariumError } from '../jsonrpc/error.ts';
import { type HttpProxy, ProxyMistake, proxyFor } from '../node/proxy.ts';
import { ProxyRefusal, ProxyUnreachable } from '../node/tunnel.ts';
import type { ChannelFailure } from '../protocol/channel.ts';
import { asNetworkFailure } from './network-failure.ts';
import { Dialer, type TlsOptions } from './node-dialer.ts';
import { lookupIn } from './node-headers.ts';
import { noMessage } from './refusal.ts';
import type { Outgoing, Reception, Requester, Underway } from './requester.ts';

export interface NodeTerms {
  readonly connectMs: number;
  readonly maxSockets: number;
  readonly tls: TlsOptions;
}

const UndiciClient = Untyped as typeof Client;

/** So long an idle connection is kept where the server does not say how long it will keep it. */
const idleMs = 60_000;
/** A write of so little to an idle connection is taken as a whole or not at all. */
const atOnce = 4_096;

export function createNodeRequester(url: URL, terms: NodeTerms): Requester {
  return new NodeRequester(url, terms, knownProxy(url));
}

function knownProxy(url: URL): HttpProxy | undefined {
  try {
    return proxyFor(url);
  } catch (error) {
    throw error instanceof ProxyMistake ? new VivariumError('ERR_CONFIG', error.message) : error;
  }
}

/** It never came about: undici must not take the error for one of its own, which it answers by dialing again. */
class Undialed extends Error {
  override readonly cause: Error;

  constructor(cause: Error) {
    super(cause.message);
    this.cause = cause;
  }
}

class NodeRequester implements Requester {
  /** Set when the proxy gets requests rather than a tunnel. */
  readonly proxy: HttpProxy | undefined;
  readonly #origin: string;
  readonly #maxCalls: number;
  readonly #dialer: Dialer;
  readonly #idle: Connection[] = [];
  readonly #underway: Set<NodeRequest> = new Set();
  readonly #waiting: Set<NodeRequest> = new Set();
  #calls = 0;

  constructor(url: URL, { connectMs, maxSockets, tls }: NodeTerms, proxy: HttpProxy | undefined) {
    this.#origin = url.origin;
    this.#maxCalls = maxSockets;
    this.#dialer = new Dialer(url, connectMs, tls, proxy);
    this.proxy = url.protocol === 'https:' ? undefined : proxy;
  }

  send(outgoing: Outgoing, reception: Reception): Underway {
    const one = new NodeRequest(this, outgoing, reception);
    // An answer to the server's question must not wait behind the calls that wait for it.
    if (outgoing.holds && this.#calls >= this.#maxCalls) this.#waiting.add(one);
    else this.#start(one);
    return one;
  }

  close(): void {
    for (const one of [...this.#waiting, ...this.#underway]) one.abort();
    for (const connection of this.#idle.splice(0)) connection.end();
  }

  /** `connection` can be used again. */
  over(one: NodeRequest, connection: Connection | undefined): void {
    if (connection !== undefined) this.#idle.push(connection);
    if (this.#waiting.delete(one) || !this.#underway.delete(one) || !one.outgoing.holds) return;
    this.#calls--;
    const [next] = this.#waiting;
    if (next === undefined || this.#calls >= this.#maxCalls) return;
    this.#waiting.delete(next);
    this.#start(next);
  }

  #start(one: NodeRequest): void {
    this.#underway.add(one);
    if (one.outgoing.holds) this.#calls++;
    const { proxy } = this;
    const { outgoing } = one;
    const authorization = proxy?.authorization;
    const fields = authorization === undefined ? outgoing.fields : [...outgoing.fields, 'proxy-authorization', authorization];
    const path = proxy === undefined ? outgoing.path : `${this.#origin}${outgoing.path}`;
    one.begin(this.#idle.pop() ?? new Connection(this.#origin, this.#dialer), path, fields);
  }
}

class Connection {
  readonly client: Client;
  #stop: (() => void) | undefined;

  constructor(origin: string, dialer: Dialer) {
    this.client = new UndiciClient(origin, {
      connect: (_options, done) => {
        this.#stop = dialer.dial((error, socket) => {
          this.#stop = undefined;
          if (socket === undefined) done(new Undialed(error as Error), null);
          else done(null, socket);
        });
      },
      // How long to wait is for those to say who wait.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // Used once more after the server has begun to close it, a request would be lost.
      keepAliveTimeoutThreshold: 1_000,
    });
  }

  end(): void {
    this.#stop?.();
    this.client.destroy(() => undefined);
  }
}

class NodeRequest implements Underway {
  readonly outgoing: Outgoing;
  readonly #requester: NodeRequester;
  readonly #reception: Reception;
  #connection: Connection | undefined;
  /** From here on something may have been sent. */
  #begun = false;
  #answered = false;
  #over = false;

  constructor(requester: NodeRequester, outgoing: Outgoing, reception: Reception) {
    this.#requester = requester;
    this.outgoing = outgoing;
    this.#reception = reception;
  }

  begin(connection: Connection, path: string, fields: readonly string[]): void {
    const { verb, body } = this.outgoing;
    this.#connection = connection;
    // It reads them and no more.
    connection.client.dispatch({ method: verb, path, headers: fields as string[], body: body ?? null }, this);
  }

  abort(): void {
    this.#finish(false);
  }

  onConnect(): void {
    this.#begun = true;
  }

  onHeaders(status: number, raw: readonly Buffer[]): boolean {
    if (status < 200 || this.#over) return true;
    this.#answered = true;
    const header = lookupIn(raw);
    const { proxy } = this.#requester;
    const coding = header('content-encoding');
    if (status === 407 && proxy !== undefined) this.#fail(asNetworkFailure(new ProxyRefusal(proxy, status), true));
    else if (coding !== undefined && coding.toLowerCase() !== 'identity') {
      this.#fail(noMessage(`The server compresses its answers (${coding}) although nobody asked for it`, status));
    } else {
      try {
        this.#reception.head(status, header);
      } catch (error) {
        rethrow(error);
      }
    }
    return true;
  }

  onData(bytes: Uint8Array): boolean {
    try {
      if (!this.#over) this.#reception.data(bytes);
    } catch (error) {
      rethrow(error);
    }
    return true;
  }

  onComplete(): void {
    try {
      if (this.#finish(true)) this.#reception.end();
    } catch (error) {
      rethrow(error);
    }
  }

  onError(error: Error): void {
    if (this.#over) return;
    if ((error as NodeJS.ErrnoException).code === 'UND_ERR_INVALID_ARG') {
      // A header that cannot be sent. Told later, because the caller does not have this object yet.
      queueMicrotask(() => this.#fail({ kind: 'protocol', message: error.message, unsent: true, cause: error }));
    } else this.#fail(this.#failure(error instanceof Undialed ? error.cause : error));
  }

  #failure(error: Error): ChannelFailure {
    if (!(error instanceof ProxyUnreachable)) return asNetworkFailure(error, this.#isUnsent(error));
    const failure = asNetworkFailure(error.cause, true);
    return { ...failure, message: `${error.message}: ${failure.message}` };
  }

  #isUnsent(error: NodeJS.ErrnoException): boolean {
    if (this.#answered) return false;
    // Or the kernel refused the only write there was.
    return !this.#begun || (error.syscall === 'write' && (this.outgoing.body?.length ?? 0) < atOnce / 4);
  }

  #fail(failure: ChannelFailure): void {
    try {
      if (this.#finish(false)) this.#reception.failed(failure);
    } catch (error) {
      rethrow(error);
    }
  }

  #finish(reusable: boolean): boolean {
    if (this.#over) return false;
    this.#over = true;
    const connection = this.#connection;
    if (!reusable) connection?.end();
    this.#requester.over(this, reusable ? connection : undefined);
    return true;
  }
}

/** Otherwise undici would take what a listener throws for a failure of the network. */
function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
