// Fixed tokens: whose they are, and which ones are not accepted from an author.
import { describe, expect, it } from 'vitest';
import { bearer } from 'vivarium/auth';
import { refusal, resource, withToken } from '../fixture.ts';

const one = 'first-token-0123456789';
const two = 'second-token-012345678';

describe('a known token', () => {
  it('is answered at once', () => {
    expect(bearer([one]).admit(withToken(one), resource)).toEqual({ principal: { id: 'token-1', scopes: [] } });
  });

  it('belongs to someone else than the next one', () => {
    expect(bearer([one, two]).admit(withToken(two), resource)).toMatchObject({ principal: { id: 'token-2' } });
  });

  it.each([
    ['a map', new Map([[one, { id: 'alice', scopes: ['a'] }]])],
    ['an object', { [one]: { id: 'alice', scopes: ['a'] } }],
  ])('belongs to the principal that %s names', (_, tokens) => {
    expect(bearer(tokens, { scopes: ['a', 'b'] }).admit(withToken(one), resource)).toEqual({ principal: { id: 'alice', scopes: ['a'] } });
  });

  it('reaches as far as the server offers, unless told otherwise', () => {
    const auth = bearer({ [one]: { id: 'alice' }, [two]: { id: 'bob', scopes: [] } }, { scopes: ['a'], required: ['b'] });
    expect(auth.admit(withToken(one), resource)).toEqual({ principal: { id: 'alice', scopes: ['b', 'a'] } });
    expect(refusal(auth.admit(withToken(two), resource)).status).toBe(403);
  });

  it('has claims where they were given, and nobody can change them for the next request', () => {
    const auth = bearer({ [one]: { id: 'alice', claims: { tenant: 1 } } });
    const admission = auth.admit(withToken(one), resource);
    expect(admission).toEqual({ principal: { id: 'alice', scopes: [], claims: { tenant: 1 } } });
    const scopes: unknown = 'principal' in admission && admission.principal.scopes;
    expect(() => (scopes as string[]).push('admin')).toThrow(TypeError);
  });
});

describe('any other token', () => {
  it('is refused, however near it is', () => {
    const auth = bearer([one, two]);
    const near = [
      one.slice(0, -1),
      `${one}x`,
      one + one,
      one.toUpperCase(),
      `x${one.slice(1)}`,
      `${one.slice(0, -1)}8`,
      one.slice(1),
      '__proto__',
      'x',
    ];
    for (const token of near)
      expect(refusal(auth.admit(withToken(token), resource)), token).toMatchObject({ status: 401, error: 'invalid_token' });
  });

  it('is refused for every one of its bits', () => {
    const auth = bearer([one]);
    for (let at = 0; at < one.length; at++) {
      for (const bit of [1, 2, 4, 8, 16, 32, 64]) {
        const changed = one.slice(0, at) + String.fromCharCode(one.charCodeAt(at) ^ bit) + one.slice(at + 1);
        expect(auth.admit(withToken(changed), resource)).toHaveProperty('refused');
      }
    }
  });
});

describe('an author', () => {
  it.each([
    [['short'], 'can be guessed'],
    [['fifteen-letters'], 'can be guessed'],
    [[''], 'can be guessed'],
    [['a token with spaces in it'], 'cannot be sent'],
    [['a'.repeat(8_193)], 'cannot be sent'],
    [[undefined as unknown as string], 'is no text'],
    [[], 'give it one'],
    [new Map(), 'give it one'],
    [[one, one], 'write each once'],
    [{ [one]: { id: '' } }, 'write { id, scopes }'],
    [{ [one]: { id: 'a', scopes: ['a b'] } }, 'one scope per element'],
  ])('is told what to write instead of %j', (tokens, remedy) => {
    expect(() => bearer(tokens)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(remedy) }));
  });

  it('is not told the token', () => {
    expect(() => bearer(['my secret token 123'])).toThrow(expect.objectContaining({ message: expect.not.stringContaining('secret') }));
  });
});
