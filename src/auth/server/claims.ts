// What a token says: for whom, until when, whose, and how far it reaches.
import type { Principal } from '../../protocol/authorization.ts';
import type { JsonObject } from './fetch-json.ts';
import { mistake, type Terms } from './options.ts';

/** `unavailable`: seconds until it is worth asking again. */
export type TokenVerdict = { readonly principal: Principal } | { readonly invalid: string } | { readonly unavailable: number };

export const invalid = {
  token: { invalid: 'The access token is not valid' },
  expired: { invalid: 'The access token has expired' },
  early: { invalid: 'The access token is not valid yet' },
  audience: { invalid: 'The access token is for another resource' },
  issuer: { invalid: 'The access token is from another issuer' },
  subject: { invalid: 'The access token names nobody' },
  bound: { invalid: 'The access token is bound to a key or a certificate (cnf), and this server has not verified the proof' },
} as const;

/** An empty list would match nothing, and an empty name would be a slip. */
export function asAudience(audience: string | readonly string[] | undefined): readonly string[] | undefined {
  const list = typeof audience === 'string' ? [audience] : audience;
  if (list?.length === 0 || list?.includes(''))
    throw mistake('`audience` is empty: name one, or leave it out for the address of the server');
  return list;
}

/** The audiences that count: those configured, else the resource itself. */
export function isFor(claimed: unknown, audience: readonly string[] | undefined, resource: string): boolean {
  const named: readonly unknown[] = Array.isArray(claimed) ? claimed : [claimed];
  return named.some((one) => typeof one === 'string' && (audience === undefined ? isSameUrl(one, resource) : audience.includes(one)));
}

/** The same address however it is written: `https://host` and `https://host/`, say. */
function isSameUrl(one: string, other: string): boolean {
  if (one === other) return true;
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}

/** RFC 7800: whoever sends it must prove that it is theirs, by DPoP, by mutual TLS, or by a way yet to come. No proof is verified here. */
export function isBound({ cnf }: JsonObject): boolean {
  return cnf !== undefined && cnf !== null;
}

/** `sub`, or the client where no user is concerned; `map` is the author's, and may throw. */
export function judged(claims: JsonObject, map: ((claims: JsonObject) => Partial<Principal>) | undefined, terms: Terms): TokenVerdict {
  try {
    const principal = principalOf(claims, map?.(claims));
    return principal === undefined ? invalid.subject : { principal };
  } catch (error) {
    terms.report(error);
    return invalid.token;
  }
}

function principalOf(claims: JsonObject, given: Partial<Principal> = {}): Principal | undefined {
  const { sub, client_id, azp } = claims;
  const id = given.id ?? [sub, client_id, azp].find((one) => typeof one === 'string' && one !== '');
  return asPrincipal({ id, scopes: given.scopes ?? scopesOf(claims), claims: given.claims ?? claims });
}

/** Frozen, because it is shared by all requests that bring the token. */
export function asPrincipal(value: unknown): Principal | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, scopes = [], claims } = value as JsonObject;
  if (typeof id !== 'string' || id === '' || !Array.isArray(scopes) || !scopes.every((scope) => typeof scope === 'string'))
    return undefined;
  const kept = typeof claims === 'object' && claims !== null ? { claims: Object.freeze({ ...claims }) } : undefined;
  return Object.freeze({ id, scopes: Object.freeze([...scopes]), ...kept });
}

function scopesOf({ scope, scp }: JsonObject): string[] {
  const found = scope ?? scp;
  const list: readonly unknown[] = typeof found === 'string' ? found.split(' ') : Array.isArray(found) ? found : [];
  return list.filter((one) => typeof one === 'string' && one !== '') as string[];
}
