// What a client reads out of WWW-Authenticate, whatever is in there.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChallenges, readDemand } from '../../../src/auth/client/www-authenticate.ts';

const url = 'https://api.example/.well-known/oauth-protected-resource/mcp';
const nothing = { metadata: undefined, scopes: undefined, error: undefined };

describe('a challenge', () => {
  it.each<[header: string, demand: Partial<ReturnType<typeof readDemand>>]>([
    [`Bearer resource_metadata="${url}"`, { metadata: url }],
    [`Bearer resource_metadata=${url}`, { metadata: url }],
    [`bearer   RESOURCE_METADATA = "${url}" ,scope="a  b a"`, { metadata: url, scopes: ['a', 'b'] }],
    [`Bearer realm="a, Bearer resource_metadata=\\"https://evil.example\\"", resource_metadata="${url}"`, { metadata: url }],
    [
      `Basic realm="x", Bearer error="invalid_token", scope="a", resource_metadata="${url}"`,
      { metadata: url, scopes: ['a'], error: 'invalid_token' },
    ],
    [`Negotiate YII=, NTLM, Bearer scope="a"`, { scopes: ['a'] }],
    [`Bearer abc==, DPoP error="use_dpop_nonce", algs="ES256"`, { error: 'use_dpop_nonce' }],
    [`DPoP resource_metadata="${url}"`, { metadata: url }],
    [`Custom resource_metadata="${url}", scope="not ours"`, { metadata: url }],
    [`Custom resource_metadata="https://other.example", Bearer resource_metadata="${url}"`, { metadata: url }],
    ['Bearer scope=""', { scopes: [] }],
    ['Bearer scope="a", scope="b"', { scopes: ['a'] }],
    ['Bearer realm="x" scope="a"', { scopes: ['a'] }],
    ['Bearer scope="a\\"b\\\\c"', { scopes: ['a"b\\c'] }],
    ['Bearer scope="never closed', {}],
    ['Bearer error="insufficient_scope, scope="a"', { error: 'insufficient_scope, scope=' }],
    ['Bearer', {}],
    ['', {}],
    [',,, ;;; = "x" Bearer', {}],
    ['Basic realm="x"', {}],
  ])('%s', (header, demand) => {
    expect(readDemand(header)).toEqual({ ...nothing, ...demand });
  });

  it('may be missing', () => {
    expect(readDemand(undefined)).toEqual(nothing);
  });

  it('is read without an error whatever it is, and names keep to themselves', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const { scheme, parameters } of parseChallenges(text)) {
          expect(scheme).toBe(scheme.toLowerCase());
          expect(parameters).toBeInstanceOf(Map);
        }
      }),
    );
  });

  it('gives back what a correct server has written', () => {
    const value = fc.string({ unit: fc.constantFrom('a', ' ', ',', '=', '"', '\\', 'Bearer ', 'é') });
    const name = fc.constantFrom('realm', 'scope', 'error', 'x-y');
    fc.assert(
      fc.property(fc.array(fc.dictionary(name, value, { minKeys: 1, noNullPrototype: true })), (wanted) => {
        const written = wanted.map((one) =>
          Object.entries(one)
            .map(([key, text]) => `${key}="${text.replace(/["\\]/g, '\\$&')}"`)
            .join(', '),
        );
        const read = parseChallenges(written.map((one) => `Bearer ${one}`).join(', '));
        expect(read.map(({ parameters }) => Object.fromEntries(parameters))).toEqual(wanted);
      }),
    );
  });
});

describe('a challenge of 400 KB', () => {
  it.each([
    ['of one scheme', (size: number) => 'a'.repeat(size)],
    ['of commas', (size: number) => ','.repeat(size)],
    ['of blanks', (size: number) => `Bearer${' '.repeat(size)}x`],
    ['of schemes', (size: number) => 'Bearer a '.repeat(size / 9)],
    ['of slashes', (size: number) => `Bearer ${'a/'.repeat(size / 2)}"`],
    ['of padding', (size: number) => `Bearer ${'='.repeat(size)}x`],
    ['of backslashes', (size: number) => `Bearer a="${'\\'.repeat(size)}`],
    ['of quotes', (size: number) => `Bearer a=${'"'.repeat(size)}`],
    ['of parameters', (size: number) => `Bearer ${'a=b,'.repeat(size / 4)}`],
    ['of many starts', (size: number) => 'a="'.repeat(size / 3)],
  ])('%s takes time in proportion', (_, make) => {
    // Sixteen times as much takes about sixteen times as long, not 256 times; what is over soon needs no comparison.
    expect(shortest(make(400_000))).toBeLessThan(Math.max(100 * shortest(make(25_000)), 1_000));
  });

  /** Of several attempts: others use the processor too. */
  function shortest(header: string): number {
    return Math.min(
      ...Array.from({ length: 5 }, () => {
        const started = performance.now();
        readDemand(header);
        return performance.now() - started;
      }),
    );
  }
});
