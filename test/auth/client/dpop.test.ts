// Tokens that are bound to a key: the proofs, the nonces, and what happens when a server does not play along.
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { type AuthProvider, memoryTokens, oauth } from 'vivarium/auth';
import { coded, createFakeResource, createFakeServer, headless, type ServerOptions } from '../client-fixture.ts';
import { json } from '../fixture.ts';

type TokenAnswerer = NonNullable<ServerOptions['token']>;

const bound: TokenAnswerer = ({ headers, form }, response) => {
  const jkt = String(headers['dpop'] ?? 'none').length;
  json(response, { access_token: `bound-${form['grant_type']}-${jkt > 4}`, token_type: 'DPoP', expires_in: 60, refresh_token: 'r' });
  return true;
};

async function login(auth: AuthProvider, endpoint: string): Promise<string> {
  const token = await auth.token({ resource: endpoint, status: 401 });
  if (typeof token !== 'object') throw new Error('no token');
  expect(token.scheme).toBe('DPoP');
  return token.value;
}

const dpopOf = (headers: Readonly<Record<string, unknown>>): string => String(headers['dpop']);

async function payloadOf(proof: string, url: string, method = 'POST') {
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt', algorithms: ['ES256'] });
  expect(payload).toMatchObject({ htm: method, htu: url, jti: expect.any(String), iat: expect.any(Number) });
  expect(protectedHeader.jwk).not.toHaveProperty('d');
  return payload;
}

describe('a proof', () => {
  it('goes with the request for a token, and with each request that uses it, always anew', async () => {
    const server = await createFakeServer({ token: bound, metadata: { dpop_signing_alg_values_supported: ['ES256'] } });
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless(), dpop: true });
    const token = await login(auth, endpoint);
    const first = dpopOf(server.tokens[0]?.headers ?? {});
    await payloadOf(first, `${server.url}/token`);
    const proofs = await Promise.all([1, 2].map(() => auth.proof?.({ method: 'POST', url: `${endpoint}?x=1#y`, token }) ?? ''));
    const payloads = await Promise.all(proofs.map((proof) => payloadOf(proof, endpoint)));
    expect(new Set(payloads.map(({ jti }) => jti)).size).toBe(2);
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
    expect(payloads[0]?.['ath']).toBe(Buffer.from(digest).toString('base64url'));
    const keys = await Promise.all([first, ...proofs].map((proof) => calculateJwkThumbprint(decodeProtectedHeader(proof).jwk as JWK)));
    expect(new Set(keys).size).toBe(1);
  });

  it('is made with the same key after a refresh and after a restart', async () => {
    const server = await createFakeServer({ token: bound });
    const { endpoint } = await createFakeResource(server);
    const tokens = memoryTokens();
    const first = oauth({ redirect: headless(), dpop: true, tokens });
    await login(first, endpoint);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    try {
      const second = oauth({ redirect: headless(), dpop: true, tokens });
      expect(await second.token({ resource: endpoint })).toEqual({ value: 'bound-refresh_token-true', scheme: 'DPoP' });
    } finally {
      vi.useRealTimers();
    }
    const keys = server.tokens.map(({ headers }) => decodeProtectedHeader(dpopOf(headers)).jwk);
    expect(keys[1]).toEqual(keys[0]);
  });

  it('is not made for clients that did not ask for it', () => {
    expect(oauth({})).not.toHaveProperty('proof');
  });

  it('cannot be made before there is a token', async () => {
    const auth = oauth({ dpop: true });
    await expect(auth.proof?.({ method: 'POST', url: 'https://api.example', token: 'x' })).rejects.toEqual(coded('ERR_CONFIG'));
  });
});

describe('a nonce', () => {
  it('of the authorization server is sent back, once', async () => {
    const server = await createFakeServer({
      token(seen, response) {
        const { nonce } = decodeJwt(dpopOf(seen.headers));
        if (nonce === 'n1') return bound(seen, response);
        response.setHeader('dpop-nonce', 'n1');
        json(response, { error: 'use_dpop_nonce' }, 400);
        return true;
      },
    });
    const { endpoint } = await createFakeResource(server);
    await login(oauth({ redirect: headless(), dpop: true }), endpoint);
    const [one, two, ...more] = server.tokens.map(({ headers }) => decodeJwt(dpopOf(headers)));
    expect([one?.['nonce'], two?.['nonce'], more]).toEqual([undefined, 'n1', []]);
    expect(one?.jti).not.toBe(two?.jti);
  });

  it('that changes for ever ends in an error', async () => {
    let count = 0;
    const server = await createFakeServer({
      token(_, response) {
        response.setHeader('dpop-nonce', `n${++count}`);
        json(response, { error: 'use_dpop_nonce' }, 400);
        return true;
      },
    });
    const { endpoint } = await createFakeResource(server);
    await expect(login(oauth({ redirect: headless(), dpop: true }), endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', 'use_dpop_nonce'));
    expect(server.tokens.length).toBe(2);
  });

  it('of the MCP server goes into later proofs, and asks for no other token', async () => {
    const server = await createFakeServer({ token: bound });
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless(), dpop: true });
    const stale = await login(auth, endpoint);
    auth.nonce?.('rs-nonce', endpoint);
    const challenge = 'DPoP error="use_dpop_nonce"';
    expect(await auth.token({ resource: endpoint, status: 401, challenge, stale })).toEqual({ value: stale, scheme: 'DPoP' });
    const proof = (await auth.proof?.({ method: 'POST', url: endpoint, token: stale })) ?? '';
    expect((await payloadOf(proof, endpoint))['nonce']).toBe('rs-nonce');
    expect(server.tokens.length).toBe(1);
  });

  it.each(['', 'a\r\nb', 'a"b', 'x'.repeat(2_000)])('that cannot be sent is passed over: %j', async (value) => {
    const server = await createFakeServer({ token: bound });
    const { endpoint } = await createFakeResource(server);
    const auth = oauth({ redirect: headless(), dpop: true });
    const token = await login(auth, endpoint);
    auth.nonce?.(value, endpoint);
    const proof = (await auth.proof?.({ method: 'GET', url: endpoint, token })) ?? '';
    expect(await payloadOf(proof, endpoint, 'GET')).not.toHaveProperty('nonce');
  });
});

describe('a server is refused', () => {
  it('if it gives a token that is not bound', async () => {
    const { endpoint } = await createFakeResource(await createFakeServer());
    await expect(login(oauth({ redirect: headless(), dpop: true }), endpoint)).rejects.toEqual(
      coded('ERR_AUTH_FAILED', 'DPoP was asked for'),
    );
  });

  it.each([[[]], [['RS256']]])('if it takes only proofs of %j', async (algorithms) => {
    const server = await createFakeServer({ token: bound, metadata: { dpop_signing_alg_values_supported: algorithms } });
    const { endpoint } = await createFakeResource(server);
    await expect(login(oauth({ redirect: headless(), dpop: true }), endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', 'ES256'));
    expect(server.authorizations).toEqual([]);
  });
});

it('tokens with and without a key are kept apart', async () => {
  const tokens = memoryTokens();
  const server = await createFakeServer({ token: bound });
  const { endpoint } = await createFakeResource(server);
  await login(oauth({ redirect: headless(), dpop: true, tokens }), endpoint);
  expect(await oauth({ redirect: headless(), tokens }).token({ resource: endpoint })).toBeUndefined();
});
