import { describe, expect, it } from 'vitest';
import { isNestedDeeply } from '../../src/text/nesting.ts';

describe('a text in YAML', () => {
  it.each([
    ['brackets', `a: ${'['.repeat(1_000)}`],
    ['braces', '{a: '.repeat(1_000)],
    ['keys', `${'? '.repeat(1_000)}a`],
    ['lists', `${'- '.repeat(1_000)}a`],
    ['lines', Array.from({ length: 600 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
  ])('is nested deeply by %s', (_, text) => {
    expect(isNestedDeeply(text)).toBe(true);
  });

  it.each([
    ['settings', 'extensions:\n  a:\n    args: [[1], {b: 2}]\n'],
    ['many lists', '- [a, b]\n'.repeat(10_000)],
    ['a smile in every line', 'a: ":]"\n'.repeat(10_000)],
    ['a long line of dashes', `# ${'-'.repeat(2_000)}\n`],
  ])('is not, by %s', (_, text) => {
    expect(isNestedDeeply(text)).toBe(false);
  });
});
