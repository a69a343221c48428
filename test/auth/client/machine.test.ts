// Clients without a person: their own credentials, those of their platform, those of an enterprise, and a token from elsewhere.
import { decodeJwt, decodeProtectedHeader, exportJWK, exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clientCredentials, enterpriseManaged, staticToken, workloadIdentity } from 'vivarium/auth';
import { call, coded, createFakeResource, createFakeServer } from '../client-fixture.ts';
import { bodyOf, json, listen } from '../fixture.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('client credentials', () => {
  it('give a token for the resource, and another when it has expired, once however many ask', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server, { metadata: () => ({ scopes_supported: ['a'] }) });
    const auth = clientCredentials({ clientId: 'c', clientSecret: 's', issuer: server.issuer });
    expect(await call(auth, endpoint)).toBe('access-1-');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    expect(await Promise.all([call(auth, endpoint), call(auth, endpoint)])).toEqual(['access-2-', 'access-2-']);
    expect(server.tokens.map(({ form }) => form)).toEqual(
      Array(2).fill({ grant_type: 'client_credentials', resource: endpoint, scope: 'a' }),
    );
    expect([server.registrations, server.authorizations]).toEqual([[], []]);
  });

  it('do without PKCE, which is not theirs', async () => {
    const metadata = { code_challenge_methods_supported: undefined, authorization_endpoint: undefined };
    const server = await createFakeServer({ metadata });
    const { endpoint } = await createFakeResource(server);
    expect(await call(clientCredentials({ clientId: 'c', clientSecret: 's', issuer: server.issuer }), endpoint)).toBe('access-1-');
  });

  it.each(['PEM', 'JWK', 'CryptoKey'] as const)('may be a key: %s', async (form) => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const given = { PEM: await exportPKCS8(privateKey), JWK: await exportJWK(privateKey), CryptoKey: privateKey }[form];
    const server = await createFakeServer({ metadata: { token_endpoint_auth_methods_supported: ['private_key_jwt'] } });
    const { endpoint } = await createFakeResource(server);
    await call(clientCredentials({ clientId: 'c', privateKey: given, keyId: 'k', issuer: server.issuer }), endpoint);
    const { client_assertion: assertion = '', client_assertion_type: type } = server.tokens[0]?.form ?? {};
    expect(type).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    expect(decodeProtectedHeader(assertion)).toMatchObject({ alg: 'ES256', kid: 'k' });
    await jwtVerify(assertion, publicKey, { issuer: 'c', subject: 'c', audience: server.issuer });
  });

  it('that cannot be read are a mistake', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    await expect(call(clientCredentials({ clientId: 'c', privateKey: 'no key', issuer: server.issuer }), endpoint)).rejects.toEqual(
      coded('ERR_CONFIG', '`privateKey`'),
    );
  });
});

