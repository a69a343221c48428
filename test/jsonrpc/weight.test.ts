import { describe, expect, it } from 'vitest';
import { weightOf } from '../../src/jsonrpc/weight.ts';

const list = (item: string, count: number): string => `[${Array.from({ length: count }, () => item).join(',')}]`;

describe('the weight of a JSON text', () => {
  // Bytes per element as measured on Node 20 after a collection; the estimate must not be below them.
  it.each([
    ['empty objects', '{}', 64],
    ['empty lists', '[]', 40],
    ['numbers', '1', 8],
    ['objects with a key', '{"a":1}', 40],
    ['short strings', '"abcd"', 12],
  ])('is not below what %s take', (_, item, bytes) => {
    expect(weightOf(list(item, 10_000))).toBeGreaterThanOrEqual(bytes * 10_000);
  });

  it('covers objects that each have a key of their own', () => {
    const text = `[${Array.from({ length: 10_000 }, (_, at) => `{"k${at}":1}`).join(',')}]`;
    expect(weightOf(text)).toBeGreaterThanOrEqual(186 * 10_000);
  });

  it('is about two bytes a character for text, whatever stands in it', () => {
    const text = JSON.stringify([`${'{"a":[,\\'.repeat(10_000)}`]);
    expect(weightOf(text)).toBeLessThan(2 * text.length + 200);
  });

  it('ends with a text that is not whole, and with any number of escapes', () => {
    for (const text of [
      `"${'x'.repeat(2_000)}`,
      `["${'\\'.repeat(2_001)}"`,
      `["${'\\"'.repeat(2_000)}","${'{},'.repeat(500)}"]`,
      '{'.repeat(2_000),
    ]) {
      expect(weightOf(text)).toBeGreaterThanOrEqual(2 * text.length);
    }
  });

  it('of a short text is the worst it can be, without a look at it', () => {
    expect(weightOf('')).toBe(0);
    expect(weightOf('x'.repeat(1_000))).toBe(22_000);
  });
});
