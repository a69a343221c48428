// Opens connections to one origin, through the proxy that the environment names for it.
import { isIP, connect as plainConnect, type Socket } from 'node:net';
import { connect as secureConnect } from 'node:tls';
import { bare, type HttpProxy, portOf } from '../node/proxy.ts';
import { openTunnel, ProxyUnreachable } from '../node/tunnel.ts';
import { ConnectTimeout } from './network-failure.ts';

export interface TlsOptions {
  /** Certificates that are trusted instead of the usual ones. */
  readonly ca?: string | readonly string[];
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

type Done = (error: Error | null, socket?: Socket) => void;
type Where = { readonly host: string; readonly port: number } | { readonly socket: Socket };

export class Dialer {
  readonly #host: string;
  readonly #port: number;
  readonly #secure: boolean;
  readonly #connectMs: number;
  readonly #tls: TlsOptions;
  readonly #proxy: HttpProxy | undefined;
  /** Saves the greater part of the next handshake. */
  #session: Buffer | undefined;

  constructor(url: URL, connectMs: number, tls: TlsOptions, proxy: HttpProxy | undefined) {
    this.#host = bare(url.hostname);
    this.#port = portOf(url);
    this.#secure = url.protocol === 'https:';
    this.#connectMs = connectMs;
    this.#tls = tls;
    this.#proxy = proxy;
  }

  /** Returns what gives it up; nothing is told afterwards. */
  dial(done: Done): () => void {
    let stop = (): void => undefined;
    const timer = setTimeout(() => finish(new ConnectTimeout(this.#connectMs)), this.#connectMs);
    let over = false;
    const finish: Done = (error, socket) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      if (error !== null) stop();
      else socket?.setKeepAlive(true, 1_000);
      done(error, socket);
    };
    stop = this.#begin(finish, (next) => {
      stop = next;
    });
    return () => {
      over = true;
      clearTimeout(timer);
      stop();
    };
  }

  #begin(done: Done, then: (stop: () => void) => void): () => void {
    const proxy = this.#proxy;
    if (proxy === undefined) {
      const where = { host: this.#host, port: this.#port };
      return this.#secure ? this.#connectSecurely(where, done) : watch(plainConnect({ ...where, noDelay: true }), 'connect', done);
    }
    if (this.#secure) {
      return openTunnel(proxy, this.#host, this.#port, (error, socket) => {
        if (socket === undefined) return done(error);
        socket.setNoDelay(true);
        then(this.#connectSecurely({ socket }, done));
      });
    }
    // It gets the request itself, as curl sends it: many let CONNECT through only to where TLS is spoken.
    const told: Done = (error, socket) => done(error === null ? null : new ProxyUnreachable(proxy, error), socket);
    const { host, port } = proxy;
    if (!proxy.secure) return watch(plainConnect({ host, port, noDelay: true }), 'connect', told);
    return watch(secureConnect({ host, port, ...nameOf(host) }), 'secureConnect', told);
  }

  #connectSecurely(where: Where, done: Done): () => void {
    const socket = secureConnect({
      host: this.#host,
      ...where,
      ...nameOf(this.#host),
      ALPNProtocols: ['http/1.1'],
      ...(this.#session !== undefined && { session: this.#session }),
      ...(this.#tls as object),
    });
    socket.setNoDelay(true);
    socket.on('session', (session) => {
      this.#session = session;
    });
    return watch(socket, 'secureConnect', (error, connected) => {
      if (error !== null) this.#session = undefined;
      done(error, connected);
    });
  }
}

/** An address is no name that TLS could ask for. */
function nameOf(host: string): { readonly servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

function watch(socket: Socket, ready: 'connect' | 'secureConnect', done: Done): () => void {
  socket.once(ready, () => {
    joinWrites(socket, passOverContinue(socket));
    done(null, socket);
  });
  socket.on('error', (error) => done(error));
  return () => void socket.destroy();
}

/** From here on a copy costs more than it saves. */
const maxJoined = 16_384;

/** A request is written corked, its head as text and its body as bytes: as one piece they cost the system half as much. */
function joinWrites(socket: Socket, asked: () => void): void {
  const write = socket.write.bind(socket) as (chunk: string | Uint8Array, encoding?: BufferEncoding) => boolean;
  const uncork = socket.uncork.bind(socket);
  let corked = false;
  let head: string | undefined;
  const flush = (): void => {
    if (head !== undefined) write(head, 'latin1');
    head = undefined;
  };
  const join = (chunk: string | Uint8Array, encoding?: BufferEncoding): boolean => {
    // Only heads are written as text.
    if (typeof chunk === 'string') asked();
    if (corked && head === undefined && typeof chunk === 'string' && encoding === 'latin1') {
      head = chunk;
      return true;
    }
    if (head === undefined || typeof chunk === 'string' || chunk.length > maxJoined) {
      flush();
      return write(chunk, encoding);
    }
    const whole = Buffer.allocUnsafe(head.length + chunk.length);
    whole.write(head, 'latin1');
    whole.set(chunk, head.length);
    head = undefined;
    return write(whole);
  };
  socket.write = join as typeof socket.write;
  socket.cork = () => {
    corked = true;
  };
  socket.uncork = () => {
    corked = false;
    flush();
    uncork();
  };
}

const continued = 'HTTP/1.1 100';
const maxContinue = 16_384;

/**
 * A server may say 100 (Continue) though nobody asked, and a client passes it over (RFC 9110, 15.2); undici takes it for a broken
 * connection. Returns what is to be called for each request.
 */
function passOverContinue(socket: Socket): () => void {
  const read = socket.read.bind(socket) as () => Buffer | null;
  let awaited = false;
  let held: Buffer | undefined;
  socket.read = () => {
    const piece = read();
    if (!awaited || piece === null) return piece;
    let bytes = held === undefined ? piece : Buffer.concat([held, piece]);
    held = undefined;
    for (;;) {
      const start = bytes.toString('latin1', 0, continued.length);
      const end = start === continued ? bytes.indexOf('\r\n\r\n') : -1;
      if (end !== -1) bytes = bytes.subarray(end + 4);
      else if (continued.startsWith(start) && bytes.length < maxContinue) {
        held = bytes;
        return null;
      } else {
        awaited = false;
        return bytes;
      }
    }
  };
  return () => {
    awaited = true;
  };
}
