// From the address of an MCP server to the authorization server that grants tokens for it (RFC 9728).

import type { JsonObject } from '../server/fetch-json.ts';
import { metadataUrl } from '../server/resource-metadata.ts';
import { checkedUrl, type Reach } from './allowed-addresses.ts';
import { type Ask, jsonOf, quote, refused } from './authorization-server-request.ts';
import type { Demand } from './www-authenticate.ts';

export interface ResourceFound {
  /** As published, byte for byte; undefined when the server publishes nothing, as in 2025-03-26. */
  readonly resource: string | undefined;
  /** Issuers, never empty. */
  readonly servers: readonly string[];
  /** Undefined when none are named. */
  readonly scopes: readonly string[] | undefined;
}

export async function findResource(endpoint: URL, demand: Demand, ask: Ask, reach: Reach): Promise<ResourceFound> {
  for (const url of placesOf(endpoint, demand, reach)) {
    const response = await ask(url, { headers: { accept: 'application/json' } });
    if (response.status >= 500) throw refused(`${url.origin}${url.pathname} answers with status ${response.status}`);
    // Anything but JSON is a page for people, given for every address: nothing is published here.
    const metadata = response.status === 200 ? await jsonOf(response) : undefined;
    if (metadata !== undefined) return accepted(metadata, endpoint, url);
  }
  // 2025-03-26: the server is its own authorization server.
  return { resource: undefined, servers: [endpoint.origin], scopes: undefined };
}

/** 2025-11-25: where the challenge says, else at the path of the endpoint, else at the root. */
function placesOf(endpoint: URL, { metadata }: Demand, reach: Reach): URL[] {
  const bare = new URL(endpoint);
  bare.hash = '';
  const known = [metadataUrl(bare.href), metadataUrl(endpoint.origin)].map((place) => new URL(place as string).href);
  const named = metadata === undefined ? [] : [checkedUrl(metadata, 'The metadata of the server', reach).href];
  return [...new Set([...named, ...known])].map((place) => new URL(place));
}

function accepted(metadata: JsonObject, endpoint: URL, from: URL): ResourceFound {
  const { resource, authorization_servers: servers = [], scopes_supported: scopes } = metadata;
  const where = `${from.origin}${from.pathname}`;
  if (typeof resource !== 'string' || !speaksFor(resource, endpoint)) {
    throw refused(`${where} speaks for ${quote(resource)}, not for ${endpoint.origin}${endpoint.pathname}`);
  }
  if (!isTexts(servers)) throw refused(`${where} names no authorization servers that can be understood`);
  return {
    resource,
    servers: servers.length > 0 ? servers : [endpoint.origin],
    scopes: isTexts(scopes) ? scopes : undefined,
  };
}

/** RFC 9728, section 3.3; a resource may hold several endpoints below its path. */
function speaksFor(resource: string, endpoint: URL): boolean {
  if (!URL.canParse(resource) || resource.includes('#')) return false;
  const { origin, pathname, search } = new URL(resource);
  if (origin !== endpoint.origin || (search !== '' && search !== endpoint.search)) return false;
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return endpoint.pathname === pathname || `${endpoint.pathname}/`.startsWith(folder);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
