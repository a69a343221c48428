// From the name of an issuer to the endpoints of its authorization server (RFC 8414, OpenID Connect Discovery).

import type { JsonObject } from '../server/fetch-json.ts';
import { metadataUrls } from '../server/issuer-discovery.ts';
import { checkedUrl, type Reach } from './allowed-addresses.ts';
import { type Ask, jsonOf, quote, refused } from './authorization-server-request.ts';

export interface AuthServer {
  readonly issuer: string;
  readonly tokenEndpoint: URL;
  readonly authorizationEndpoint: URL | undefined;
  readonly registrationEndpoint: URL | undefined;
  /** Undefined when the server says nothing. */
  readonly authMethods: readonly string[] | undefined;
  readonly challengeMethods: readonly string[] | undefined;
  readonly scopes: readonly string[];
  readonly dpopAlgorithms: readonly string[] | undefined;
  readonly takesMetadataUrls: boolean;
  readonly sendsIssuer: boolean;
  /** There is no metadata at all: the endpoints are those of 2025-03-26. */
  readonly guessed: boolean;
}

/** `legacy`: the issuer is the origin of the MCP server, because nothing else was said. */
export async function findServer(issuer: string, legacy: boolean, ask: Ask, reach: Reach): Promise<AuthServer> {
  checkedUrl(issuer, 'The issuer', reach);
  const reasons: string[] = [];
  let absent = true;
  for (const url of metadataUrls(issuer)) {
    const where = `${url.origin}${url.pathname}`;
    // 2025-03-26 alone wants the version named here.
    const version = legacy && { 'mcp-protocol-version': '2025-03-26' };
    const response = await ask(url, { headers: { accept: 'application/json', ...version } });
    const metadata = response.status === 200 ? await jsonOf(response) : undefined;
    if (metadata !== undefined && isNamed(metadata['issuer'], issuer, legacy)) return asServer(metadata, metadata['issuer'], reach);
    if (metadata !== undefined || response.status >= 500) absent = false;
    reasons.push(
      metadata !== undefined ? `${where} speaks for ${quote(metadata['issuer'])}` : `${where} answers with status ${response.status}`,
    );
  }
  if (legacy && absent) return guess(issuer);
  throw refused(`No metadata of ${quote(issuer)}: ${reasons.join('; ')}`);
}

/** RFC 8414, section 3.3: letter by letter. Only where the name itself was guessed may it end with a slash. */
function isNamed(named: unknown, issuer: string, legacy: boolean): named is string {
  return named === issuer || (legacy && named === `${issuer}/`);
}

function asServer(metadata: JsonObject, issuer: string, reach: Reach): AuthServer {
  const optional = (name: string): URL | undefined =>
    metadata[name] === undefined ? undefined : checkedUrl(metadata[name], `\`${name}\` of ${quote(issuer)}`, reach);
  return {
    issuer,
    tokenEndpoint: checkedUrl(metadata['token_endpoint'], `\`token_endpoint\` of ${quote(issuer)}`, reach),
    authorizationEndpoint: optional('authorization_endpoint'),
    registrationEndpoint: optional('registration_endpoint'),
    authMethods: texts(metadata['token_endpoint_auth_methods_supported']),
    challengeMethods: texts(metadata['code_challenge_methods_supported']),
    scopes: texts(metadata['scopes_supported']) ?? [],
    dpopAlgorithms: texts(metadata['dpop_signing_alg_values_supported']),
    takesMetadataUrls: metadata['client_id_metadata_document_supported'] === true,
    sendsIssuer: metadata['authorization_response_iss_parameter_supported'] === true,
    guessed: false,
  };
}

function guess(origin: string): AuthServer {
  return {
    issuer: origin,
    tokenEndpoint: new URL('/token', origin),
    authorizationEndpoint: new URL('/authorize', origin),
    registrationEndpoint: new URL('/register', origin),
    authMethods: undefined,
    challengeMethods: undefined,
    scopes: [],
    dpopAlgorithms: undefined,
    takesMetadataUrls: false,
    sendsIssuer: false,
    guessed: true,
  };
}

function texts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;
}
