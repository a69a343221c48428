// Tokens that only their issuer can read: it is asked about each (RFC 7662), and its answer counts for a short while.
import type { Authorizer, Principal } from '../../protocol/authorization.ts';
import { withTimeout } from '../../text/timeouts.ts';
import { createAuthorizer } from './authorizer.ts';
import { asAudience, invalid, isBound, isFor, judged, type TokenVerdict } from './claims.ts';
import { asHttpUrl, fetchJson, type JsonObject } from './fetch-json.ts';
import { type AuthOptions, asTerms, checkCount, mistake, type Terms } from './options.ts';
import { Recent } from './token-cache.ts';

export interface IntrospectionOptions extends AuthOptions {
  readonly endpoint: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Compared with `iss` where the answer has one. */
  readonly issuer?: string;
  /**
   * One of these must be in `aud`. Default: the public address of the server, and an answer without `aud` is accepted:
   * name an audience if the issuer also grants tokens for others.
   */
  readonly audience?: string | readonly string[];
  /** How long a revoked token may still be accepted. Default: 30,000; 0 asks at every request. */
  readonly cacheMs?: number;
  readonly principal?: (claims: Readonly<Record<string, unknown>>) => Partial<Principal>;
  /** Answers that are remembered. Default: 1,000. */
  readonly cache?: { readonly max?: number };
  /** For one question. Default: 5,000. */
  readonly timeoutMs?: number;
}

/** So that tokens made up by the thousand do not become a thousand questions each second. */
const refusedMs = 5_000;
const maxPending = 256;
const retrySeconds = 5;
/** The issuer's clock may be ahead of this one. */
const toleranceSeconds = 5;

interface Judged {
  readonly verdict: TokenVerdict;
  readonly audience?: unknown;
}

export function introspection(options: IntrospectionOptions): Authorizer {
  const { issuer, cacheMs = 30_000, cache, timeoutMs = 5_000 } = options;
  const endpoint = asHttpUrl(options.endpoint, '`endpoint`');
  if (issuer !== undefined) asHttpUrl(issuer, '`issuer`');
  const terms = asTerms(options, issuer === undefined ? [] : [issuer]);
  checkCount(cacheMs, '`cacheMs`');
  checkCount(cache?.max ?? 0, '`cache.max`');
  checkCount(timeoutMs, '`timeoutMs`', 1);
  const audience = asAudience(options.audience);
  const authorization = credentials(options);
  const good = new Recent<Judged>(cache?.max ?? 1_000);
  // Apart: tokens that are made up must not push out those that are good.
  const bad = new Recent<Judged>(cache?.max ?? 1_000);
  const pending = new Map<string, Promise<Judged>>();

  const ask = async (token: string): Promise<Judged> => {
    const askedAt = Date.now();
    try {
      const body = new URLSearchParams({ token, token_type_hint: 'access_token' });
      const init = { method: 'POST', body, headers: { authorization } };
      const answer = await withTimeout(timeoutMs, (signal) => fetchJson(endpoint, signal, init));
      const verdict = judge(answer, options, terms);
      const { aud, exp } = answer;
      const told = { verdict, ...(aud !== undefined && aud !== null && { audience: aud }) };
      const expires = typeof exp === 'number' ? exp * 1_000 : Number.POSITIVE_INFINITY;
      if ('principal' in verdict) good.set(token, told, Math.min(askedAt + cacheMs, expires));
      else bad.set(token, told, askedAt + Math.min(cacheMs, refusedMs));
      return told;
    } catch (error) {
      terms.report(error);
      return { verdict: { unavailable: retrySeconds } };
    } finally {
      pending.delete(token);
    }
  };
  const conclude = ({ verdict, audience: claimed }: Judged, resource: string): TokenVerdict => {
    if (!('principal' in verdict) || (claimed === undefined && audience === undefined)) return verdict;
    return isFor(claimed, audience, resource) ? verdict : invalid.audience;
  };

  return createAuthorizer(
    terms,
    (token, resource) => {
      const known = good.get(token) ?? bad.get(token);
      if (known !== undefined) return conclude(known, resource);
      const asked = pending.get(token) ?? (pending.size < maxPending ? ask(token) : undefined);
      if (asked === undefined) return { unavailable: 1 };
      pending.set(token, asked);
      return asked.then((told) => conclude(told, resource));
    },
    audience === undefined,
  );
}

function judge(answer: JsonObject, { issuer, principal }: IntrospectionOptions, terms: Terms): TokenVerdict {
  const { active, iss, exp, nbf, token_type: type } = answer;
  const now = Date.now() / 1_000;
  if (active !== true) return invalid.token;
  if (issuer !== undefined && iss !== undefined && iss !== issuer) return invalid.issuer;
  if (exp !== undefined && !(typeof exp === 'number' && exp > now)) return invalid.expired;
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + toleranceSeconds)) return invalid.early;
  if (isBound(answer)) return invalid.bound;
  if (type !== undefined && !(typeof type === 'string' && type.toLowerCase() === 'bearer')) return invalid.token;
  return judged(answer, principal, terms);
}

/** RFC 6749, section 2.3.1: both parts are form-encoded first. */
function credentials({ clientId, clientSecret }: IntrospectionOptions): string {
  if (typeof clientId !== 'string' || clientId === '' || typeof clientSecret !== 'string' || clientSecret === '') {
    throw mistake('introspection() must say who asks: give it the clientId and clientSecret that the issuer registered for this server');
  }
  const encoded = [clientId, clientSecret].map((part) => new URLSearchParams({ '': part }).toString().slice(1));
  return `Basic ${btoa(encoded.join(':'))}`;
}
