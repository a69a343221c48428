// A client of Streamable HTTP, with sessions or without, every header in its own hands.

import { settledWithin } from '../../../text/timeouts.ts';
import { isModern } from '../../model/revision.ts';
import type { Greeting } from '../../model/rule.ts';
import { type Exchange, fullness, type Message, parseJson } from '../../model/trace.ts';
import { asRecord, type Json } from '../../model/value.ts';
import { createHttp, type HttpFlow } from '../../wire/http.ts';
import { createConnection, replyOf, shakeHands, toBuffer } from './connection.ts';
import { standardHeaders } from './headers.ts';
import {
  type Answer,
  answerFrom,
  isReply,
  isReplyTo,
  type MalformedSender,
  noReply,
  type Peer,
  type Presentation,
  type RawOptions,
  type Refused,
  type SendOptions,
  type Silence,
} from './peer.ts';

export interface HttpPeer extends Peer, MalformedSender {
  greeting: Greeting;
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
  readonly timeoutMs?: number;
}

export function connectHttp(url: string, presentation: Presentation): Promise<HttpPeer | Refused<HttpPeer>> {
  return shakeHands(openHttp(url, presentation), presentation);
}

export function isHttpPeer(peer: Peer): peer is HttpPeer {
  return peer.transport === 'http';
}

