import { describe, expect, it } from 'vitest';
import { Cost } from '../../src/schema/cost.ts';

const list = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));

/** The fewest steps that suffice, to some precision. */
function stepsOf(schema: object, value: unknown): number {
  const cost = new Cost(schema as never);
  for (let steps = 1; steps < 1e6; steps *= 1.1) if (cost.isAtMost(steps, value)) return steps;
  return Number.POSITIVE_INFINITY;
}

const small = (many: number) => list(many, () => ({ a: 'x' }));

describe('the cost of a check', () => {
  it.each([
    ['items', { items: { properties: { a: { type: 'string' } } } }],
    ['an enumeration', { items: { enum: list(10_000, (n) => n) } }],
    ['items that must differ', { uniqueItems: true }],
    ['choices', { items: { anyOf: [{ type: 'string' }, { type: 'object' }] } }],
    ['a reference', { $defs: { a: { properties: { a: { minLength: 1 } } } }, items: { $ref: '#/$defs/a' } }],
  ])('grows as the value does: %s', (_name, schema) => {
    const [some, more] = [stepsOf(schema, small(500)), stepsOf(schema, small(2_000))];
    expect(more / some).toBeGreaterThan(3);
    expect(more / some).toBeLessThan(5);
  });

  it.each([
    ['choices of objects', { enum: list(1_000, (n) => ({ n })) }, { a: 1 }, 1_000],
    ['branches', { anyOf: list(1_000, () => ({})) }, 1, 1_000],
    ['names', { properties: Object.fromEntries(list(1_000, (n) => [n, {}])) }, {}, 1_000],
    ['the length of a text', { minLength: 1 }, 'x'.repeat(1_000), 1_000],
    ['patterns for names', { patternProperties: { '^a': {}, '^b': {} } }, Object.fromEntries(list(500, (n) => [n, 1])), 1_000],
    ['schemas for parts', { dependentSchemas: { a: { anyOf: list(1_000, () => ({})) } } }, { a: 1 }, 1_000],
  ])('counts %s', (_name, schema, value, least) => {
    expect(stepsOf(schema, value)).toBeGreaterThan(least);
  });

  it.each([
    ['itself', { $ref: '#' }],
    ['somewhere by name', { $ref: '#name', $defs: { a: { $anchor: 'name' } } }],
    ['nothing', { $ref: '#/$defs/none' }],
    ['where the way decides', { $dynamicRef: '#/$defs/a', $defs: { a: {} } }],
    ['something below a name of its own', { properties: { a: { $id: 'b', $ref: '#' } } }],
  ])('is not known for a reference to %s', (_name, schema) => {
    expect(stepsOf(schema, { a: 1 })).toBe(Number.POSITIVE_INFINITY);
  });

  it('is not known for what is nested too deeply', () => {
    let value: unknown = 1;
    for (let level = 0; level < 1_000; level++) value = [value];
    expect(stepsOf({ items: { $ref: '#' } }, value)).toBe(Number.POSITIVE_INFINITY);
    expect(stepsOf({ uniqueItems: true }, value)).toBe(Number.POSITIVE_INFINITY);
  });

  const tree = { $ref: '#/$defs/tree' };
  const forms = (first: boolean) =>
    ['and', 'or', 'not'].map((kind) => ({ properties: first ? { kind: { const: kind }, of: tree } : { of: tree, kind: { const: kind } } }));
  const deep = list(12, () => 0).reduce<object>((of) => ({ kind: 'not', of }), {});

  it('is small for recursive forms that one member tells apart, where it is checked first', () => {
    expect(stepsOf({ $defs: { tree: { oneOf: forms(true) } }, ...tree }, deep)).toBeLessThan(1_000);
    expect(stepsOf({ $defs: { tree: { oneOf: forms(false) } }, ...tree }, deep)).toBeGreaterThan(100_000);
  });
});
