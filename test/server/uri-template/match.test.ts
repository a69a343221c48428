// Taking URIs apart: which values are found, what never matches, and how much work a hostile URI can cause.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchTemplate, type TemplateMatch } from '../../../src/server/uri-template/match.ts';
import { parseTemplate, type UriTemplate } from '../../../src/server/uri-template/uri-template.ts';

describe('match', () => {
  it.each<[string, string, TemplateMatch | undefined]>([
    ['note:///index', 'note:///index', {}],
    ['note:///{id}', 'note:///a%20b', { id: 'a b' }],
    ['note:///{id}', 'note:///a/b', undefined],
    ['note:///{id}', 'note:///a%2Fb', { id: 'a/b' }],
    ['note:///{id}', 'note:///', undefined],
    ['note:///{id}', 'note:///a?x=1', undefined],
    ['note:///{id}', 'note:///a#x', undefined],
    ['note:///{id}', 'note:///a,b;c=d&e', { id: 'a,b;c=d&e' }],
    ['file:///{+path}', 'file:///a/b?c#d%20', { path: 'a/b?c#d ' }],
    ['file:///{+dir}/{name}.md', 'file:///a/b.md/c.md', { dir: 'a/b.md', name: 'c' }],
    ['file:///{name}.{type}', 'file:///a.tar.gz', { name: 'a', type: 'tar.gz' }],
    ['file:///{name}{.type}', 'file:///a.tar.gz', { name: 'a', type: 'tar.gz' }],
    ['file:///{+path}{?rev}', 'file:///a/b?rev=1', { path: 'a/b', rev: '1' }],
    ['file:///{+path}{/last}', 'file:///a/b/c', { path: 'a/b', last: 'c' }],
    ['{x,y}', '1024,768', { x: '1024', y: '768' }],
    ['{x,y}', '1,2,3', undefined],
    ['x:{list*}', 'x:red,green', { list: ['red', 'green'] }],
    ['x:{+list*}', 'x:a/b,c?d', { list: ['a/b', 'c?d'] }],
    ['x://a{/id*}', 'x://a/b/c%2Fd', { id: ['b', 'c/d'] }],
    ['x://a{/id*}', 'x://a', undefined],
    ['x://a{/id*}', 'x://a/b//c', undefined],
    ['x://a{/id*,last}', 'x://a/b/c/d', { id: ['b', 'c'], last: 'd' }],
    ['www{.dom*}', 'www.example.com', { dom: ['example', 'com'] }],
    ['x{;p,q}', 'x;p=1;q=2', { p: '1', q: '2' }],
    ['x{;p,q}', 'x;q=2;p=1', undefined],
    ['x{;list*}{;z}', 'x;list=a;list=b;z=c', { list: ['a', 'b'], z: 'c' }],
    ['x{;list*}', 'x;list=a;y=b', undefined],
    ['x{#a}', 'x#b/c#d', { a: 'b/c#d' }],
    ['x{#a}', 'x', undefined],
    ['x:{a}{b}', 'x:%C3%A9%C3%A9', { a: 'é', b: 'é' }],
    ['x:{a}4{b}', 'x:%414y', { a: 'A', b: 'y' }],
    ['x:{a:3}', 'x:abc', { a: 'abc' }],
    ['x:{a:3}', 'x:abcd', undefined],
  ])('%s and %s', (text, uri, values) => {
    expect(template(text).match(uri)).toEqual(values);
  });

  it.each<[string, string, TemplateMatch | undefined]>([
    ['x:a{?p,q}', 'x:a', {}],
    ['x:a{?p,q}', 'x:a?', {}],
    ['x:a{?p,q}', 'x:a?q=2&p=1', { p: '1', q: '2' }],
    ['x:a{?p,q}', 'x:a?q=a+b%26,c?d=e/f', { q: 'a+b&,c?d=e/f' }],
    ['x:a{?p,q}', 'x:a?p&q=', { p: '', q: '' }],
    ['x:a{?p,q}', 'x:a?other=1&&p=1', { p: '1' }],
    ['x:a{?p,q}', 'x:a?p=1&p=2', undefined],
    ['x:a{?p:1}', 'x:a?p=12', undefined],
    ['x:a{?p,q}', 'x:a?p=1#f', undefined],
    ['x:a{?p*}', 'x:a?p=1&p=2&p', { p: ['1', '2', ''] }],
    ['x:a{?p*}', 'x:a?other=1', {}],
    ['x:a{?p}{&q}', 'x:a?q=1&p=2', { p: '2', q: '1' }],
    ['x:a{?p}{&q}', 'x:a&q=1', { q: '1' }],
    ['x:a?fixed=1{&q}', 'x:a?fixed=1', {}],
    ['x:a?fixed=1{&q}', 'x:a?fixed=1&q=2', { q: '2' }],
    ['x:a?fixed=1{&q}', 'x:a?q=2&fixed=1', undefined],
    ['x:a{?p}{#f}', 'x:a?p=1#g', { p: '1', f: 'g' }],
    ['x:a{?p}&z=1{&q}', 'x:a?p=1&z=1&q=2', { p: '1', q: '2' }],
  ])('%s and the query of %s', (text, uri, values) => {
    expect(template(text).match(uri)).toEqual(values);
  });

  it.each(['x:%zz', 'x:%', 'x:%4', 'x:%ff', 'x:%C3', 'x:%C3%28', 'x:%ED%A0%80', 'x:%C0%80', 'x:a?other=%zz', 'x:\ud800'])(
    'never takes %s, which is no URI',
    (uri) => {
      for (const text of ['x:{a}', 'x:{+a}', 'x:{a}{?b}', 'x:{a*}']) expect(template(text).match(uri)).toBeUndefined();
    },
  );

  it.each([
    ['a scheme in another case', 'NOTE://host/a', undefined],
    ['a host in another case', 'note://HOST/a', undefined],
    ['userinfo', 'note://user@host/a', undefined],
    ['a default port', 'note://host:80/a', undefined],
    ['a fragment', 'note://host/a#b', undefined],
    ['nothing', '', undefined],
    ['8,192 characters', `note://host/${'a'.repeat(8180)}`, { id: 'a'.repeat(8180) }],
    ['8,193 characters', `note://host/${'a'.repeat(8181)}`, undefined],
    ['8,193 characters as a URI', `note://host/${'é'.repeat(1364)}`, undefined],
    ['dots, which are not resolved', 'note://host/..', { id: '..' }],
    ['an escape, decoded once', 'note://host/%252e', { id: '%2e' }],
  ])('compares exactly: %s', (_, uri, values) => {
    expect(template('note://host/{id}').match(uri)).toEqual(values);
  });

  it('reads an IRI as the URI it stands for, in values and in literals', () => {
    const { match } = template('x://bücher.example/straße/{name}');
    expect(match('x://bücher.example/straße/ä😀')).toEqual({ name: 'ä😀' });
    expect(match('x://b%C3%BCcher.example/stra%C3%9Fe/%C3%A4%F0%9F%98%80')).toEqual({ name: 'ä😀' });
    expect(match('x://b%c3%bccher.example/straße/a')).toBeUndefined();
    expect(match('x://xn--bcher-kva.example/straße/a')).toBeUndefined();
  });

  it('keeps the names of Object.prototype out of its way', () => {
    const found = template('x:{__proto__}/{constructor}{?toString,hasOwnProperty*}').match('x:a/b?toString=c&hasOwnProperty=d&valueOf=e');
    expect(Object.entries(found ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', 'c'],
      ['hasOwnProperty', ['d']],
    ]);
    expect(Object.getPrototypeOf(found)).toBeNull();
  });
});

