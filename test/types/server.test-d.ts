// What the compiler knows of servers, registrations and definitions.
import { toJsonSchema } from '@valibot/to-json-schema';
import { describe, expectTypeOf, it } from 'vitest';
import { type Definition, defineTool, type Registered, Server, type ServerOptions, type ToolDetails } from 'vivarium/server';
import { z } from 'zod';
import { one } from './definition.ts';

const server = new Server({ name: 'types', version: '1.0.0' });

describe('the options of a tool', () => {
  it('are known', () => {
    server.tool(
      'it',
      {
        title: 'It',
        description: 'Does it',
        icons: [{ src: 'https://example.com/a.png' }],
        annotations: { readOnlyHint: true },
        meta: { 'example.com/a': 1 },
        needs: ['elicitation.url'],
        scopes: ['read'],
        visible: (principal) => principal?.id === 'ada',
      },
      () => 'x',
    );
    // @ts-expect-error no such option
    server.tool('it', { inputSchema: {} }, () => 'x');
    // @ts-expect-error no such annotation
    server.tool('it', { annotations: { readonly: true } }, () => 'x');
    // @ts-expect-error no such feature
    server.tool('it', { needs: ['telepathy'] }, () => 'x');
    // @ts-expect-error a schema is an object
    server.tool('it', { input: 'object' }, () => 'x');
    // @ts-expect-error a handler is needed
    server.tool('it', {});
    // @ts-expect-error a name is text
    server.tool(5, {}, () => 'x');
  });

  it('are updated without schemas and handler', () => {
    const tool = server.tool('it', { input: z.object({}) }, () => 'x');
    expectTypeOf(tool).toEqualTypeOf<Registered<ToolDetails>>();
    tool.update({ title: 'New', visible: () => false });
    // @ts-expect-error a changed schema is another tool
    tool.update({ input: z.object({}) });
    // @ts-expect-error and so is one with another output
    tool.update({ output: z.object({}) });
  });
});

describe('a definition', () => {
  it('is not generic and still infers inside', () => {
    expectTypeOf(one).toEqualTypeOf<Definition>();
    expectTypeOf(defineTool('two', {}, () => 'x')).toEqualTypeOf<Definition>();
    server.add(one);
    // @ts-expect-error no such argument
    defineTool('one', { input: z.object({ a: z.number() }) }, ({ b }) => `${b}`);
    // @ts-expect-error b is a number
    defineTool('one', { output: z.object({ b: z.number() }) }, () => ({ b: 'x' }));
    // @ts-expect-error only definitions can be added
    server.add({ name: 'one' });
  });
});

describe('the options of a server', () => {
  it('take the converters of the libraries as they are', () => {
    new Server({ name: 'x', version: '1', toJsonSchema });
    new Server({ name: 'x', version: '1', toJsonSchema: z.toJSONSchema });
    new Server({ name: 'x', version: '1', toJsonSchema: (schema) => (schema === undefined ? undefined : {}) });
  });

  it('are known', () => {
    expectTypeOf<ServerOptions['errors']>().toEqualTypeOf<'message' | 'masked' | undefined>();
    new Server({ name: 'x', version: '1', revisions: ['2025-06-18', '2026-07-28'], cache: { ttlMs: 5 }, text: 'auto', pageSize: 5 });
    // @ts-expect-error a version is needed
    new Server({ name: 'x' });
    // @ts-expect-error no such revision
    new Server({ name: 'x', version: '1', revisions: ['2025-01-01'] });
    // @ts-expect-error capabilities are derived
    new Server({ name: 'x', version: '1', capabilities: {} });
    // @ts-expect-error no such way
    new Server({ name: 'x', version: '1', errors: 'hidden' });
  });
});
