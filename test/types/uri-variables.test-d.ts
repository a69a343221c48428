// What the compiler reads from the literal of a URI template.
import { describe, expectTypeOf, it } from 'vitest';
import type { Variables } from '../../src/server/uri-template/variables.ts';

/** As `server.resource` takes them. */
function take<const T extends string>(_template: T, _handler: (variables: Variables<T>) => unknown): void {}

type Loose = Readonly<Record<string, string | readonly string[] | undefined>>;

describe('Variables', () => {
  it('requires variables of the path', () => {
    expectTypeOf<Variables<'note:///{id}'>>().toEqualTypeOf<{ readonly id: string }>();
    expectTypeOf<Variables<'x://{+a}{#b}{.c}{/d}{;e}'>>().toEqualTypeOf<{
      readonly a: string;
      readonly b: string;
      readonly c: string;
      readonly d: string;
      readonly e: string;
    }>();
  });

  it('lets variables of the query be absent', () => {
    expectTypeOf<Variables<'note:///{id}{?rev,fields*}'>>().toEqualTypeOf<{
      readonly id: string;
      readonly rev?: string;
      readonly fields?: readonly string[];
    }>();
    expectTypeOf<Variables<'note:///a?fixed=1{&b}'>>().toEqualTypeOf<{ readonly b?: string }>();
  });

  it('reads several names, lists and prefixes', () => {
    expectTypeOf<Variables<'x://{a,b*,c:3}{/d*}{?e:12}'>>().toEqualTypeOf<{
      readonly a: string;
      readonly b: readonly string[];
      readonly c: string;
      readonly d: readonly string[];
      readonly e?: string;
    }>();
  });

  it('keeps the dots and triplets of a name', () => {
    expectTypeOf<Variables<'/x{/last.name,Stra%C3%9Fe}'>>().toEqualTypeOf<{
      readonly 'last.name': string;
      readonly 'Stra%C3%9Fe': string;
    }>();
  });

  it('is empty without variables', () => {
    expectTypeOf<keyof Variables<'note:///index'>>().toEqualTypeOf<never>();
    expectTypeOf<keyof Variables<''>>().toEqualTypeOf<never>();
  });

  it('gives a record for a string that is not known, or only in part', () => {
    expectTypeOf<Variables<string>>().toEqualTypeOf<Loose>();
    expectTypeOf<Variables<`note:///${string}`>>().toEqualTypeOf<Loose>();
    expectTypeOf<Variables<`note:///{id}${string}`>>().toEqualTypeOf<Loose>();
  });

  it('keeps alternatives apart', () => {
    expectTypeOf<Variables<'a:{x}' | 'b:{y}'>>().toEqualTypeOf<{ readonly x: string } | { readonly y: string }>();
  });

  it('goes as far as a template may', () => {
    type Eight<A extends string> = `{${A}1}{${A}2}{${A}3}{${A}4}{${A}5}{${A}6}{${A}7}{${A}8}`;
    type All = Variables<`${Eight<'a'>}${Eight<'b'>}${Eight<'c'>}${Eight<'d'>}${Eight<'e'>}${Eight<'f'>}${Eight<'g'>}${Eight<'h'>}`>;
    expectTypeOf<All['h8']>().toEqualTypeOf<string>();
  });

  it('types the argument of a handler', () => {
    take('note:///{id}{?rev,fields*}', ({ id, rev, fields }) => [id.length, rev?.length, fields?.map((field) => field.length)]);
    // @ts-expect-error no such variable
    take('note:///{id}', ({ name }) => name);
    // @ts-expect-error rev may be absent
    take('note:///{id}{?rev}', ({ rev }) => rev.length);
    // @ts-expect-error a list is no string
    take('note:///{id*}', ({ id }) => id.trim());
    take('note:///{id}', (variables) => {
      // @ts-expect-error what was matched does not change
      variables.id = 'x';
    });
    const template: string = 'note:///{id}';
    take(template, ({ id }) => expectTypeOf(id).toEqualTypeOf<string | readonly string[] | undefined>());
  });
});