describe('the work of a match', () => {
  const twenty = Array.from({ length: 20 }, (_, index) => `v${index}`);
  // Labels, templates, URIs of about n characters, and the most steps for each character: up to three for each piece.
  const hostile: readonly (readonly [string, string, (n: number) => string, number])[] = [
    ['commas in a list', 'x://a{/id*}', (n) => `x://a/${','.repeat(n)}`, 2.01],
    ['items of a list', 'x://a{/id*}', (n) => `x://a${'/b'.repeat(n / 2)}/`, 2.01],
    ['a literal that almost ends it', 'x://a{/id*}/end', (n) => `x://a${'/end'.repeat(n / 4)}/`, 3],
    ['a literal that could end it anywhere', 'x://a{+a}aaaa{+b}!', (n) => `x://a${'a'.repeat(n)}`, 6],
    ['a list in a query', 'x://a{?q*}', (n) => `x://a?${'q=&'.repeat(n / 3)}`, 2.01],
    ['a query that does not end', 'x://a{?q*}', (n) => `x://a?${','.repeat(n)}#`, 2.01],
    ['a literal that repeats itself', `x://a{+a}${'a'.repeat(2000)}{+b}!`, (n) => `x://a${'a'.repeat(n)}`, 6],
    ['20 variables', `x://a${twenty.map((name) => `{+${name}}`).join('')}`, (n) => `x://a${'/'.repeat(n)}`, 22],
    ['20 variables in one expression', `x://a{+${twenty.join(',')}}!`, (n) => `x://a${','.repeat(n)}`, 80],
    ['20 lists', `x://a${twenty.map((name) => `{+${name}*}`).join(',')}!`, (n) => `x://a${','.repeat(n)}`, 80],
    ['40 parameters', `x://a{?${twenty.join(',')}}${twenty.map((name) => `{&${name}_*}`).join('')}`, (n) => `x://a?${'&'.repeat(n)}`, 4],
  ];

  it.each(hostile)('is linear: %s', (_, text, uri, perCharacter) => {
    const { match } = template(text);
    const steps = (n: number) => {
      const work = { steps: 0 };
      match(uri(n), work);
      return work.steps;
    };
    expect(steps(8000)).toBeGreaterThan(4000);
    expect(steps(8000)).toBeLessThan(8000 * perCharacter);
    expect(steps(8000) / steps(4000)).toBeLessThan(2.05);
  });

  it('is bounded for a literal that is longer as a URI than any URI', () => {
    expect(template(`x:{a}${'é'.repeat(8000)}`).match(`x:a${'%C3%A9'.repeat(1000)}`)).toBeUndefined();
  });

  it.each(hostile)('is nothing for a URI beyond the limit: %s', (_, text, uri) => {
    const work = { steps: 0 };
    expect(template(text).match(uri(100_000), work)).toBeUndefined();
    expect(work.steps).toBe(0);
  });
});

