// Tokens that are signed by an authorization server and checked here, without asking it.
import type { CryptoKey, JSONWebKeySet, JWTPayload } from 'jose';
import type { Authorizer, Principal } from '../../protocol/authorization.ts';
import { createAuthorizer } from './authorizer.ts';
import { asAudience, invalid, isBound, isFor, judged, type TokenVerdict } from './claims.ts';
import { asHttpUrl } from './fetch-json.ts';
import { type KeySet, type KeySource, localKeys, remoteKeys } from './issuer-keys.ts';
import { type AuthOptions, asTerms, checkCount, mistake, type Terms } from './options.ts';
import { Recent } from './token-cache.ts';

/** Signatures that a public key checks. One made with a shared secret could be forged by anyone who knows the public key. */
const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const;

export type JwtAlgorithm = (typeof asymmetric)[number];

/** Public keys only. */
export type JwtKeys = JSONWebKeySet | CryptoKey;

export interface JwtOptions extends AuthOptions {
  /** Compared letter by letter with `iss`. */
  readonly issuer: string;
  /** One of these must be in `aud`. Default: the public address of the server. */
  readonly audience?: string | readonly string[];
  /** Default: as the metadata of the issuer says. */
  readonly jwksUri?: string;
  /** Keys that are known already: nothing is fetched. */
  readonly keys?: JwtKeys;
  readonly algorithms?: readonly JwtAlgorithm[];
  /** Default: 5. */
  readonly clockToleranceSeconds?: number;
  /** What differs from `{ id: sub, scopes: scope, claims }`. */
  readonly principal?: (claims: Readonly<Record<string, unknown>>) => Partial<Principal>;
  /** Verified tokens that are remembered until they expire, at most ten minutes. Default: 1,000. */
  readonly cache?: { readonly max?: number };
  /** For fetching keys. Default: 5,000. */
  readonly timeoutMs?: number;
}

interface Verified {
  readonly verdict: TokenVerdict;
  readonly audience: unknown;
}

export function jwt(options: JwtOptions): Authorizer {
  const settled = settle(options);
  const { terms, audience } = settled;
  const recent = new Recent<Verified>(options.cache?.max ?? 1_000);
  return createAuthorizer(
    terms,
    (token, resource) => {
      const known = recent.get(token);
      if (known !== undefined) return isFor(known.audience, audience, resource) ? known.verdict : invalid.audience;
      return verify(token, resource, settled, recent);
    },
    audience === undefined,
  );
}

interface Settled {
  readonly terms: Terms;
  readonly source: KeySource;
  readonly issuer: string;
  readonly audience: readonly string[] | undefined;
  readonly algorithms: readonly string[];
  readonly tolerance: number;
  readonly principal: JwtOptions['principal'];
}

function settle(options: JwtOptions): Settled {
  const { issuer, audience, jwksUri, keys, algorithms = asymmetric, clockToleranceSeconds = 5, cache, timeoutMs = 5_000 } = options;
  asHttpUrl(issuer, '`issuer`');
  const terms = asTerms(options, [issuer]);
  checkCount(clockToleranceSeconds, '`clockToleranceSeconds`');
  checkCount(cache?.max ?? 0, '`cache.max`');
  checkCount(timeoutMs, '`timeoutMs`', 1);
  if (algorithms.length === 0 || !algorithms.every((name) => asymmetric.includes(name))) {
    throw mistake(`\`algorithms\` may hold only signatures that a public key checks: write some of ${asymmetric.join(', ')}`);
  }
  if (keys !== undefined && jwksUri !== undefined) throw mistake('`keys` and `jwksUri` are two answers to one question: leave one out');
  if (keys !== undefined) checkKeys(keys);
  const address = jwksUri === undefined ? undefined : asHttpUrl(jwksUri, '`jwksUri`');
  return {
    terms,
    source: keys === undefined ? remoteKeys({ issuer, jwksUri: address, timeoutMs }, terms) : localKeys(keys),
    issuer,
    audience: asAudience(audience),
    algorithms,
    tolerance: clockToleranceSeconds,
    principal: options.principal,
  };
}

function checkKeys(keys: JwtKeys): void {
  const isPublic = 'keys' in keys ? keys.keys.every((key) => key.kty !== 'oct' && !('d' in key)) : keys.type === 'public';
  if (!isPublic) throw mistake('`keys` may hold only public keys: give the public half of each pair');
}

async function verify(token: string, resource: string, settled: Settled, recent: Recent<Verified>): Promise<TokenVerdict> {
  const { source, terms, audience, tolerance } = settled;
  if (!(await isPlausible(token, settled.algorithms))) return invalid.token;
  let keys = await source.current();
  if ('unavailable' in keys) return keys;
  let claims = await check(token, keys, settled);
  if (claims === undefined) {
    const newer = await source.newer(keys);
    if (newer === undefined) return invalid.token;
    if ('unavailable' in newer) return newer;
    keys = newer;
    claims = (await check(token, keys, settled)) ?? invalid.token;
  }
  if ('invalid' in claims) return claims;
  const { aud, exp = 0 } = claims.payload;
  if (!isFor(aud, audience, resource)) return invalid.audience;
  if (isBound(claims.payload)) return invalid.bound;
  const verdict = judged(claims.payload, settled.principal, terms);
  if ('principal' in verdict) recent.set(token, { verdict, audience: aud }, Math.min((exp + tolerance) * 1_000, keys.until));
  return verdict;
}

/** Before any key is fetched: tokens for another purpose (RFC 8725, section 3.11) or with another kind of signature are not worth it. */
async function isPlausible(token: string, algorithms: readonly string[]): Promise<boolean> {
  const { decodeProtectedHeader } = await import('jose');
  try {
    const { alg, typ } = decodeProtectedHeader(token);
    return alg !== undefined && algorithms.includes(alg) && (typ === undefined || /^(?:application\/)?(?:at\+)?jwt$/i.test(typ));
  } catch {
    return false;
  }
}

type Checked = { readonly payload: JWTPayload } | { readonly invalid: string };

/** Undefined when the key is not among these. */
async function check(token: string, { find }: KeySet, { issuer, algorithms, tolerance, terms }: Settled): Promise<Checked | undefined> {
  const { errors, jwtVerify } = await import('jose');
  const options = { issuer, algorithms: [...algorithms], clockTolerance: tolerance, requiredClaims: ['exp'] };
  const refusal = (error: unknown): Checked => {
    if (error instanceof errors.JWTExpired) return invalid.expired;
    if (error instanceof errors.JWTClaimValidationFailed) {
      return error.claim === 'iss' ? invalid.issuer : error.claim === 'nbf' ? invalid.early : invalid.token;
    }
    // A key that cannot be used, say: no fault of the token.
    if (!(error instanceof errors.JOSEError) || error instanceof errors.JWKSInvalid) terms.report(error);
    return invalid.token;
  };
  try {
    return await jwtVerify(token, find, options);
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return undefined;
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return refusal(error);
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (cause) {
        if (!(cause instanceof errors.JWSSignatureVerificationFailed)) return refusal(cause);
      }
    }
    return invalid.token;
  }
}
