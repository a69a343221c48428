// What the compiler knows of a resource: its variables, what it may return, and what it must refuse.
import { describe, expectTypeOf, it } from 'vitest';
import { type BaseContext, type CompletionContext, type Definition, defineResource, type ResourceContext, Server } from 'vivarium/server';

const server = new Server({ name: 'types', version: '1.0.0' });

describe('the variables of a handler', () => {
  it('come from the literal', () => {
    server.resource('note:///{id}{?rev,fields*}', {}, (variables, ctx) => {
      expectTypeOf(variables).toEqualTypeOf<{ readonly id: string; readonly rev?: string; readonly fields?: readonly string[] }>();
      expectTypeOf(ctx).toEqualTypeOf<ResourceContext>();
      expectTypeOf(ctx.uri).toEqualTypeOf<string>();
      return variables.id;
    });
    server.resource('file:///{+path}{/last*}', {}, ({ path, last }) => {
      expectTypeOf(path).toEqualTypeOf<string>();
      expectTypeOf(last).toEqualTypeOf<readonly string[]>();
      return path;
    });
    // @ts-expect-error no such variable
    server.resource('note:///{id}', {}, ({ name }) => name);
    // @ts-expect-error it may be absent
    server.resource('note:///{id}{?rev}', {}, ({ rev }) => rev.trim());
    // @ts-expect-error a list is no string
    server.resource('note:///{ids*}', {}, ({ ids }) => ids.trim());
    // @ts-expect-error they cannot be changed
    server.resource('note:///{id}', {}, (variables) => (variables.id = 'x'));
  });

  it('are none without a brace', () => {
    server.resource('note:///a', {}, (variables) => {
      expectTypeOf(variables).toEqualTypeOf<Readonly<Record<string, never>>>();
      return 'x';
    });
    // @ts-expect-error there is no value
    server.resource('note:///a', {}, ({ id }) => id.trim());
  });

  it('are a record when the compiler does not know the text', () => {
    const uri: string = 'note:///{id}';
    server.resource(uri, {}, (variables) => {
      expectTypeOf(variables).toEqualTypeOf<Readonly<Record<string, string | readonly string[] | undefined>>>();
      return 'x';
    });
  });

  it('are the same in a definition', () => {
    const one: Definition = defineResource('note:///{id}', { name: 'note' }, ({ id }) => id);
    server.add(one);
    // @ts-expect-error no such variable
    defineResource('note:///{id}', {}, ({ name }) => name);
  });
});

describe('the options', () => {
  it('complete variables that are there', () => {
    server.resource('note:///{id}{?rev}', { complete: { id: (value) => [value], rev: async () => [] } }, () => 'x');
    server.resource(
      'note:///{id}',
      {
        complete: {
          id: (value, ctx) => {
            expectTypeOf(value).toEqualTypeOf<string>();
            expectTypeOf(ctx).toEqualTypeOf<CompletionContext>();
            expectTypeOf(ctx.arguments).toEqualTypeOf<Readonly<Record<string, string>>>();
            return [];
          },
        },
      },
      () => 'x',
    );
    // @ts-expect-error no such variable
    server.resource('note:///{id}', { complete: { name: () => [] } }, () => 'x');
    // @ts-expect-error a completer gives strings
    server.resource('note:///{id}', { complete: { id: () => [1] } }, () => 'x');
    // @ts-expect-error nothing to complete
    server.resource('note:///a', { complete: { id: () => [] } }, () => 'x');
  });

  it('list what there is, without a way to ask', () => {
    server.resource('note:///{id}', { list: () => [{ uri: 'note:///a', name: 'a', title: 'A', size: 1 }] }, () => 'x');
    server.resource('note:///{id}', { list: async () => [] }, () => 'x');
    server.resource(
      'note:///{id}',
      {
        list: (ctx) => {
          expectTypeOf(ctx).toEqualTypeOf<BaseContext>();
          return [];
        },
      },
      () => 'x',
    );
    // @ts-expect-error a list cannot ask
    server.resource('note:///{id}', { list: (ctx) => ctx.roots() }, () => 'x');
    // @ts-expect-error a name is missing
    server.resource('note:///{id}', { list: () => [{ uri: 'note:///a' }] }, () => 'x');
  });

  it('change later, but for what belongs to the handler', () => {
    const registered = server.resource('note:///{id}', {}, () => 'x');
    registered.update({
      name: 'a',
      size: 5,
      visible: ({ id } = { id: '', scopes: [] }) => id === 'ada',
      scopes: ['read'],
      needs: ['roots'],
    });
    // @ts-expect-error not this
    registered.update({ list: () => [] });
    // @ts-expect-error nor this
    registered.update({ complete: {} });
    // @ts-expect-error no such feature
    registered.update({ needs: ['telepathy'] });
    // @ts-expect-error in bytes
    registered.update({ size: '5 kB' });
  });
});

describe('a handler', () => {
  it('returns text, bytes, contents, a whole result or nothing, now or later', () => {
    server.resource('a:1', {}, () => 'text');
    server.resource('a:2', {}, async () => new Uint8Array(1));
    server.resource('a:3', {}, () => Buffer.from('x'));
    server.resource('a:4', {}, () => ({ uri: 'a:4', text: 'x' }));
    server.resource('a:5', {}, () => [
      { uri: 'a:5', blob: 'AA==', mimeType: 'a/b' },
      { uri: 'a:6', text: 'x' },
    ]);
    server.resource('a:6', {}, async () => ({ contents: [{ uri: 'a:6', text: 'x' }], ttlMs: 5, _meta: {} }));
    server.resource('a:7', {}, () => undefined);
    server.resource('a:8', {}, () => new Map<string, string>().get('x'));
  });

  it('returns nothing else', () => {
    // @ts-expect-error no number
    server.resource('a:1', {}, () => 5);
    // @ts-expect-error no promise of one
    server.resource('a:1', {}, async () => 5);
    // @ts-expect-error no plain object
    server.resource('a:1', {}, () => ({ sum: 5 }));
    // @ts-expect-error not both
    server.resource('a:1', {}, () => ({ uri: 'a:1', text: 'x', blob: 'AA==' }));
    // @ts-expect-error nor neither
    server.resource('a:1', {}, () => ({ uri: 'a:1' }));
    // @ts-expect-error no list of strings
    server.resource('a:1', {}, () => ['x']);
  });
});
