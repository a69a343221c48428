// Our answer to one request over HTTP: a body, or a stream of events, written down as it goes out.
import type { ServerResponse } from 'node:http';
import { closedByClient, type Exchange, type HttpResponse } from '../model/trace.ts';
import type { MockReply } from './scenario.ts';
import type { Send } from './stage.ts';

export class Reply {
  readonly exchange: Exchange;
  headers: Readonly<Record<string, string>> = {};
  /** The names of its headers are in upper case. */
  shouts = false;
  readonly #outgoing: ServerResponse;
  readonly #now: () => number;
  readonly #closed: (() => void)[] = [];
  #response: HttpResponse | undefined;

  constructor(outgoing: ServerResponse, exchange: Exchange, now: () => number) {
    this.#outgoing = outgoing;
    this.exchange = exchange;
    this.#now = now;
    outgoing.on('error', () => undefined);
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) exchange.failure = closedByClient;
      if (this.#response !== undefined) this.#response.endedAt ??= now();
      for (const told of this.#closed) told();
    });
  }

  get isOpen(): boolean {
    return this.#response !== undefined;
  }

  onClose(told: () => void): void {
    if (this.#outgoing.closed) told();
    else this.#closed.push(told);
  }

  /** Opens a stream when it is first used. */
  readonly send: Send = (text) => {
    this.open();
    this.event({ data: text });
    return { exchange: this.exchange, form: 'event' };
  };

  open(): void {
    if (this.#response !== undefined) return;
    this.#head(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    this.#outgoing.flushHeaders();
  }

  event(fields: Readonly<Partial<Record<'event' | 'id' | 'retry' | 'data', string>>>): void {
    const { event, id, retry, data } = fields;
    this.#response?.events.push({ at: this.#now(), event, id, retry, data });
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
    this.#outgoing.write(`${lines.join('')}\n`);
  }

  json(status: number, text: string): { readonly exchange: Exchange; readonly form: 'body' } {
    this.#head(status, { 'content-type': 'application/json' });
    this.#end(text);
    return { exchange: this.exchange, form: 'body' };
  }

  plain({ status, headers = {}, body = '' }: Extract<MockReply, { status: number }>): void {
    if (this.#response !== undefined) return void this.#outgoing.destroy();
    this.#head(status, headers);
    this.#end(body);
  }

  end(): void {
    this.#end('');
  }

  #head(status: number, headers: Readonly<Record<string, string>>): void {
    const all = { ...this.headers, ...headers };
    this.#response = { at: this.#now(), status, headers: all, body: Buffer.alloc(0), events: [] };
    this.exchange.response = this.#response;
    const written = this.shouts ? Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toUpperCase(), value])) : all;
    this.#outgoing.writeHead(status, written);
  }

  #end(text: string): void {
    if (this.#response !== undefined) {
      this.#response.body = Buffer.from(text);
      this.#response.endedAt = this.#now();
    }
    this.#outgoing.end(text);
  }
}
