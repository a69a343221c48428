import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { isOnlyStandard, isStandard } from '../../src/schema/standard.ts';

const libraries: readonly (readonly [string, unknown])[] = [
  ['zod 4', z.object({})],
  ['zod mini', mini.object({})],
  ['zod 3', z3.object({})],
  ['valibot', v.object({})],
  ['valibot with JSON Schema', toStandardJsonSchema(v.object({}))],
  ['arktype, which makes functions,', type({})],
];

describe('isStandard', () => {
  it.each(libraries)('recognises %s', (_name, schema) => {
    expect(isStandard(schema)).toBe(true);
    expect(isOnlyStandard(schema)).toBe(true);
  });

  it.each([
    ['a JSON Schema', { type: 'object' }],
    ['a converted schema', toJsonSchema(v.object({}))],
    ['a raw shape', { name: z.string() }],
    ['null', null],
    ['a function', () => undefined],
    ['a string', '~standard'],
    ['a type without a validator', { '~standard': { version: 1, vendor: 'x' } }],
    ['another version', { '~standard': { version: 2, vendor: 'x', validate: () => ({ value: 1 }) } }],
    ['an empty promise', { '~standard': null }],
  ])('does not recognise %s', (_name, value) => {
    expect(isStandard(value)).toBe(false);
  });

  it('takes what z.toJSONSchema returns for both', () => {
    const both = z.toJSONSchema(z.object({}));
    expect(isStandard(both)).toBe(true);
    expect(isOnlyStandard(both)).toBe(false);
  });
});