describe('any template and URI', () => {
  // Without the characters that end or separate values somewhere, and without % in values that keep triplets.
  const word = fc.string({ unit: fc.constantFrom(...'abcXYZ019_-é€😀 "<'), minLength: 1, maxLength: 8 });
  const encoded = fc.string({ unit: fc.constantFrom(...'ab%/?#&=+;,: é😀'), minLength: 1, maxLength: 8 });

  const path = fc.record({
    operator: fc.constantFrom('', '+', '.', '/', ';'),
    specs: fc.array(fc.record({ list: fc.boolean(), texts: fc.array(fc.tuple(word, encoded), { minLength: 1, maxLength: 3 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
  });
  const query = fc.array(fc.record({ list: fc.boolean(), texts: fc.array(encoded, { maxLength: 3 }) }), { maxLength: 4 });

  // A literal that no value contains stands between expressions, and of several variables in one only the last is a list.
  const samples = fc.tuple(fc.array(path, { maxLength: 4 }), query, fc.option(word)).map(([paths, parameters, end]) => {
    const values: TemplateMatch = {};
    let text = 'x://host';
    for (const [i, { operator, specs }] of paths.entries()) {
      const names = specs.map(({ list, texts }, j) => {
        const name = `p${i}.${j}`;
        const isList = list && j === specs.length - 1;
        const own = texts.map(([plain, any]) => (operator === '+' || operator === '.' ? plain : any));
        values[name] = isList ? own : (own[0] ?? '');
        return isList ? `${name}*` : name;
      });
      text += `/-~${operator === '/' ? '' : '/'}{${operator}${names.join(',')}}`;
    }
    const names = parameters.map(({ list, texts }, i) => {
      if (texts.length > 0) values[`q${i}`] = list ? texts : (texts[0] ?? '');
      return list ? `q${i}*` : `q${i}`;
    });
    if (names.length > 0) text += `{?${names.slice(0, 2).join(',')}}`;
    if (names.length > 2) text += `{&${names.slice(2).join(',')}}`;
    if (end !== null) {
      text += '{#end}';
      values['end'] = end;
    }
    return { text, values };
  });

  it('gives the values back', () => {
    fc.assert(
      fc.property(samples, ({ text, values }) => {
        const { expand, match } = template(text);
        expect({ ...match(expand(values)) }).toEqual(values);
      }),
      { numRuns: 500 },
    );
  });

  it('matches where a regular expression with backtracking does, with the same values', () => {
    const part = fc.constantFrom('a', '/', '.', 'b/', '{V}', '{+V}', '{/V}', '{.V}', '{V,V}', '{+V,V}', '{#V}');
    const shapes = fc.array(part, { maxLength: 6 }).map((parts) => {
      let count = 0;
      return parts.join('').replace(/V/g, () => `v${count++}`);
    });
    const fills = fc.array(fc.string({ unit: fc.constantFrom(...'aab//.,#'), minLength: 1, maxLength: 5 }), { minLength: 6, maxLength: 6 });
    let matches = 0;
    fc.assert(
      fc.property(shapes, fills, (text, texts) => {
        const { match, variables } = template(text);
        const uri = texts.reduce((filled, fill) => filled.replace(/\{.*?\}/, fill), text);
        const values = backtracking(text).exec(uri)?.slice(1);
        if (values !== undefined) matches++;
        expect(match(uri)).toEqual(values && Object.fromEntries(variables.map(({ name }, index) => [name, values[index]])));
      }),
      { numRuns: 1000 },
    );
    expect(matches).toBeGreaterThan(100);
  });

  it('never throws', () => {
    const texts = ['x:{a}', '{+a}{b}{?c,d*}{&e}{#f}', '{/a*}{.b*}{;c*}', '{a:2,b}%C3{c}', '{;%C3}{?%C4*}', '{?q*}', ''];
    const pieces = fc.string({ unit: fc.constantFrom(...'x:/?#&=;.,%C3A9aé\ud83d\ude00') });
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.oneof(pieces, fc.string({ unit: 'binary' })), (text, uri) => {
        expect(() => template(text).match(uri)).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });
});

/** The slow way to the same answer, for templates without queries and lists. */
function backtracking(text: string): RegExp {
  const source = text.replace(/[.]|\{([+#./]?)([^}]*)\}/g, (_, operator: string | undefined, list: string | undefined) => {
    if (list === undefined) return '[.]';
    const count = list.split(',').length;
    const value = `([^${operator === '+' || operator === '#' ? '' : '/?#'}${count === 1 ? '' : ','}]+?)`;
    return (operator === '+' || operator === undefined ? '' : operator.replace('.', '[.]')) + Array(count).fill(value).join(',');
  });
  return new RegExp(`^${source}$`);
}

type Matching = UriTemplate & { match(uri: string, work?: { steps: number }): TemplateMatch | undefined };

function template(text: string): Matching {
  const result = parseTemplate(text);
  if ('problem' in result) throw new Error(result.problem);
  return { ...result, match: (uri, work) => matchTemplate(result, uri, work) };
}
