// The document in which a protected resource says who grants tokens for it.
import { expect, it } from 'vitest';
import { bearer, jwt, verifier } from 'vivarium/auth';
import { issuer, resource } from '../fixture.ts';

const root = '/.well-known/oauth-protected-resource';
const nobody = (): undefined => undefined;

it('is offered at the path of the resource and at the root, and nowhere else', () => {
  const auth = verifier(nobody, { authorizationServers: [issuer] });
  const document = { resource, authorization_servers: [issuer], bearer_methods_supported: ['header'] };
  expect(auth.document?.(`${root}/mcp`, resource)).toEqual(document);
  expect(auth.document?.(root, resource)).toEqual(document);
  for (const path of ['/', '/mcp', `${root}/`, `${root}/other`, `${root}/mcp/`, `${root}/mcp/x`, '/.well-known/openid-configuration', '']) {
    expect(auth.document?.(path, resource), path).toBeUndefined();
  }
});

it('is offered at the root for a resource at the root', () => {
  const auth = verifier(nobody, { authorizationServers: [issuer] });
  expect(auth.document?.(root, 'https://api.example/')).toMatchObject({ resource: 'https://api.example/' });
});

it('tells scopes, name and documentation', () => {
  const auth = verifier(nobody, {
    authorizationServers: [issuer, 'https://other.example/tenant'],
    required: ['mcp'],
    scopes: ['notes:read'],
    resourceName: 'Notes',
    resourceDocumentation: 'https://docs.example/',
  });
  expect(auth.document?.(root, resource)).toEqual({
    resource,
    authorization_servers: [issuer, 'https://other.example/tenant'],
    scopes_supported: ['mcp', 'notes:read'],
    bearer_methods_supported: ['header'],
    resource_name: 'Notes',
    resource_documentation: 'https://docs.example/',
  });
});

it('names the issuer of signed tokens, unless told otherwise', () => {
  expect(jwt({ issuer }).document?.(root, resource)).toMatchObject({ authorization_servers: [issuer] });
  const authorizationServers = ['https://front.example'];
  expect(jwt({ issuer, authorizationServers }).document?.(root, resource)).toMatchObject({ authorization_servers: authorizationServers });
});

it('is not offered where nobody grants tokens', () => {
  expect(bearer(['0123456789abcdef']).document).toBeUndefined();
  expect(bearer(['0123456789abcdef'], { authorizationServers: [issuer] }).document?.(root, resource)).toMatchObject({ resource });
});

it('says nothing of a resource that is no address', () => {
  expect(verifier(nobody, { authorizationServers: [issuer] }).document?.(root, 'nonsense')).toBeUndefined();
});
