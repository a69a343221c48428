// What most tests of this room begin with: a server that keeps what its author would be told, and ways to speak to it.
import { metaKeys } from 'vivarium/protocol';
import { type ErrorInfo, Server, type ServerOptions } from 'vivarium/server';
import { createWire, type Wire } from 'vivarium/testing';

export interface Told {
  readonly error: unknown;
  readonly info: ErrorInfo;
}

export function createServer(options: Partial<ServerOptions> = {}): { readonly server: Server; readonly told: Told[] } {
  const told: Told[] = [];
  const server = new Server({ name: 'tested', version: '1.0.0', onError: (error, info) => void told.push({ error, info }), ...options });
  return { server, told };
}

/** A server with one tool, for tests that are about something else. */
export function createSmall(options: Partial<ServerOptions> = {}): Server {
  const { server } = createServer(options);
  server.tool('hello', {}, () => 'Hello');
  return server;
}

export const handshake = (protocolVersion: unknown = '2025-11-25', capabilities: object = {}): object => ({
  protocolVersion,
  capabilities,
  clientInfo: { name: 'test', version: '1.0' },
});

export const modern = (capabilities: unknown = {}, version: unknown = '2026-07-28'): object => ({
  [metaKeys.protocolVersion]: version,
  [metaKeys.clientCapabilities]: capabilities,
});

/** As it comes off the wire. */
export interface Reply {
  readonly id?: unknown;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly result?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly error?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly params?: any;
}

export async function ask(wire: Wire, method: string, params?: object): Promise<Reply> {
  return (await wire.request(method, params)) as Reply;
}

/** A raw wire on which the handshake of a legacy revision is done. */
export async function openWire(server: Server, version = '2025-11-25', capabilities: object = {}): Promise<Wire> {
  const wire = createWire(server);
  await wire.request('initialize', handshake(version, capabilities));
  wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return wire;
}

/** Several messages as one chunk of bytes. */
export function chunk(...messages: readonly object[]): string {
  return messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
}

export const text = (value: string): object => ({ type: 'text', text: value });

/** The end of a turn of the event loop, at which changes are announced. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** A promise that the test settles. */
export function defer<T = void>(): Deferred<T> {
  let settle: Pick<Deferred<T>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as unknown as Pick<Deferred<T>, 'resolve' | 'reject'>) };
}
