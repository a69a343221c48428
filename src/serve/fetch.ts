// vivarium/serve/fetch: an MCP endpoint as a function from Request to Response, for every other runtime.
import { Bytes } from '../jsonrpc/event-stream.ts';
import { coreOf } from '../server/core.ts';
import type { Server } from '../server/server.ts';
import { type HttpStats, toPrometheus } from './counters.ts';
import { Endpoint } from './endpoint.ts';
import type { BodyFault, Delivery, Exchange, Fields, Sink } from './exchange.ts';
import { handle } from './http.ts';
import { checkNames, type HttpRules } from './http-options.ts';
import type { Account } from './limits/limits.ts';

export type { HttpStats } from './counters.ts';
export type { CallerOptions, HttpRules, SessionOptions } from './http-options.ts';
export type { TapEvent } from './serving.ts';
export { toPrometheus };

export interface FetchHandler {
  (request: Request): Promise<Response>;
  readonly stats: HttpStats;
  close(): Promise<void>;
}

export function createFetchHandler(server: Server, rules: HttpRules = {}): FetchHandler {
  checkNames(rules);
  const endpoint = new Endpoint(coreOf(server), rules);
  const handler = (request: Request): Promise<Response> => new Promise((resolve) => handle(endpoint, new FetchExchange(request, resolve)));
  Object.defineProperty(handler, 'stats', { get: () => endpoint.stats });
  return Object.assign(handler, { close: () => endpoint.close() }) as FetchHandler;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
/** What may wait in a stream before its reader counts as slow. */
const highWater = 64 * 1024;

class FetchExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly secure: boolean;
  readonly isRead = false;
  /** Neither can be seen from here. */
  readonly connection = undefined;
  readonly backlog = false;
  account: Account | undefined;
  weight = 0;
  readonly #request: Request;
  readonly #url: URL;
  readonly #respond: (response: Response) => void;
  #gone: (() => void) | undefined;
  #left = false;

  constructor(request: Request, respond: (response: Response) => void) {
    this.#request = request;
    this.#respond = respond;
    this.#url = new URL(request.url);
    this.method = request.method;
    this.target = `${this.#url.pathname}${this.#url.search}`;
    this.secure = this.#url.protocol === 'https:';
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name) ?? undefined;
    // Some runtimes take it off, and leave it in the URL only.
    return value === undefined && name === 'host' ? this.#url.host : value;
  }

  /** Headers sent twice have been joined; credentials have no comma of their own. */
  count(name: string): number {
    const value = this.#request.headers.get(name);
    return value === null ? 0 : value.split(', ').length;
  }

  read(maxBytes: number, done: (body: string | BodyFault) => void): void {
    this.#collect(maxBytes).then(done, () => {
      this.#respond(new Response(null, { status: 400 }));
      this.#leave();
    });
  }

  async #collect(maxBytes: number): Promise<string | BodyFault> {
    if (this.#request.bodyUsed) return 'taken';
    if (Number(this.#request.headers.get('content-length')) > maxBytes) return 'too-large';
    const bytes = new Bytes();
    let size = 0;
    let paid = 0;
    const reader = this.#request.body?.getReader();
    try {
      for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
        size += part.value.length;
        const fault = size > maxBytes ? 'too-large' : this.account?.take(part.value.length) === false ? 'too-much' : undefined;
        if (fault !== undefined) {
          void reader?.cancel().catch(() => undefined);
          return fault;
        }
        paid = size;
        bytes.add(part.value);
      }
    } finally {
      this.account?.hold(-paid);
    }
    try {
      return bytes.take(utf8);
    } catch {
      return 'not-utf8';
    }
  }

  answer(status: number, fields: Fields, body: string, _close?: boolean, delivery?: Delivery): void {
    const empty = status === 204 || body === '' || this.method === 'HEAD';
    this.#respond(new Response(empty ? null : body, { status, headers: toHeaders(fields) }));
    delivery?.over();
  }

  destroy(): void {
    this.#respond(Response.error());
  }

  open(fields: Fields): Sink {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    let drained: (() => void) | undefined;
    let stalled: (() => void) | undefined;
    let stallMs = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (given) => {
          controller = given;
        },
        pull: () => {
          clearTimeout(timer);
          timer = undefined;
          drained?.();
        },
        cancel: () => {
          ended = true;
          this.#leave();
        },
      },
      { highWaterMark: highWater, size: (chunk) => chunk?.length ?? 0 },
    );
    this.#respond(new Response(body, { status: 200, headers: toHeaders(fields) }));
    const room = (): number => controller?.desiredSize ?? 0;
    let sent = 0;
    const read = (): number => sent - highWater + room();
    const watch = (before: number): void => {
      timer = setTimeout(() => {
        if (ended || room() > 0) return;
        if (read() > before) watch(read());
        else stalled?.();
      }, stallMs);
      (timer as { unref?(): void }).unref?.();
    };
    return {
      write: (text) => {
        const bytes = encoder.encode(text);
        if (!ended) controller?.enqueue(bytes);
        sent += bytes.length;
        const taken = room() > 0;
        if (!taken && timer === undefined) watch(read());
        return taken;
      },
      onStall: (afterMs, listener) => {
        stallMs = afterMs;
        stalled = listener;
      },
      get waiting(): number {
        return Math.max(0, highWater - room());
      },
      onDrain: (listener) => {
        drained = listener;
      },
      end: (over) => {
        if (!ended) controller?.close();
        ended = true;
        over();
      },
      destroy: () => {
        if (!ended) controller?.error(new Error('The reader was cut off'));
        ended = true;
      },
    };
  }

  onGone(listener: () => void): void {
    this.#gone = listener;
    const { signal } = this.#request;
    if (signal.aborted) queueMicrotask(() => this.#leave());
    else signal.addEventListener('abort', () => this.#leave(), { once: true });
  }

  #leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.#gone?.();
    // Nobody reads it, but whoever called the handler waits for something; after an answer this changes nothing.
    this.#respond(new Response(null, { status: 499 }));
  }
}

function toHeaders(fields: Fields): Headers {
  const headers = new Headers();
  for (let at = 0; at < fields.length; at += 2) headers.append(fields[at] as string, fields[at + 1] as string);
  return headers;
}
