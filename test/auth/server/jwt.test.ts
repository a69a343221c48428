// Signed tokens with keys at hand: which are refused, what is read from them, and what is remembered.
import { exportJWK, exportSPKI, generateKeyPair, generateSecret, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Authorizer, type JwtOptions, jwt } from 'vivarium/auth';
import {
  admit,
  createSigner,
  issuer,
  listenForErrors,
  principalOf,
  refusalOf,
  resource,
  type Signer,
  seconds,
  withDefaults,
  withToken,
} from '../fixture.ts';

let signer: Signer;
let rsa: Signer;

beforeAll(async () => {
  signer = await createSigner();
  rsa = await createSigner('RS256', 'rsa');
});

// Time stands still, so that no token expires because a machine is slow.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const local = (options: Partial<JwtOptions> = {}): Authorizer => jwt({ issuer, keys: signer.jwks, ...options });

describe('a good token', () => {
  it('is admitted with its subject, its scopes and all its claims', async () => {
    const claims = withDefaults({ tenant: 7 });
    expect(await principalOf(local(), await signer.sign(claims))).toEqual({ id: 'alice', scopes: ['notes:read', 'notes:write'], claims });
  });

  it.each(['RS256', 'PS384', 'ES512', 'EdDSA', 'Ed25519'])('may be signed with %s', async (alg) => {
    const other = await createSigner(alg);
    expect(await principalOf(local({ keys: other.jwks }), await other.sign())).toMatchObject({ id: 'alice' });
  });

  it('may be checked with a single key', async () => {
    expect(await principalOf(local({ keys: signer.publicKey }), await signer.sign())).toMatchObject({ id: 'alice' });
  });

  it.each(['JWT', 'at+jwt', 'application/at+jwt', 'AT+JWT', undefined])('may be of type %s', async (typ) => {
    expect(await principalOf(local(), await signer.sign({}, { typ }))).toMatchObject({ id: 'alice' });
  });

  it('may leave out which of several keys has signed it', async () => {
    const other = await createSigner('ES256', 'k2');
    const keys = { keys: [...other.jwks.keys, ...signer.jwks.keys] };
    const token = await signer.sign({}, { kid: undefined });
    expect(await principalOf(local({ keys }), token)).toMatchObject({ id: 'alice' });
    expect(await refusalOf(local({ keys: { keys: [...other.jwks.keys, { ...other.jwks.keys[0], kid: 'k3' }] } }), token)).toMatchObject({
      status: 401,
    });
    expect(await refusalOf(local({ keys }), await signer.sign({ exp: seconds(-60) }, { kid: undefined }))).toMatchObject({
      description: 'The access token has expired',
    });
  });

  it.each<readonly [string, () => object]>([
    ['that it is for others too', () => ({ aud: [resource, 'https://other.example'] })],
    ['for whom in another spelling', () => ({ aud: 'https://API.example:443/mcp' })],
    ['since when it is valid', () => ({ nbf: seconds(-10) })],
    ['that it is almost valid', () => ({ nbf: seconds(3) })],
    ['that it has just expired', () => ({ exp: seconds(-3) })],
  ])('may say %s', async (_, claims) => {
    expect(await principalOf(local(), await signer.sign({ ...claims() }))).toMatchObject({ id: 'alice' });
  });

  it.each([
    [{ sub: undefined, client_id: 'robot' }, { id: 'robot' }],
    [{ sub: undefined, azp: 'robot' }, { id: 'robot' }],
    [{ scope: undefined }, { scopes: [] }],
    [{ scope: undefined, scp: ['a', 'b'] }, { scopes: ['a', 'b'] }],
    [{ scope: undefined, scp: 'a b' }, { scopes: ['a', 'b'] }],
    [{ scope: ' a  b ' }, { scopes: ['a', 'b'] }],
    [{ scope: 7 }, { scopes: [] }],
  ])('with %j belongs to %j', async (claims, principal) => {
    expect(await principalOf(local(), await signer.sign(claims))).toMatchObject(principal);
  });

  it('belongs to whom the author says', async () => {
    const auth = local({ principal: ({ email, roles }) => ({ id: String(email), scopes: roles as string[] }) });
    const token = await signer.sign({ email: 'a@example.com', roles: ['admin'] });
    expect(await principalOf(auth, token)).toMatchObject({ id: 'a@example.com', scopes: ['admin'], claims: { sub: 'alice' } });
  });

  it('is refused if it lacks a scope that everything needs', async () => {
    const auth = local({ required: ['notes:read', 'admin'] });
    const token = await signer.sign();
    for (const _ of ['verified', 'remembered']) {
      expect(await refusalOf(auth, token)).toMatchObject({
        status: 403,
        error: 'insufficient_scope',
        challenge: expect.stringContaining('scope="notes:read admin"'),
      });
    }
  });
});

