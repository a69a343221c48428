// In front of a watched server over HTTP: holds the port, the sessions and the streams while one server follows the other.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Bytes } from '../../../jsonrpc/event-stream.ts';
import { endConnection } from '../../../serve/node/linger.ts';
import { createLimitedServer } from '../../../serve/node/server.ts';
import { pause, settledWithin } from '../../../text/timeouts.ts';
import { copy, eventsOf, type Fields, forward, idFor, mapped, write } from './watch-forward.ts';
import { WatchSessions } from './watch-sessions.ts';

type Message = Readonly<Record<string, unknown>>;

/** One start of the server. */
export interface Generation {
  readonly number: number;
  readonly port: number;
  /** Nobody waits for it any more. */
  retire(): void;
}

/** A stream that outlives the server behind it. */
interface Held {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What its request has said, once it is known; for the servers that follow. */
  readonly body: () => Buffer | undefined;
  /** It was opened by `subscriptions/listen`, not by GET. */
  readonly isListen: boolean;
  hangUp: () => void;
}

/** Of a body that may have to be told again. The server refuses longer ones. */
const maxKept = 4 * 1024 * 1024;
/** How long a request waits for a server that starts. */
const maxStart = 20_000;
/** How long a server that was replaced may take to answer what it has. */
const longest = 5_000;
const lists = ['tools', 'resources', 'prompts'] as const;

export class WatchFront {
  readonly #http: Server;
  readonly #sessions: WatchSessions;
  readonly #held = new Set<Held>();
  /** Requests that a server still answers. */
  readonly #open = new Map<Generation, number>();
  #now: Generation | undefined;
  #arrived: Promise<void>;
  #arrive: () => void = () => undefined;

