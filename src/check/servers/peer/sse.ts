// A client of HTTP+SSE of 2024-11-05: one stream to hear, and an address of the server's choosing to post to.

import type { Greeting } from '../../model/rule.ts';
import { fullness } from '../../model/trace.ts';
import { createHttp, type HttpFlow } from '../../wire/http.ts';
import { createConnection, replyOf, shakeHands, toBuffer } from './connection.ts';
import { type NoGreeting, refusal } from './greet.ts';
import {
  type Answer,
  answerFrom,
  type MalformedSender,
  noReply,
  type Peer,
  type Presentation,
  type RawOptions,
  type Refused,
} from './peer.ts';

export interface SsePeer extends Peer, MalformedSender {
  greeting: Greeting;
  readonly url: string;
  /** Where messages are posted, as the server named it and as it resolves. */
  readonly endpoint: { readonly given: string; readonly url: string } | undefined;
  readonly stream: HttpFlow;
  post(body: Buffer | string, options?: PostOptions): HttpFlow;
}

interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
}

export async function connectSse(url: string, presentation: Presentation): Promise<SsePeer | Refused<SsePeer>> {
  const peer = openSse(url, presentation);
  return shakeHands(peer, presentation, await peer.begin());
}

export function isSsePeer(peer: Peer): peer is SsePeer {
  return peer.transport === 'sse';
}

function openSse(url: string, presentation: Presentation): SsePeer & { begin(): Promise<NoGreeting | undefined> } {
  const connection = createConnection('sse', presentation, raw);
  const { conversation } = connection;
  const http = createHttp(conversation, presentation.pace);
  conversation.onFull = () => {
    connection.leave(fullness);
    http.close();
  };
  const stream = http.call({
    method: 'GET',
    url,
    headers: { ...presentation.headers, accept: 'text/event-stream' },
    secrets: presentation.secrets,
    timeoutMs: presentation.startTimeoutMs,
  });
  void stream.end.then(() => connection.leave(`the stream ended (${stream.exchange.failure?.message ?? 'by the server'})`));
  conversation.listen((message) => {
    const reply = replyOf(message, presentation);
    if (reply !== undefined) void raw(reply);
  });

  /** Waits for the address; in words why there is none. */
  async function begin(): Promise<NoGreeting | undefined> {
    await stream.head;
    const { response, failure } = stream.exchange;
    if (response === undefined)
      return { reason: failure?.reason === 'timeout' ? 'timeout' : 'refused', message: failure?.message ?? 'no response' };
    if (response.status !== 200) return refusal(`it answers GET with HTTP ${response.status}`);
    const until = performance.now() + presentation.startTimeoutMs;
    while (connection.gone === undefined && performance.now() < until) {
      const event = response.events.find((one) => one.event === 'endpoint');
      if (event?.data !== undefined && URL.canParse(event.data, url)) {
        peer.endpoint = { given: event.data, url: new URL(event.data, url).href };
        return undefined;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return refusal(connection.gone ?? 'its stream names no endpoint');
  }

  function post(body: Buffer | string, { headers = {}, url: other = peer.endpoint?.url ?? url }: PostOptions = {}): HttpFlow {
    return http.call({
      method: 'POST',
      url: other,
      headers: { ...presentation.headers, 'content-type': 'application/json', ...headers },
      body: toBuffer(body),
      secrets: presentation.secrets,
      timeoutMs: presentation.timeoutMs,
    });
  }

  async function raw(bytes: Buffer | string, options: RawOptions = {}): Promise<Answer> {
    if (conversation.isFull) return { sent: [], silence: noReply(fullness) };
    const body = toBuffer(bytes);
    const from = conversation.messages.length;
    const wild = options.wild ?? false;
    if (wild) conversation.wild = true;
    const flow = post(body, options.headers === undefined ? {} : { headers: options.headers as Record<string, string> });
    const { exchange } = flow;
    const sent = conversation.message('sent', body, { exchange, form: 'body', ...(wild && { wild }) });
    await flow.head;
    if (options.reply === undefined) return { sent, exchange };
    const status = exchange.response?.status ?? 0;
    // A body that was refused gets no reply on the stream.
    const timeoutMs = status >= 400 ? 200 : options.timeoutMs;
    const { message, silence } = await connection.reply(options.reply, { from, timeoutMs, exact: status >= 400 });
    return answerFrom(sent, message, status >= 400 ? `HTTP ${status} without a reply` : silence, exchange);
  }

  const own: Pick<SsePeer, 'url' | 'stream' | 'raw' | 'post' | 'sendMalformed' | 'close'> & {
    endpoint: SsePeer['endpoint'];
    begin: typeof begin;
  } = {
    url,
    endpoint: undefined,
    stream,
    raw,
    post,
    begin,
    sendMalformed(lengths, body, timeoutMs) {
      const headers = { ...presentation.headers, 'content-type': 'application/json' };
      return http.sendMalformed({ url: peer.endpoint?.url ?? url, headers, timeoutMs }, lengths, body);
    },
    async close() {
      connection.leave('closed');
      http.close();
    },
  };
  const peer = Object.assign(connection, own);
  return peer;
}