describe('a workload', () => {
  it('shows the token of its platform', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const assertion = vi.fn(() => 'platform-jwt');
    await call(workloadIdentity({ clientId: 'w', assertion, issuer: server.issuer }), endpoint);
    expect(assertion).toHaveBeenCalledExactlyOnceWith({ issuer: server.issuer, resource: endpoint });
    expect(server.tokens.map(({ form }) => form)).toEqual([
      { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'platform-jwt', client_id: 'w', resource: endpoint },
    ]);
  });

  it.each(['invalid_grant', 'invalid_scope', 'unauthorized_client'])('does not try again after %s', async (error) => {
    const server = await createFakeServer({
      token(_, response) {
        json(response, { error }, 400);
        return true;
      },
    });
    const { endpoint } = await createFakeResource(server);
    const auth = workloadIdentity({ clientId: 'w', assertion: () => 'bad', issuer: server.issuer });
    await expect(call(auth, endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', error));
    expect(server.tokens.length).toBe(1);
  });

  it('fails with the reason its platform gives', async () => {
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const assertion = () => Promise.reject(new Error('no identity here'));
    const auth = workloadIdentity({ clientId: 'w', assertion, issuer: server.issuer });
    await expect(call(auth, endpoint)).rejects.toThrow('no identity here');
  });

  it('needs a function', () => {
    expect(() => workloadIdentity({ clientId: 'w', assertion: 'jwt' as never, issuer: 'https://as.example' })).toThrow(
      coded('ERR_CONFIG') as Error,
    );
  });
});

describe('an enterprise', () => {
  async function identityProvider(answer: object = {}, status = 200) {
    const forms: Record<string, string>[] = [];
    const { url } = await listen(async (request, response) => {
      if (request.url === '/.well-known/openid-configuration') return json(response, { issuer: url, token_endpoint: `${url}/token` });
      if (request.url !== '/token') return response.writeHead(404).end();
      forms.push(Object.fromEntries(new URLSearchParams(await bodyOf(request))));
      json(
        response,
        { access_token: 'id-jag', issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag', token_type: 'N_A', ...answer },
        status,
      );
    });
    return { url, forms };
  }

  it.each(['tokenEndpoint', 'issuer'] as const)('vouches for its people, found by %s', async (by) => {
    const { url, forms } = await identityProvider();
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const place = by === 'issuer' ? { issuer: url } : { tokenEndpoint: `${url}/token` };
    const auth = enterpriseManaged({
      clientId: 'c',
      clientSecret: 's',
      issuer: server.issuer,
      idp: { clientId: 'i', idToken: () => 'id-token', ...place },
    });
    expect(await call(auth, endpoint)).toBe('access-1-');
    expect(forms).toEqual([
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        subject_token: 'id-token',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        audience: server.issuer,
        resource: endpoint,
        client_id: 'i',
      },
    ]);
    expect(server.tokens.map(({ form }) => form)).toEqual([
      { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'id-jag', resource: endpoint },
    ]);
    expect(server.tokens[0]?.headers.authorization).toBe(`Basic ${btoa('c:s')}`);
  });

  it.each([
    [{ error: 'invalid_grant', error_description: 'who?' }, 400, /invalid_grant \(who\?\)/],
    [{ issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' }, 200, /vouches for nobody/],
    [{ access_token: 7 }, 200, /vouches for nobody/],
  ] as const)('may not: %j', async (answer, status, message) => {
    const { url } = await identityProvider(answer, status);
    const server = await createFakeServer();
    const { endpoint } = await createFakeResource(server);
    const auth = enterpriseManaged({
      clientId: 'c',
      clientSecret: 's',
      issuer: server.issuer,
      idp: { clientId: 'i', idToken: 'x', tokenEndpoint: `${url}/token` },
    });
    await expect(call(auth, endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', message));
    expect(server.tokens).toEqual([]);
  });

  it.each([
    {},
    { clientId: 'i', idToken: 'x' },
    { clientId: 'i', idToken: 'x', issuer: 'http://idp.example' },
    { clientId: '', idToken: 'x', issuer: 'https://idp.example' },
  ])('must be described: %j', (idp) => {
    expect(() => enterpriseManaged({ clientId: 'c', issuer: 'https://as.example', idp: idp as never })).toThrow(
      coded('ERR_CONFIG') as Error,
    );
  });
});

describe('a token from elsewhere', () => {
  const resource = 'https://api.example/mcp';

  it('is sent as it is', async () => {
    expect(await staticToken('abc').token({ resource })).toBe('abc');
  });

  it('is read anew each time, and may have become another', async () => {
    const read = vi.fn().mockReturnValueOnce('one').mockReturnValueOnce('two').mockReturnValue('two');
    const auth = staticToken(read);
    expect(await auth.token({ resource })).toBe('one');
    expect(await auth.token({ resource, status: 401, stale: 'one' })).toBe('two');
    await expect(auth.token({ resource, status: 401, stale: 'two' })).rejects.toEqual(coded('ERR_AUTH_FAILED', 'refuses the token'));
  });

  it('may be missing until it is needed', async () => {
    const auth = staticToken(() => undefined);
    expect(await auth.token({ resource })).toBeUndefined();
    await expect(auth.token({ resource, status: 401 })).rejects.toEqual(coded('ERR_AUTH_FAILED', 'none was given'));
  });

  it('cannot reach further', async () => {
    await expect(staticToken('abc').token({ resource, status: 403, stale: 'abc' })).rejects.toEqual(coded('ERR_FORBIDDEN'));
  });

  it.each(['', 'Bearer abc', 'a\r\nb', 'é', 7])('must be one that can be sent: %j', async (token) => {
    expect(() => staticToken(token as string)).toThrow(coded('ERR_CONFIG') as Error);
    await expect(staticToken(() => token as string).token({ resource })).rejects.toEqual(coded('ERR_CONFIG'));
  });
});

it('an assertion holds no more than it must', async () => {
  const { privateKey } = await generateKeyPair('ES256');
  const server = await createFakeServer();
  const { endpoint } = await createFakeResource(server);
  await call(clientCredentials({ clientId: 'c', privateKey, issuer: server.issuer }), endpoint);
  const { exp = 0, iat = 0, jti } = decodeJwt(server.tokens[0]?.form['client_assertion'] ?? '');
  expect(exp - iat).toBeLessThanOrEqual(60);
  expect(jti).toBeTypeOf('string');
});
