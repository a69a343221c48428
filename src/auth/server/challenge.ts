// Refusals, and the challenge that tells a client where to get a token and which.
import type { Refused } from '../../protocol/authorization.ts';
import { isScope, type Terms } from './options.ts';
import { metadataUrl } from './resource-metadata.ts';

export function refuseMissing(terms: Terms, resource: string): Refused {
  // RFC 6750, section 3.1: no error code for a request that brought nothing.
  const challenge = write(terms, resource, { scope: terms.offered });
  return { status: 401, error: 'invalid_token', description: 'An access token is needed', challenge };
}

export function refuseMalformed(terms: Terms, resource: string, description: string): Refused {
  const error = 'invalid_request';
  return { status: 400, error, description, challenge: write(terms, resource, { error, description }) };
}

export function refuseInvalid(terms: Terms, resource: string, description: string): Refused {
  const error = 'invalid_token';
  return { status: 401, error, description, challenge: write(terms, resource, { error, description, scope: terms.offered }) };
}

/** `scopes`: all that this request needs, whether granted already or not. */
export function refuseScope(terms: Terms, resource: string, scopes: readonly string[]): Refused {
  const error = 'insufficient_scope';
  const description = 'The access token does not reach far enough';
  const scope = [...new Set([...terms.required, ...scopes])];
  return { status: 403, error, description, challenge: write(terms, resource, { error, description, scope }) };
}

export function refuseForNow(retryAfterSeconds: number): Refused {
  const description = 'The access token cannot be checked just now';
  return { status: 503, error: 'temporarily_unavailable', description, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)) };
}

interface Attributes {
  readonly error?: string;
  readonly description?: string;
  readonly scope?: readonly string[];
}

function write(terms: Terms, resource: string, { error, description, scope = [] }: Attributes): string {
  const address = terms.servers.length === 0 ? undefined : metadataUrl(resource);
  // What cannot be written as a scope cannot be granted either.
  const scopes = scope.filter(isScope).join(' ');
  const parts = [
    quoted('realm', terms.realm ?? (address === undefined ? 'mcp' : undefined)),
    quoted('resource_metadata', address),
    quoted('scope', scopes === '' ? undefined : scopes),
    quoted('error', error),
    quoted('error_description', description),
  ];
  return `Bearer ${parts.filter((part) => part !== undefined).join(', ')}`;
}

/** RFC 6750 allows neither a quote nor a backslash in most of these; anything beyond ASCII could split or break a header. */
function quoted(name: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${name}="${value.replaceAll('"', "'").replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')}"`;
}
