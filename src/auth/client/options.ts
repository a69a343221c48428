// What every kind of client can be told, checked and complete.

import { checkCount, isScope, mistake, tell } from '../server/options.ts';
import { type Reach, reachOf } from './allowed-addresses.ts';
import type { AuthFetch } from './authorization-server-request.ts';
import { type KeptTokens, keptTokens } from './fallback-token-store.ts';
import { memoryTokens, type TokenStore } from './token-store.ts';

export interface ClientAuthOptions {
  /** Where tokens are kept. Default: in memory. */
  readonly tokens?: TokenStore;
  /** Asked for beside what a server's challenge names, and in place of everything it offers. */
  readonly scopes?: readonly string[];
  /** Binds tokens to a key of this client (RFC 9449), and takes no others. Default: false. */
  readonly dpop?: boolean;
  /** How often within a minute a token that does not reach far enough may be replaced by another. Default: 3. */
  readonly maxStepUps?: number;
  /** Default: that of the runtime, which sees names only; `guardedFetch` of `vivarium/auth/node` also sees what they resolve to. */
  readonly fetch?: AuthFetch;
  /** Plain HTTP and addresses of any network, for development. A server on this machine may always name others on it. */
  readonly allowInsecure?: boolean;
  /** For one request to an authorization server. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Told what does not keep the client from going on, such as a store that cannot be written. Default: one line on stderr. */
  readonly onError?: (error: unknown) => void;
}

export interface ClientTerms {
  readonly tokens: KeptTokens;
  readonly scopes: readonly string[] | undefined;
  readonly dpop: boolean;
  readonly maxStepUps: number;
  readonly fetch: AuthFetch;
  readonly timeoutMs: number;
  reachFrom(url: URL): Reach;
  report(error: unknown): void;
}

export function asClientTerms(options: ClientAuthOptions): ClientTerms {
  const { tokens = memoryTokens(), scopes, dpop = false, maxStepUps = 3, timeoutMs = 10_000, allowInsecure = false, onError } = options;
  for (const scope of scopes ?? []) {
    if (!isScope(scope))
      throw mistake('A scope holds visible ASCII characters except " and \\, and no space: write one per element of the list');
  }
  checkCount(maxStepUps, '`maxStepUps`');
  checkCount(timeoutMs, '`timeoutMs`', 1);
  const report = (error: unknown): void => tell(error, onError);
  return {
    tokens: keptTokens(tokens, report),
    scopes,
    dpop,
    maxStepUps,
    timeoutMs,
    // Looked up at each call: it may be replaced later, and must not be called as a method.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    reachFrom: (url) => (allowInsecure ? 'anything' : reachOf(url)),
    report,
  };
}

export function checkText(value: unknown, what: string): void {
  if (typeof value !== 'string' || value === '') throw mistake(`${what} is missing: write the text that the authorization server gave out`);
}
