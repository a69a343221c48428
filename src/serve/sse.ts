// HTTP+SSE of 2024-11-05: one stream carries everything the server says, and lives as long as the session.
import { faults } from '../jsonrpc/error.ts';
import { encodeEvent } from '../jsonrpc/event-stream.ts';
import { type Decoded, decodeMessage, type RequestId } from '../jsonrpc/message.ts';
import { weightOf } from '../jsonrpc/weight.ts';
import type { Principal } from '../protocol/authorization.ts';
import { type Answer, type BatchOutcome, encodeAnswer } from '../server/answer.ts';
import type { Outlet } from '../server/context.ts';
import type { Change } from '../server/core.ts';
import { callsIn, dispatch, dispatchBatch } from '../server/dispatch.ts';
import { Session } from '../server/session.ts';
import type { Audience, EndpointHost } from './endpoint-host.ts';
import type { Exchange } from './exchange.ts';
import type { HttpCall } from './http-call.ts';
import { type Account, type LimitName, Load, sessionWeight } from './limits/limits.ts';
import { overloaded, overloadFault } from './limits/overload.ts';
import { OpenStream } from './open-stream.ts';
import { fault, randomName } from './status.ts';

/** A message that reached another node than the one that holds the stream. */
interface Forwarded {
  readonly from: string;
  readonly session: string;
  readonly principal: Principal;
  readonly text: string;
}

const channel = 'sse';
const maxDepth = 256;
const ttlMs = 120_000;

class SseSession implements Outlet, Audience {
  readonly session: Session;
  readonly owner: string;
  readonly #endpoint: EndpointHost;
  readonly #stream: OpenStream;
  readonly #account: Account;
  /** Bytes it takes between its calls. */
  #weight = 0;
  principal: Principal;
  running = 0;

  constructor({ endpoint, exchange, principal, path }: HttpCall, id: string, onGone: () => void) {
    this.#endpoint = endpoint;
    this.owner = principal.id;
    this.principal = principal;
    this.session = new Session(endpoint.core, principal, id);
    this.session.onState = () => this.#weigh();
    this.#account = endpoint.callers.ofSession(principal.id);
    this.#account.sessions++;
    this.#weigh();
    this.#stream = new OpenStream(endpoint, exchange, this.#account, [], onGone);
    this.#stream.write(`event: endpoint\ndata: ${path.slice(0, -'/sse'.length)}/messages?sessionId=${id}\n\n`);
  }

  hear(change: Change, at: number): void {
    this.session.announce(change, at, this);
  }

  send(message: object): void {
    const { method } = message as { method?: string };
    if (this.#stream.blocked && method === 'notifications/progress') this.#endpoint.counters.skipped++;
    else this.#put(JSON.stringify(message));
  }

  /** The limit that stands against this message. */
  refuses(message: Decoded, weight: number): LimitName | undefined {
    if (message.kind === 'notification' || message.kind === 'refused') return undefined;
    const calls = this.#calls(message);
    if (calls > 0 && this.running + calls > this.#endpoint.settings.maxRunning) return 'session_running';
    return this.#account.refuses(calls, weight);
  }

  #calls(message: Decoded): number {
    const traits = this.session.handshake?.traits;
    if (message.kind === 'batch') return traits === undefined ? 0 : callsIn(message, traits);
    return message.kind === 'request' ? 1 : 0;
  }

  /** Without the exchange when another node took it. */
  receive(message: Decoded, principal: Principal, weight: number, exchange?: Exchange): void {
    this.principal = principal;
    this.session.principal = principal;
    if (message.kind === 'response' && this.session.answered(message, weight)) return;
    const calls = this.#calls(message);
    const outlet = new SseOutlet(this, principal, exchange, () => new Load(this.#account, calls, weight));
    const outcome: BatchOutcome =
      message.kind === 'batch' ? dispatchBatch(this.session, message, outlet) : dispatch(this.session, message, outlet);
    if (message.kind === 'request' && message.method === 'initialize') this.#weigh();
    if (!(outcome instanceof Promise)) return this.#answer(outcome);
    outlet.load();
    this.running += calls;
    void outcome.then((answer) => {
      this.running -= calls;
      outlet.load().answered();
      this.#answer(answer);
    });
  }

  /** What the client said of itself, and what it subscribed to. */
  #weigh(): void {
    this.#hold(sessionWeight(this.session.handshake?.client, this.session.subscribed));
  }

  #hold(weight: number): void {
    this.#account.hold(weight - this.#weight);
    this.#weight = weight;
  }

  #answer(answer: Answer | readonly Answer[] | undefined): void {
    if (answer === undefined) return;
    const encode = (one: Answer): string => encodeAnswer(one, (error) => this.#endpoint.core.report(error, 'encode'));
    if (!('length' in answer)) this.#put(encode(answer));
    else if (answer.length > 0) this.#put(`[${answer.map(encode).join(',')}]`);
  }

  #put(text: string): void {
    this.#endpoint.counters.events++;
    if (this.#endpoint.settings.tap !== undefined) this.#endpoint.show('out', text);
    this.#stream.write(encodeEvent(text));
  }

  close(): void {
    this.session.onState = undefined;
    this.session.close();
    this.#stream.end();
    this.#account.sessions--;
    this.#hold(0);
  }
}

/** Where the answer to one message goes, and what it costs. */
class SseOutlet implements Outlet {
  readonly principal: Principal;
  readonly #session: SseSession;
  readonly #exchange: Exchange | undefined;
  readonly #begin: () => Load;
  #load: Load | undefined;

