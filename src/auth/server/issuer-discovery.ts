// From the name of an issuer to the address of its keys.

import { isWithin, reachOf } from '../client/allowed-addresses.ts';
import { failure, fetchJson, isSafe } from './fetch-json.ts';

/** Asks until one of the documents speaks for exactly this issuer (RFC 8414, section 3.3). */
export async function findJwksUri(issuer: string, signal: AbortSignal): Promise<URL> {
  const reasons: unknown[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      const metadata = await fetchJson(url, signal);
      if (metadata['issuer'] !== issuer) throw failure(url, 'speaks for another issuer');
      return keysAddress(url, metadata['jwks_uri']);
    } catch (error) {
      if (signal.aborted) throw error;
      reasons.push(error);
    }
  }
  throw new AggregateError(reasons, `No metadata of ${issuer}: ${reasons.map(reasonOf).join('; ')}`);
}

/** 2025-11-25: RFC 8414 first, then OpenID Connect with the path inserted, then with the path in front. */
export function metadataUrls(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`];
  if (path !== '') places.push(`${path}/.well-known/openid-configuration`);
  return places.map((place) => new URL(`${origin}${place}`));
}

/** A document from elsewhere must not send this server nearer to itself than the issuer is. */
function keysAddress(from: URL, uri: unknown): URL {
  const url = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined;
  if (url !== undefined && isSafe(url) && isWithin(url.hostname, reachOf(from))) return url;
  throw failure(from, 'names no address of keys that may be asked');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
