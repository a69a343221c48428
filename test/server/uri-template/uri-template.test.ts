// URI templates on the author's side: what is refused at registration, and what expansion makes of values.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTemplate, type TemplateValue, type UriTemplate } from '../../../src/server/uri-template/uri-template.ts';

describe('parseTemplate', () => {
  it('describes the variables', () => {
    expect(template('note:///{id}{/a*,b:3}{?rev,fields*}').variables).toEqual([
      { name: 'id', operator: '', explode: false, required: true },
      { name: 'a', operator: '/', explode: true, required: true },
      { name: 'b', operator: '/', explode: false, prefix: 3, required: true },
      { name: 'rev', operator: '?', explode: false, required: false },
      { name: 'fields', operator: '?', explode: true, required: false },
    ]);
  });

  it.each([
    ['x'.repeat(2 ** 20), 'The template has 1048576 characters: write at most 8192'],
    [`{${Array.from({ length: 10_000 }, (_, i) => i).join(',')}}`, 'The template has 48891 characters: write at most 8192'],
    [`{${Array.from({ length: 65 }, (_, i) => i).join(',')}}`, 'The template has 65 variables: write at most 64'],
    ['x://{id', '{id is never closed: write } after its last name, or %7B for a brace'],
    ['x://id}', '} closes nothing: write { before the first name, or %7D for a brace'],
    ['x://{a{b}}', '{a{b}: braces cannot be nested: write } before the next {, or %7B for a brace'],
    ['{!a}', '{!a}: RFC 6570 keeps ! for later: write one of + # . / ; ? & or nothing before the first name'],
    ['{}', '{}: "" is no name: write letters, digits, _ and single dots between them, and the rest as %XX'],
    ['{a,}', '{a,}: "" is no name: write letters, digits, _ and single dots between them, and the rest as %XX'],
    ['{a-b}', '{a-b}: "a-b" is no name: write letters, digits, _ and single dots between them, and the rest as %XX'],
    ['{a:2*}', '{a:2*}: a list has no prefix: write either :n or *'],
    ['{a*:2}', '{a*:2}: a list has no prefix: write either :n or *'],
    ['{a:x}', '{a:x}: the length of the prefix is wrong: write :1 to :9999'],
    ['{a**}', '{a**}: something follows the *: write a comma before the next name'],
    ['{a}/{?a}', 'The variable a stands twice: write another name for the second'],
    ['a b{c}', '" " cannot stand in a URI: write %20'],
    ['a%zz{c}', '"%" cannot stand in a URI: write %25'],
    ['a\ud800{c}', 'Half of a surrogate pair is no character: write the whole character'],
  ])('refuses a template: %#', (text, problem) => {
    expect(parseTemplate(text)).toEqual({ problem });
  });

  it('takes the longest template and the most variables', () => {
    expect(template('x'.repeat(8192)).variables).toEqual([]);
    expect(template(`{${Array.from({ length: 64 }, (_, i) => i).join(',')}}`).variables).toHaveLength(64);
  });

  it('never throws, and bounds what it says', () => {
    const syntax = fc.string({ unit: fc.constantFrom(...'{}{}+#./;?&=,!*:%ab10é\ud83d\ude00 ') });
    fc.assert(
      fc.property(fc.oneof(syntax, fc.string({ unit: 'binary' })), (text) => {
        const result = parseTemplate(text);
        expect('problem' in result ? result.problem.includes(': write ') && result.problem.length < 200 : result.text === text).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('expand', () => {
  it.each<[string, Record<string, TemplateValue>, string]>([
    ['{?a*}', { a: { 'x&y': '1&2', 'x%26y': '' } }, '?x&y=1%262&x%26y='],
    ['{a*}', { a: { 'x&y': '' } }, 'x%26y='],
    ['{;a*}', { a: ['', 'b'] }, ';a;a=b'],
    ['{+a:2}', { a: '\u{1d11e}\u{1d11e}\u{1d11e}' }, '%F0%9D%84%9E%F0%9D%84%9E'],
    ['{a}{b}', { a: [null, 'x', undefined], b: { c: null } }, 'x'],
    ['{a}{b}', { a: true, b: 0 }, 'true0'],
    ['{toString}{__proto__}', {}, ''],
    ['{+a}', { a: '[%41%4]' }, '[%41%254]'],
  ])('writes %s with %j', (text, values, uri) => {
    expect(template(text).expand(values)).toBe(uri);
  });

  it.each([{ a: '\ud800' }, { a: { '\ud800': 'x' } }, { a: [['x']] }, { a: () => 'x' }, { a: Symbol('x') }])('refuses %o', (values) => {
    expect(() => template('{a}').expand(values as unknown as Record<string, string>)).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG' }),
    );
  });
});

function template(text: string): UriTemplate {
  const result = parseTemplate(text);
  if ('problem' in result) throw new Error(result.problem);
  return result;
}
