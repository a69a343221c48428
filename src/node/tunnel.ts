// A way through a proxy to a host that only the two ends can read: CONNECT of RFC 9110, section 9.3.6.
import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { HttpProxy } from './proxy.ts';

/** The proxy is there, but does not let us through. */
export class ProxyRefusal extends Error {
  readonly code = 'ERR_PROXY_REFUSED';

  constructor({ name, authorization }: HttpProxy, status: number) {
    super(`The proxy ${name} refuses the way (${status})${status === 407 ? cure(authorization !== undefined) : ''}`);
    this.name = 'ProxyRefusal';
  }
}

/** Nobody answers where the proxy should be. */
export class ProxyUnreachable extends Error {
  constructor({ name }: HttpProxy, cause: Error) {
    super(`The proxy ${name} cannot be reached`, { cause });
    this.name = 'ProxyUnreachable';
  }
}

/** Returns what gives it up; nothing is told afterwards. */
export function openTunnel(proxy: HttpProxy, host: string, port: number, done: (error: Error | null, socket?: Socket) => void): () => void {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const options: RequestOptions = {
    host: proxy.host,
    port: proxy.port,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }) },
    agent: false,
  };
  const request = proxy.secure ? requestHttps(options) : requestHttp(options);
  let over = false;
  const tell = (error: Error | null, socket?: Socket): void => {
    if (over) return;
    over = true;
    done(error, socket);
  };
  request.on('connect', ({ statusCode = 0 }, socket, head) => {
    if (over || statusCode < 200 || statusCode > 299) {
      socket.destroy();
      return tell(new ProxyRefusal(proxy, statusCode));
    }
    // Whoever speaks first on this way is we: what came already was not meant for anybody.
    if (head.length > 0) socket.unshift(head);
    tell(null, socket);
  });
  request.on('error', (error) => tell(new ProxyUnreachable(proxy, error)));
  request.end();
  return () => {
    over = true;
    request.destroy();
  };
}

function cure(known: boolean): string {
  return known ? ': it does not accept the user and the password that the environment gives' : ': it wants a user and a password';
}
