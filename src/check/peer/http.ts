// A client of Streamable HTTP, with sessions or without, every header in its own hands.
import { type Exchange, type Message, Recorder } from '../trace.ts';
import { asRecord, type Json } from '../value.ts';
import { createHttp, type Http, type HttpFlow } from '../wire/http.ts';
import { greet } from './greet.ts';
import { standardHeaders } from './headers.ts';
import { replyTo } from './manners.ts';
import {
  type Answer,
  answerFrom,
  type Greeting,
  isModern,
  isReply,
  isReplyTo,
  type Peer,
  type Presentation,
  type RawOptions,
  type SendOptions,
  withMeta,
} from './peer.ts';
import { within } from './stdio.ts';
import { createWaiting, type Waiting } from './waiting.ts';

export interface HttpPeer extends Peer {
  readonly url: string;
  session: string | undefined;
  /** Any request to the endpoint or elsewhere; the headers are all there are. */
  call(method: string, options?: CallOptions): HttpFlow;
  /** The headers a proper client sends with a message now. */
  headers(message?: unknown): Readonly<Record<string, string>>;
  /** A request whose stream is left open; the flow tells what comes. */
  open(
    method: string,
    params?: Json,
    options?: SendOptions,
  ): { readonly flow: HttpFlow; readonly sent: readonly Message[]; readonly id: unknown };
  /** The stream on which the server may begin to speak; undefined where there is none. */
  listen(): Promise<Exchange>;
}

export interface CallOptions {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Buffer | string;
  readonly wild?: boolean;
  readonly patience?: number;
}

export function openHttp(url: string, presentation: Presentation): HttpPeer {
  return new StreamablePeer(url, presentation);
}

export async function connectHttp(
  url: string,
  presentation: Presentation,
): Promise<HttpPeer | { readonly refused: string; readonly peer: HttpPeer }> {
  const peer = new StreamablePeer(url, presentation);
  const greeting = await greet(peer, presentation);
  if (typeof greeting === 'string') {
    await peer.close();
    return { refused: greeting, peer };
  }
  peer.greeting = greeting;
  return peer;
}

export function isHttpPeer(peer: Peer): peer is HttpPeer {
  return peer.transport === 'http';
}

class StreamablePeer implements HttpPeer {
  readonly conversation: Recorder;
  readonly transport = 'http';
  readonly revision;
  readonly declared: Json;
  readonly url: string;
  greeting: Greeting = { capabilities: {}, info: {}, instructions: undefined, revision: '', supported: undefined, result: {} };
  gone: string | undefined;
  session: string | undefined;
  readonly #presentation: Presentation;
  readonly #http: Http;
  readonly #waiting: Waiting;
  #count = 0;
  #paced: Promise<void> = Promise.resolve();

  constructor(url: string, presentation: Presentation) {
    this.url = url;
    this.#presentation = presentation;
    this.revision = presentation.revision;
    this.declared = presentation.capabilities;
    const recorder = new Recorder(presentation.name, 'http', presentation.revision);
    this.conversation = recorder;
    this.#http = createHttp(recorder);
    this.#waiting = createWaiting(recorder, presentation.patience);
    recorder.listen((message) => this.#answer(message));
  }

  headers(message?: unknown): Readonly<Record<string, string>> {
    return standardHeaders(message, this.revision, this.session, this.#presentation.headers);
  }

  call(method: string, options: CallOptions = {}): HttpFlow {
    const flow = this.#call(method, options);
    const { body } = flow.exchange.request;
    if (body !== undefined) this.conversation.message('sent', body, { exchange: flow.exchange, form: 'body', wild: options.wild ?? false });
    return flow;
  }

  #call(method: string, options: CallOptions): HttpFlow {
    const headers = Object.entries(options.headers ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const body = typeof options.body === 'string' ? Buffer.from(options.body) : options.body;
    return this.#http.call({
      method,
      url: options.url ?? this.url,
      headers: Object.fromEntries(headers),
      body,
      wild: options.wild ?? false,
      patience: options.patience ?? this.#presentation.patience,
    });
  }

