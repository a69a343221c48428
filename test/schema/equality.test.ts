import fc from 'fast-check';
import { expect, it } from 'vitest';
import { amongOf, same, twins } from '../../src/schema/equality.ts';

const json = fc.jsonValue({ maxDepth: 3 });

it('takes values for the same that are the same JSON, whatever the order of their members', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const isSame = canonical(a) === canonical(b);
      expect(same(a, b)).toBe(isSame);
      expect(amongOf([0, b, 'x'])(a)).toBe(isSame || a === 0 || a === 'x');
      expect(twins([a, b]) !== undefined).toBe(isSame);
      expect(same(a, structuredClone(a))).toBe(true);
      expect(twins([a, [1], structuredClone(a)])).toEqual(canonical(a) === '[1]' ? [0, 1] : [0, 2]);
    }),
    { seed: 7, numRuns: 500 },
  );
});

it.each([
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [[1, 2], [2, 1], false],
  [{}, [], false],
  [{ a: undefined }, {}, false],
  ['{}', {}, false],
  ['\0{}', {}, false],
  ['1', 1, false],
  [0, -0, true],
  [{ valueOf: 1 }, { valueOf: 1 }, true],
  [{ valueOf: 1 }, { toString: 1 }, false],
  [JSON.parse('{"__proto__":1}'), {}, false],
])('compares %j with %j', (a, b, expected) => {
  expect(same(a, b)).toBe(expected);
  // What is undefined is not sent.
  if (JSON.stringify([a]).length > 0 && Object.values(a as object)[0] !== undefined) expect(twins([a, b]) !== undefined).toBe(expected);
});

it('finds the first two items that are the same', () => {
  expect(twins([])).toBeUndefined();
  expect(twins([[1], [2], 'a', { b: 1 }, [2], [1]])).toEqual([1, 4]);
});

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value === 0 ? 0 : value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  return `{${Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
    .join()}}`;
}
