// What the compiler knows of a prompt: its arguments, its completers, what it may return, and what it must refuse.
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { type CompletionContext, type Context, type Definition, definePrompt, image, jsonSchema, Server } from 'vivarium/server';
import { z } from 'zod';

const server = new Server({ name: 'types', version: '1.0.0' });
const input = z.object({
  code: z.string(),
  size: z.string().transform(Number),
  tone: z.string().default('kind'),
  maybe: z.string().optional(),
});

describe('the arguments of a handler', () => {
  it('come from zod, as they are after the schema', () => {
    server.prompt('it', { input }, (args, ctx) => {
      expectTypeOf(args).toEqualTypeOf<{ code: string; size: number; tone: string; maybe?: string | undefined }>();
      expectTypeOf(ctx).toEqualTypeOf<Context>();
      return args.code;
    });
    // @ts-expect-error no such argument
    server.prompt('it', { input }, ({ name }) => `${name}`);
    // @ts-expect-error size is a number by now
    server.prompt('it', { input }, ({ size }) => size.trim());
    // @ts-expect-error it may be absent
    server.prompt('it', { input }, ({ maybe }) => maybe.trim());
  });

  it('come from every other schema', () => {
    server.prompt('it', { input: v.object({ id: v.string() }) }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ id: string }>();
      return args.id;
    });
    server.prompt('it', { input: type({ id: 'string', 'maybe?': 'string' }) }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ id: string; maybe?: string }>();
      return args.id;
    });
    server.prompt('it', { input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ id: string }>();
      return args.id;
    });
    server.prompt('it', { input: jsonSchema<{ id: string }>({ type: 'object' }) }, ({ id }) => id);
    // @ts-expect-error no such argument
    server.prompt('it', { input: { type: 'object', properties: { id: { type: 'string' } } } }, ({ name }) => `${name}`);
  });

  it('are a record without a schema', () => {
    server.prompt('it', {}, (args) => {
      expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>();
      return 'x';
    });
  });

  it('are the same in a definition', () => {
    const one: Definition = definePrompt('it', { input }, ({ code, size }) => `${code.trim()} ${size.toFixed()}`);
    server.add(one);
    // @ts-expect-error no such argument
    definePrompt('it', { input }, ({ name }) => `${name}`);
  });
});

describe('the options', () => {
  it('complete arguments that are there', () => {
    server.prompt('it', { input, complete: { code: (value) => [value], size: async () => ['1'] } }, () => 'x');
    server.prompt(
      'it',
      {
        input,
        complete: {
          tone: (value, ctx) => {
            expectTypeOf(value).toEqualTypeOf<string>();
            expectTypeOf(ctx).toEqualTypeOf<CompletionContext>();
            return [];
          },
        },
      },
      () => 'x',
    );
    // @ts-expect-error no such argument
    server.prompt('it', { input, complete: { name: () => [] } }, () => 'x');
    // @ts-expect-error no arguments at all
    server.prompt('it', { complete: { name: () => [] } }, () => 'x');
    // @ts-expect-error a completer gives strings
    server.prompt('it', { input, complete: { size: () => [1] } }, () => 'x');
    // @ts-expect-error a completer cannot ask
    server.prompt('it', { input, complete: { code: (_, ctx) => ctx.sample('x', {}) } }, () => 'x');
  });

  it('change later, but for the schema and what hangs on it', () => {
    const registered = server.prompt('it', { input }, () => 'x');
    registered.update({ title: 'It', description: 'x', icons: [{ src: 'a:b' }], scopes: [], visible: () => true });
    // @ts-expect-error another schema is another prompt
    registered.update({ input });
    // @ts-expect-error nor this
    registered.update({ complete: {} });
  });
});

describe('a handler', () => {
  it('returns text, messages or a whole result, now or later', () => {
    server.prompt('it', {}, () => 'text');
    server.prompt('it', {}, async () => 'text');
    server.prompt('it', {}, () => ({ role: 'user', content: { type: 'text', text: 'a' } }));
    server.prompt('it', {}, () => [
      { role: 'user', content: image(new Uint8Array(1), 'image/png') },
      { role: 'assistant', content: { type: 'resource', resource: { uri: 'a:b', text: 'x' } } },
      { role: 'assistant', content: { type: 'resource_link', uri: 'a:b', name: 'b' } },
    ]);
    server.prompt('it', {}, async () => ({ description: 'x', messages: [], _meta: { a: 1 } }));
  });

  it('returns nothing else', () => {
    // @ts-expect-error something must be said
    server.prompt('it', {}, () => undefined);
    // @ts-expect-error no number
    server.prompt('it', {}, () => 5);
    // @ts-expect-error no list of strings
    server.prompt('it', {}, () => ['a']);
    // @ts-expect-error no such role
    server.prompt('it', {}, () => ({ role: 'system', content: { type: 'text', text: 'a' } }));
    // @ts-expect-error one block, not several
    server.prompt('it', {}, () => ({ role: 'user', content: [{ type: 'text', text: 'a' }] }));
    // @ts-expect-error no such kind of content
    server.prompt('it', {}, async () => [{ role: 'user', content: { type: 'video', data: 'AA==' } }]);
    // @ts-expect-error nor in a whole result
    server.prompt('it', {}, () => ({ messages: [{ role: 'user', content: { type: 'text' } }] }));
  });
});
