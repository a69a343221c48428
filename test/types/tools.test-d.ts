// What the compiler knows of a tool: its arguments, what it may return, and what it must refuse.
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { type Context, image, jsonSchema, result, Server, ToolError } from 'vivarium/server';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';

const server = new Server({ name: 'types', version: '1.0.0' });

describe('the arguments of a handler', () => {
  it('come from zod', () => {
    const input = z.object({
      id: z.string(),
      tags: z.array(z.string()).default([]),
      size: z.string().transform(Number),
      maybe: z.boolean().optional(),
    });
    server.tool('it', { input }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ id: string; tags: string[]; size: number; maybe?: boolean | undefined }>();
    });
    // @ts-expect-error no such argument
    server.tool('it', { input }, ({ name }) => `${name}`);
    // @ts-expect-error size is a number by now
    server.tool('it', { input }, ({ size }) => size.trim());
  });

  it('come from zod mini', () => {
    const input = mini.object({ id: mini.string(), n: mini._default(mini.number(), 1) });
    server.tool('it', { input }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ id: string; n: number }>();
    });
    // @ts-expect-error no such argument
    server.tool('it', { input }, ({ name }) => `${name}`);
  });

  it('come from zod 3', () => {
    const input = z3.object({ id: z3.string(), n: z3.number().default(1) });
    server.tool('it', { input }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ id: string; n: number }>();
    });
    // @ts-expect-error n is a number
    server.tool('it', { input }, ({ n }) => n.trim());
  });

  it('come from valibot', () => {
    const input = v.object({ id: v.string(), n: v.optional(v.number(), 1), size: v.pipe(v.string(), v.transform(Number)) });
    server.tool('it', { input }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ id: string; n: number; size: number }>();
    });
    server.tool('it', { input: toStandardJsonSchema(input) }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ id: string; n: number; size: number }>();
    });
    // @ts-expect-error no such argument
    server.tool('it', { input }, ({ name }) => `${name}`);
  });

  it('come from arktype', () => {
    const input = type({ id: 'string', n: 'number = 1', 'maybe?': 'boolean' });
    server.tool('it', { input }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ id: string; n: number; maybe?: boolean }>();
    });
    // @ts-expect-error no such argument
    server.tool('it', { input }, ({ name }) => `${name}`);
  });

  it('come from a JSON Schema literal', () => {
    server.tool(
      'it',
      {
        input: {
          type: 'object',
          properties: { id: { type: 'string' }, kind: { enum: ['a', 'b'] }, all: { type: 'array', items: { type: 'number' } } },
          required: ['id', 'kind'],
        },
      },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{ id: string; kind: 'a' | 'b'; all?: number[] }>();
      },
    );
    // @ts-expect-error no such argument
    server.tool('it', { input: { type: 'object', properties: { id: { type: 'string' } } } }, ({ name }) => `${name}`);
    // @ts-expect-error it may be absent
    server.tool('it', { input: { type: 'object', properties: { id: { type: 'string' } } } }, ({ id }) => id.trim());
  });

  it('are believed with jsonSchema<T>', () => {
    const input = jsonSchema<{ at: number; name?: string }>({ type: 'object' });
    server.tool('it', { input }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ at: number; name?: string }>();
    });
    // @ts-expect-error no such argument
    server.tool('it', { input }, ({ other }) => `${other}`);
  });

  it('are unknown for a schema that is not known at compile time', () => {
    const input: Record<string, unknown> = {};
    server.tool('it', { input }, (args) => {
      expectTypeOf(args).toBeUnknown();
    });
  });

  it('are unknown for a raw shape, so that nothing can be done with them', () => {
    server.tool('it', { input: { name: z.string() } }, (args) => {
      expectTypeOf(args).toBeUnknown();
    });
    // @ts-expect-error write z.object({ … }) around it
    server.tool('it', { input: { name: z.string() } }, ({ name }) => name);
  });

  it('are a record without a schema', () => {
    server.tool('it', {}, (args, ctx) => {
      expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>();
      expectTypeOf(ctx).toExtend<Context>();
    });
  });
});

