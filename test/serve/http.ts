// HTTP as a client sees it: bytes on a socket where they matter, and one door for node:http and fetch where they do not.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { metaKeys } from 'vivarium/protocol';
import { createFetchHandler } from 'vivarium/serve/fetch';
import { type HttpStats, type ListenOptions, serveHttp } from 'vivarium/serve/node';
import type { Server } from 'vivarium/server';

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** Undefined takes a usual one away. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** An object is sent as its JSON. */
  readonly body?: string | Uint8Array | object | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export type Json = any;

export interface Event {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly comment?: string;
  readonly data?: string;
}

export class Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;

  constructor(status: number, headers: Readonly<Record<string, string>>, text: string) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  get json(): Json {
    return JSON.parse(this.text);
  }

  get code(): number | undefined {
    return this.json.error?.code;
  }

  get events(): Event[] {
    return this.text.split('\n\n').filter(Boolean).map(parseEvent);
  }
}

/** An answer that stays open. */
export interface Opened {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when the stream has ended. */
  next(): Promise<Event | undefined>;
  /** The next event that is a message. */
  message(): Promise<Json>;
  hangUp(): void;
}

/** The same endpoint behind node:http or fetch. */
export interface Door {
  readonly stats: HttpStats;
  readonly port: number;
  send(sent: Sent): Promise<Answer>;
  open(sent: Sent): Promise<Opened>;
  /** Sends without waiting for anything. */
  begin(sent: Sent): Promise<Begun>;
  close(): Promise<void>;
}

export interface Begun {
  opened(): Promise<Opened>;
  hangUp(): void;
}

export type Doorway = (server: Server, options?: ListenOptions) => Promise<Door>;

/** For `describe.each`. */
export const doors: readonly (readonly [name: string, open: Doorway])[] = [
  ['serveHttp', nodeDoor],
  ['createFetchHandler', fetchDoor],
];

const usual = { host: 'localhost', accept: 'application/json, text/event-stream' };

function headersOf({ headers, body }: Sent): [string, string][] {
  const all = { ...usual, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
  return Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

function bytesOf(body: Sent['body']): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

export async function nodeDoor(server: Server, options: ListenOptions = {}): Promise<Door> {
  const http = await serveHttp(server, { port: 0, signals: false, drainMs: 0, ...options });
  onTestFinished(() => http.close());
  /** Connections that may be used again. */
  const idle: Raw[] = [];
  const free = async (): Promise<Raw> => {
    for (let raw = idle.pop(); raw !== undefined; raw = idle.pop()) if (!raw.isOver) return raw;
    return Raw.open(http.port);
  };
  const begin = async (sent: Sent): Promise<Raw> => {
    const raw = await Raw.open(http.port);
    raw.request(sent);
    return raw;
  };
  return {
    get stats() {
      return http.stats;
    },
    port: http.port,
    async send(sent) {
      const raw = await free();
      raw.request(sent);
      const answer = await raw.answer();
      if (answer.headers['connection'] === 'close') raw.hangUp();
      else idle.push(raw);
      return answer;
    },
    open: async (sent) => (await begin(sent)).opened(),
    begin,
    close: () => http.close(),
  };
}

/** Options of listening do nothing here. */
async function fetchDoor(server: Server, options: ListenOptions = {}): Promise<Door> {
  const { host: _host, port: _port, path: _path, metrics: _metrics, headersMs: _headersMs, bodyMs: _bodyMs, ...rules } = options;
  const handler = createFetchHandler(server, { allowedHosts: ['localhost', '127.0.0.1', '[::1]'], drainMs: 0, ...rules });
  onTestFinished(() => handler.close());
  const go = (sent: Sent, signal: AbortSignal): Promise<Response> => {
    const { method = 'POST', path = '/mcp', body } = sent;
    const headers = headersOf(sent);
    const host = headers.find(([name]) => name === 'host')?.[1] ?? 'localhost';
    const base = URL.canParse(`http://${host}`) ? `http://${host}` : 'http://localhost';
    return handler(new Request(`${base}${path}`, { method, headers, signal, ...(body !== undefined && { body: bytesOf(body) }) }));
  };
  const begin = async (sent: Sent): Promise<Begun> => {
    const abort = new AbortController();
    const answered = go(sent, abort.signal);
    let reader: ReadableStreamDefaultReader<string> | undefined;
    const hangUp = (): void => {
      abort.abort();
      void reader?.cancel().catch(() => undefined);
    };
    return {
      hangUp,
      async opened() {
        const response = await answered;
        reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        return opened(response.status, Object.fromEntries(response.headers), async () => (await reader?.read())?.value, hangUp);
      },
    };
  };
  return {
    get stats() {
      return handler.stats;
    },
    port: 0,
    async send(sent) {
      const response = await go(sent, new AbortController().signal);
      return new Answer(response.status, Object.fromEntries(response.headers), await response.text());
    },
    open: async (sent) => (await begin(sent)).opened(),
    begin,
    close: () => handler.close(),
  };
}

function opened(
  status: number,
  headers: Readonly<Record<string, string>>,
  read: () => Promise<string | undefined>,
  hangUp: () => void,
): Opened {
  let text = '';
  const next = async (): Promise<Event | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end !== -1) {
        const event = parseEvent(text.slice(0, end));
        text = text.slice(end + 2);
        return event;
      }
      const more = await read();
      if (more === undefined) return undefined;
      text += more;
    }
  };
  const message = async (): Promise<Json> => {
    for (let event = await next(); event !== undefined; event = await next()) if (event.data) return JSON.parse(event.data);
    throw new Error('The stream ended');
  };
  return { status, headers, next, message, hangUp };
}

