// What every way to authorize has in common: what is asked for, what is told, and the author's mistakes in it.
import { VivariumError } from '../../jsonrpc/error.ts';
import { printable } from '../../text/printable.ts';
import { asHttpUrl } from './fetch-json.ts';

export interface AuthOptions {
  /** Issuers that grant tokens for this server. Default: the issuer, where there is one. Without any, no metadata is offered. */
  readonly authorizationServers?: readonly string[];
  /** All scopes that tools, prompts and resources may need: told in the metadata, and asked for by the first challenge. */
  readonly scopes?: readonly string[];
  /** Scopes without which nothing is answered. */
  readonly required?: readonly string[];
  readonly resourceName?: string;
  /** The address of a page for developers. */
  readonly resourceDocumentation?: string;
  /** Named by challenges. Default: none, and `mcp` where a challenge would be empty. */
  readonly realm?: string;
  /** Told what the client is not: keys that cannot be had, a verifier that throws. Default: one line on stderr. */
  readonly onError?: (error: unknown) => void;
}

/** The options, checked and complete. */
export interface Terms {
  readonly servers: readonly string[];
  /** `scopes` and `required` together. */
  readonly offered: readonly string[];
  readonly required: readonly string[];
  readonly name: string | undefined;
  readonly documentation: string | undefined;
  readonly realm: string | undefined;
  /** Never throws. */
  report(error: unknown): void;
}

export function asTerms(options: AuthOptions, servers: readonly string[] = []): Terms {
  const { required = [], scopes = [], authorizationServers = servers, onError } = options;
  for (const scope of [...required, ...scopes]) checkScope(scope);
  for (const server of authorizationServers) asHttpUrl(server, 'Each of `authorizationServers`');
  if (options.resourceDocumentation !== undefined) asHttpUrl(options.resourceDocumentation, '`resourceDocumentation`');
  return {
    servers: [...authorizationServers],
    offered: [...new Set([...required, ...scopes])],
    required: [...required],
    name: options.resourceName,
    documentation: options.resourceDocumentation,
    realm: options.realm,
    report: (error) => tell(error, onError),
  };
}

/** RFC 6749, appendix A.4. */
export function isScope(scope: unknown): scope is string {
  return typeof scope === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope);
}

export function mistake(text: string): VivariumError {
  return new VivariumError('ERR_CONFIG', text);
}

export function checkScope(scope: unknown): void {
  if (!isScope(scope)) {
    throw mistake('A scope holds visible ASCII characters except " and \\, and no space: write one scope per element of the list');
  }
  // 2026-07-28: whether a client may refresh is between it and its authorization server.
  if (scope === 'offline_access') throw mistake('offline_access is not a scope of a resource: leave it out, clients ask for it themselves');
}

export function checkCount(value: number, what: string, least = 0): void {
  if (!Number.isFinite(value) || value < least) throw mistake(`${what} must be a number from ${least}: write one, or leave it out`);
}

export function tell(error: unknown, onError: AuthOptions['onError']): void {
  try {
    if (onError !== undefined) onError(error);
    else console.error(`vivarium: authorization: ${printable(error instanceof Error ? error.message : String(error))}`);
  } catch {
    // A reporter that fails must not decide who is admitted.
  }
}