describe('a bad token', () => {
  const bad: readonly (readonly [string, () => Promise<string> | string])[] = [
    ['for another resource', () => signer.sign({ aud: 'https://other.example/mcp' })],
    ['for a longer address', () => signer.sign({ aud: `${resource}/x` })],
    ['for nobody', () => signer.sign({ aud: undefined })],
    ['for no text', () => signer.sign({ aud: [] })],
    ['of another issuer', () => signer.sign({ iss: 'https://evil.example' })],
    ['of almost the same issuer', () => signer.sign({ iss: `${issuer}/` })],
    ['of no issuer', () => signer.sign({ iss: undefined })],
    ['that has expired', () => signer.sign({ exp: seconds(-60) })],
    ['that never expires', () => signer.sign({ exp: undefined })],
    ['that expires in words', () => signer.sign({ exp: 'tomorrow' })],
    ['for later', () => signer.sign({ nbf: seconds(600) })],
    ['of nobody', () => signer.sign({ sub: undefined })],
    ['bound to a key', () => signer.sign({ cnf: { jkt: 'x' } })],
    ['for another purpose', () => signer.sign({}, { typ: 'logout+jwt' })],
    ['with an extension that must be understood', () => critical()],
    ['without a signature', () => new UnsecuredJWT(withDefaults()).encode()],
    ['without a signature, but with dots', () => forged({ alg: 'none' })],
    ['with a signature of "nOnE"', () => forged({ alg: 'nOnE' })],
    ['signed by someone else', async () => (await createSigner()).sign()],
    ['signed with a key it brings along', () => selfSigned()],
    [
      'signed with a shared secret',
      async () => new SignJWT(withDefaults()).setProtectedHeader({ alg: 'HS256' }).sign(await generateSecret('HS256')),
    ],
    ['that is no token', () => 'nonsense'],
    ['of three empty parts', () => '..'],
    ['of two parts', async () => (await signer.sign()).split('.').slice(0, 2).join('.')],
    ['of five parts', () => 'a.b.c.d.e'],
  ];
  const says = new Map([
    ['for another resource', 'The access token is for another resource'],
    ['of another issuer', 'The access token is from another issuer'],
    ['that has expired', 'The access token has expired'],
    ['for later', 'The access token is not valid yet'],
    ['of nobody', 'The access token names nobody'],
  ]);

  it.each(bad)('is refused: one %s', async (what, make) => {
    expect(await refusalOf(local(), await make())).toMatchObject({
      status: 401,
      error: 'invalid_token',
      description: says.get(what) ?? expect.any(String),
      challenge: expect.stringContaining('error="invalid_token"'),
    });
  });

  it('is refused wherever it was tampered with', async () => {
    const auth = local();
    const token = await signer.sign();
    expect(await admit(auth, token)).toHaveProperty('principal');
    // The last character of a part may hold bits that mean nothing.
    const ends = [token.indexOf('.') - 1, token.lastIndexOf('.') - 1, token.length - 1];
    for (let at = 0; at < token.length; at += 3) {
      if (ends.includes(at)) continue;
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      expect(await admit(auth, changed), `character ${at}`).toHaveProperty('refused');
    }
  });

  it('is refused if the public key was used as a shared secret', async () => {
    const auth = local({ keys: rsa.jwks });
    const forms = [await exportSPKI(rsa.publicKey), JSON.stringify(await exportJWK(rsa.publicKey)), rsa.jwks.keys[0]?.n ?? ''];
    for (const form of forms) {
      for (const kid of ['rsa', undefined]) {
        const header = { alg: 'HS256', ...(kid !== undefined && { kid }) };
        const token = await new SignJWT(withDefaults()).setProtectedHeader(header).sign(new TextEncoder().encode(form));
        expect(await refusalOf(auth, token)).toMatchObject({ status: 401, description: 'The access token is not valid' });
      }
    }
    expect(await principalOf(auth, await rsa.sign())).toMatchObject({ id: 'alice' });
  });

  it('is refused if it is signed in a way that the author did not allow', async () => {
    expect(await refusalOf(local({ keys: rsa.jwks, algorithms: ['ES256'] }), await rsa.sign())).toMatchObject({ status: 401 });
  });

  it('is refused if the author cannot say whose it is, and the author is told', async () => {
    const { told, onError } = listenForErrors();
    const auth = local({
      onError,
      principal: () => {
        throw new Error('no email');
      },
    });
    expect(await refusalOf(auth, await signer.sign())).toMatchObject({ status: 401, description: 'The access token is not valid' });
    expect(told).toEqual([new Error('no email')]);
  });
});

