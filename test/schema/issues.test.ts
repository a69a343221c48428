import { describe, expect, it } from 'vitest';
import { cut, describeErrors, describeIssues, pointer } from '../../src/schema/issues.ts';

describe('describeIssues', () => {
  it('puts the place first, as a JSON pointer', () => {
    expect(describeIssues([{ message: 'no', path: ['a', { key: 0 }, 'b/c~d'] }])).toBe('/a/0/b~1c~0d: no');
    expect(describeIssues([{ message: 'no' }])).toBe('(root): no');
    expect(describeIssues([{ message: 'no', path: [Symbol('s')] }])).toBe('/Symbol(s): no');
  });

  it('shows five and counts the rest', () => {
    const many = Array.from({ length: 8 }, (_, index) => ({ message: 'no', path: [index] }));
    expect(describeIssues(many)).toBe('/0: no; /1: no; /2: no; /3: no; /4: no; and 3 more');
  });

  it('has something to say about a failure without issues', () => {
    expect(describeIssues([])).toBe('(root) is not valid');
  });

  it('is bounded and stays on one line, whatever comes from outside', () => {
    const text = describeIssues(Array.from({ length: 100 }, () => ({ message: 'm\r\n'.repeat(1e5), path: ['p\n'.repeat(1e5)] })));
    expect(text.length).toBeLessThan(3_000);
    expect(text).not.toMatch(/[\r\n]/);
  });
});

describe('describeErrors', () => {
  const error = (keyword: string, params: Record<string, unknown> = {}, message?: string) => ({
    keyword,
    instancePath: '/a',
    params,
    message,
  });

  it('names the property that is missing or too much', () => {
    expect(describeErrors([error('required', { missingProperty: 'b' })])).toBe('/a/b is required');
    expect(describeErrors([error('additionalProperties', { additionalProperty: 'x/y' })])).toBe('/a/x~1y is not allowed');
    expect(describeErrors([error('unevaluatedProperties', { unevaluatedProperty: 'z' })])).toBe('/a/z is not allowed');
    expect(describeErrors([error('false schema')])).toBe('/a is not allowed');
  });

  it('names the values that are allowed', () => {
    expect(describeErrors([error('enum', { allowedValues: ['x', 1, null] })])).toBe('/a must be one of "x", 1, null');
    expect(describeErrors([error('const', { allowedValue: 'x' })])).toBe('/a must be "x"');
    expect(describeErrors([error('enum', { allowedValues: Array.from({ length: 1e4 }, () => 'long') })]).length).toBeLessThan(400);
  });

  it("says the rest in ajv's words", () => {
    expect(describeErrors([error('type', {}, 'must be number'), error('anyOf', {}, 'must match a schema in anyOf')])).toBe(
      '/a must be number; /a must match a schema in anyOf',
    );
    expect(describeErrors([{ ...error('pattern', {}, 'must match pattern "^a"'), propertyName: 'b' }])).toBe(
      '/a/b as a name must match pattern "^a"',
    );
    expect(describeErrors([error('custom')])).toBe('/a fails custom');
  });
});

describe('cut', () => {
  it('leaves short texts alone', () => {
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abcd', 3)).toBe('abc…');
  });

  it('does not cut a surrogate pair in two', () => {
    expect(cut('a😀b', 2)).toBe('a…');
    expect(cut('a😀b', 3)).toBe('a😀…');
  });
});

describe('pointer', () => {
  it('escapes as RFC 6901 says', () => {
    expect(pointer(['~', '/', '', 'a'])).toBe('/~0/~1//a');
  });
});
