import { fullFormats } from 'ajv-formats/dist/formats.js';
import { describe, expect, it } from 'vitest';
import { ajvCompiler } from '../../src/schema/ajv.ts';

const compile = await ajvCompiler('2020-12');

describe('the format url', () => {
  const check = compile({ format: 'url' });
  const theirs = fullFormats.url as RegExp;

  it.each([
    'http://a.example/',
    'https://user:pass@a.example:80/b?c#d',
    'ftp://a@b.example',
    'http://a-b.example.org/@x',
    'http://142.42.1.1/',
    'http://',
    'http://a',
    'http://a.example/ b',
    'http://10.1.1.1',
    'mailto:a@b.example',
  ])('is what ajv has it be: %s', (url) => {
    expect(check(url) === undefined).toBe(theirs.test(url));
  });

  it('takes no slash in the name of a user', () => {
    expect(check('http://a/b@c.example')).toBeDefined();
  });
});

describe('every format', () => {
  const units = [
    'a',
    '1',
    '.',
    '-',
    '/',
    '%41',
    '{a}',
    'a.',
    'a@',
    '1:',
    '::',
    'T',
    'P',
    '~0',
    '#',
    '?',
    ' ',
    '://',
    'a-',
    '@a.bc/',
    '[',
    '(',
    '@',
  ];

  it.each(Object.keys(fullFormats))('is checked in time that grows as the text does: %s', { timeout: 60_000 }, (format) => {
    const check = compile({ format });
    // Quadratic, one of these would take ten seconds and more.
    const start = performance.now();
    for (const head of ['', 'http://', 'http://a', 'a@', 'P'])
      for (const unit of units) check(`${head}${unit.repeat(100_000 / unit.length)}!`);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

describe('a large definition', () => {
  it('is compiled once, however often it is referred to', { timeout: 60_000 }, () => {
    const members = (many: number, make: (n: number) => unknown) =>
      Object.fromEntries(Array.from({ length: many }, (_, n) => [`p${n}`, make(n)]));
    const large = { properties: members(300, () => ({ type: 'string', minLength: 1 })) };
    const check = compile({ $defs: { large }, properties: members(100, () => ({ $ref: '#/$defs/large' })) });
    expect(check({ p99: { p299: '' } })).toBe('/p99/p299 must NOT have fewer than 1 characters');
  });
});
