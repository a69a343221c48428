// The many names of a connection that did not come about or broke, in words.

import type { ChannelFailure, NetworkReason } from '../protocol/channel.ts';
import { printable } from '../text/printable.ts';

export class ConnectTimeout extends Error {
  readonly code = 'ERR_CONNECT_TIMEOUT';

  constructor(connectMs: number) {
    super(`No connection within ${connectMs} ms`);
    this.name = 'ConnectTimeout';
  }
}

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there',
  ENOTFOUND: 'There is no such host',
  EAI_AGAIN: 'The name of the host cannot be looked up just now',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The network cannot be reached',
  ETIMEDOUT: 'The host does not answer',
  ECONNRESET: 'The connection broke',
  EPIPE: 'The connection broke',
  UND_ERR_SOCKET: 'The connection broke',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The connection broke',
  UND_ERR_CONNECT_TIMEOUT: 'The host does not answer',
  CERT_HAS_EXPIRED: 'TLS: the certificate has expired',
  CERT_NOT_YET_VALID: 'TLS: the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS: the certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS: the certificate is signed by an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS: the certificate cannot be verified',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'TLS: the certificate is signed by an authority that is not known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another host',
  EPROTO: 'TLS: the two sides cannot agree',
};

/** A certificate is refused before anything is sent. */
const certificates: Readonly<Record<string, NetworkReason>> = {
  CERT_HAS_EXPIRED: 'certificate-dates',
  CERT_NOT_YET_VALID: 'certificate-dates',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted-certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted-certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted-certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted-certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-name',
};

const notTls = /wrong.version.number|packet.length.too.long/i;

/** Before these happen nothing can have been sent. */
const beforehand: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export function isBeforehand(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (beforehand.has(code) || certificates[code] !== undefined);
}

export function asNetworkFailure(error: unknown, unsent: boolean): ChannelFailure {
  const code = codeOf(error);
  const said = printable(messageOf(error).trim());
  // A server that speaks something else, or whose head is larger than can be read.
  if (isForeign(error, code)) {
    const what = code === 'ERR_ASSERTION' ? 'a status that no answer has' : said;
    return { kind: 'protocol', message: `What came back is not HTTP (${code ?? 'HPE'}): ${what}`, unsent: false, cause: error };
  }
  const odd = error instanceof Error && code === 'UND_ERR_SOCKET' ? unusable[error.message] : undefined;
  if (odd !== undefined) return { kind: 'protocol', message: odd, unsent: false, cause: error };
  // OpenSSL says it in a line of names and numbers of its own sources.
  if (notTls.test(`${code} ${said}`)) {
    const message = `TLS: the server does not speak it there (${code}); did you mean http://?`;
    return { kind: 'network', message, reason: 'not-tls', unsent, cause: error };
  }
  const known = code === undefined ? undefined : texts[code];
  const reason = code === undefined ? undefined : certificates[code];
  return {
    kind: 'network',
    message: known === undefined ? said : `${known} (${code}${said === '' ? '' : `: ${said}`})`,
    ...(reason !== undefined && { reason }),
    unsent,
    cause: error,
  };
}

/** What undici says of answers that end a connection, and has no code for. */
const unusable: Readonly<Record<string, string>> = {
  'bad upgrade': 'The server answered 101: it wants to speak another protocol than HTTP, which nobody asked for',
  'bad response': 'The server sent an answer to nothing that was asked',
};

function isForeign(error: unknown, code: string | undefined): boolean {
  // undici asserts what it expects of a status.
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'ERR_ASSERTION') return true;
  if (!(error instanceof Error) || (error.name !== 'HTTPParserError' && !code?.startsWith('HPE_'))) return false;
  // Nothing was left to read: the connection ended in the middle of what was HTTP.
  return (error as { readonly data?: unknown }).data !== '';
}

/** Of the error, or of what caused it: fetch wraps, and connecting to several addresses gathers. */
function codeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
  }
  return undefined;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause instanceof Error ? error.cause : error;
  const [first] = inner instanceof AggregateError ? (inner.errors as unknown[]) : [];
  return first instanceof Error ? first.message : inner.message || error.message;
}
