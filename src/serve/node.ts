// vivarium/serve/node: an MCP endpoint on node:http, directly.
import type { IncomingMessage, Server as NodeServer, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { VivariumError } from '../jsonrpc/error.ts';
import { coreOf } from '../server/core.ts';
import type { Server } from '../server/server.ts';
import { type HttpStats, toPrometheus } from './counters.ts';
import { Endpoint } from './endpoint.ts';
import { handle, type Surroundings } from './http.ts';
import { checkNames, type HttpRules } from './http-options.ts';
import { NodeExchange } from './node/exchange.ts';
import { withHosts } from './node/hosts.ts';
import { isClosing } from './node/linger.ts';
import { createLimitedServer } from './node/server.ts';
import type { Serving } from './serving.ts';
import { onSignals } from './signals.ts';

export type { HttpStats } from './counters.ts';
export type { CallerOptions, HttpRules, SessionOptions } from './http-options.ts';
export type { Serving, TapEvent } from './serving.ts';
export { toPrometheus };

export interface ListenOptions extends HttpRules {
  /** Default: 127.0.0.1. Anything but loopback needs `auth`. */
  readonly host?: string;
  /** 0 for any that is free. Default: 3000. */
  readonly port?: number;
  /** Default: `/mcp`. */
  readonly path?: string;
  /** Serves a remote host without authorization. Default: false. */
  readonly insecure?: boolean;
  /** Offers the counters to Prometheus at `/metrics`. Default: false. */
  readonly metrics?: boolean;
  /** Time for the head of a request. Default: 15,000. */
  readonly headersMs?: number;
  /** Time for its body, on top of that for the head. Default: 30,000. */
  readonly bodyMs?: number;
  /** How long a connection may wait for its next request. Default: 60,000. */
  readonly idleMs?: number;
  /** Connections at a time. Default: 16,384. */
  readonly maxConnections?: number;
  /** SIGTERM, SIGINT and SIGHUP close it, and then end the process. Default: true. */
  readonly signals?: boolean;
  readonly onShutdown?: () => unknown;
}

export interface HttpServing extends Serving {
  /** Of the endpoint. */
  readonly url: string;
  readonly port: number;
  readonly stats: HttpStats;
  /** Cuts every connection, with the streams on it, such as when tokens were changed: clients come back and are authorized again. */
  disconnect(): void;
}

/** To be mounted in any server that speaks node:http. */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  readonly stats: HttpStats;
  close(): Promise<void>;
}

/**
 * Serves every revision at one URL, on loopback unless told otherwise.
 *
 * @example
 * await using http = await serveHttp(server, { port: 3000 });
 */
export async function serveHttp(server: Server, options: ListenOptions = {}): Promise<HttpServing> {
  const { host = '127.0.0.1', port = 3000, path = '/mcp', metrics = false } = options;
  checkNames(options, listenNames);
  if (!/^\/[^?#\s]*$/.test(path)) throw new VivariumError('ERR_CONFIG', `path must begin with a slash, got ${path}: write /mcp`);
  const endpoint = new Endpoint(coreOf(server), withHosts(options, host), path);
  const around: Surroundings = { metrics };
  const http = createLimitedServer(options, (request, response) =>
    handle(endpoint, new NodeExchange(request, response, endpoint.settings.stallMs, true), around),
  );
  // Clients connect ahead of need; such a connection is not idle in Node's eyes, and would hold up the end.
  const unused = new Set<Socket>();
  http.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  http.on('request', ({ socket }) => unused.delete(socket));
  try {
    await listening(http, port, host);
  } catch (error) {
    await endpoint.close();
    throw error;
  }
  return new NodeServing(endpoint, http, host, options, unused);
}

const listenNames: readonly (keyof ListenOptions)[] = [
  'host',
  'port',
  'path',
  'insecure',
  'metrics',
  'headersMs',
  'bodyMs',
  'idleMs',
  'maxConnections',
  'signals',
  'onShutdown',
];

export function createNodeHandler(server: Server, rules: HttpRules = {}): NodeHandler {
  checkNames(rules);
  const endpoint = new Endpoint(coreOf(server), rules);
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    if (!isClosing(request)) handle(endpoint, new NodeExchange(request, response, endpoint.settings.stallMs));
  };
  Object.defineProperty(handler, 'stats', { get: () => endpoint.stats });
  return Object.assign(handler, { close: () => endpoint.close() }) as NodeHandler;
}

function listening(http: NodeServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? `port ${port} is in use: choose another, or 0 for any` : error.message;
      reject(new VivariumError('ERR_CONFIG', `Cannot listen on ${host}: ${why}`, { cause: error }));
    });
    http.listen(port, host, () => resolve());
  });
}

class NodeServing implements HttpServing {
  readonly url: string;
  readonly port: number;
  readonly closed: Promise<void>;
  readonly #endpoint: Endpoint;
  readonly #http: NodeServer;
  readonly #unused: ReadonlySet<Socket>;
  readonly #onShutdown: (() => unknown) | undefined;
  readonly #release: () => void;
  #ended: () => void = () => undefined;
  #closing: Promise<void> | undefined;

  constructor(endpoint: Endpoint, http: NodeServer, host: string, options: ListenOptions, unused: ReadonlySet<Socket>) {
    this.#endpoint = endpoint;
    this.#unused = unused;
    this.#http = http;
    this.#onShutdown = options.onShutdown;
    this.port = (http.address() as AddressInfo).port;
    endpoint.port = this.port;
    this.url = `http://${host.includes(':') ? `[${host}]` : host}:${this.port}${endpoint.path}`;
    this.closed = new Promise((resolve) => {
      this.#ended = resolve;
    });
    this.#release = options.signals === false ? () => undefined : onSignals(() => this.close());
  }

  get stats(): HttpStats {
    return this.#endpoint.stats;
  }

  disconnect(): void {
    this.#http.closeAllConnections();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const stopped = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    await this.#endpoint.close();
    this.#http.closeIdleConnections();
    for (const socket of this.#unused) socket.destroy();
    // The last bytes are on their way; whoever does not take them is not waited for.
    const late = setTimeout(() => this.#http.closeAllConnections(), 500);
    await stopped;
    clearTimeout(late);
    try {
      await this.#onShutdown?.();
    } catch (error) {
      this.#endpoint.core.report(error, 'onShutdown');
    }
    this.#release();
    this.#ended();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
