import { describe, expect, it } from 'vitest';
import { words } from '../../../src/cli/args/split-words.ts';
import { signatureOf } from '../../../src/cli/terminal/signature.ts';
import { near } from '../../../src/text/did-you-mean.ts';

const tool = (properties: Readonly<Record<string, object>>, more: object = {}) => ({
  name: 't',
  inputSchema: { type: 'object' as const, properties, ...more },
});

describe('a signature', () => {
  it.each([
    [tool({}), 't()'],
    [tool({ a: { type: 'integer' }, b: { type: 'string' } }, { required: ['b'] }), 't(b: string, a?: number)'],
    [tool({ a: { enum: ['x', 'y'] } }), 't(a?: "x" | "y")'],
    [tool({ a: { type: ['string', 'null'], default: 'q' } }), 't(a?: string | null = "q")'],
    [tool({ a: { type: 'array', items: { type: 'string' } } }), 't(a?: string[])'],
    [tool({ a: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } } }), 't(a?: (string | number)[])'],
    [tool({ a: { type: 'object', properties: { b: { const: 1 } }, required: ['b'] } }), 't(a?: { b: 1 })'],
    [tool({ a: { type: 'object', additionalProperties: { type: 'number' } } }), 't(a?: Record<string, number>)'],
    [tool({ a: { $ref: '#/$defs/p' } }, { $defs: { p: { type: 'boolean' } } }), 't(a?: boolean)'],
    [tool({ a: { $ref: 'https://elsewhere.example/p' } }), 't(a?: p)'],
    [tool({ 'odd-name': {} }), 't("odd-name"?: unknown)'],
  ])('of %j is %s', (given, expected) => expect(signatureOf(given)).toBe(expected));

  it('of a schema that refers to itself ends', () => {
    const self = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } };
    expect(signatureOf(tool({ a: { $ref: '#/$defs/node' } }, { $defs: { node: self } }))).toContain('…');
  });

  it('shows control characters instead of sending them to the terminal', () => {
    expect(signatureOf(tool({ '\u001b[2J': {} }))).not.toContain('\u001b');
  });
});

describe('a command line in one word', () => {
  it.each([
    ['node server.js', ['node', 'server.js']],
    ['  node   "a b" c\\ d ', ['node', 'a b', 'c d']],
    [`sh -c 'echo "$HOME"'`, ['sh', '-c', 'echo "$HOME"']],
    ['a"b"\'c\'d', ['abcd']],
    ['run ""', ['run', '']],
    ['"say \\"hi\\""', ['say "hi"']],
  ])('%j becomes %j', (line, expected) => expect(words(line)).toEqual(expected));

  it.each(['node "server', "it's", ' '])('%j is refused', (line) => expect(() => words(line)).toThrow());
});

describe('the word that was meant', () => {
  it.each([
    ['sreve', 'serve'],
    ['lits', 'list'],
    ['CALL', 'call'],
  ])('for %s is %s', (word, meant) => expect(near(word, ['serve', 'list', 'call'])).toBe(meant));

  it('is not guessed where nothing is near', () => expect(near('zebra', ['serve', 'list', 'call'])).toBeUndefined());
});
