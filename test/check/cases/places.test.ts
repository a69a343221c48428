// Cases for what lies within objects, arrays, references and choices, in the arguments of a tool.
import { describe, expect, it } from 'vitest';
import type { Case } from '../../../src/check/cases/case.ts';
import { generateCases } from '../../../src/check/cases/generate.ts';

async function named(inputSchema: object): Promise<ReadonlyMap<string, Case>> {
  const { cases } = await generateCases({ name: 'deep', inputSchema });
  return new Map(cases.map((one) => [one.name, one]));
}

const address = {
  type: 'object',
  properties: { street: { type: 'string', minLength: 3 }, floor: { type: 'integer', maximum: 9 } },
  required: ['street'],
  additionalProperties: false,
};

describe('a property within an object', () => {
  it('is left out, broken and at its bounds, with all around it as it should be', async () => {
    const cases = await named({ type: 'object', properties: { id: { type: 'integer' }, address }, required: ['id'] });
    expect(cases.get('address.street: left out')).toMatchObject({
      kind: 'missing',
      arguments: { id: 1, address: {} },
      expect: { outcome: 'refused' },
    });
    expect(cases.get('address.street: too short')?.arguments).toEqual({ id: 1, address: { street: 'xx' } });
    expect(cases.get('address.floor: the most')).toMatchObject({
      kind: 'boundary',
      arguments: { id: 1, address: { street: 'xxx', floor: 9 } },
    });
    expect(cases.get('address: a member that is not known, and not allowed')).toMatchObject({
      kind: 'extra',
      arguments: { address: { street: 'xxx', 'vivarium-extra': 'x' } },
    });
    expect(cases.get('address.street: a null character')).toMatchObject({ kind: 'hostile', expect: { outcome: 'answered' } });
  });

  it('is reached through references, allOf and choices', async () => {
    const cases = await named({
      type: 'object',
      properties: {
        home: { $ref: '#/$defs/address' },
        work: { allOf: [{ $ref: '#/$defs/address' }] },
        other: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/address' }] },
      },
      $defs: { address },
    });
    for (const name of ['home', 'work', 'other']) {
      expect(cases.get(`${name}.floor: more than the most`)?.arguments).toEqual({ [name]: { street: 'xxx', floor: 10 } });
    }
    expect(cases.get('other: form 1')?.arguments).toEqual({ other: null });
  });
});

describe('an item of an array', () => {
  it('is broken in its place, in as many items as there must be', async () => {
    const cases = await named({
      type: 'object',
      properties: {
        people: { type: 'array', minItems: 2, items: address },
        tags: { type: 'array', uniqueItems: true, items: { enum: ['a', 'b'] } },
      },
      required: ['people'],
    });
    expect(cases.get('people[0].street: too short')?.arguments).toEqual({ people: [{ street: 'xx' }, { street: 'xxx' }] });
    expect(cases.get('people[0].street: left out')?.arguments).toEqual({ people: [{}, { street: 'xxx' }] });
    expect(cases.get('people: too short')?.arguments).toEqual({ people: [{ street: 'xxx' }] });
    expect(cases.get('people: no item')).toBeUndefined();
    expect(cases.get('tags[0]: no choice')?.arguments).toMatchObject({ tags: ['vivarium-none'] });
    expect(cases.get('tags: the same item twice')).toMatchObject({ kind: 'invalid', arguments: { tags: ['a', 'a'] } });
  });
});

describe('bounds', () => {
  it('that exclude themselves, and multiples, are tried on both sides', async () => {
    const cases = await named({
      type: 'object',
      properties: {
        share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
        dozen: { type: 'integer', multipleOf: 12 },
        kind: { const: 'x' },
      },
    });
    expect(cases.get('share: the bound below')).toMatchObject({ kind: 'invalid', arguments: { share: 0 } });
    expect(cases.get('share: just above the bound')).toMatchObject({ kind: 'boundary', arguments: { share: 0.5 } });
    expect(cases.get('dozen: between two multiples')).toMatchObject({ kind: 'invalid', arguments: { dozen: 6 } });
    expect(cases.get('kind: no choice')?.kind).toBe('invalid');
  });
});

describe('a schema of a stranger', () => {
  const tree = { type: 'object', properties: { left: { $ref: '#' }, right: { $ref: '#' }, value: { type: 'integer' } } };
  const wide = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, { type: 'integer' }])),
  };

  it.each([
    ['refers to itself', tree],
    ['is very wide', wide],
  ])('that %s is tried in part, and that is said', async (_, inputSchema) => {
    const { cases, note } = await generateCases({ name: 'large', inputSchema });
    expect(cases.length).toBeGreaterThan(20);
    expect(cases.length).toBeLessThan(3_000);
    expect(note).toContain('too deep or too wide');
  });

  it.each([
    ['a reference that leads nowhere', { type: 'object', properties: { a: { $ref: '#/$defs/%E0%A4%A' } } }],
    ['references in a ring', { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $ref: '#/$defs/a' } } }],
    [
      'names of every object',
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}},"required":["__proto__"]}',
      ),
    ],
  ])('with %s does no harm', async (_, inputSchema) => {
    const { cases } = await generateCases({ name: 'odd', inputSchema });
    for (const one of cases) expect(JSON.parse(JSON.stringify(one))).toMatchObject({ tool: 'odd' });
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});