  async request(method: string, params?: Json, options: SendOptions = {}): Promise<Answer> {
    const id = this.#nextId(options);
    const full = withMeta(params, this.#presentation, options);
    const message = { jsonrpc: '2.0', id, method, ...(full !== undefined && { params: full }) };
    const answer = await this.raw(JSON.stringify(message), { ...options, reply: id as string | number });
    const session = answer.exchange?.response?.headers['mcp-session-id'];
    if (method === 'initialize' && options.wild !== true && session !== undefined && !isModern(this.revision)) this.session = session;
    return answer;
  }

  async notify(method: string, params?: Json, options: SendOptions = {}): Promise<Answer> {
    const full = withMeta(params, this.#presentation, options);
    return this.raw(JSON.stringify({ jsonrpc: '2.0', method, ...(full !== undefined && { params: full }) }), options);
  }

  async raw(bytes: Buffer | string, options: RawOptions = {}): Promise<Answer> {
    await this.#pace();
    const { sent, flow } = this.#post(bytes, options);
    await flow.head;
    const { reply } = options;
    const { exchange } = flow;
    if (exchange.response === undefined) return { sent, exchange, silence: exchange.failure ?? 'no response' };
    const patience = options.patience ?? this.#presentation.patience;
    if (reply === undefined) {
      if (
        (await within(
          flow.end.then(() => true),
          patience,
        )) === undefined
      )
        flow.abort();
      const [message] = this.conversation.messages.filter(
        (one) => one.exchange === exchange && one.direction === 'received' && isReply(one.value),
      );
      return message === undefined ? { sent, exchange } : answerFrom(sent, message, '', exchange);
    }
    const wanted = (one: Message) => one.exchange === exchange && isReplyTo(one.value, reply);
    const late = this.#waiting.wait(wanted, { from: 0, patience });
    const ended = flow.end.then(() => ({ message: this.conversation.messages.find(wanted), silence: 'the response ended without it' }));
    const { message, silence } = await Promise.race([late, ended]);
    if (message !== undefined) return answerFrom(sent, message, silence, exchange);
    // An error without an id, or with null, is all that a refused body may get.
    const other = this.conversation.messages.find((one) => one.exchange === exchange && one.direction === 'received' && isReply(one.value));
    if (other !== undefined) return answerFrom(sent, other, silence, exchange);
    const resumed = await this.#resume(exchange, reply, patience);
    if (resumed !== undefined) return answerFrom(sent, resumed, silence, exchange);
    flow.abort();
    return {
      sent,
      exchange,
      silence: exchange.response.events.length > 0 || isStream(exchange) ? silence : `HTTP ${exchange.response.status} without a reply`,
    };
  }

  open(method: string, params?: Json, options: SendOptions = {}): ReturnType<HttpPeer['open']> {
    const id = this.#nextId(options);
    const full = withMeta(params, this.#presentation, options);
    const message = { jsonrpc: '2.0', id, method, ...(full !== undefined && { params: full }) };
    return { ...this.#post(JSON.stringify(message), options), id };
  }

  async settle(): Promise<boolean> {
    const answer = await this.request(isModern(this.revision) ? 'server/discover' : 'ping');
    return answer.message !== undefined;
  }

  async see(wanted: (message: Message) => boolean, patience: number): Promise<Message | undefined> {
    const known = this.conversation.messages.find((one) => one.direction === 'received' && wanted(one));
    if (known !== undefined) return known;
    return (await this.#waiting.wait(wanted, { from: this.conversation.messages.length, patience, exact: true })).message;
  }

  async listen(): Promise<Exchange> {
    const { 'content-type': _, ...headers } = this.headers();
    const flow = this.call('GET', { headers: { ...headers, accept: 'text/event-stream' } });
    await flow.head;
    return flow.exchange;
  }

  async close(): Promise<void> {
    if (this.session !== undefined && this.gone === undefined) {
      const { 'content-type': _, ...headers } = this.headers();
      const flow = this.call('DELETE', { headers, patience: 2_000 });
      await within(flow.end, 2_000);
    }
    this.gone ??= 'closed';
    this.#waiting.giveUp(this.gone);
    this.#http.close();
  }

  #post(bytes: Buffer | string, options: SendOptions): { readonly sent: readonly Message[]; readonly flow: HttpFlow } {
    const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    const wild = options.wild ?? false;
    if (wild) this.conversation.wild = true;
    let value: unknown;
    try {
      value = JSON.parse(body.toString('utf8'));
    } catch {
      value = undefined;
    }
    const headers = { ...this.headers(value), ...options.headers };
    const flow = this.#call('POST', { headers, body, wild, ...(options.patience !== undefined && { patience: options.patience }) });
    const sent = this.conversation.message('sent', body, { exchange: flow.exchange, form: 'body', ...(wild && { wild }) });
    return { sent, flow };
  }

  /** A stream that the server ended early goes on at the place its last event named. */
  async #resume(exchange: Exchange, reply: unknown, patience: number): Promise<Message | undefined> {
    const last = exchange.response?.events.findLast(({ id }) => id !== undefined && id !== '');
    if (last?.id === undefined || isModern(this.revision) || exchange.response?.endedAt === undefined) return undefined;
    const retry = Number(exchange.response.events.findLast((one) => one.retry !== undefined)?.retry ?? '0');
    await new Promise((resolve) => setTimeout(resolve, Math.min(retry, patience)));
    const { 'content-type': _, ...headers } = this.headers();
    const flow = this.call('GET', { headers: { ...headers, accept: 'text/event-stream', 'last-event-id': last.id } });
    await flow.head;
    const wanted = (one: Message) => one.exchange === flow.exchange && isReplyTo(one.value, reply);
    const { message } = await this.#waiting.wait(wanted, { from: 0, patience });
    flow.abort();
    return message;
  }

  #answer(message: Message): void {
    if (message.direction !== 'received' || isModern(this.revision) || this.#presentation.mute === true) return;
    const reply = replyTo(message.value, this.declared);
    if (reply !== undefined) void this.raw(JSON.stringify(reply));
  }

  #nextId(options: SendOptions): unknown {
    this.#count += 1;
    return 'id' in options ? options.id : this.#count;
  }

  #pace(): Promise<void> {
    const { pace } = this.#presentation;
    if (pace === 0) return Promise.resolve();
    const turn = this.#paced;
    this.#paced = turn.then(() => new Promise((resolve) => setTimeout(resolve, pace)));
    return turn;
  }
}

function isStream(exchange: Exchange | undefined): boolean {
  return (asRecord(exchange?.response?.headers)['content-type'] ?? '').toString().toLowerCase().startsWith('text/event-stream');
}