function parseEvent(block: string): Event {
  const event: Record<string, string> = {};
  for (const line of block.split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':');
    const name = colon === 0 ? 'comment' : line.slice(0, colon);
    event[name] = line.slice(colon + 1).trimStart();
  }
  return event;
}

/** A connection whose bytes are the test's own. */
export class Raw {
  readonly socket: Socket;
  /** The other side has ended it, or it was reset. */
  readonly ended: Promise<void>;
  #received: Buffer = Buffer.alloc(0);
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    // A reset is one way to be refused.
    socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      const over = (): void => {
        this.#isOver = true;
        this.#wake();
        resolve();
      };
      socket.on('end', over).on('close', over);
    });
  }

  static async open(port: number, host = '127.0.0.1'): Promise<Raw> {
    const socket = connect({ port, host, noDelay: true });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return new Raw(socket);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** What came and was not taken yet. */
  get rest(): string {
    return this.#received.toString('latin1');
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** One request with its length. */
  request(sent: Sent): void {
    const { method = 'POST', path = '/mcp' } = sent;
    const body = bytesOf(sent.body);
    const headers = headersOf(sent);
    const counted = headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
    if (!counted && (sent.body !== undefined || method === 'POST')) headers.push(['content-length', String(body.length)]);
    const head = [`${method} ${path} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
    this.socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]));
  }

  async #until<T>(take: () => T | undefined): Promise<T> {
    for (;;) {
      const found = take();
      if (found !== undefined) return found;
      if (this.#isOver) throw new Error(`The connection ended after ${JSON.stringify(this.rest)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(size: number): Buffer {
    const taken = this.#received.subarray(0, size);
    this.#received = this.#received.subarray(size);
    return taken;
  }

  #line(end: string): Promise<string> {
    return this.#until(() => {
      const at = this.#received.indexOf(end);
      if (at === -1) return undefined;
      const text = this.#take(at).toString('latin1');
      this.#take(end.length);
      return text;
    });
  }

  async head(): Promise<{ readonly status: number; readonly headers: Readonly<Record<string, string>> }> {
    const [first = '', ...lines] = (await this.#line('\r\n\r\n')).split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const name = line.slice(0, line.indexOf(':')).toLowerCase();
      const value = line.slice(line.indexOf(':') + 1).trim();
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
    return { status: Number(first.split(' ')[1]), headers };
  }

  async #chunk(): Promise<Buffer | undefined> {
    const size = Number.parseInt(await this.#line('\r\n'), 16);
    const bytes = await this.#until(() => (this.#received.length >= size + 2 ? this.#take(size) : undefined));
    this.#take(2);
    return size === 0 ? undefined : bytes;
  }

  /** The next answer in full. */
  async answer(headOnly = false): Promise<Answer> {
    const { status, headers } = await this.head();
    if (headOnly || status === 204) return new Answer(status, headers, '');
    if (headers['transfer-encoding'] === 'chunked') {
      const chunks: Buffer[] = [];
      for (let chunk = await this.#chunk(); chunk !== undefined; chunk = await this.#chunk()) chunks.push(chunk);
      return new Answer(status, headers, Buffer.concat(chunks).toString());
    }
    const size = Number(headers['content-length'] ?? 0);
    const body = await this.#until(() => (this.#received.length >= size ? this.#take(size) : undefined));
    return new Answer(status, headers, body.toString());
  }

  async opened(): Promise<Opened> {
    const { status, headers } = await this.head();
    const decoder = new TextDecoder();
    const read = async (): Promise<string | undefined> => {
      const chunk = await this.#chunk();
      return chunk === undefined ? undefined : decoder.decode(chunk, { stream: true });
    };
    return opened(status, headers, read, () => this.hangUp());
  }

  /** By a reset, which the other side sees at once: a plain end could be that of one side only. */
  hangUp(): void {
    this.socket.resetAndDestroy();
  }
}

/** What is not so yet, and will be: looked at often, given up late. */
export const eventually: typeof expect.poll = (of, options) => expect.poll(of, { interval: 2, timeout: 20_000, ...options });

export const clientInfo = { name: 'test', version: '1.0' };

/** A request of 2026-07-28 with the headers it needs; `headers` replaces some. */
export function modern(method: string, params: object = {}, headers: Sent['headers'] = {}, meta: object = {}, id: unknown = 1): Sent {
  const { name, uri } = params as { name?: unknown; uri?: unknown };
  const about = { 'tools/call': name, 'prompts/get': name, 'resources/read': uri }[method];
  const _meta = { [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientInfo]: clientInfo, [metaKeys.clientCapabilities]: {}, ...meta };
  return {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof about === 'string' && { 'mcp-name': about }),
      ...headers,
    },
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
  };
}

export const rpc = (id: unknown, method: string, params?: object): object => ({ jsonrpc: '2.0', id, method, ...(params && { params }) });

export const call = (id: unknown, name: string, args: object = {}, meta?: object): object =>
  rpc(id, 'tools/call', { name, arguments: args, ...(meta && { _meta: meta }) });

export const initialize = (revision: unknown = '2025-11-25', capabilities: object = {}): object =>
  rpc(0, 'initialize', { protocolVersion: revision, capabilities, clientInfo });

/** The headers of a session whose handshake is made; others may be added to them. */
export async function openSession(
  door: Pick<Door, 'send'>,
  revision = '2025-11-25',
  headers: Sent['headers'] = {},
  capabilities: object = {},
): Promise<Record<string, string | undefined>> {
  const { status, headers: given, text } = await door.send({ headers, body: initialize(revision, capabilities) });
  const id = given['mcp-session-id'];
  if (id === undefined) throw new Error(`No session: ${status} ${text}`);
  const own = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': revision };
  await door.send({ headers: own, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
  return own;
}
