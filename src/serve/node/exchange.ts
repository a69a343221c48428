// An exchange on node:http: no Request, no Response and no web streams in between.
import { Buffer, isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Bytes } from '../../jsonrpc/event-stream.ts';
import type { BodyFault, Delivery, Exchange, Fields, Sink } from '../exchange.ts';
import type { Account } from '../limits/limits.ts';
import { endConnection, lingerMs } from './linger.ts';

/** What frameworks add to a request. */
interface Mounted {
  /** The URL before a router cut off its own part. */
  readonly originalUrl?: unknown;
  /** Read and parsed already, by express.json() and its kind. */
  readonly body?: unknown;
}

const joinedUpTo = 16 * 1024;

/** A request target in absolute form, with its authority and the rest. */
const absolute = /^https?:\/\/([^/?#]*)([^#]*)$/i;

export class NodeExchange implements Exchange {
  readonly #request: IncomingMessage & Mounted;
  readonly #response: ServerResponse;
  readonly #stallMs: number;
  readonly #alone: boolean;
  account: Account | undefined;
  weight = 0;
  /** What was read of the body so far. */
  #first: Buffer | undefined;
  #all: Bytes | undefined;
  #size = 0;
  #late: NodeJS.Immediate | undefined;
  /** Of that, what its account pays for. */
  #paid = 0;
  #gone: (() => void) | undefined;
  #watching = false;

  /** `alone`: nobody else has a hand in the response, as middleware has that compresses or watches it. */
  constructor(request: IncomingMessage, response: ServerResponse, stallMs: number, alone = false) {
    this.#request = request;
    this.#response = response;
    this.#stallMs = stallMs;
    this.#alone = alone;
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get target(): string {
    const target = this.#target;
    if (target.charCodeAt(0) === 47) return target;
    const [whole, , path = ''] = absolute.exec(target) ?? [];
    if (whole === undefined) return target;
    return path.startsWith('/') ? path : `/${path}`;
  }

  get #target(): string {
    const { originalUrl, url = '' } = this.#request;
    return typeof originalUrl === 'string' ? originalUrl : url;
  }

  get isRead(): boolean {
    return this.#request.readableEnded && this.#request.body !== undefined;
  }

  get secure(): boolean {
    return (this.#request.socket as { encrypted?: boolean }).encrypted === true;
  }

  get connection(): object {
    return this.#request.socket;
  }

  get backlog(): boolean {
    const { socket } = this.#response;
    // Without one, it waits for its turn behind another.
    return socket === null || socket.writableLength > 0;
  }

  header(name: string): string | undefined {
    // A target that is a whole URL names the host, and the field is ignored (RFC 9112, 3.2.2).
    if (name === 'host' && this.#target.charCodeAt(0) !== 47) {
      const host = absolute.exec(this.#target)?.[1];
      if (host !== undefined) return host;
    }
    const value: unknown = this.#request.headers[name];
    // The names of a plain object are there too.
    if (typeof value === 'string') return value;
    return Array.isArray(value) ? value.join(', ') : undefined;
  }

  count(name: string): number {
    const { rawHeaders } = this.#request;
    let count = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const header = rawHeaders[at] as string;
      if (header.length === name.length && header.toLowerCase() === name) count++;
    }
    return count;
  }

  read(maxBytes: number, done: (body: string | BodyFault | { readonly value: unknown }) => void): void {
    const request = this.#request;
    const { body } = request;
    const length = Number(request.headers['content-length']);
    if (length > maxBytes) return done('too-large');
    if (request.readableEnded) return done(body === undefined ? 'taken' : parsed(body, maxBytes));
    request.on('data', (chunk: Buffer) => {
      this.#size += chunk.length;
      if (this.#size > maxBytes) this.#stop('too-large', done);
      // Most bodies come in one piece and are gone in this turn: only the others are paid for.
      else if (chunk.length !== length && !this.#pay(chunk.length)) this.#stop('too-much', done);
      else this.#keep(chunk);
    });
    request.on('end', () => {
      const text = this.#all === undefined ? decode(this.#first ?? Buffer.alloc(0)) : this.#all.take({ decode });
      this.#free();
      done(text);
    });
    // A head whose body is not here yet is kept as long as it takes to come.
    this.#late = setImmediate(() => {
      if (!request.destroyed && !this.#pay(weightOfHead(request))) this.#stop('too-much', done);
    });
  }

  /** Any number of small pieces takes as much memory as they have bytes; a body in one piece is not copied. */
  #keep(chunk: Buffer): void {
    if (this.#first === undefined) {
      this.#first = chunk;
      return;
    }
    if (this.#all === undefined) {
      this.#all = new Bytes();
      this.#all.add(this.#first);
    }
    this.#all.add(chunk);
  }

  #pay(bytes: number): boolean {
    if (this.account?.take(bytes) === false) return false;
    if (this.#paid === 0) this.#request.once('close', () => this.#free());
    this.#paid += bytes;
    return true;
  }

  #stop(fault: BodyFault, done: (body: BodyFault) => void): void {
    this.#request.removeAllListeners('data').removeAllListeners('end');
    this.#free();
    done(fault);
  }

  /** This lives as long as its call; what was read must not. */
  #free(): void {
    clearImmediate(this.#late);
    if (this.#paid > 0) this.account?.hold(-this.#paid);
    this.#paid = 0;
    this.#first = undefined;
    this.#all = undefined;
    this.#late = undefined;
  }

  answer(status: number, fields: Fields, body: string, close = false, delivery?: Delivery): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return delivery?.over();
    const headers = fields.slice();
    // A short body is joined to the head and leaves in one piece; a long one is better turned into bytes once.
    const bytes = body.length > joinedUpTo ? Buffer.from(body) : undefined;
    if (status !== 204) headers.push('content-length', String(bytes?.length ?? Buffer.byteLength(body)));
    if (close) headers.push('connection', 'close');
    response.writeHead(status, headers);
    const text = body === '' || this.method === 'HEAD' ? undefined : (bytes ?? body);
    if (close) endConnection(this.#request, response, text);
    else if (text === undefined) response.end();
    else if (bytes !== undefined || !this.#alone || !inOnePiece(response, body)) response.end(text);
    if (delivery !== undefined) this.#deliver(delivery);
    if (!close && hasBody(this.#request)) this.#linger();
  }

  destroy(): void {
    this.#request.socket.destroy();
  }

  #deliver(delivery: Delivery): void {
    const response = this.#response;
    const { socket } = this.#request;
    if (response.writableFinished || socket.destroyed) return delivery.over();
    const waiting = waitingOn(socket);
    const over = (): void => {
      if (waiting.delete(over)) delivery.over();
    };
    // A response that still waits for its turn on the connection hears nothing of its end.
    waiting.add(over);
    response.once('finish', over);
    this.#limit(delivery);
  }

  /** A reader that takes nothing must not keep the answer in memory for ever. */
  #limit(delivery: Delivery): void {
    const response = this.#response;
    // One that waits for its turn has no connection yet.
    if (response.socket === null) response.once('socket', () => this.#limit(delivery));
    const { socket } = response;
    if (socket === null || response.writableFinished) return;
    const cut = (): void => {
      delivery.cut();
      socket.destroy();
    };
    // Node's own timer: it sees bytes leave even while a long write is under way.
    socket.setTimeout(this.#stallMs, cut);
    response.once('finish', () => {
      socket.off('timeout', cut);
      // By then the server has set the time it waits for the next request, unless another is being served already.
      if (waitingOn(socket).size > 0 && socket.timeout === this.#stallMs) socket.setTimeout(0);
    });
  }

  /** An answered request that is not here as a whole has so long to come: nobody pays for its head and its connection any more. */
  #linger(): void {
    const request = this.#request;
    if (request.complete) return;
    request.resume();
    const timer = setTimeout(() => void (request.complete || request.socket.destroy()), lingerMs);
    request.once('close', () => clearTimeout(timer));
  }

  open(fields: Fields): Sink {
    const response = this.#response;
    response.writeHead(200, [...fields]);
    response.flushHeaders();
    let stallMs = 0;
    let slow = false;
    const arm = (): void => void (slow && response.socket?.setTimeout(stallMs));
    response.on('socket', arm);
    response.on('drain', () => {
      slow = false;
      response.socket?.setTimeout(0);
    });
    return {
      write: (text) => {
        const taken = response.write(text);
        // Only when it begins to lag: what is written meanwhile is no sign of a reader.
        if (!taken && !slow) {
          slow = true;
          arm();
        }
        return taken;
      },
      get waiting(): number {
        return response.writableLength;
      },
      onDrain: (listener) => void response.on('drain', listener),
      onStall: (afterMs, listener) => {
        const { socket } = this.#request;
        stallMs = afterMs;
        socket.on('timeout', listener);
        response.once('close', () => void socket.off('timeout', listener));
      },
      end: (over) => {
        response.end();
        if (response.writableFinished || response.destroyed) over();
        else response.once('close', over);
      },
      destroy: () => void response.destroy(),
    };
  }

  onGone(listener: () => void): void {
    this.#gone = listener;
    if (this.#watching) return;
    this.#watching = true;
    const left = (): void => {
      const gone = this.#response.writableFinished ? undefined : this.#gone;
      this.#gone = undefined;
      gone?.();
    };
    const { socket } = this.#request;
    // It may have left while somebody thought about it.
    if (socket.destroyed || this.#response.destroyed) return queueMicrotask(left);
    this.#response.on('close', left);
    // A response that still waits for its turn on the connection hears nothing of its end.
    const waiting = waitingOn(socket);
    waiting.add(left);
    this.#response.once('finish', () => void waiting.delete(left));
    // A write to a connection that was just reset is no news.
    this.#response.on('error', () => undefined);
  }
}

function hasBody({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);
}

/** Objects of a request and its connection, and what each field takes beside its text, which is there joined and as it came. */
const headBytes = 4 * 1024;
const fieldBytes = 64;

function weightOfHead({ rawHeaders }: IncomingMessage): number {
  let weight = (rawHeaders.length / 2) * fieldBytes;
  for (const text of rawHeaders) weight += 2 * text.length;
  return Math.max(headBytes, weight);
}

function decode(bytes: Uint8Array): string {
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8') : ('not-utf8' satisfies BodyFault);
}

/** What a response of node:http knows of its own head; undocumented, so it is looked at before it is used. */
interface Head {
  readonly _header?: unknown;
  _headerSent?: unknown;
}

/**
 * Head and body in one write. `end(body)` makes two of them, the second empty, and the system call for several pieces
 * costs more: measured, a sixth of the CPU of a call. False when this Node does not look as expected: then nothing was written.
 */
function inOnePiece(response: ServerResponse & Head, body: string): boolean {
  const { socket, _header: head } = response;
  if (typeof head !== 'string' || response._headerSent !== false || socket === null || socket.writableCorked > 0) return false;
  response._headerSent = true;
  socket.write(head + body);
  response.end();
  return true;
}

/** Whoever waits for the end of a connection: one listener on it tells all. */
const waitingOn = (socket: Socket): Set<() => void> => {
  let waiting = connections.get(socket);
  if (waiting === undefined) {
    const all = new Set<() => void>();
    socket.once('close', () => {
      for (const left of all) left();
    });
    connections.set(socket, all);
    waiting = all;
  }
  return waiting;
};
const connections = new WeakMap<Socket, Set<() => void>>();

function parsed(body: unknown, maxBytes: number): string | BodyFault | { readonly value: unknown } {
  if (typeof body === 'string') return Buffer.byteLength(body) > maxBytes ? 'too-large' : body;
  if (!(body instanceof Uint8Array)) return { value: body };
  if (body.length > maxBytes) return 'too-large';
  return isUtf8(body) ? Buffer.from(body).toString('utf8') : 'not-utf8';
}
