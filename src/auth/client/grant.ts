// Tokens as they are kept: made from an answer, good for a while, and enough for a request or not.
import type { JWK } from 'jose';
import type { TokenRequest } from '../../protocol/authorization.ts';
import type { TokenAnswer } from './token-round.ts';
import { decode } from './token-store.ts';
import type { Demand } from './www-authenticate.ts';

export interface Grant {
  readonly access: string;
  readonly scheme: 'Bearer' | 'DPoP';
  readonly refresh?: string;
  /** Asked for by us, which a later authorization asks for again. */
  readonly asked: readonly string[];
  readonly granted: readonly string[];
  readonly obtainedAt: number;
  readonly expiresAt?: number;
  /** The client they were granted to: nobody else can refresh them. */
  readonly clientId: string;
  /** Private: what a DPoP token is bound to. */
  readonly key?: JWK;
}

/** Before its end, because a request takes time: so much, but no more than a tenth of a token's life. */
const marginMs = 30_000;

export function isFresh({ obtainedAt, expiresAt = Number.POSITIVE_INFINITY }: Grant): boolean {
  return Date.now() < expiresAt - Math.min(marginMs, (expiresAt - obtainedAt) / 10);
}

/** Whether it is worth trying with this one. */
export function isAnswer(grant: Grant, request: TokenRequest, demand: Demand): boolean {
  return isFresh(grant) && suits(grant, request, demand);
}

/** Whether it is another than the one that was refused, and reaches as far as is needed. */
export function suits(grant: Grant, { status, stale }: TokenRequest, { error, scopes = [] }: Demand): boolean {
  // RFC 9449, section 9: the token was good, only the proof was not.
  if (grant.access === stale) return error === 'use_dpop_nonce';
  return status !== 403 || scopes.every((scope) => grant.granted.includes(scope));
}

type Before = Pick<Grant, 'asked' | 'granted' | 'clientId' | 'refresh'>;

export function toGrant({ access, scheme, refresh, granted, seconds }: TokenAnswer, before: Before, key: JWK | undefined): Grant {
  const obtainedAt = Date.now();
  // RFC 6749, section 6: a server that gives no new refresh token lets the old one stand.
  const kept = refresh ?? before.refresh;
  return {
    access,
    scheme,
    ...(kept !== undefined && { refresh: kept }),
    asked: before.asked,
    granted: granted ?? before.granted,
    obtainedAt,
    ...(seconds !== undefined && { expiresAt: obtainedAt + seconds * 1_000 }),
    clientId: before.clientId,
    ...(key !== undefined && { key }),
  };
}

export function encodeGrant(grant: Grant): string {
  return JSON.stringify(grant);
}

/** Undefined for anything that this version cannot use. */
export function decodeGrant(text: string | undefined): Grant | undefined {
  const value = decode(text);
  if (value === undefined || typeof value['access'] !== 'string' || typeof value['clientId'] !== 'string') return undefined;
  if ((value['scheme'] !== 'Bearer' && value['scheme'] !== 'DPoP') || typeof value['obtainedAt'] !== 'number') return undefined;
  if (value['expiresAt'] !== undefined && typeof value['expiresAt'] !== 'number') return undefined;
  return Array.isArray(value['asked']) && Array.isArray(value['granted']) ? (value as unknown as Grant) : undefined;
}
