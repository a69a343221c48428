// HTTP+SSE of 2024-11-05: one stream carries everything the server says, and lives as long as the session.
import { faults } from '../jsonrpc/error.ts';
import { encodeEvent } from '../jsonrpc/event-stream.ts';
import { type Decoded, decodeMessage } from '../jsonrpc/message.ts';
import type { Principal } from '../protocol/authorization.ts';
import { type Answer, type BatchOutcome, encodeAnswer } from '../server/answer.ts';
import type { Outlet } from '../server/context.ts';
import type { Change } from '../server/core.ts';
import { callsIn, dispatch, dispatchBatch } from '../server/dispatch.ts';
import { Session } from '../server/session.ts';
import type { Audience, Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
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
  readonly #endpoint: Endpoint;
  readonly #stream: OpenStream;
  principal: Principal;
  running = 0;

  constructor(endpoint: Endpoint, exchange: Exchange, id: string, principal: Principal, target: string, onGone: () => void) {
    this.#endpoint = endpoint;
    this.owner = principal.id;
    this.principal = principal;
    this.session = new Session(endpoint.core, principal, id);
    this.#stream = new OpenStream(endpoint, exchange, [], onGone);
    this.#stream.write(`event: endpoint\ndata: ${target}\n\n`);
  }

  hear(change: Change, at: number): void {
    this.session.announce(change, at, this);
  }

  send(message: object): void {
    const { method } = message as { method?: string };
    if (this.#stream.blocked && method === 'notifications/progress') this.#endpoint.counters.skipped++;
    else this.#put(JSON.stringify(message));
  }

  isFull(message: Decoded): boolean {
    const traits = this.session.handshake?.traits;
    const more = message.kind === 'request' ? 1 : message.kind === 'batch' && traits !== undefined ? callsIn(message, traits) : 0;
    return more > 0 && this.running + more > this.#endpoint.settings.maxRunning;
  }

  receive(message: Decoded, principal: Principal): void {
    this.principal = principal;
    this.session.principal = principal;
    const outlet: Outlet = { send: (sent) => this.send(sent), principal };
    const outcome: BatchOutcome =
      message.kind === 'batch' ? dispatchBatch(this.session, message, outlet) : dispatch(this.session, message, outlet);
    if (!(outcome instanceof Promise)) return this.#answer(outcome);
    const weight = message.kind === 'batch' ? message.members.length : 1;
    this.running += weight;
    void outcome.then((answer) => {
      this.running -= weight;
      this.#answer(answer);
    });
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
    this.session.close();
    this.#stream.end();
  }
}

export class SseSessions {
  readonly #endpoint: Endpoint;
  readonly #open: Map<string, SseSession> = new Map();
  readonly #unsubscribe: () => void;

  constructor(endpoint: Endpoint) {
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

  open(exchange: Exchange, principal: Principal, path: string): void {
    const endpoint = this.#endpoint;
    const { maxStreams, sessions } = endpoint.settings;
    if (endpoint.full || this.#open.size >= (sessions?.max ?? maxStreams)) {
      return endpoint.refuse(exchange, 503, fault(503, 'Too many streams are open'), { fields: ['retry-after', '5'] });
    }
    const id = randomName(18);
    const target = `${path.slice(0, -'/sse'.length)}/messages?sessionId=${id}`;
    const session = new SseSession(endpoint, exchange, id, principal, target, () => this.#drop(id));
    endpoint.counters.sessionsOpened++;
    this.#open.set(id, session);
    endpoint.audience.add(session);
    endpoint.quietly(endpoint.store.put(`sse/${id}`, principal.id, ttlMs));
  }

  receive(exchange: Exchange, principal: Principal, message: Decoded, text: string): void {
    const endpoint = this.#endpoint;
    const id = new URLSearchParams(exchange.target.slice(exchange.target.indexOf('?') + 1)).get('sessionId') ?? '';
    if (id === '') return endpoint.refuse(exchange, 400, fault(400, 'sessionId is missing'));
    const session = this.#open.get(id);
    if (session === undefined) {
      this.#forward(exchange, principal, id, text).catch((error: unknown) => {
        endpoint.core.report(error, 'store');
        endpoint.refuse(exchange, 503, fault(503, 'Sessions cannot be reached just now'), { fields: ['retry-after', '1'] });
      });
      return;
    }
    if (session.owner !== principal.id) return unknown(endpoint, exchange);
    if (session.isFull(message)) {
      return endpoint.refuse(exchange, 503, fault(503, 'Too many calls run in this session'), { fields: ['retry-after', '1'] });
    }
    // What cannot be read is answered here, where its sender looks first; the rest on the stream.
    if (message.kind === 'refused' && message.error.code === faults.parseError().code) {
      return endpoint.refuse(exchange, 400, message.error, { traits: session.session.spoken });
    }
    endpoint.answer(exchange, 202, ['content-type', 'text/plain'], 'Accepted');
    session.receive(message, principal);
  }

  async #forward(exchange: Exchange, principal: Principal, id: string, text: string): Promise<void> {
    const endpoint = this.#endpoint;
    const owner = await endpoint.store.get(`sse/${id}`);
    if (owner !== principal.id) return unknown(endpoint, exchange);
    endpoint.store.bus.publish(channel, { from: endpoint.id, session: id, principal, text } satisfies Forwarded);
    endpoint.answer(exchange, 202, ['content-type', 'text/plain'], 'Accepted');
  }

  #forwarded({ from, session: id, principal, text }: Forwarded): void {
    const session = from === this.#endpoint.id ? undefined : this.#open.get(id);
    if (session?.owner !== principal.id) return;
    const message = decodeMessage(text, maxDepth);
    // Its sender was told that it arrived, so it hears of this on the stream.
    if (!session.isFull(message)) session.receive(message, principal);
    else if (message.kind === 'request')
      session.send({ jsonrpc: '2.0', id: message.id, error: fault(503, 'Too many calls run in this session') });
  }

  #drop(id: string): void {
    const session = this.#open.get(id);
    if (session === undefined) return;
    this.#open.delete(id);
    this.#endpoint.audience.delete(session);
    session.close();
    for (const told of this.#endpoint.core.farewells) told(id);
    // There is no way to take it back: nobody can use it once the stream is gone.
    this.#endpoint.quietly(this.#endpoint.store.put(`sse/${id}`, '', 1));
  }

  /** Other nodes must know that they are still there. */
  tidy(): void {
    for (const [id, { owner }] of this.#open) this.#endpoint.quietly(this.#endpoint.store.put(`sse/${id}`, owner, ttlMs));
  }

  endListeners(): void {
    for (const { session } of this.#open.values()) session.endListeners();
  }

  close(): void {
    this.#unsubscribe();
    for (const id of [...this.#open.keys()]) this.#drop(id);
  }
}

function unknown(endpoint: Endpoint, exchange: Exchange): void {
  endpoint.refuse(exchange, 404, fault(404, 'Session not found: open the stream again'));
}
