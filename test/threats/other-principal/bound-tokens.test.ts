// A token that was stolen is of no use to the thief when it is bound to a key or a certificate: nobody here takes it without the proof.
import { describe, expect, it } from 'vitest';
import { type Authorizer, introspection, jwt, verifier } from 'vivarium/auth';
import { createSigner, issuer, json, listen, principalOf, refusalOf, withDefaults } from '../../auth/fixture.ts';

const said = 'The access token is bound to a key or a certificate (cnf), and this server has not verified the proof';
const kinds: readonly (readonly [string, unknown])[] = [
  ['to the key of DPoP (jkt)', { jkt: 'x' }],
  ['to a certificate (x5t#S256)', { 'x5t#S256': 'x' }],
  ['to a key (jwk)', { jwk: { kty: 'EC' } }],
  ['by name (kid)', { kid: 'k' }],
  ['in a way yet to come', { something: 1 }],
  ['by nothing', {}],
  ['by text', 'x'],
];

describe.each(kinds)('a token bound %s is refused', (_, cnf) => {
  const judges: readonly (readonly [string, () => Promise<readonly [Authorizer, string]>])[] = [
    [
      'by jwt',
      async () => {
        const signer = await createSigner();
        return [jwt({ issuer, keys: signer.jwks }), await signer.sign({ cnf })];
      },
    ],
    [
      'by introspection',
      async () => {
        const { url } = await listen((_request, response) => json(response, { active: true, sub: 'alice', cnf }));
        return [introspection({ endpoint: url, clientId: 'c', clientSecret: 's' }), 'opaque'];
      },
    ],
    ['by a verifier that returns its claims', async () => [verifier(() => ({ id: 'alice', scopes: [], claims: { cnf } })), 'opaque']],
  ];
  it.each(judges)('%s, with 401 and invalid_token', async (_by, create) => {
    const [auth, token] = await create();
    const refused = await refusalOf(auth, token);
    expect(refused).toMatchObject({ status: 401, error: 'invalid_token', description: said });
    expect(refused.challenge).toContain(`error="invalid_token", error_description="${said}"`);
    // Nor is it remembered as good.
    expect(await refusalOf(auth, token)).toMatchObject({ status: 401 });
  });
});

it('a token without a binding is taken', async () => {
  const signer = await createSigner();
  expect(await principalOf(jwt({ issuer, keys: signer.jwks }), await signer.sign(withDefaults()))).toMatchObject({ id: 'alice' });
});
