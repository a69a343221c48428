// Requests on node:http and node:https, with connections that are kept.
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { ChannelFailure } from '../protocol/channel.ts';
import { asNetworkFailure, ConnectTimeout } from './network-failure.ts';
import { noMessage } from './refusal.ts';
import type { Outgoing, Reception, Requester, Underway } from './requester.ts';

export interface TlsOptions {
  /** Certificates that are trusted instead of the usual ones. */
  readonly ca?: string | readonly string[];
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface NodeTerms {
  readonly connectMs: number;
  readonly maxSockets: number;
  readonly tls: TlsOptions;
}

interface Pool {
  /** Connections over which bytes may have gone. */
  readonly connected: WeakSet<object>;
  readonly underway: Set<NodeRequest>;
  start(outgoing: Outgoing): ClientRequest;
}

type Agent = HttpAgent | HttpsAgent;

/** So long an idle connection is kept where the server does not say how long it will keep it. */
const idleMs = 60_000;

export function createNodeRequester(url: URL, { connectMs, maxSockets, tls }: NodeTerms): Requester {
  const secure = url.protocol === 'https:';
  const connected = new WeakSet<object>();
  const create = (most: number): Agent => {
    const options = { keepAlive: true, maxSockets: most, maxFreeSockets: maxSockets, noDelay: true };
    const agent = secure ? new HttpsAgent({ ...options, ...(tls as object) }) : new HttpAgent(options);
    watchConnections(agent, secure, connectMs, connected);
    // Node's own would undo the time limit that each connection has.
    agent.keepSocketAlive = (socket) => {
      (socket as Socket).unref();
      return true;
    };
    return agent;
  };
  // An answer to the server's question must not wait behind the calls that wait for it.
  const calls = create(maxSockets);
  const rest = create(Number.POSITIVE_INFINITY);
  const request = secure ? secureRequest : plainRequest;
  const { protocol } = url;
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port || (secure ? 443 : 80);
  const pool: Pool = {
    connected,
    underway: new Set(),
    start({ verb, path, fields, body, holds }) {
      fields.push('host', url.host);
      if (body !== undefined) fields.push('content-length', String(Buffer.byteLength(body)));
      const agent = holds ? calls : rest;
      return request({ protocol, hostname, port, method: verb, path, headers: fields as never, agent } satisfies RequestOptions);
    },
  };
  return {
    send(outgoing, reception) {
      const one = new NodeRequest(reception, pool);
      one.begin(outgoing);
      return one;
    },
    close() {
      for (const one of [...pool.underway]) one.abort();
      calls.destroy();
      rest.destroy();
    },
  };
}

function watchConnections(agent: Agent, secure: boolean, connectMs: number, connected: WeakSet<object>): void {
  const connect = agent.createConnection.bind(agent) as (...given: unknown[]) => Socket;
  const watched = (...given: unknown[]): Socket => {
    const socket = connect(...given);
    const timer = setTimeout(() => socket.destroy(new ConnectTimeout(connectMs)), connectMs);
    socket.once('close', () => clearTimeout(timer));
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      connected.add(socket);
      socket.setKeepAlive(true, 1_000);
    });
    return socket;
  };
  agent.createConnection = watched as typeof agent.createConnection;
}

/** A second less than the server promises. */
function keptFor(keepAlive: unknown): number {
  const seconds = /\btimeout=(\d{1,6})\b/.exec(String(keepAlive))?.[1];
  return seconds === undefined ? idleMs : Math.min(idleMs, Math.max(500, 1_000 * Number(seconds) - 1_000));
}

/** A write of so little to an idle connection is taken as a whole or not at all. */
const atOnce = 4_096;

class NodeRequest implements Underway {
  readonly #reception: Reception;
  readonly #pool: Pool;
  #request: ClientRequest | undefined;
  #bodyLength = 0;
  #answered = false;
  #over = false;

  constructor(reception: Reception, pool: Pool) {
    this.#reception = reception;
    this.#pool = pool;
  }

  begin(outgoing: Outgoing): void {
    const { body } = outgoing;
    this.#pool.underway.add(this);
    this.#bodyLength = body?.length ?? 0;
    try {
      const request = this.#pool.start(outgoing);
      this.#request = request;
      request.on('response', (response) => this.#response(response));
      request.on('error', (error) => this.#error(error));
      request.end(body);
      joinWrites(request as Unwritten);
    } catch (error) {
      // A header that cannot be sent. Told later, because the caller does not have this object yet.
      queueMicrotask(() => this.#fail({ kind: 'protocol', message: (error as Error).message, unsent: true, cause: error }));
    }
  }

  abort(): void {
    if (!this.#finish()) return;
    this.#request?.destroy();
  }

  #response(response: IncomingMessage): void {
    this.#answered = true;
    response.on('error', (error) => this.#error(error));
    if (this.#over) return;
    const { headers, socket } = response;
    // Used once more after the server has begun to close it, a request would be lost.
    if (!socket.timeout) socket.setTimeout(keptFor(headers['keep-alive']));
    const coding = headers['content-encoding'];
    if (coding !== undefined && coding.toLowerCase() !== 'identity') {
      this.#fail(noMessage(`The server compresses its answers (${coding}) although nobody asked for it`, response.statusCode));
      this.#request?.destroy();
      return;
    }
    response.on('data', (bytes: Uint8Array) => {
      if (!this.#over) this.#reception.data(bytes);
    });
    response.on('end', () => {
      if (this.#finish()) this.#reception.end();
    });
    this.#reception.head(response.statusCode ?? 0, (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    });
  }

  #error(error: Error): void {
    this.#fail(asNetworkFailure(error, this.#isUnsent(error)));
  }

  #isUnsent(error: NodeJS.ErrnoException): boolean {
    const { socket, reusedSocket } = this.#request ?? {};
    if (this.#answered) return false;
    if (socket === undefined || socket === null || !this.#pool.connected.has(socket)) return true;
    // The kernel refused the only write there was.
    return reusedSocket === true && error.syscall === 'write' && this.#bodyLength < atOnce / 4;
  }

  #fail(failure: ChannelFailure): void {
    if (this.#finish()) this.#reception.failed(failure);
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#pool.underway.delete(this);
    return true;
  }
}

/** What a request of node:http has yet to write; undocumented, so it is looked at before it is used. */
interface Unwritten {
  readonly outputData?: { readonly data?: unknown; callback?: unknown }[];
}

/** Its end is a write of nothing: without it, head and body go out by a plain write, which costs the system half as much. */
function joinWrites(request: Unwritten): void {
  const { outputData } = request;
  if (!Array.isArray(outputData) || outputData.length !== 2) return;
  const [all, end] = outputData;
  if (all === undefined || typeof all.data !== 'string' || end?.data !== '') return;
  // Nobody gave one for the body: what is there does nothing.
  all.callback = end.callback;
  outputData.length = 1;
}