describe('the audience', () => {
  it('is what the author names, and then not the address', async () => {
    const auth = local({ audience: ['notes', 'todos'] });
    expect(await principalOf(auth, await signer.sign({ aud: 'todos' }))).toMatchObject({ id: 'alice' });
    expect(await refusalOf(auth, await signer.sign())).toMatchObject({ status: 401 });
  });

  it('is looked at for remembered tokens too', async () => {
    const auth = local();
    const token = await signer.sign();
    await principalOf(auth, token);
    expect(auth.admit(withToken(token), 'https://other.example/mcp')).toMatchObject({
      refused: { status: 401, description: 'The access token is for another resource' },
    });
    expect(auth.admit(withToken(token), resource)).toHaveProperty('principal');
  });
});

describe('a token that was verified before', () => {
  it('is answered at once', async () => {
    const auth = local();
    const token = await signer.sign();
    expect(auth.admit(withToken(token), resource)).toBeInstanceOf(Promise);
    await principalOf(auth, token);
    expect(auth.admit(withToken(token), resource)).toMatchObject({ principal: { id: 'alice' } });
  });

  it('is refused from the second on in which it expires', async () => {
    const auth = local({ clockToleranceSeconds: 0 });
    const token = await signer.sign({ exp: seconds(60) });
    await principalOf(auth, token);
    vi.setSystemTime(seconds(59) * 1_000);
    expect(auth.admit(withToken(token), resource)).toHaveProperty('principal');
    vi.setSystemTime(seconds(1) * 1_000);
    expect(await refusalOf(auth, token)).toMatchObject({ description: 'The access token has expired' });
  });

  it('makes room for others, the least used one first', async () => {
    const auth = local({ cache: { max: 2 } });
    const [a, b, c] = [await signer.sign({ sub: 'a' }), await signer.sign({ sub: 'b' }), await signer.sign({ sub: 'c' })];
    const isKnown = (token: string): boolean => !(auth.admit(withToken(token), resource) instanceof Promise);
    await principalOf(auth, a);
    await principalOf(auth, b);
    expect(isKnown(a)).toBe(true);
    await principalOf(auth, c);
    expect([isKnown(a), isKnown(c)]).toEqual([true, true]);
    expect(isKnown(b)).toBe(false);
  });

  it('is not remembered if it was refused, or if nothing is', async () => {
    const auth = local({ cache: { max: 0 } });
    const token = await signer.sign();
    await principalOf(auth, token);
    expect(auth.admit(withToken(token), resource)).toBeInstanceOf(Promise);
  });
});

describe('an author', () => {
  it.each([
    [{ issuer: 'as.example' }, 'write https://'],
    [{ issuer: 'http://as.example' }, 'write https://'],
    [{ jwksUri: 'http://10.0.0.1/keys' }, 'write https://'],
    [{ jwksUri: 'file:///keys' }, 'write https://'],
    [{ jwksUri: 'https://user:pass@as.example/' }, 'write https://'],
    [{ algorithms: ['HS256'] }, 'write some of RS256'],
    [{ algorithms: ['none'] }, 'write some of RS256'],
    [{ algorithms: [] }, 'write some of RS256'],
    [{ audience: [] }, 'leave it out'],
    [{ audience: '' }, 'leave it out'],
    [{ clockToleranceSeconds: -1 }, 'leave it out'],
    [{ cache: { max: Number.NaN } }, 'leave it out'],
    [{ jwksUri: 'https://as.example/keys', keys: { keys: [] } }, 'leave one out'],
    [{ keys: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, 'public half'],
    [{ keys: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'A', d: 'A' }] } }, 'public half'],
  ])('is told what to write instead of %j', (options, remedy) => {
    expect(() => jwt({ issuer, ...options } as JwtOptions)).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(remedy) }),
    );
  });

  it('cannot hand over a private key by mistake', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    expect(() => jwt({ issuer, keys: privateKey })).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
  });
});

/** The payload of a good token under a header of one's own. */
function forged(header: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'ES256', kid: 'k1', ...header })}.${part(withDefaults())}.AAAA`;
}

function critical(): Promise<string> {
  const header = { alg: 'ES256', kid: 'k1', crit: ['x'], x: 1 };
  return new SignJWT(withDefaults()).setProtectedHeader(header).sign(signer.privateKey, { crit: { x: true } });
}

async function selfSigned(): Promise<string> {
  const other = await createSigner();
  return other.sign({}, { jwk: other.jwks.keys[0], jku: 'https://evil.example/keys', kid: 'k1' });
}
