// What the commands do with a hostile server's schemas beside checking: they draw signatures, read arguments and make up test cases.
import { describe, expect, it } from 'vitest';
import { generateCases } from '../../../src/check/cases/generate.ts';
import { sampleOf } from '../../../src/check/schemas/sample.ts';
import { readArguments } from '../../../src/cli/commands/call/call-arguments.ts';
import { signatureOf } from '../../../src/cli/terminal/signature.ts';
import { attacks } from './schema-attacks.ts';

const self = { $ref: '#/$defs/self' };
const many = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));
const named = (length: number, make: (n: number) => unknown): object => Object.fromEntries(many(length, (n) => [`p${n}`, make(n)]));

/** Each multiplies by a thousand at every level that is followed. */
const explosive: readonly (readonly [string, object])[] = [
  ['choices of itself', { $defs: { self: { anyOf: many(1_000, () => self) } }, properties: { a: self } }],
  ['parts of itself', { $defs: { self: { allOf: many(1_000, () => self) } }, properties: { a: self } }],
  ['members of itself', { $defs: { self: { type: 'object', properties: named(1_000, () => self) } }, properties: { a: self } }],
  [
    'required members of itself',
    {
      $defs: { self: { type: 'object', properties: named(1_000, () => self), required: many(1_000, (n) => `p${n}`) } },
      properties: { a: self },
      required: ['a'],
    },
  ],
  ['lists of itself', { $defs: { self: { type: 'array', items: self, minItems: 20 } }, properties: { a: self }, required: ['a'] }],
  ['types that are lists', { properties: { a: { type: [[[['string']]]] } } }],
  ['a circle of references', { $defs: { self }, properties: { a: self } }],
  ['a very long choice', { properties: { a: { enum: many(100_000, (n) => `value ${n}`) } } }],
  ['a very long default', { properties: { a: { default: 'x'.repeat(1_000_000) } } }],
  [
    'slow patterns',
    { properties: named(300, (n) => ({ type: 'string', pattern: `^(\\w+\\d?)+[${n}]!$` })), required: many(300, (n) => `p${n}`) },
  ],
];

describe('a command that meets a hostile schema', () => {
  it.each(explosive)('draws a signature of bounded length: %s', { timeout: 60_000 }, (_name, inputSchema) => {
    const signature = signatureOf({ name: 't', inputSchema, outputSchema: inputSchema } as never);
    expect(signature.length).toBeLessThan(200_000);
  });

  it.each(explosive)('reads an argument: %s', { timeout: 60_000 }, async (_name, inputSchema) => {
    const given = await readArguments(['a=x'], { values: {} } as never, inputSchema as never).catch((error: Error) => error.message);
    expect(JSON.stringify(given).length).toBeLessThan(1_000);
  });

  it.each(explosive)('makes up a sample, and cases: %s', { timeout: 120_000 }, async (_name, inputSchema) => {
    const start = performance.now();
    sampleOf(inputSchema);
    await generateCases({ name: 't', inputSchema });
    expect(performance.now() - start).toBeLessThan(60_000);
  });

  it.each(attacks)('draws a signature, and makes up a sample and cases: $name', { timeout: 120_000 }, async ({ schema }) => {
    const inputSchema = { type: 'object', properties: { a: schema }, required: ['a'] };
    const start = performance.now();
    expect(signatureOf({ name: 't', inputSchema } as never).length).toBeLessThan(1_500_000);
    sampleOf(inputSchema);
    await generateCases({ name: 't', inputSchema });
    expect(performance.now() - start).toBeLessThan(60_000);
  });
});
