// How a modern client learns what a server is, and the refusals that a request's own envelope can earn.
import type {
  CacheableResult,
  ClientCapabilities,
  ErrorObject,
  JSONRPCErrorResponse,
  JSONRPCResultResponse,
  Request,
  RequestMetaObject,
  RequestParams,
} from './base.ts';
import type { ServerCapabilities } from './lifecycle.ts';

/** since 2026-07-28 */
export interface DiscoverRequest extends Request {
  readonly method: 'server/discover';
  readonly params: RequestParams & { readonly _meta: RequestMetaObject };
}

/** since 2026-07-28 */
export interface DiscoverResult extends CacheableResult {
  readonly resultType: 'complete';
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
  readonly supportedVersions: readonly string[];
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

/** since 2026-07-28 */
export interface DiscoverResultResponse extends JSONRPCResultResponse {
  readonly result: DiscoverResult;
}

/** since 2026-07-28: headers and body of an HTTP request disagree */
export interface HeaderMismatchError extends JSONRPCErrorResponse {
  readonly error: ErrorObject & { readonly code: -32020 };
}

/** since 2026-07-28 */
export interface MissingRequiredClientCapabilityError extends JSONRPCErrorResponse {
  readonly error: ErrorObject & {
    readonly code: -32021;
    readonly data: { readonly requiredCapabilities: ClientCapabilities };
  };
}

/** since 2026-07-28 */
export interface UnsupportedProtocolVersionError extends JSONRPCErrorResponse {
  readonly error: ErrorObject & {
    readonly code: -32022;
    readonly data: { readonly supported: readonly string[]; readonly requested: string };
  };
}
