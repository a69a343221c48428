import { describe, expect, it } from 'vitest';
import { maxPatternSize, patternCost } from '../../src/schema/pattern.ts';

describe('the steps of a search', () => {
  it.each(['^[a-z]+$', '^\\d{4}-\\d{2}-\\d{2}$', '^\\p{L}{1,50}$', '^(?:abc|def)$', '^[^\\]]*$', '^(?<year>\\d+)-x$', '^a?b?c?$'])(
    'grow as the text does where the pattern leaves one choice at most: %s',
    (pattern) => {
      const { steps } = patternCost(pattern);
      expect(steps(4_000) / steps(1_000)).toBeLessThan(4.1);
      expect(steps(1_000)).toBeLessThan(100_000);
    },
  );

  it.each(['[a-z]+$', '^a*b*$', '^(?=.*a).*$'])('grow as its square where there are two places to go on from: %s', (pattern) => {
    const { steps } = patternCost(pattern);
    expect(steps(4_000) / steps(1_000)).toBeGreaterThan(15);
    expect(steps(4_000) / steps(1_000)).toBeLessThan(17);
  });

  it.each(['^(a+)+$', '^(?:a|a)*$', '^(?:a?){50}$', '^(a|ab)(c|bcd)(d*)*$', '^(a)\\1$', '(?<n>a)\\k<n>'])(
    'are not bounded: %s',
    (pattern) => {
      expect(patternCost(pattern).steps(60)).toBeGreaterThan(1e12);
    },
  );

  it.each(['(', ')', '[a', 'a**', '*', '{1}', '\\', `${'('.repeat(200)}${')'.repeat(200)}`, 'a'.repeat(maxPatternSize + 1)])(
    'are not known for what cannot be read: %s',
    (pattern) => {
      expect(patternCost(pattern)).toMatchObject({ size: Number.POSITIVE_INFINITY });
      expect(patternCost(pattern).steps(1)).toBe(Number.POSITIVE_INFINITY);
    },
  );
});

it('counts classes of Unicode as what they take to compile', () => {
  expect(patternCost('\\p{L}'.repeat(100)).size).toBeGreaterThan(2_000);
  expect(patternCost('[\\p{L}\\p{N}]'.repeat(100)).size).toBeGreaterThan(4_000);
  expect(patternCost('a'.repeat(100)).size).toBeLessThan(200);
  expect(patternCost('(?:(?:a{9}){9}){9}').size).toBeGreaterThan(27);
});
