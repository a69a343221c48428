// A client's end of a channel, and servers that behave as a test tells them.
import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { metaKeys, type Revision } from 'vivarium/protocol';
import type { Channel, ChannelFailure, Connector, Sending } from '../../src/protocol/channel.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export type Json = any;

/** A channel with a book of everything it told. */
export class Peer {
  readonly channel: Channel;
  readonly messages: Json[] = [];
  readonly failures: ChannelFailure[] = [];
  readonly junk: string[] = [];
  readonly #waiting: Set<() => void> = new Set();

  constructor(channel: Channel) {
    this.channel = channel;
    channel.receive((message) => {
      this.messages.push(message);
      this.#wake();
    });
    channel.junk?.((line) => {
      this.junk.push(line);
      this.#wake();
    });
    onTestFinished(() => channel.close());
  }

  static async open(connector: Connector): Promise<Peer> {
    return new Peer(await connector.open());
  }

  send(message: object, sending: Sending = {}): void {
    this.channel.send({ jsonrpc: '2.0', ...message }, { ...sending, failed: (failure) => this.#failed(failure, sending) });
  }

  /** The answer, or the failure. */
  async ask(message: { readonly id: number | string; readonly [member: string]: unknown }, sending: Sending = {}): Promise<Json> {
    let failure: ChannelFailure | undefined;
    const failed = (why: ChannelFailure): void => {
      failure = why;
      this.#wake();
    };
    this.channel.send({ jsonrpc: '2.0', ...message }, { ...sending, failed });
    return this.until(() => this.messages.find(({ id, method }) => id === message.id && method === undefined) ?? failure);
  }

  /** The failure that answers a message; an answer is a mistake. */
  async fails(message: object = call('echo'), sending: Sending = {}): Promise<ChannelFailure> {
    const told = await this.ask({ id: 1, ...message }, sending);
    if (told.kind === undefined) throw new Error(`This came: ${JSON.stringify(told)}`);
    return told;
  }

  until<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const check = (): void => {
        const found = look();
        if (found === undefined) return;
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }

  async initialize(revision: Revision = '2025-11-25', capabilities: object = {}): Promise<Json> {
    const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'test', version: '1' } };
    const answer = await this.ask({ id: 'hello', method: 'initialize', params }, { era: 'legacy' });
    if (answer.result !== undefined) this.send({ method: 'notifications/initialized' }, { era: 'legacy', revision });
    return answer;
  }

  #failed(failure: ChannelFailure, sending: Sending): void {
    this.failures.push(failure);
    sending.failed?.(failure);
    this.#wake();
  }

  #wake(): void {
    for (const check of [...this.#waiting]) check();
  }
}

export const legacy: Sending = { era: 'legacy', revision: '2025-11-25' };
export const modern: Sending = { era: 'modern', revision: '2026-07-28' };

export function call(name: string, args: object = {}, more: object = {}): { readonly method: string; readonly params: Json } {
  return { method: 'tools/call', params: { name, arguments: args, ...more } };
}

/** With the `_meta` that 2026-07-28 wants. */
export function modernly({ method, params }: { readonly method: string; readonly params?: Json }): { method: string; params: Json } {
  const _meta = { [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientCapabilities]: {}, ...params?._meta };
  return { method, params: { ...params, _meta } };
}

export interface Heard {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly url: string;
  readonly body: Json;
}

export interface Rude {
  readonly url: string;
  readonly port: number;
  /** Requests, in order. */
  readonly heard: Heard[];
  readonly server: NodeServer;
}

/** An HTTP server that answers as `answer` says; `index` counts the requests. */
export async function rude(answer: (heard: Heard, response: ServerResponse, index: number) => void, port = 0): Promise<Rude> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        headers: request.headers,
        url: request.url ?? '',
        body: text === '' ? undefined : JSON.parse(text),
      };
      heard.push(one);
      answer(one, response, heard.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const at = (server.address() as AddressInfo).port;
  return { url: `http://127.0.0.1:${at}/mcp`, port: at, heard, server };
}

/** Bytes on a socket, as soon as a request has come. */
export async function raw(answer: (socket: Socket, index: number) => void): Promise<string> {
  let index = 0;
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    const at = index++;
    socket.once('data', () => answer(socket, at));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

export function json(response: ServerResponse, body: object, headers: Record<string, string> = {}, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function result(id: unknown, value: object = {}): object {
  return { jsonrpc: '2.0', id, result: value };
}

export function events(response: ServerResponse, headers: Record<string, string> = {}): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
  return response;
}

export function event(message: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
}
