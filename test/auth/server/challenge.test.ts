// What a refusal says to a client, and that nothing in it can break out of its header.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bearer, verifier } from 'vivarium/auth';
import { head, metadata, refusal, resource, withToken } from '../fixture.ts';

const authorizationServers = ['https://as.example'];
const alice = { id: 'alice', scopes: ['notes:read'] };

/** Parameters of one Bearer challenge; fails if anything is left over. */
function parse(challenge = ''): Record<string, string> {
  const parameter = '([a-z_]+)="([\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*)"';
  expect(challenge).toMatch(new RegExp(`^Bearer ${parameter}(?:, ${parameter})*$`));
  return Object.fromEntries([...challenge.matchAll(new RegExp(parameter, 'g'))].map(([, name, value]) => [name, value]));
}

describe('the challenge to a request without a token', () => {
  it('names the metadata and the scopes, and no error', () => {
    const auth = verifier(() => undefined, { authorizationServers, scopes: ['notes:read', 'notes:write'] });
    const refused = refusal(auth.admit(head(), resource));
    expect(refused.status).toBe(401);
    expect(refused.challenge).toBe(`Bearer ${metadata}, scope="notes:read notes:write"`);
  });

  it('asks for required scopes too', () => {
    const auth = verifier(() => undefined, { authorizationServers, required: ['mcp'], scopes: ['notes:read', 'mcp'] });
    expect(refusal(auth.admit(head(), resource)).challenge).toBe(`Bearer ${metadata}, scope="mcp notes:read"`);
  });

  it('leaves scopes out where none are known', () => {
    const auth = verifier(() => undefined, { authorizationServers });
    expect(refusal(auth.admit(head(), resource)).challenge).toBe(`Bearer ${metadata}`);
  });

  it('names only a realm where there is no authorization server', () => {
    expect(refusal(bearer(['0123456789abcdef']).admit(head(), resource)).challenge).toBe('Bearer realm="mcp"');
    const auth = bearer(['0123456789abcdef'], { realm: 'notes', scopes: ['a'] });
    expect(refusal(auth.admit(head(), resource)).challenge).toBe('Bearer realm="notes", scope="a"');
  });

  it.each([
    ['https://api.example', 'https://api.example/.well-known/oauth-protected-resource'],
    ['https://api.example/', 'https://api.example/.well-known/oauth-protected-resource'],
    ['https://api.example/a/b', 'https://api.example/.well-known/oauth-protected-resource/a/b'],
    ['http://127.0.0.1:4000/mcp?tenant=1', 'http://127.0.0.1:4000/.well-known/oauth-protected-resource/mcp?tenant=1'],
  ])('leads from %s to its metadata', (to, address) => {
    const auth = verifier(() => undefined, { authorizationServers });
    expect(parse(refusal(auth.admit(head(), to)).challenge)).toEqual({ resource_metadata: address });
  });
});

describe('the challenge to a bad token', () => {
  it('says so', () => {
    const auth = verifier(() => undefined, { authorizationServers, scopes: ['a'] });
    expect(refusal(auth.admit(withToken('x'), resource)).challenge).toBe(
      `Bearer ${metadata}, scope="a", error="invalid_token", error_description="The access token is not valid"`,
    );
  });
});

describe('the challenge to a token that does not reach far enough', () => {
  it('names all scopes that every request needs', () => {
    const auth = verifier(() => alice, { authorizationServers, required: ['mcp', 'notes:read'], scopes: ['notes:write'] });
    const refused = refusal(auth.admit(withToken('x'), resource));
    expect(refused).toMatchObject({ status: 403, error: 'insufficient_scope' });
    expect(parse(refused.challenge)).toMatchObject({
      error: 'insufficient_scope',
      scope: 'mcp notes:read',
      resource_metadata: 'https://api.example/.well-known/oauth-protected-resource/mcp',
    });
  });

  it('names all scopes that one operation needs, granted or not, beside those that every request needs', () => {
    const auth = verifier(() => alice, { authorizationServers, required: ['mcp'] });
    const refused = auth.stepUp(['notes:read', 'notes:write', 'mcp'], alice, resource);
    expect(refused).toMatchObject({ status: 403, error: 'insufficient_scope' });
    expect(parse(refused.challenge)).toEqual({
      resource_metadata: 'https://api.example/.well-known/oauth-protected-resource/mcp',
      scope: 'mcp notes:read notes:write',
      error: 'insufficient_scope',
      error_description: 'The access token does not reach far enough',
    });
  });

  it('leaves out what cannot be a scope', () => {
    const { challenge } = verifier(() => alice, { authorizationServers }).stepUp(
      ['ok', 'a b', 'x"y', 'x\r\ny: z', 'ä', ''],
      alice,
      resource,
    );
    expect(parse(challenge)).toMatchObject({ scope: 'ok' });
  });
});

describe('a challenge', () => {
  it.each(['a"b', 'a\r\nSet-Cookie: x=1', 'a\\', 'ä\u2028', 'a", error="x'])('holds the realm %j in one piece', (realm) => {
    const auth = bearer(['0123456789abcdef'], { realm });
    expect(Object.keys(parse(refusal(auth.admit(head(), resource)).challenge))).toEqual(['realm']);
  });

  it('is one header, whatever goes into it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(fc.string({ unit: 'binary' })),
        fc.string({ unit: 'binary' }),
        (realm, scopes, path) => {
          const auth = bearer(['0123456789abcdef'], { realm, authorizationServers });
          parse(auth.stepUp(scopes, alice, `https://api.example/${path}`).challenge);
          parse(auth.stepUp(scopes, alice, path).challenge);
        },
      ),
    );
  });
});

describe('the options', () => {
  it.each([
    [{ scopes: ['a b'] }, 'one scope per element'],
    [{ required: ['x"'] }, 'one scope per element'],
    [{ scopes: ['offline_access'] }, 'leave it out'],
    [{ authorizationServers: ['as.example'] }, 'write https://'],
    [{ authorizationServers: ['http://as.example'] }, 'write https://'],
    [{ resourceDocumentation: 'javascript:alert(1)' }, 'write https://'],
  ])('are refused with a remedy: %j', (options, remedy) => {
    expect(() => verifier(() => undefined, options)).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(remedy) }),
    );
  });
});