describe('a tool without output', () => {
  it('returns text, blocks, a whole result or nothing, now or later', () => {
    server.tool('it', {}, () => 'text');
    server.tool('it', {}, async () => 'text');
    server.tool('it', {}, () => ({ type: 'text', text: 'a' }));
    server.tool('it', {}, () => ['a', { type: 'text', text: 'b' }, image(new Uint8Array(1), 'image/png')]);
    server.tool('it', {}, () => ({ type: 'resource_link', uri: 'a:b', name: 'b' }));
    server.tool('it', {}, () => ({ type: 'resource', resource: { uri: 'a:b', text: 'x' } }));
    server.tool('it', {}, () => ({ content: [{ type: 'text', text: 'a' }], isError: true }));
    server.tool('it', {}, async () => ({ content: [{ type: 'text', text: 'a' }], structuredContent: [1], _meta: { a: 1 } }));
    server.tool('it', {}, () => ({ structuredContent: { a: 1 } }));
    server.tool('it', {}, () => undefined);
    server.tool('it', {}, () => {});
    server.tool('it', {}, async () => {});
    server.tool('it', {}, () => {
      throw new ToolError('no', { content: [{ type: 'text', text: 'a' }], structured: 1 });
    });
  });

  it('returns nothing else', () => {
    // @ts-expect-error no number
    server.tool('it', {}, () => 5);
    // @ts-expect-error no promise of one
    server.tool('it', {}, async () => 5);
    // @ts-expect-error no structured value without output
    server.tool('it', {}, () => ({ sum: 5 }));
    // @ts-expect-error no such kind of content
    server.tool('it', {}, () => ({ type: 'video', data: 'AQID', mimeType: 'video/mp4' }));
    // @ts-expect-error nor in a list
    server.tool('it', {}, () => ['a', { type: 'video', data: 'AQID' }]);
    // @ts-expect-error nor in a whole result
    server.tool('it', {}, () => ({ content: [{ type: 'video', data: 'AQID' }] }));
    // @ts-expect-error a text block has text
    server.tool('it', {}, () => ({ type: 'text' }));
    // @ts-expect-error a resource has text or blob, not both
    server.tool('it', {}, () => ({ type: 'resource', resource: { uri: 'a:b', text: 'x', blob: 'AQID' } }));
  });
});

describe('a tool with output', () => {
  const output = z.object({ sum: z.number(), unit: z.enum(['m', 'ft']).default('m') });

  it('returns the input side of its schema, now or later', () => {
    server.tool('it', { output }, () => ({ sum: 1 }));
    server.tool('it', { output }, async () => ({ sum: 1, unit: 'ft' }));
    server.tool('it', { output }, () => result({ sum: 1 }, { content: [{ type: 'text', text: 'a' }], text: 'toon', meta: { a: 1 } }));
    server.tool('it', { output: z.array(output) }, () => [{ sum: 1 }]);
    server.tool('it', { output: z.string() }, () => 'a string is the value here');
    server.tool('it', { output: v.object({ n: v.optional(v.number(), 1) }) }, () => ({}));
    server.tool('it', { output: type({ n: 'number' }) }, () => ({ n: 1 }));
    server.tool('it', { output: jsonSchema<{ n: number }>({ type: 'object' }) }, () => ({ n: 1 }));
    server.tool('it', { output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } }, () => ({ n: 1 }));
    server.tool('it', { output: { type: 'object', properties: { k: { enum: ['a', 'b'] } }, required: ['k'] } }, () => ({ k: 'a' }));
    server.tool('it', { output: z.object({ path: z.string(), content: z.array(z.number()) }) }, () => ({ path: 'a', content: [1] }));
  });

  it('returns nothing else', () => {
    // @ts-expect-error sum is a number
    server.tool('it', { output }, () => ({ sum: '1' }));
    // @ts-expect-error in a promise too
    server.tool('it', { output }, async () => ({ sum: '1' }));
    // @ts-expect-error and in result()
    server.tool('it', { output }, () => result({ sum: '1' }));
    // @ts-expect-error sum is missing
    server.tool('it', { output }, () => ({}));
    // @ts-expect-error no such unit
    server.tool('it', { output }, () => ({ sum: 1, unit: 'yd' }));
    // @ts-expect-error a whole result is made with result()
    server.tool('it', { output }, () => ({ content: [], structuredContent: { sum: 1 } }));
    // @ts-expect-error text is no structured value
    server.tool('it', { output }, () => 'the sum is 1');
    // @ts-expect-error nor are blocks
    server.tool('it', { output }, () => [{ type: 'text', text: '1' }]);
    // @ts-expect-error nor is nothing
    server.tool('it', { output }, () => {});
    // @ts-expect-error nor is undefined
    server.tool('it', { output }, () => undefined);
    // @ts-expect-error nor a promise of nothing
    server.tool('it', { output }, async () => {});
    // @ts-expect-error no such kind of content beside it
    server.tool('it', { output }, () => result({ sum: 1 }, { content: [{ type: 'video' }] }));
    // @ts-expect-error no such format
    server.tool('it', { output }, () => result({ sum: 1 }, { text: 'xml' }));
    // @ts-expect-error by a literal too
    server.tool('it', { output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } }, () => ({ n: 'x' }));
  });

  it('writes its text from the output side', () => {
    server.tool('it', { output, text: ({ sum, unit }) => `${sum.toFixed(2)} ${unit.toUpperCase()}` }, () => ({ sum: 1 }));
    server.tool('it', { output, text: 'auto' }, () => ({ sum: 1 }));
    // @ts-expect-error no such member
    server.tool('it', { output, text: ({ total }) => `${total}` }, () => ({ sum: 1 }));
    // @ts-expect-error a function gives text
    server.tool('it', { output, text: ({ sum }) => sum }, () => ({ sum: 1 }));
    // @ts-expect-error no such format
    server.tool('it', { output, text: 'xml' }, () => ({ sum: 1 }));
  });
});
