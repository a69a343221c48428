// Reaches a server over Streamable HTTP, on Node.
import type { Connector } from '../protocol/channel.ts';
import { HttpChannel } from './http-channel.ts';
import { asNodeTerms, type HttpOptions, nodeNames } from './node-options.ts';
import { createNodeRequester } from './node-requester.ts';
import { sse } from './sse.ts';
import { settle } from './web-options.ts';

export type { TlsOptions } from './node-dialer.ts';
export type { HttpOptions } from './node-options.ts';

export function http(url: string | URL, options: HttpOptions = {}): Connector {
  const settings = settle(url, options, nodeNames);
  const terms = asNodeTerms(options);
  return {
    target: settings.target,
    open: async () => new HttpChannel(createNodeRequester(settings.url, terms), settings),
    get older() {
      return sse(url, options);
    },
  };
}