  constructor(path: string) {
    this.#sessions = new WatchSessions(path);
    this.#arrived = new Promise((resolve) => {
      this.#arrive = resolve;
    });
    this.#http = createLimitedServer({}, (request, response) => {
      response.on('error', () => undefined);
      void this.#serve(request, response).catch(() => this.#fail(response));
    });
  }

  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(port, host, () => resolve((this.#http.address() as AddressInfo).port));
    });
  }

  close(): void {
    this.#http.close();
    this.#http.closeAllConnections();
  }

  /** Another server takes over: sessions are brought to it, streams go on with it, and whoever listens hears that the lists have changed. */
  async take(next: Generation): Promise<void> {
    await this.#sessions.move(next.port);
    const before = this.#now;
    this.#now = next;
    this.#arrive();
    for (const held of this.#held) {
      held.hangUp();
      void this.#follow(held, next, true).catch(() => held.response.end());
    }
    if (before === undefined) return;
    this.#announce();
    if ((this.#open.get(before) ?? 0) === 0) before.retire();
    else setTimeout(() => before.retire(), longest).unref();
  }

  /** It ended by itself: whoever asks waits for the next. */
  gone(generation: Generation): void {
    this.#open.delete(generation);
    if (this.#now !== generation) return;
    this.#now = undefined;
    this.#arrived = new Promise((resolve) => {
      this.#arrive = resolve;
    });
  }

  /** Nothing of a body is read before the server behind has begun to judge the head: who may call is its business alone. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await settledWithin(maxStart, this.#arrived);
    const now = this.#now;
    if (now === undefined) return this.#fail(response);
    const { headers, method } = request;
    const isStream = method === 'GET' && headers.accept?.includes('text/event-stream') === true;
    // 2026-07-28: the header must be there, and must agree with the body.
    const isListen = headers['mcp-method'] === 'subscriptions/listen';
    const body = copyOf(request);
    if ((isStream && this.#sessions.has(headers['mcp-session-id'])) || isListen) {
      const held: Held = { request, response, body, isListen, hangUp: () => undefined };
      this.#held.add(held);
      response.once('close', () => {
        this.#held.delete(held);
        held.hangUp();
      });
      return this.#follow(held, now, false);
    }
    this.#open.set(now, (this.#open.get(now) ?? 0) + 1);
    try {
      await this.#pass(request, response, body, now);
    } finally {
      const left = (this.#open.get(now) ?? 1) - 1;
      this.#open.set(now, left);
      if (left === 0 && now !== this.#now) now.retire();
    }
  }

  async #pass(request: IncomingMessage, response: ServerResponse, body: () => Buffer | undefined, now: Generation): Promise<void> {
    const { url: path = '/', method = 'GET', headers, rawHeaders } = request;
    const { answer, hangUp } = forward({ port: now.port, path, method, fields: this.#inward(rawHeaders, now) }, request);
    response.once('close', hangUp);
    const incoming = await answer;
    const whole = body();
    const asked = { method, headers, fields: rawHeaders, body: whole, message: messageIn(whole) };
    this.#sessions.learn(asked, { status: incoming.statusCode ?? 502, headers: incoming.headers });
    begin(response, incoming, request);
    if (!isEvents(incoming.headers)) await copy(incoming, response);
    else for await (const event of eventsOf(incoming, now.number)) await write(response, `${event}\n\n`);
    finish(request, response);
  }

  /** The stream of one server after the other, as one. */
  async #follow(held: Held, by: Generation, isAgain: boolean): Promise<void> {
    const { request, response } = held;
    const { url: path = '/', method = 'GET', rawHeaders } = request;
    const inward = this.#inward(rawHeaders, by);
    const length = ['content-length', 'transfer-encoding', 'last-event-id'];
    const fields = isAgain ? mapped(inward, (name, value) => (length.includes(name) ? undefined : value)) : inward;
    const { answer, hangUp } = forward({ port: by.port, path, method, fields }, isAgain ? (held.body() ?? Buffer.alloc(0)) : request);
    held.hangUp = hangUp;
    const incoming = await answer;
    if (!response.headersSent) begin(response, incoming, request);
    if (!isEvents(incoming.headers)) {
      this.#held.delete(held);
      await copy(incoming, response);
      return finish(request, response);
    }
    try {
      for await (const event of eventsOf(incoming, by.number)) {
        // The client was told once that it is subscribed.
        const isKnown = isAgain && event.includes('"notifications/subscriptions/acknowledged"');
        if (this.#now === by && !isKnown) await write(response, `${event}\n\n`);
      }
    } catch {
      // Cut off with its server; the next goes on.
      return;
    }
    // A server that still serves ends a stream because it is over.
    await pause(200);
    if (this.#now === by && this.#held.has(held)) response.end();
  }

  /** Everything may be different now. */
  #announce(): void {
    for (const { response, body, isListen } of this.#held) {
      const { id, params } = (isListen ? messageIn(body()) : undefined) ?? {};
      for (const list of lists) {
        const wanted = (params as { notifications?: Message } | undefined)?.notifications?.[`${list}ListChanged`] === true;
        if (isListen && !wanted) continue;
        const tag = isListen ? { params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id } } } : {};
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed`, ...tag })}\n\n`);
      }
    }
  }

  #inward(fields: Fields, { number }: Generation): Fields {
    return mapped(this.#sessions.inward(fields), (name, value) => (name === 'last-event-id' ? idFor(value, number) : value));
  }

  #fail(response: ServerResponse): void {
    if (response.headersSent) return void response.destroy();
    response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '1' }).end('The server is being started anew\n');
  }
}

function begin(response: ServerResponse, { statusCode = 502, headers }: IncomingMessage, request: IncomingMessage): void {
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = headers;
  const session = request.headers['mcp-session-id'];
  if (isEvents(headers)) delete rest['content-length'];
  response.writeHead(statusCode, {
    ...rest,
    ...(rest['mcp-session-id'] !== undefined && session !== undefined && { 'mcp-session-id': session }),
    // Refused before it was read: what is still on its way would be taken for the next request.
    ...(!request.complete && { connection: 'close' }),
  });
  response.flushHeaders();
}

function finish(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) response.end();
  else endConnection(request, response);
}

function isEvents(headers: IncomingMessage['headers']): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

/** What passes by, so it is for whoever passes it on at once; undefined until it is whole, and when it was too much. */
function copyOf(request: IncomingMessage): () => Buffer | undefined {
  const bytes = new Bytes();
  let length = 0;
  let whole: Buffer | undefined;
  request.on('data', (piece: Buffer) => {
    length += piece.length;
    if (length <= maxKept) bytes.add(piece);
    else bytes.clear();
  });
  return () => {
    if (request.complete && bytes.length === length) whole ??= asBuffer(bytes.whole());
    return whole;
  };
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function messageIn(body: Buffer | undefined): Message | undefined {
  if (body === undefined || body.length === 0) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    // The server answers it as it deserves.
    return undefined;
  }
}
