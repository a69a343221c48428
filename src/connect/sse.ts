// Reaches a server over HTTP+SSE, the transport of 2024-11-05, on Node.
import type { Connector } from '../protocol/channel.ts';
import { asNodeTerms, type HttpOptions, nodeNames } from './node-options.ts';
import { createNodeRequester } from './node-requester.ts';
import { openSse } from './sse-channel.ts';
import { settle } from './web-options.ts';

/** `url` is that of the stream; the server says where to post. */
export function sse(url: string | URL, options: HttpOptions = {}): Connector {
  const settings = settle(url, options, nodeNames);
  const terms = asNodeTerms(options);
  return {
    target: settings.target,
    open: (signal) => openSse(createNodeRequester(settings.url, terms), settings, terms.connectMs, signal),
  };
}