export function openHttp(url: string, presentation: Presentation): HttpPeer {
  const connection = createConnection('http', presentation, raw);
  const { conversation, waiting, revision } = connection;
  const http = createHttp(conversation, presentation.pace);
  conversation.onFull = () => {
    connection.leave(fullness);
    http.close();
  };
  conversation.listen((message) => {
    const reply = replyOf(message, presentation);
    if (reply !== undefined) void raw(reply);
  });

  function send(method: string, options: CallOptions): HttpFlow {
    const headers = Object.entries(options.headers ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return http.call({
      method,
      url: options.url ?? url,
      headers: Object.fromEntries(headers),
      body: options.body === undefined ? undefined : toBuffer(options.body),
      secrets: presentation.secrets,
      wild: options.wild ?? false,
      timeoutMs: options.timeoutMs ?? presentation.timeoutMs,
    });
  }

  function post(bytes: Buffer | string, options: SendOptions): Posted {
    const body = toBuffer(bytes);
    const wild = options.wild ?? false;
    if (wild) conversation.wild = true;
    const value = parseJson(body.toString('utf8'));
    const headers = { ...own.headers(value), ...options.headers };
    const flow = send('POST', { headers, body, wild, ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }) });
    const sent = conversation.message('sent', body, { exchange: flow.exchange, form: 'body', ...(wild && { wild }) });
    return { sent, flow, begins: asRecord(value)['method'] === 'initialize' && !wild && !isModern(revision) };
  }

  async function raw(bytes: Buffer | string, options: RawOptions = {}): Promise<Answer> {
    if (conversation.isFull) return { sent: [], silence: noReply(fullness) };
    const { sent, flow, begins } = post(bytes, options);
    await flow.head;
    const { reply } = options;
    const { exchange } = flow;
    if (exchange.response === undefined) return { sent, exchange, silence: silenceOf(exchange) };
    const timeoutMs = options.timeoutMs ?? presentation.timeoutMs;
    if (reply === undefined) {
      if ((await settledWithin(timeoutMs, flow.end.then(always))) === undefined) flow.abort();
      const [message] = conversation.messages.filter(
        (one) => one.exchange === exchange && one.direction === 'received' && isReply(one.value),
      );
      return message === undefined ? { sent, exchange } : answerFrom(sent, message, undefined, exchange);
    }
    if (begins) peer.session = exchange.response.headers['mcp-session-id'] ?? peer.session;
    const wanted = (one: Message) => one.exchange === exchange && isReplyTo(one.value, reply);
    const late = waiting.wait(wanted, { from: 0, timeoutMs });
    const ended = flow.end.then(() => ({ message: conversation.messages.find(wanted), silence: noReply('the response ended without it') }));
    const { message, silence } = await Promise.race([late, ended]);
    if (message !== undefined) return answerFrom(sent, message, silence, exchange);
    // An error without an id, or with null, is all that a refused body may get.
    const other = conversation.messages.find((one) => one.exchange === exchange && one.direction === 'received' && isReply(one.value));
    if (other !== undefined) return answerFrom(sent, other, silence, exchange);
    const resumed = await resume(exchange, reply, timeoutMs);
    if (resumed !== undefined) return answerFrom(sent, resumed, silence, exchange);
    flow.abort();
    const isOpen = exchange.response.events.length > 0 || isStream(exchange);
    return answerFrom(sent, undefined, isOpen ? silence : `HTTP ${exchange.response.status} without a reply`, exchange);
  }

  /** A stream that the server ended early goes on at the place its last event named. */
  async function resume(exchange: Exchange, reply: unknown, timeoutMs: number): Promise<Message | undefined> {
    const last = exchange.response?.events.findLast(({ id }) => id !== undefined && id !== '');
    if (last?.id === undefined || isModern(revision) || exchange.response?.endedAt === undefined) return undefined;
    const retry = Number(exchange.response.events.findLast((one) => one.retry !== undefined)?.retry ?? '0');
    await new Promise((resolve) => setTimeout(resolve, Math.min(retry, timeoutMs)));
    const flow = own.call('GET', { headers: { ...bodiless(), accept: 'text/event-stream', 'last-event-id': last.id } });
    await flow.head;
    const wanted = (one: Message) => one.exchange === flow.exchange && isReplyTo(one.value, reply);
    const { message } = await waiting.wait(wanted, { from: 0, timeoutMs });
    flow.abort();
    return message;
  }

  function bodiless(): Readonly<Record<string, string>> {
    const { 'content-type': _, ...headers } = own.headers();
    return headers;
  }

  const own: Pick<HttpPeer, 'url' | 'session' | 'raw' | 'headers' | 'call' | 'open' | 'listen' | 'sendMalformed' | 'close'> = {
    url,
    session: undefined,
    raw,
    headers: (message) => standardHeaders(message, revision, peer.session, presentation.headers),
    call(method, options = {}) {
      const flow = send(method, options);
      const { body } = flow.exchange.request;
      if (body !== undefined) conversation.message('sent', body, { exchange: flow.exchange, form: 'body', wild: options.wild ?? false });
      return flow;
    },
    open(method, params, options = {}) {
      const { id, text } = connection.compose(method, params, options);
      return { ...post(text, options), id };
    },
    async listen() {
      const flow = own.call('GET', { headers: { ...bodiless(), accept: 'text/event-stream' } });
      await flow.head;
      return flow.exchange;
    },
    sendMalformed: (lengths, body, timeoutMs) =>
      http.sendMalformed({ url, headers: own.headers(parseJson(body)), timeoutMs }, lengths, body),
    async close() {
      if (peer.session !== undefined && connection.gone === undefined) {
        const flow = own.call('DELETE', { headers: bodiless(), timeoutMs: 2_000 });
        await flow.head;
        await settledWithin(2_000, flow.end);
      }
      connection.leave('closed');
      http.close();
    },
  };
  const peer: HttpPeer = Object.assign(connection, own);
  return peer;
}

const always = (): true => true;

function silenceOf({ failure }: Exchange): Silence {
  return failure?.reason === 'timeout' ? { reason: 'timeout', message: failure.message } : noReply(failure?.message ?? 'no response');
}

interface Posted {
  readonly sent: readonly Message[];
  readonly flow: HttpFlow;
  /** It asks for a session. */
  readonly begins: boolean;
}

function isStream(exchange: Exchange | undefined): boolean {
  return (asRecord(exchange?.response?.headers)['content-type'] ?? '').toString().toLowerCase().startsWith('text/event-stream');
}
