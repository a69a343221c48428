// Headers that repeat what a request says: how a value is written, read back and compared.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHeader, encodeHeader, headerParameters, sameValue } from '../../src/protocol/headers.ts';

const wrapped = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('a value in a header', () => {
  it.each(['echo', 'a b', 'note:///a?b=c', '=?BASE64?YQ==?=', '=?base64?', '?=', '', '=?Base64?YQ==?='])('stays as it is: %s', (value) => {
    expect(encodeHeader(value)).toBe(value);
    expect(decodeHeader(value)).toBe(value);
  });

  it.each([
    ['non-ASCII', 'Zürich'],
    ['an emoji', '🦎'],
    ['a leading blank', ' a'],
    ['a trailing blank', 'a '],
    ['only a blank', ' '],
    ['a tab', 'a\tb'],
    ['a line break', 'a\r\nb: c'],
    ['a null', '\u0000'],
    ['DEL', '\u007f'],
    ['a byte order mark', '\ufeffa'],
    ['H32 what looks like a wrapped value', '=?base64?YQ==?='],
    ['H32 an empty wrapped value', '=?base64??='],
    ['H32 what only looks wrapped', '=?base64?!!!?='],
  ])('is wrapped for %s', (_, value) => {
    expect(encodeHeader(value)).toBe(wrapped(value));
    expect(decodeHeader(encodeHeader(value))).toBe(value);
  });

  it.each([
    ['no base64', '=?base64?!!!?='],
    ['no padding', '=?base64?YQ?='],
    ['too much padding', '=?base64?YQ===?='],
    ['padding in the middle', '=?base64?YQ==YQ==?='],
    ['the alphabet of URLs', '=?base64?_-8=?='],
    ['a blank inside', '=?base64?Y Q=?='],
    ['a line break inside', '=?base64?YW\nJj?='],
    ['bytes that are no UTF-8', `=?base64?${Buffer.from([0xff, 0xfe]).toString('base64')}?=`],
    ['half a character', `=?base64?${Buffer.from([0xc3]).toString('base64')}?=`],
    ['a lone surrogate as bytes', `=?base64?${Buffer.from([0xed, 0xa0, 0x80]).toString('base64')}?=`],
  ])('H32 says nothing when wrapped with %s', (_, value) => {
    expect(decodeHeader(value)).toBeUndefined();
  });

  it.each(['Zürich', 'a\u0000', '\u007f', '\u0080', '🦎'])('says nothing when it carries unwrapped what it must not: %j', (value) => {
    expect(decodeHeader(value)).toBeUndefined();
  });

  it('is empty when it wraps nothing', () => {
    expect(decodeHeader('=?base64??=')).toBe('');
  });

  it('comes back as it was, and is always one line of ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const header = encodeHeader(value);
        expect(header).toMatch(/^[\x20-\x7e]*$/);
        expect(header.trim()).toBe(header);
        expect(decodeHeader(header)).toBe(value);
      }),
    );
  });

  it('is read without ever throwing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (value) => void decodeHeader(`=?base64?${value}?=`)));
  });
});

describe('x-mcp-header', () => {
  const object = (properties: object): Record<string, unknown> => ({ type: 'object', properties });
  const on = (type: unknown, header: unknown = 'Region'): Record<string, unknown> => object({ region: { type, 'x-mcp-header': header } });

  it.each(['string', 'integer', 'boolean', ['string', 'null']])('is allowed on %s', (type) => {
    expect(headerParameters(on(type))).toMatchObject({ parameters: [{ path: ['region'], header: 'mcp-param-region' }], faults: [] });
  });

  it('is found along properties at any depth', () => {
    const { parameters, faults } = headerParameters(
      object({ a: object({ properties: object({ b: { type: 'string', 'x-mcp-header': 'B' } }) }) }),
    );
    expect(faults).toEqual([]);
    expect(parameters.map(({ path }) => path)).toEqual([['a', 'properties', 'b']]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['H34 it is empty', on('string', '')],
    ['H34 it has a line break', on('string', 'a\r\nb')],
    ['it has a blank', on('string', 'a b')],
    ['it has a colon', on('string', 'a:b')],
    ['it is not ASCII', on('string', 'é')],
    ['it is no string', on('string', 7)],
    ['H34 it is on a number', on('number')],
    ['it is on an object', on('object')],
    ['it is on an array', on('array')],
    ['it is on no type at all', object({ region: { 'x-mcp-header': 'Region' } })],
    ['it is on two types', on(['string', 'integer'])],
    ['it is at the root', { type: 'object', 'x-mcp-header': 'Root' }],
    [
      'H34 it occurs twice in another case',
      object({ a: { type: 'string', 'x-mcp-header': 'X' }, b: { type: 'string', 'x-mcp-header': 'x' } }),
    ],
    ['H34 it is under items', object({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'X' } } })],
    ['it is under items of objects', object({ a: { type: 'array', items: object({ b: { type: 'string', 'x-mcp-header': 'X' } }) } })],
    ['H34 it is in $defs', { ...object({ a: { $ref: '#/$defs/a' } }), $defs: { a: { type: 'string', 'x-mcp-header': 'X' } } }],
    ['it is under anyOf', { type: 'object', anyOf: [object({ a: { type: 'string', 'x-mcp-header': 'X' } })] }],
    ['it is under additionalProperties', { type: 'object', additionalProperties: { type: 'string', 'x-mcp-header': 'X' } }],
  ])('is a fault when %s', (_, schema) => {
    const { faults, parameters } = headerParameters(schema);
    expect(faults).toHaveLength(1);
    expect(parameters.length).toBeLessThanOrEqual(1);
  });

  it('is nothing where it is data, or the name of a property', () => {
    const schema = {
      ...object({ 'x-mcp-header': { type: 'string' } }),
      default: { 'x-mcp-header': 'a b' },
      examples: [{ 'x-mcp-header': 'a b' }],
      required: ['x-mcp-header'],
    };
    expect(headerParameters(schema)).toEqual({ parameters: [], faults: [] });
  });
});

