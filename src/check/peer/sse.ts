// A client of HTTP+SSE of 2024-11-05: one stream to hear, and an address of the server's choosing to post to.
import { type Message, Recorder } from '../trace.ts';
import type { Json } from '../value.ts';
import { createHttp, type Http, type HttpFlow } from '../wire/http.ts';
import { greet } from './greet.ts';
import { replyTo } from './manners.ts';
import {
  type Answer,
  answerFrom,
  type Greeting,
  isReplyTo,
  type Peer,
  type Presentation,
  type RawOptions,
  type SendOptions,
  withMeta,
} from './peer.ts';
import { createWaiting, type Waiting } from './waiting.ts';

export interface SsePeer extends Peer {
  readonly url: string;
  /** Where messages are posted, as the server named it and as it resolves. */
  readonly endpoint: { readonly given: string; readonly url: string } | undefined;
  readonly stream: HttpFlow;
  post(body: Buffer | string, options?: { readonly headers?: Readonly<Record<string, string>>; readonly url?: string }): HttpFlow;
}

export async function connectSse(
  url: string,
  presentation: Presentation,
): Promise<SsePeer | { readonly refused: string; readonly peer: SsePeer }> {
  const peer = new EventStreamPeer(url, presentation);
  const problem = await peer.begin();
  const greeting = problem ?? (await greet(peer, presentation));
  if (typeof greeting === 'string') {
    await peer.close();
    return { refused: greeting, peer };
  }
  peer.greeting = greeting;
  return peer;
}

export function isSsePeer(peer: Peer): peer is SsePeer {
  return peer.transport === 'sse';
}

class EventStreamPeer implements SsePeer {
  readonly conversation: Recorder;
  readonly transport = 'sse';
  readonly revision;
  readonly declared: Json;
  readonly url: string;
  greeting: Greeting = { capabilities: {}, info: {}, instructions: undefined, revision: '', supported: undefined, result: {} };
  gone: string | undefined;
  endpoint: { readonly given: string; readonly url: string } | undefined;
  readonly stream: HttpFlow;
  readonly #presentation: Presentation;
  readonly #http: Http;
  readonly #waiting: Waiting;
  #count = 0;

  constructor(url: string, presentation: Presentation) {
    this.url = url;
    this.#presentation = presentation;
    this.revision = presentation.revision;
    this.declared = presentation.capabilities;
    const recorder = new Recorder(presentation.name, 'sse', presentation.revision);
    this.conversation = recorder;
    this.#http = createHttp(recorder);
    this.#waiting = createWaiting(recorder, presentation.patience);
    this.stream = this.#http.call({
      method: 'GET',
      url,
      headers: { ...presentation.headers, accept: 'text/event-stream' },
      patience: presentation.startPatience,
    });
    void this.stream.end.then(() => {
      this.gone ??= `the stream ended (${this.stream.exchange.failure ?? 'by the server'})`;
      this.#waiting.giveUp(this.gone);
    });
    recorder.listen((message) => {
      const reply = message.direction === 'received' && presentation.mute !== true ? replyTo(message.value, this.declared) : undefined;
      if (reply !== undefined) void this.raw(JSON.stringify(reply));
    });
  }

  /** Waits for the address; in words why there is none. */
  async begin(): Promise<string | undefined> {
    await this.stream.head;
    const { response, failure } = this.stream.exchange;
    if (response === undefined) return failure ?? 'no response';
    if (response.status !== 200) return `it answers GET with HTTP ${response.status}`;
    const until = performance.now() + this.#presentation.startPatience;
    while (this.gone === undefined && performance.now() < until) {
      const event = response.events.find((one) => one.event === 'endpoint');
      if (event?.data !== undefined && URL.canParse(event.data, this.url)) {
        this.endpoint = { given: event.data, url: new URL(event.data, this.url).href };
        return undefined;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return this.gone ?? 'its stream names no endpoint';
  }

  post(
    body: Buffer | string,
    { headers = {}, url = this.endpoint?.url ?? this.url }: { headers?: Readonly<Record<string, string>>; url?: string } = {},
  ): HttpFlow {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return this.#http.call({
      method: 'POST',
      url,
      headers: { ...this.#presentation.headers, 'content-type': 'application/json', ...headers },
      body: bytes,
      patience: this.#presentation.patience,
    });
  }

  async request(method: string, params?: Json, options: SendOptions = {}): Promise<Answer> {
    this.#count += 1;
    const id = 'id' in options ? options.id : this.#count;
    const full = withMeta(params, this.#presentation, options);
    const message = { jsonrpc: '2.0', id, method, ...(full !== undefined && { params: full }) };
    return this.raw(JSON.stringify(message), { ...options, reply: id as string | number });
  }

  notify(method: string, params?: Json, options: SendOptions = {}): Promise<Answer> {
    const full = withMeta(params, this.#presentation, options);
    return this.raw(JSON.stringify({ jsonrpc: '2.0', method, ...(full !== undefined && { params: full }) }), options);
  }

  async raw(bytes: Buffer | string, options: RawOptions = {}): Promise<Answer> {
    const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    const from = this.conversation.messages.length;
    const wild = options.wild ?? false;
    if (wild) this.conversation.wild = true;
    const flow = this.post(body, options.headers === undefined ? {} : { headers: options.headers as Record<string, string> });
    const { exchange } = flow;
    const sent = this.conversation.message('sent', body, { exchange, form: 'body', ...(wild && { wild }) });
    await flow.head;
    if (options.reply === undefined) return { sent, exchange };
    const status = exchange.response?.status ?? 0;
    // A body that was refused gets no reply on the stream.
    const patience = status >= 400 ? 200 : options.patience;
    const { message, silence } = await this.#waiting.wait((one) => isReplyTo(one.value, options.reply), {
      from,
      patience,
      exact: status >= 400,
    });
    return answerFrom(sent, message, status >= 400 ? `HTTP ${status} without a reply` : silence, exchange);
  }

  async settle(): Promise<boolean> {
    return (await this.request('ping')).message !== undefined;
  }

  async see(wanted: (message: Message) => boolean, patience: number): Promise<Message | undefined> {
    const known = this.conversation.messages.find((one) => one.direction === 'received' && wanted(one));
    if (known !== undefined) return known;
    return (await this.#waiting.wait(wanted, { from: this.conversation.messages.length, patience, exact: true })).message;
  }

  close(): Promise<void> {
    this.gone ??= 'closed';
    this.#waiting.giveUp(this.gone);
    this.#http.close();
    return Promise.resolve();
  }
}
