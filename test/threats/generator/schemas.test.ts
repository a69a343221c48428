// Hostile schemas, with values, for everything that compiles, checks by, draws or samples a schema somebody else wrote.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateCases } from '../../../src/check/cases/generate.ts';
import { sampleOf } from '../../../src/check/schemas/sample.ts';
import { CommandError } from '../../../src/cli/args/command.ts';
import { readArguments } from '../../../src/cli/commands/call/call-arguments.ts';
import { signatureOf } from '../../../src/cli/terminal/signature.ts';
import { ajvCompiler } from '../../../src/schema/ajv.ts';
import { Cost } from '../../../src/schema/cost.ts';
import type { JsonSchema } from '../../../src/schema/infer.ts';
import { compileSchema, problemOf } from '../../../src/schema/json-schema.ts';
import { patternCost } from '../../../src/schema/pattern.ts';
import { compileUntrusted } from '../../../src/schema/untrusted.ts';
import { isPlain } from '../../../src/text/printable.ts';
import { hold, inTime, testMs } from './hold.ts';

const names = ['a', 'b', 'c', 'p0', 'p1', '__proto__', 'constructor', 'valueOf', 'toString', 'toJSON', '', '/', '~', 'x'.repeat(50)];
const name = fc.constantFrom(...names);
const atoms = [
  'a',
  'b',
  '.',
  '\\d',
  '\\w',
  '[ab]',
  '[^a]',
  '\\p{L}',
  '\\b',
  '^',
  '$',
  '(?:a|b)',
  '(a)',
  '(?=a)',
  '(?!b)',
  '\\1',
  'é',
  '\\/',
];
const pattern: fc.Arbitrary<string> = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc
    .array(
      fc.tuple(
        fc.oneof(
          { maxDepth: 3 },
          fc.constantFrom(...atoms),
          tie('pattern').map((inner) => `(${inner})`),
        ),
        fc.constantFrom('', '', '*', '+', '?', '{2,3}', '{3}', '*?'),
      ),
      {
        maxLength: 5,
      },
    )
    .map((parts) => parts.map(([atom, times]) => (/^(?:\^|\$|\\b|\(\?)/.test(atom) ? atom : atom + times)).join('')),
})).pattern;

const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, 0, 1, -1, 1.5, 1e300, '', 'a', 'ab', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!', 'http://a', '😀'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    fc.tuple(fc.integer({ min: 1, max: 3_000 }), fc.constantFrom('a', 1, {}, [])).map(([many, one]) => Array(many).fill(one)),
    fc.integer({ min: 1, max: 3_000 }).map((many) => Object.fromEntries(Array.from({ length: many }, (_, n) => [`p${n}`, n]))),
    fc.integer({ min: 1, max: 100 }).map((levels) => nested(levels)),
  ),
})).value;

function nested(levels: number): unknown {
  let inner: unknown = {};
  for (let level = 0; level < levels; level++) inner = { a: inner, b: 1 };
  return inner;
}

const schema: fc.Arbitrary<unknown> = fc.letrec<{ schema: unknown }>((tie) => {
  const one = tie('schema');
  const several = fc.array(one, { minLength: 1, maxLength: 3 });
  const byName = fc.dictionary(name, one, { maxKeys: 3, noNullPrototype: true });
  const count = fc.integer({ min: 0, max: 4 });
  const scalars = fc.array(fc.constantFrom(null, 'a', 1, true, 'b', 2), { minLength: 1, maxLength: 5 }).map((all) => [...new Set(all)]);
  const keyword = fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    ...Object.entries({
      type: fc.constantFrom('object', 'array', 'string', 'number', 'integer', ['string', 'null'], ['array', 'object']),
      enum: fc.oneof(
        scalars,
        fc.integer({ min: 1, max: 3_000 }).map((many) => Array.from({ length: many }, (_, n) => n)),
        fc.constant([{ a: 1 }, [1], 'a']),
      ),
      const: value,
      minimum: count,
      multipleOf: fc.constantFrom(1, 0.1, 1e-300),
      minLength: count,
      maxLength: count,
      pattern,
      format: fc.constantFrom('date', 'date-time', 'email', 'uri', 'url', 'uuid', 'regex', 'hostname', 'ipv6', 'duration', 'nothing'),
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      required: fc.uniqueArray(name, { maxLength: 3 }),
      $ref: fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/properties/a', '#/none', 'https://a.example', '#anchor'),
      $dynamicRef: fc.constantFrom('#', '#/$defs/a', '#anchor'),
      dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2, noNullPrototype: true }),
      $anchor: fc.constant('anchor'),
      $id: fc.constantFrom('a', 'https://a.example/b'),
      default: value,
      title: fc.constantFrom('t', '\u001b[31m'),
      additionalProperties: one,
      unevaluatedProperties: one,
      unevaluatedItems: one,
      propertyNames: one,
      items: one,
      contains: one,
      not: one,
      if: one,
      // biome-ignore lint/suspicious/noThenProperty: a keyword
      then: one,
      else: one,
      anyOf: several,
      oneOf: several,
      allOf: several,
      prefixItems: several,
      properties: byName,
      $defs: byName,
      dependentSchemas: byName,
      patternProperties: fc.dictionary(pattern, one, { maxKeys: 2, noNullPrototype: true }),
    }).map(([key, arbitrary]) => (arbitrary as fc.Arbitrary<unknown>).map((inner) => ({ [key]: inner }))),
  );
  return { schema: fc.array(keyword, { maxLength: 4 }).map((parts) => Object.assign({}, ...parts)) };
}).schema;

