// Proof that a token is ours (RFC 9449): a key, and a small signed statement about each request.
import type { CryptoKey, JWK } from 'jose';

const algorithm = 'ES256';
const maxNonces = 100;

export interface DpopKey {
  /** Private, to be kept with the tokens that are bound to it. */
  readonly jwk: JWK;
  /** `token`: the access token that goes with the request. */
  prove(method: string, url: string, nonce: string | undefined, token?: string): Promise<string>;
}

export async function createKey(): Promise<DpopKey> {
  const { exportJWK, generateKeyPair } = await import('jose');
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return withKey(await exportJWK(privateKey), privateKey);
}

export async function importKey(jwk: JWK): Promise<DpopKey> {
  const { importJWK } = await import('jose');
  return withKey(jwk, (await importJWK(jwk, algorithm)) as CryptoKey);
}

export function isOffered(algorithms: readonly string[] | undefined): boolean {
  return algorithms === undefined || algorithms.includes(algorithm);
}

function withKey(jwk: JWK, privateKey: CryptoKey): DpopKey {
  const { kty, crv, x, y } = jwk;
  const shown = { kty, crv, x, y } as JWK;
  return {
    jwk,
    async prove(method, url, nonce, token) {
      const { base64url, SignJWT } = await import('jose');
      const { origin, pathname } = new URL(url);
      const ath =
        token === undefined
          ? undefined
          : base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))));
      const claims = { htm: method, htu: `${origin}${pathname}`, ...(nonce !== undefined && { nonce }), ...(ath !== undefined && { ath }) };
      return new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, typ: 'dpop+jwt', jwk: shown })
        .setJti(crypto.randomUUID())
        .setIssuedAt()
        .sign(privateKey);
    },
  };
}

/** The latest nonce of each server. */
export class Nonces {
  readonly #values = new Map<string, string>();

  of(url: string): string | undefined {
    return this.#values.get(new URL(url).origin);
  }

  set(value: string, url: string): void {
    const { origin } = new URL(url);
    // RFC 9449, section 8.1; anything else could not be sent back.
    if (!/^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/.test(value)) return;
    this.#values.delete(origin);
    const [oldest] = this.#values.keys();
    if (this.#values.size >= maxNonces && oldest !== undefined) this.#values.delete(oldest);
    this.#values.set(origin, value);
  }
}
