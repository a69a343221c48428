// What may be set about a way over HTTP, and what holds when it is not.
import { VivariumError } from '../jsonrpc/error.ts';
import type { AuthProvider } from '../protocol/authorization.ts';
import { printable } from '../text/printable.ts';

export interface WebOptions {
  /** Where tokens come from. */
  readonly auth?: AuthProvider;
  /** Sent with every request; not those that the protocol uses itself. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of one answer, or of one event. Default: 64 MiB. */
  readonly maxMessageBytes?: number;
  /** How often a broken stream is asked for again without anything new. Default: 10. */
  readonly maxResumes?: number;
  /** How often one request is repeated with another token. Default: 3. */
  readonly maxAuthRetries?: number;
}

export interface WebSettings {
  readonly url: URL;
  /** Path and query. */
  readonly path: string;
  /** For people: without the query, which may hold secrets. */
  readonly target: string;
  /** As authorization knows it. */
  readonly resource: string;
  readonly auth: AuthProvider | undefined;
  /** Names and values in turn. */
  readonly fields: readonly string[];
  readonly maxMessageBytes: number;
  readonly maxResumes: number;
  readonly maxAuthRetries: number;
}

const names: readonly string[] = ['auth', 'headers', 'maxMessageBytes', 'maxResumes', 'maxAuthRetries'];

/** `more` are options of whoever sends. */
export function settle(url: string | URL, options: WebOptions, more: readonly string[] = []): WebSettings {
  const known = [...names, ...more];
  const odd = Object.keys(options).find((name) => !known.includes(name));
  if (odd !== undefined) throw mistake(`There is no option "${odd}": ${[...known].sort().join(', ')} are those there are`);
  const parsed = asUrl(url);
  const path = `${parsed.pathname}${parsed.search}`;
  return {
    url: parsed,
    path,
    target: `${parsed.origin}${parsed.pathname}${parsed.search === '' ? '' : '?…'}`,
    resource: `${parsed.origin}${path}`,
    auth: options.auth,
    fields: checkHeaders(options.headers ?? {}, options.auth !== undefined),
    maxMessageBytes: atLeast('maxMessageBytes', options.maxMessageBytes, 64 * 1024 * 1024, 1),
    maxResumes: atLeast('maxResumes', options.maxResumes, 10, 0),
    maxAuthRetries: atLeast('maxAuthRetries', options.maxAuthRetries, 3, 0),
  };
}

export function atLeast(name: string, value: number | undefined, fallback: number, least: number): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw mistake(`${name} must be an integer of at least ${least}, got ${value}; leave it out for ${fallback}`);
}

function asUrl(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw mistake(`"${printable(String(given)).slice(0, 200)}" is no URL of a server: write https://api.example/mcp`);
  }
  if (url.username !== '' || url.password !== '') {
    throw mistake('A URL must not hold a user or a password: use auth, or headers: { authorization }');
  }
  return url;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const value = /^[\x20-\x7e\t]*$/;
/** Ours, or of the connection. */
const taken =
  /^(?:accept|accept-encoding|connection|content-length|content-type|dpop|expect|host|keep-alive|last-event-id|mcp-.*|te|trailer|transfer-encoding|upgrade)$/;

function checkHeaders(headers: Readonly<Record<string, string>>, authorized: boolean): string[] {
  return Object.entries(headers).flatMap(([name, said]) => {
    const lower = name.toLowerCase();
    if (!token.test(name)) throw mistake(`headers: ${JSON.stringify(name)} is no name of a header`);
    if (typeof said !== 'string' || !value.test(said)) throw mistake(`headers: the value of ${name} cannot be sent`);
    if (taken.test(lower)) throw mistake(`headers: ${name} is set by the transport itself`);
    if (authorized && lower === 'authorization') throw mistake('headers: authorization comes from auth; give one of the two');
    return [lower, said];
  });
}

function mistake(message: string): VivariumError {
  return new VivariumError('ERR_CONFIG', message);
}