describe('the value of an argument', () => {
  const string = { path: ['a'], header: 'mcp-param-a', type: 'string' } as const;
  const integer = { ...string, type: 'integer' } as const;
  const boolean = { ...string, type: 'boolean' } as const;
  const deep = { ...string, path: ['a', 'b'] } as const;

  it.each([
    ['both are absent', string, {}, undefined, true],
    ['there are no arguments', string, undefined, undefined, true],
    ['null has no header', string, { a: null }, undefined, true],
    ['H33 null has a header', string, { a: null }, 'null', false],
    ['H33 null has an empty header', string, { a: null }, '', false],
    ['H33 the header is absent though there is a value', string, { a: 'x' }, undefined, false],
    ['H33 the header is there though there is no value', string, {}, 'x', false],
    ['strings are equal', string, { a: 'x' }, 'x', true],
    ['strings differ', string, { a: 'x' }, 'y', false],
    ['H30 the case of a value differs', string, { a: 'x' }, 'X', false],
    ['a string is wrapped', string, { a: 'ü' }, wrapped('ü'), true],
    ['a plain string is wrapped without need', string, { a: 'x' }, wrapped('x'), true],
    ['H32 it is wrapped badly', string, { a: '=?base64?!!!?=' }, '=?base64?!!!?=', false],
    ['H32 the marks are in capitals', string, { a: '=?BASE64?YQ==?=' }, '=?BASE64?YQ==?=', true],
    ['H32 a value that looks wrapped is not wrapped again', string, { a: '=?base64?YQ==?=' }, '=?base64?YQ==?=', false],
    ['H32 a value that looks wrapped is wrapped again', string, { a: '=?base64?YQ==?=' }, wrapped('=?base64?YQ==?='), true],
    ['an empty string has an empty header', string, { a: '' }, '', true],
    ['integers are equal', integer, { a: 42 }, '42', true],
    ['H33 42.0 is 42', integer, { a: 42 }, '42.0', true],
    ['-0 is 0', integer, { a: -0 }, '0', true],
    ['negative integers are equal', integer, { a: -7 }, '-7', true],
    ['integers differ', integer, { a: 42 }, '43', false],
    ['an integer is in hexadecimal', integer, { a: 42 }, '0x2a', false],
    ['an integer has blanks', integer, { a: 42 }, ' 42', false],
    ['an integer has nothing', integer, { a: 0 }, '', false],
    ['an integer is wrapped', integer, { a: 42 }, wrapped('42'), true],
    ['a large integer is equal', integer, { a: 9007199254740991 }, '9007199254740991', true],
    ['booleans are equal', boolean, { a: true }, 'true', true],
    ['false is false', boolean, { a: false }, 'false', true],
    ['H33 True is not true', boolean, { a: true }, 'True', false],
    ['1 is not true', boolean, { a: true }, '1', false],
    ['a nested value is equal', deep, { a: { b: 'x' } }, 'x', true],
    ['a nested value is absent', deep, { a: {} }, undefined, true],
    ['nothing is inherited', { ...string, path: ['toString'] }, {}, undefined, true],
    ['nothing is inherited from a prototype', { ...string, path: ['__proto__', 'toString'] }, {}, undefined, true],
    ['a name leads into a string', deep, { a: 'x' }, undefined, true],
  ])('is compared when %s', (_, parameter, args, header, same) => {
    expect(sameValue(parameter, args, header)).toBe(same);
  });
});
