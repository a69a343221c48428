// What can be registered as a prompt: above all, arguments that can arrive as strings.
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type PromptOptions, type Server, VivariumError } from 'vivarium/server';
import { z } from 'zod';
import { ask, createServer, openWire } from './fixture.ts';

describe('a registration', () => {
  const refusal = (options: object, name = 'it', handler: unknown = () => 'x'): VivariumError => {
    try {
      createServer().server.prompt(name, options as PromptOptions, handler as Parameters<Server['prompt']>[2]);
    } catch (error) {
      expect(error).toBeInstanceOf(VivariumError);
      return error as VivariumError;
    }
    throw new Error('was registered');
  };
  const n = (property: unknown) => ({
    input: { type: 'object', properties: { ok: { type: 'string' }, n: property }, $defs: { n: { type: 'number' } } },
  });

  it.each([
    [{ input: z.object({ n: z.number() }) }],
    [{ input: z.object({ n: z.number().optional() }) }],
    [{ input: z.object({ n: z.array(z.string()) }) }],
    [{ input: z.object({ n: z.object({ a: z.string() }) }) }],
    [{ input: z.object({ n: z.union([z.number(), z.boolean()]) }) }],
    [{ input: z.object({ n: z.literal(5) }) }],
    [{ input: z.object({ n: z.number().meta({ id: 'Count' }) }) }],
    [{ input: { type: 'object', properties: { n: { type: 'number' } } } }],
    [n({ type: ['number', 'null'] })],
    [n({ enum: [1, 2] })],
    [n({ allOf: [{ type: 'number' }] })],
    [n({ $ref: '#/$defs/n' })],
    [n(false)],
  ])('is refused when an argument cannot be a string', (options) => {
    const { code, message } = refusal(options);
    expect(code).toBe('ERR_SCHEMA');
    expect(message).toMatch(/^Prompt "it": the argument "n" cannot be a string.*: use a coercion such as /);
  });

  it.each([
    [n({})],
    [n(true)],
    [n({ type: ['number', 'string'] })],
    [n({ anyOf: [{ type: 'number' }, { const: 'none' }] })],
    [n({ enum: [1, 'a'] })],
    [n({ allOf: [{ type: 'string' }, { minLength: 1 }] })],
    [n({ $ref: '#/properties/ok' })],
    [{ input: z.object({ n: z.string().nullable() }) }],
  ])('is accepted when one can', (options) => {
    expect(() => refusal(options)).toThrow('was registered');
  });

  it.each([
    z.coerce.number(),
    z.coerce.number().min(10),
    z.coerce.boolean(),
    z.preprocess(Number, z.number()),
    z.coerce.number().optional(),
  ])('is accepted for a coercion', async (n) => {
    const { server } = createServer();
    server.prompt('it', { input: z.object({ n, other: z.string().optional() }) }, (args) => typeof args.n);
    const { result } = await ask(await openWire(server), 'prompts/get', { name: 'it', arguments: { n: '12' } });
    expect(result.messages[0].content.text).toMatch(/^(number|boolean)$/);
  });

  it('is refused whichever library says that it is a number', () => {
    for (const input of [type({ n: 'number' }), toStandardJsonSchema(v.object({ n: v.number() }))])
      expect(refusal({ input }).code).toBe('ERR_SCHEMA');
  });

  it('is refused for a name, a handler, a completer or a schema that cannot be', () => {
    expect(refusal({}, 'a b').message).toContain('cannot name a prompt: use');
    expect(refusal({}, 'it', 'x').message).toContain('has no handler: give a function');
    expect(refusal({ complete: { a: () => [] } }).message).toContain('no argument "a" to complete');
    expect(refusal({ input: z.string() }).code).toBe('ERR_SCHEMA');
    expect(refusal({ input: { a: z.string() } }).message).toContain('write z.object(');
  });
});
