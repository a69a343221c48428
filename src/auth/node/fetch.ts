// Requests that end where they were allowed to go: what a name resolves to is checked in the moment of connecting.
import { type LookupAddress, lookup as resolve } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { connect as secureConnect } from 'node:tls';
import { VivariumError } from '../../jsonrpc/error.ts';
import { bare, type HttpProxy, portOf, proxyFor } from '../../node/proxy.ts';
import { openTunnel } from '../../node/tunnel.ts';
import { checkedUrl, isWithin, type Reach } from '../client/allowed-addresses.ts';
import { type AuthFetch, refused } from '../client/authorization-server-request.ts';

type Resolve = (
  hostname: string,
  options: { readonly all: true; readonly family?: number | 'IPv4' | 'IPv6' },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Follows no redirect, and connects to the address that was checked, not to one looked up later. */
export const guardedFetch: AuthFetch = createGuardedFetch(resolve as Resolve);

export function createGuardedFetch(ask: Resolve): AuthFetch {
  return async (address, { reach = 'public', method = 'GET', headers, body, signal }) => {
    // A number is not looked up, so it is checked here.
    const url = checkedUrl(address, 'This', reach);
    const fields = new Headers(headers);
    if (body instanceof URLSearchParams && !fields.has('content-type')) {
      fields.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
    }
    fields.set('accept-encoding', 'identity');
    const text = body === undefined || body === null ? undefined : String(body);
    if (text !== undefined) fields.set('content-length', String(Buffer.byteLength(text)));
    const lookup = guardedLookup(ask, reach);
    // Only a server on this machine is asked without TLS, and that never through a proxy.
    const proxy = url.protocol === 'https:' ? proxyFor(url) : undefined;
    const host = bare(url.hostname);
    const tunnel = proxy === undefined ? undefined : await throughProxy(host, portOf(url), proxy, lookup, signal ?? undefined);
    return new Promise<Response>((fulfil, reject) => {
      const options = {
        method,
        headers: Object.fromEntries(fields),
        // A connection of its own: one that was opened for a nearer reach must not be used again.
        ...(tunnel === undefined
          ? { agent: false as const, lookup }
          : { createConnection: () => secureConnect({ socket: tunnel, ...(isIP(host) === 0 && { servername: host }) }) }),
        ...(signal && { signal }),
      };
      const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (answer) => {
        const status = answer.statusCode ?? 0;
        const isBare = status === 204 || status === 205 || status === 304;
        if (isBare) answer.resume();
        try {
          const stream = isBare ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
          fulfil(new Response(stream, { status, headers: asHeaders(answer.rawHeaders) }));
        } catch (error) {
          answer.destroy();
          reject(error);
        }
      });
      request.on('error', reject);
      // Nobody asked for another protocol; without this there would be neither an answer nor an error.
      request.on('upgrade', (_answer, socket) => {
        socket.destroy();
        reject(new Error('it answered 101, to speak another protocol than HTTP'));
      });
      request.end(text);
    });
  };
}

/** The proxy looks the name up. Where that can be done here as well, what it is must be allowed all the same. */
async function throughProxy(
  host: string,
  port: number,
  proxy: HttpProxy,
  lookup: LookupFunction,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  await new Promise<void>((fulfil, reject) => {
    lookup(host, {}, (error) => (error instanceof VivariumError ? reject(error) : fulfil()));
  });
  return new Promise((fulfil, reject) => {
    const stop = openTunnel(proxy, host, port, (error, socket) => {
      signal?.removeEventListener('abort', given);
      if (socket === undefined) reject(error);
      else fulfil(socket);
    });
    const given = (): void => {
      stop();
      reject(signal?.reason);
    };
    if (signal?.aborted === true) given();
    else signal?.addEventListener('abort', given, { once: true });
  });
}

function guardedLookup(ask: Resolve, reach: Reach): LookupFunction {
  return (hostname, { all, family }, callback) => {
    ask(hostname, { all: true, ...(family !== undefined && { family }) }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return callback(error ?? new Error(`${hostname} has no address`), '');
      // One is enough: whoever mixes them in has a reason.
      const stranger = addresses.find(({ address }) => !isWithin(address, reach));
      if (stranger !== undefined) return callback(refused(`${hostname} is at ${stranger.address}, an address that is not asked`), '');
      return all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}

function asHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] as string, raw[at + 1] as string);
  return headers;
}