const both = fc.record({ schema: schema as fc.Arbitrary<JsonSchema>, value });
const longestMs = 15_000;

describe('a hostile schema', () => {
  it('is compiled and checked by in bounded time, and never throws', { timeout: testMs }, () =>
    hold(both, 200, async ({ schema: given, value: checked }) => {
      const start = performance.now();
      const compiled = await compileUntrusted(given);
      const { problem, unchecked } = compiled.check(checked);
      expect(performance.now() - start).toBeLessThan(longestMs);
      for (const text of [problem, unchecked, compiled.fault]) expect((text ?? '').length).toBeLessThan(5_000);
    }),
  );

  it('is judged as ajv judges it, wherever it is checked', { timeout: testMs }, async () => {
    const compile = await ajvCompiler('2020-12');
    await hold(both, 120, async ({ schema: given, value: checked }) => {
      if (problemOf(given) !== undefined) return;
      const { problem, unchecked } = (await compileUntrusted(given)).check(checked);
      if (unchecked !== undefined) return;
      const theirs = inTime(() => compile(given)(checked), 'ajv');
      expect(problem === undefined).toBe(theirs === undefined);
    });
  });

  it('that is proven to be cheap is cheap', { timeout: testMs }, async () => {
    const compile = await ajvCompiler('2020-12');
    await hold(both, 120, ({ schema: given, value: checked }) => {
      if (problemOf(given) !== undefined || !new Cost(given).isAtMost(100_000, checked)) return;
      let check: ((value: unknown) => unknown) | undefined;
      try {
        check = inTime(() => compile(given), 'compiling');
      } catch {
        return;
      }
      // A hundred thousand steps are some milliseconds.
      const start = performance.now();
      inTime(() => check?.(checked), 'a check that was proven to be cheap');
      expect(performance.now() - start).toBeLessThan(5_000);
    });
  });

  it('of an author is checked by in bounded time, too, unless its patterns are slow', { timeout: testMs }, () =>
    hold(both, 120, async ({ schema: given, value: checked }) => {
      if (problemOf(given) !== undefined || /"(?:pattern|patternProperties)":/.test(JSON.stringify(given))) return;
      const compiled = await compileSchema(given);
      inTime(() => compiled.check(checked), 'a check');
    }),
  );

  it('is drawn as a signature of bounded length without a control character', { timeout: testMs }, () =>
    hold(schema as fc.Arbitrary<JsonSchema>, 250, (given) => {
      const signature = inTime(() => signatureOf({ name: 't', inputSchema: given, outputSchema: given } as never), 'a signature');
      expect(signature.length).toBeLessThan(300_000);
      expect(isPlain(signature.replaceAll('\n', ''))).toBe(true);
    }),
  );

  it('is read arguments for, or refused with an error for people', { timeout: testMs }, () =>
    hold(schema as fc.Arbitrary<JsonSchema>, 250, async (given) => {
      const inputSchema = { ...given, properties: { a: given } };
      await readArguments(['a=1,x', 'b=true'], { values: {} } as never, inputSchema).catch((error: unknown) =>
        expect(error).toBeInstanceOf(CommandError),
      );
    }),
  );

  it('is made cases from in bounded time', { timeout: testMs }, () =>
    hold(schema as fc.Arbitrary<JsonSchema>, 60, async (given) => {
      const start = performance.now();
      sampleOf(given);
      await generateCases({ name: 't', inputSchema: { ...given, type: 'object' } });
      expect(performance.now() - start).toBeLessThan(longestMs);
    }),
  );
});

describe('a hostile pattern', () => {
  it('that is proven to take few steps takes little time', { timeout: testMs }, () =>
    hold(fc.record({ pattern, unit: fc.constantFrom('a', 'ab', '1', 'aaab'), times: fc.integer({ min: 1, max: 2_000 }) }), 500, (given) => {
      const text = `${given.unit.repeat(given.times)}!`;
      let expression: RegExp;
      try {
        expression = new RegExp(given.pattern, 'u');
      } catch {
        return;
      }
      const { size, steps } = patternCost(given.pattern);
      expect(size).toBeLessThan(Number.POSITIVE_INFINITY);
      if (steps(text.length) > 1_000_000) return;
      const start = performance.now();
      inTime(() => expression.test(text), 'a search');
      expect(performance.now() - start).toBeLessThan(5_000);
    }),
  );
});
