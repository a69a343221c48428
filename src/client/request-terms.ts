// What goes along with every request: the envelope of the era, and the limits that hold.
import { metaKeys } from '../protocol/revision.ts';
import type { LoggingLevel } from '../protocol/types.ts';
import type { RequestTerms } from './link.ts';
import type { ConnectTerms } from './negotiate.ts';
import { type ClientOptions, checkRequest, type Introduction, type RequestOptions } from './options.ts';

/** Most requests ask for nothing special, and share what holds for all of a connection. */
export function createTerms(
  usual: ClientOptions['timeouts'],
): (options: RequestOptions, headers: Readonly<Record<string, string>> | undefined, introduction: Introduction) => RequestTerms {
  let shared: { readonly introduction: Introduction; readonly how: RequestTerms } | undefined;
  return (options, headers, introduction) => {
    checkRequest(options);
    const { signal, timeouts, onProgress } = options;
    if (signal !== undefined || timeouts !== undefined || onProgress !== undefined || headers !== undefined) {
      return termsOf(options, usual, headers, introduction);
    }
    if (shared?.introduction !== introduction) shared = { introduction, how: termsOf({}, usual, undefined, introduction) };
    return shared.how;
  };
}

function termsOf(
  options: RequestOptions,
  usual: ClientOptions['timeouts'],
  headers: Readonly<Record<string, string>> | undefined,
  { era, revision }: Introduction,
): RequestTerms {
  const { idleMs = 60_000, totalMs = 600_000 } = { ...usual, ...options.timeouts };
  return { era, revision, headers, timeouts: { idleMs, totalMs }, signal: options.signal, onProgress: options.onProgress };
}

/** The token of progress is the id, which the link gives: so it is set there. That it has a place already makes this cheaper. */
export function withMeta(
  params: object,
  options: RequestOptions,
  { era, revision }: Introduction,
  { info, capabilities }: ConnectTerms,
  level: LoggingLevel | undefined,
): object {
  const own = (params as { _meta?: object })._meta;
  const plain = own === undefined && options.meta === undefined;
  if (era === 'legacy') return { ...params, _meta: plain ? { progressToken: undefined } : { ...own, ...options.meta } };
  return {
    ...params,
    _meta: {
      ...own,
      ...options.meta,
      [metaKeys.protocolVersion]: revision,
      [metaKeys.clientInfo]: info,
      [metaKeys.clientCapabilities]: capabilities,
      ...(level !== undefined && { [metaKeys.logLevel]: level }),
    },
  };
}
