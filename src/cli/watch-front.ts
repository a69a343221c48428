// In front of a watched server over HTTP: holds the port, the sessions and the streams while one server follows the other.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventsOf, forward, idFor } from './watch-forward.ts';
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
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly response: ServerResponse;
  /** The request that opened it, where it was one. */
  readonly listen: Message | undefined;
  hangUp: () => void;
}

const mostBody = 64 * 1024 * 1024;
/** How long a request waits for a server that starts. */
const longestStart = 20_000;
/** How long a server that was replaced may take to answer what it has. */
const longest = 5_000;
const lists = ['tools', 'resources', 'prompts'] as const;

export class WatchFront {
  readonly #http: Server;
  readonly #sessions = new WatchSessions();
  readonly #held = new Set<Held>();
  /** Requests that a server still answers. */
  readonly #open = new Map<Generation, number>();
  #now: Generation | undefined;
  #arrived: Promise<void>;
  #arrive: () => void = () => undefined;

  constructor(path: string) {
    this.#sessions.path = path;
    this.#arrived = new Promise((resolve) => {
      this.#arrive = resolve;
    });
    this.#http = createServer((request, response) => {
      response.on('error', () => undefined);
      void this.#serve(request, response).catch(() => this.#fail(response));
    });
    this.#http.timeout = 0;
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

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === undefined) return void response.writeHead(413).end();
    await Promise.race([this.#arrived, new Promise((resolve) => setTimeout(resolve, longestStart).unref())]);
    const now = this.#now;
    if (now === undefined) return this.#fail(response);
    const { url: path = '/', method = 'GET' } = request;
    const message = messageIn(body);
    const isStream = method === 'GET' && request.headers.accept?.includes('text/event-stream') === true;
    const isListen = message?.['method'] === 'subscriptions/listen';
    if ((isStream && this.#sessions.has(request.headers['mcp-session-id'])) || isListen) {
      const held: Held = {
        path,
        method,
        headers: request.headers,
        body,
        response,
        listen: isListen ? message : undefined,
        hangUp: () => undefined,
      };
      this.#held.add(held);
      response.once('close', () => {
        this.#held.delete(held);
        held.hangUp();
      });
      return this.#follow(held, now, false);
    }
    this.#open.set(now, (this.#open.get(now) ?? 0) + 1);
    try {
      await this.#pass({ request, response, body, message, path, method }, now);
    } finally {
      const left = (this.#open.get(now) ?? 1) - 1;
      this.#open.set(now, left);
      if (left === 0 && now !== this.#now) now.retire();
    }
  }

  async #pass(
    asked: { request: IncomingMessage; response: ServerResponse; body: Buffer; message: Message | undefined; path: string; method: string },
    now: Generation,
  ): Promise<void> {
    const { request, response, body, message, path, method } = asked;
    const { incoming, hangUp } = await forward({ port: now.port, path, method, headers: this.#inward(request.headers, now) }, body);
    response.once('close', hangUp);
    const head = { status: incoming.statusCode ?? 502, headers: incoming.headers };
    this.#sessions.learn(method, message, body, request.headers, head);
    response.writeHead(head.status, outward(incoming.headers, request.headers['mcp-session-id']));
    if (!isEvents(incoming)) {
      for await (const piece of incoming) response.write(piece);
    } else {
      response.flushHeaders();
      for await (const event of eventsOf(incoming, now.number)) response.write(`${event}\n\n`);
    }
    response.end();
  }

  /** The stream of one server after the other, as one. */
  async #follow(held: Held, by: Generation, isAgain: boolean): Promise<void> {
    const { response, path, method, body } = held;
    const { 'last-event-id': _, ...rest } = this.#inward(held.headers, by);
    const headers = isAgain ? rest : this.#inward(held.headers, by);
    const { incoming, hangUp } = await forward({ port: by.port, path, method, headers }, body);
    held.hangUp = hangUp;
    if (!response.headersSent) response.writeHead(incoming.statusCode ?? 502, outward(incoming.headers, held.headers['mcp-session-id']));
    if (!isEvents(incoming)) {
      this.#held.delete(held);
      for await (const piece of incoming) response.write(piece);
      return void response.end();
    }
    response.flushHeaders();
    try {
      for await (const event of eventsOf(incoming, by.number)) {
        // The client was told once that it is subscribed.
        const isKnown = isAgain && event.includes('"notifications/subscriptions/acknowledged"');
        if (this.#now === by && !isKnown) response.write(`${event}\n\n`);
      }
    } catch {
      // Cut off with its server; the next goes on.
      return;
    }
    // A server that still serves ends a stream because it is over.
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (this.#now === by && this.#held.has(held)) response.end();
  }

  /** Everything may be different now. */
  #announce(): void {
    for (const { response, listen } of this.#held) {
      for (const list of lists) {
        const wanted = (listen?.['params'] as { notifications?: Message } | undefined)?.notifications?.[`${list}ListChanged`] === true;
        if (listen !== undefined && !wanted) continue;
        const tag = listen === undefined ? {} : { params: { _meta: { 'io.modelcontextprotocol/subscriptionId': listen['id'] } } };
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: `notifications/${list}/list_changed`, ...tag })}\n\n`);
      }
    }
  }

  #inward(headers: IncomingMessage['headers'], { number }: Generation): Record<string, string | readonly string[] | undefined> {
    const { 'last-event-id': last, ...rest } = this.#sessions.inward(headers);
    const id = idFor(last, number);
    return { ...rest, ...(id !== undefined && { 'last-event-id': id }) };
  }

  #fail(response: ServerResponse): void {
    if (response.headersSent) return void response.destroy();
    response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '1' }).end('The server is being started anew\n');
  }
}

function outward(headers: IncomingMessage['headers'], session: string | string[] | undefined): IncomingMessage['headers'] {
  const { connection, 'keep-alive': _, 'transfer-encoding': __, ...rest } = headers;
  if (isEventType(headers)) delete rest['content-length'];
  return rest['mcp-session-id'] === undefined || session === undefined ? rest : { ...rest, 'mcp-session-id': session };
}

function isEvents({ headers }: IncomingMessage): boolean {
  return isEventType(headers);
}

function isEventType(headers: IncomingMessage['headers']): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += (piece as Buffer).length;
    if (length > mostBody) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}

function messageIn(body: Buffer): Message | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    // The server answers it as it deserves.
    return undefined;
  }
}
