// A server that a client visits names an authorization server of its own: it gets neither the client's secret nor anything like it.
import { decodeJwt, generateKeyPair } from 'jose';
import { describe, expect, it } from 'vitest';
import { clientCredentials, enterpriseManaged, memoryTokens, oauth, workloadIdentity } from 'vivarium/auth';
import { call, coded, createFakeResource, createFakeServer, headless } from '../../auth/client-fixture.ts';

const idp = { clientId: 'i', idToken: 'x', issuer: 'https://idp.example' };
const create = {
  'clientCredentials with a secret': (issuer?: string) =>
    clientCredentials({ clientId: 'c', clientSecret: 'very-secret', issuer: issuer as string }),
  'oauth with a secret': (issuer?: string) =>
    oauth({ redirect: headless(), clientId: 'c', clientSecret: 'very-secret', ...(issuer !== undefined && { issuer }) }),
  workloadIdentity: (issuer?: string) => workloadIdentity({ clientId: 'c', assertion: () => 'very-secret', issuer: issuer as string }),
  enterpriseManaged: (issuer?: string) => enterpriseManaged({ clientId: 'c', clientSecret: 'very-secret', idp, issuer: issuer as string }),
};

describe.each(Object.entries(create))('%s', (_, make) => {
  it('is a mistake without an issuer, told before any server is met', () => {
    expect(() => make()).toThrow(coded('ERR_CONFIG', 'Credentials need the `issuer` that gave them out') as Error);
  });

  it('sends nothing to the authorization server that a hostile server names first', async () => {
    const [own, evil] = [await createFakeServer(), await createFakeServer({ metadata: { registration_endpoint: undefined } })];
    const { endpoint } = await createFakeResource(evil);
    await expect(call(make(own.issuer), endpoint)).rejects.toEqual(coded('ERR_AUTH_FAILED', '`issuer`'));
    expect([evil.tokens, evil.authorizations]).toEqual([[], []]);
  });

  it('sends nothing to a token endpoint that speaks for the issuer from elsewhere', async () => {
    const own = await createFakeServer();
    const evil = await createFakeServer({ metadata: { issuer: own.issuer, registration_endpoint: undefined } });
    const { endpoint } = await createFakeResource(evil);
    await expect(call(make(own.issuer), endpoint)).rejects.toThrow();
    expect([evil.tokens, evil.authorizations]).toEqual([[], []]);
  });
});

it('a signed assertion is for the named issuer alone, wherever its token endpoint is', async () => {
  const { privateKey } = await generateKeyPair('ES256');
  const server = await createFakeServer();
  const { endpoint } = await createFakeResource(server);
  await call(clientCredentials({ clientId: 'c', privateKey, issuer: server.issuer }), endpoint);
  expect(decodeJwt(server.tokens[0]?.form['client_assertion'] ?? '').aud).toBe(server.issuer);
});

it('a refresh token and a registration stay with the issuer that gave them', async () => {
  const own = await createFakeServer();
  const evil = await createFakeServer();
  const resource = await createFakeResource(own);
  const auth = oauth({ redirect: headless(), tokens: memoryTokens() });
  await call(auth, resource.endpoint);
  resource.server = evil;
  own.valid.clear();
  await call(auth, resource.endpoint);
  const seen = JSON.stringify(evil.tokens);
  expect(own.refresh.size).toBeGreaterThan(0);
  for (const secret of own.refresh.keys()) expect(seen).not.toContain(secret);
  expect(evil.tokens.every(({ form }) => form['grant_type'] === 'authorization_code')).toBe(true);
});
