// A real authorization server: its tokens, its discovery, its keys, its introspection and its revocation.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { introspection, jwt } from 'vivarium/auth';
import { admit, principalOf, refusalOf, resource, withToken } from '../fixture.ts';
import { openProvider } from '../oidc-provider.ts';

const other = 'https://other.example/mcp';
const opaque = 'https://api.example/opaque';

const { issuer, asking, ask, grant } = await openProvider();

afterEach(() => {
  vi.useRealTimers();
});

describe('a signed token', () => {
  it('is admitted after real discovery, and then at once', async () => {
    const auth = jwt({ issuer });
    const token = await grant(resource, 'notes:read notes:write');
    expect(await principalOf(auth, token)).toMatchObject({
      id: 'caller',
      scopes: ['notes:read', 'notes:write'],
      claims: { iss: issuer, aud: resource, client_id: 'caller' },
    });
    expect(auth.admit(withToken(token), resource)).toMatchObject({ principal: { id: 'caller' } });
  });

  it('is admitted for the audience that the author names', async () => {
    expect(await admit(jwt({ issuer, audience: other }), await grant(other))).toHaveProperty('principal');
  });

  it('is refused if it was granted for another resource', async () => {
    const refused = await refusalOf(jwt({ issuer }), await grant(other));
    expect(refused).toMatchObject({ status: 401, error: 'invalid_token', description: 'The access token is for another resource' });
  });

  it('is refused if it reaches less far than needed', async () => {
    const refused = await refusalOf(jwt({ issuer, required: ['notes:write'] }), await grant(resource));
    expect(refused).toMatchObject({ status: 403, error: 'insufficient_scope', challenge: expect.stringContaining('scope="notes:write"') });
  });

  it('is refused under the name of another issuer', async () => {
    const auth = jwt({ issuer: issuer.replace('127.0.0.1', 'localhost'), jwksUri: `${issuer}/jwks` });
    expect(await refusalOf(auth, await grant(resource))).toMatchObject({ description: 'The access token is from another issuer' });
  });

  it('is refused if it is no signed one', async () => {
    expect(await refusalOf(jwt({ issuer }), await grant(opaque))).toMatchObject({ status: 401, error: 'invalid_token' });
  });
});

describe('an opaque token', () => {
  const asked = (options: object = {}) => introspection({ ...asking, ...options });

  it('is admitted as its issuer says', async () => {
    expect(await principalOf(asked(), await grant(opaque), opaque)).toMatchObject({ id: 'caller', scopes: ['notes:read'] });
  });

  it('is refused for another resource', async () => {
    expect(await refusalOf(asked(), await grant(opaque))).toMatchObject({ description: 'The access token is for another resource' });
  });

  it('is refused at the next request after it was revoked, where nothing is remembered', async () => {
    const auth = asked({ cacheMs: 0 });
    const token = await grant(opaque);
    await principalOf(auth, token, opaque);
    expect((await ask('/token/revocation', { token })).status).toBe(200);
    expect(await refusalOf(auth, token, opaque)).toMatchObject({ status: 401, error: 'invalid_token' });
  });

  it('is refused after it was revoked, once what is remembered has passed', async () => {
    const auth = asked();
    const token = await grant(opaque);
    await principalOf(auth, token, opaque);
    await ask('/token/revocation', { token });
    expect(auth.admit(withToken(token), opaque)).toHaveProperty('principal');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_001 });
    expect(await refusalOf(auth, token, opaque)).toMatchObject({ status: 401 });
  });

  it('is refused if it was made up', async () => {
    expect(await refusalOf(asked(), 'made-up-token', opaque)).toMatchObject({ status: 401 });
  });

  it('is nobody’s if this server may not ask', async () => {
    const onError = vi.fn();
    expect(await refusalOf(asked({ clientSecret: 'wrong', onError }), await grant(opaque), opaque)).toMatchObject({ status: 503 });
    expect(onError.mock.calls).toMatchObject([[{ message: expect.stringContaining('/token/introspection answers with status 401') }]]);
  });
});
