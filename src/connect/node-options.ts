// What only a client on Node can set: connections and certificates.
import type { TlsOptions } from './node-dialer.ts';
import type { NodeTerms } from './node-requester.ts';
import { atLeast, type WebOptions } from './web-options.ts';

export interface HttpOptions extends WebOptions {
  /** Until a connection stands, with TLS; for HTTP+SSE until the server has said where to post. Default: 10,000. */
  readonly connectMs?: number;
  /** Calls that may be under way at a time; further ones wait. Default: 256. */
  readonly maxSockets?: number;
  readonly tls?: TlsOptions;
}

export const nodeNames: readonly string[] = ['connectMs', 'maxSockets', 'tls'];

export function asNodeTerms({ connectMs, maxSockets, tls }: HttpOptions): NodeTerms {
  return {
    connectMs: atLeast('connectMs', connectMs, 10_000, 1),
    maxSockets: atLeast('maxSockets', maxSockets, 256, 1),
    tls: tls ?? {},
  };
}