  constructor(session: SseSession, principal: Principal, exchange: Exchange | undefined, begin: () => Load) {
    this.#session = session;
    this.principal = principal;
    this.#exchange = exchange;
    this.#begin = begin;
  }

  send(message: object): void {
    this.#session.send(message);
  }

  header(name: string): string | undefined {
    return this.#exchange?.header(name);
  }

  load(): Load {
    this.#load ??= this.#begin();
    return this.#load;
  }

  began(): void {
    this.load().began();
  }

  ended(): void {
    this.load().ended();
  }

  hold(bytes: number): void {
    this.load().hold(bytes);
  }
}

export class SseSessions {
  readonly #endpoint: EndpointHost;
  readonly #open: Map<string, SseSession> = new Map();
  readonly #unsubscribe: () => void;

  constructor(endpoint: EndpointHost) {
    this.#endpoint = endpoint;
    this.#unsubscribe = endpoint.settings.sse
      ? endpoint.store.bus.subscribe(channel, (message) => this.#forwarded(message as Forwarded))
      : () => undefined;
  }

  get count(): number {
    return this.#open.size;
  }

  get running(): number {
    let running = 0;
    for (const session of this.#open.values()) running += session.running - session.session.listeners.size;
    return running;
  }

  open(call: HttpCall): void {
    const { endpoint, exchange, principal } = call;
    const { maxStreams, sessions } = endpoint.settings;
    const account = exchange.account ?? endpoint.callers.all;
    const full = this.#open.size >= (sessions?.max ?? maxStreams);
    const limit = account.refusesStream() ?? account.refusesSession() ?? (full ? 'sessions' : undefined);
    if (limit !== undefined) return overloaded(endpoint, exchange, limit);
    const id = randomName(18);
    const session = new SseSession(call, id, () => this.#drop(id));
    endpoint.counters.sessionsOpened++;
    this.#open.set(id, session);
    endpoint.audience.add(session);
    endpoint.quietly(endpoint.store.put(`sse/${id}`, principal.id, ttlMs, principal.id));
  }

  receive(call: HttpCall, message: Decoded, text: string): void {
    const { endpoint, exchange, principal } = call;
    const id = new URLSearchParams(exchange.target.slice(exchange.target.indexOf('?') + 1)).get('sessionId') ?? '';
    if (id === '') return endpoint.refuse(exchange, 400, fault(400, 'sessionId is missing'));
    const session = this.#open.get(id);
    if (session === undefined) {
      this.#forward(call, id, text).catch((error: unknown) => {
        endpoint.core.report(error, 'store');
        endpoint.refuse(exchange, 503, fault(503, 'Sessions cannot be reached just now'), { fields: ['retry-after', '1'] });
      });
      return;
    }
    if (session.owner !== principal.id) return unknown(endpoint, exchange);
    const limit = session.refuses(message, exchange.weight);
    if (limit !== undefined) return overloaded(endpoint, exchange, limit, { id: idOf(message), traits: session.session.spoken });
    // What cannot be read is answered here, where its sender looks first; the rest on the stream.
    if (message.kind === 'refused' && message.error.code === faults.parseError().code) {
      return endpoint.refuse(exchange, 400, message.error, { traits: session.session.spoken });
    }
    endpoint.answer(exchange, 202, ['content-type', 'text/plain'], 'Accepted');
    session.receive(message, principal, exchange.weight, exchange);
  }

  async #forward({ endpoint, exchange, principal }: HttpCall, id: string, text: string): Promise<void> {
    const owner = await endpoint.store.get(`sse/${id}`);
    if (owner !== principal.id) return unknown(endpoint, exchange);
    endpoint.store.bus.publish(channel, { from: endpoint.id, session: id, principal, text } satisfies Forwarded);
    endpoint.answer(exchange, 202, ['content-type', 'text/plain'], 'Accepted');
  }

  #forwarded({ from, session: id, principal, text }: Forwarded): void {
    const session = from === this.#endpoint.id ? undefined : this.#open.get(id);
    if (session?.owner !== principal.id) return;
    const message = decodeMessage(text, maxDepth);
    const weight = weightOf(text);
    const limit = session.refuses(message, weight);
    // Its sender was told that it arrived, so it hears of this on the stream.
    if (limit === undefined) session.receive(message, principal, weight);
    else if (message.kind === 'request') session.send({ jsonrpc: '2.0', id: message.id, error: overloadFault(this.#endpoint, limit) });
  }

  #drop(id: string): void {
    const session = this.#open.get(id);
    if (session === undefined) return;
    this.#open.delete(id);
    this.#endpoint.audience.delete(session);
    session.close();
    for (const told of this.#endpoint.core.farewells) told(id);
    // There is no way to take it back: nobody can use it once the stream is gone.
    this.#endpoint.quietly(this.#endpoint.store.put(`sse/${id}`, '', 1, session.owner));
  }

  /** Other nodes must know that they are still there. */
  tidy(): void {
    for (const [id, { owner }] of this.#open) this.#endpoint.quietly(this.#endpoint.store.put(`sse/${id}`, owner, ttlMs, owner));
  }

  endListeners(): void {
    for (const { session } of this.#open.values()) session.endListeners();
  }

  close(): void {
    this.#unsubscribe();
    for (const id of [...this.#open.keys()]) this.#drop(id);
  }
}

function idOf(message: Decoded): RequestId | undefined {
  return message.kind === 'request' ? message.id : undefined;
}

function unknown(endpoint: EndpointHost, exchange: Exchange): void {
  endpoint.refuse(exchange, 404, fault(404, 'Session not found: open the stream again'));
}
