import { afterEach, describe, expect, it, vi } from 'vitest';
import { setValidator } from '../../src/schema/json-schema.ts';
import { compileUntrusted } from '../../src/schema/untrusted.ts';

afterEach(() => setValidator(undefined));

describe('a schema of a peer', () => {
  it.each<[object, unknown, unknown, string]>([
    [{ type: 'object', required: ['a'] }, { a: 1 }, {}, '/a is required'],
    [{ pattern: '^a' }, 'ab', 'b', '(root) must match pattern "^a"'],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }, ['a'], [1], '/0 must be string'],
    [{ const: { a: [1] } }, { a: [1] }, { valueOf: 1 }, '(root) must be {"a":[1]}'],
    [{ enum: [{ a: 1 }] }, { a: 1 }, { valueOf: 1 }, '(root) must be one of {"a":1}'],
    [
      { uniqueItems: true },
      [{ valueOf: 1 }, {}],
      [{ valueOf: 1 }, { valueOf: 1 }],
      '(root) must NOT have duplicate items (items ## 0 and 1 are identical)',
    ],
    [{ $ref: '#/$defs/a', $defs: { a: { type: ['string'] } } }, 'a', 1, '(root) must be string'],
  ])('checks: %j', async (schema, right, wrong, problem) => {
    const compiled = await compileUntrusted(schema);
    expect(compiled).toMatchObject({ fault: undefined, isInvalid: false });
    expect(compiled.check(right)).toEqual({ problem: undefined });
    expect(compiled.check(wrong)).toEqual({ problem });
  });

  it.each([
    ['a string', 'it is no object', false],
    [[], 'it is no object', false],
    [{ type: 'text' }, 'schema cannot be compiled: ', true],
    [{ pattern: '(' }, 'Invalid regular expression', false],
    [{ $ref: 'https://a.example/b' }, 'never fetched', false],
    [{ pattern: 'a'.repeat(30_000) }, 'its patterns are too large to compile', false],
    [{ description: 'x'.repeat(2 ** 20 + 1) }, 'it holds more than 1048576 characters', false],
    [{ $id: `a${'b'.repeat(2_000)}` }, 'it has an address of more than 2000 characters at (root)', false],
  ])('says why it is of no use, and whether it is invalid: %#', async (schema, why, isInvalid) => {
    const { fault, isInvalid: said, check } = await compileUntrusted(schema);
    expect(fault).toContain(why);
    expect(said).toBe(isInvalid);
    expect(check(1)).toEqual({ unchecked: fault, forGood: true });
  });

  it('is not run again once a check took too long', async () => {
    const compiled = await compileUntrusted({ pattern: '^(a+)+$' });
    expect(compiled.check('aaa')).toEqual({ problem: undefined });
    const late = { unchecked: 'a check takes too long (more than 1000 ms)', forGood: true };
    expect(compiled.check(`${'a'.repeat(60)}!`)).toEqual(late);
    expect(compiled.check('aaa')).toEqual(late);
  });

  it('is compiled once while it is in use, and again when it was forgotten or another validator is set', async () => {
    const compile = vi.fn(() => () => undefined);
    setValidator(compile);
    const given = { type: ['string'] };
    const first = await compileUntrusted(given);
    expect(await compileUntrusted(given)).toBe(first);
    for (let n = 0; n < 250; n++) await compileUntrusted({ const: n });
    expect(await compileUntrusted(given)).not.toBe(first);
    setValidator(undefined);
    expect((await compileUntrusted(given)).check(1)).toEqual({ problem: '(root) must be string' });
  });
});
