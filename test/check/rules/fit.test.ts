import { afterEach, expect, it } from 'vitest';
import { fitOf } from '../../../src/check/rules/fit.ts';
import { loadValidator, setValidator } from '../../../src/schema/json-schema.ts';

afterEach(() => setValidator(undefined));

it('says that a comparison takes too long where it does', async () => {
  await loadValidator();
  const fit = fitOf({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`);
  expect(fit).toEqual({ untold: 'the result cannot be compared with its schema: a check takes too long (more than 1000 ms)' });
});

it.each([{ type: 'string' }, { type: 'string', pattern: 'a' }])('says what else ends a comparison: %j', (schema) => {
  setValidator(() => () => {
    throw new Error('it broke');
  });
  expect(fitOf(schema, 'a')).toEqual({ untold: 'the result cannot be compared with its schema: "it broke"' });
});
