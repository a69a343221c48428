// The keys of an issuer: fetched when needed, kept for a while, and asked for again no more often than is decent.
import type { CryptoKey, JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { withTimeout } from '../../text/timeouts.ts';
import { fetchJson } from './fetch-json.ts';
import { findJwksUri } from './issuer-discovery.ts';
import type { Terms } from './options.ts';

export interface KeySet {
  readonly find: JWTVerifyGetKey;
  /** Until when they count, and with them the tokens they verified. */
  readonly until: number;
}

export interface Unavailable {
  readonly unavailable: number;
}

export interface KeySource {
  current(): KeySet | Promise<KeySet | Unavailable>;
  /** For a token whose key is not in `than`; undefined when it is too early to ask again. */
  newer(than: KeySet): Promise<KeySet | Unavailable | undefined>;
}

const keptMs = 600_000;
/** Between two requests that tokens with unknown keys can cause. */
const cooldownMs = 30_000;
/** After a failure, while there are no keys at all. */
const backoffMs = 5_000;

export interface RemoteKeys {
  readonly issuer: string;
  readonly jwksUri: URL | undefined;
  readonly timeoutMs: number;
}

export function remoteKeys({ issuer, jwksUri, timeoutMs }: RemoteKeys, { report }: Terms): KeySource {
  let keys: KeySet | undefined;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let failed = false;
  let loading: Promise<KeySet | Unavailable> | undefined;

  const attempt = async (): Promise<KeySet | Unavailable> => {
    attemptedAt = Date.now();
    try {
      // One deadline for all of it: a request is waiting.
      const set = await withTimeout(timeoutMs, async (signal) => fetchJson(jwksUri ?? (await findJwksUri(issuer, signal)), signal));
      const { createLocalJWKSet } = await import('jose');
      keys = { find: createLocalJWKSet(set as unknown as JSONWebKeySet), until: attemptedAt + keptMs };
      failed = false;
      return keys;
    } catch (error) {
      failed = true;
      // Counted from its end: an issuer that does not answer is left alone for a while too.
      attemptedAt = Date.now();
      report(error);
      return { unavailable: backoffMs / 1_000 };
    } finally {
      loading = undefined;
    }
  };
  /** In seconds. A clock that was set back must not make it longer. */
  const remaining = (pauseMs: number): number => {
    const passed = Date.now() - attemptedAt;
    return passed < 0 ? 0 : (pauseMs - passed) / 1_000;
  };

  return {
    async current() {
      if (keys !== undefined && keys.until > Date.now()) return keys;
      if (loading !== undefined) return loading;
      if (failed && remaining(backoffMs) > 0) return { unavailable: remaining(backoffMs) };
      loading = attempt();
      return loading;
    },
    async newer(than) {
      if (keys !== undefined && keys !== than) return keys;
      if (loading !== undefined) return loading;
      if (remaining(cooldownMs) > 0) return failed ? { unavailable: remaining(cooldownMs) } : undefined;
      loading = attempt();
      return loading;
    },
  };
}

export function localKeys(given: JSONWebKeySet | CryptoKey): KeySource {
  const load = async (): Promise<KeySet> => {
    const { createLocalJWKSet } = await import('jose');
    const find: JWTVerifyGetKey = 'keys' in given ? createLocalJWKSet(given) : async () => given;
    return { find, until: Number.POSITIVE_INFINITY };
  };
  let keys: Promise<KeySet> | undefined;
  return {
    current() {
      keys ??= load();
      return keys;
    },
    newer: async () => undefined,
  };
}
