import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../../src/cli/commands/call/call-arguments.ts';

const read = (word: string, member: object) =>
  readArguments([word], { values: {}, positionals: [] } as never, { properties: { n: member } });

describe('a number', () => {
  it.each(['0xFFFFFFFFFFFFFFFF', '12345678901234567890', '12345678901234567890.0', '1.2345678901234567e19', '0b1'.padEnd(60, '1')])(
    'that would be sent as another is refused: %s',
    async (text) => {
      await expect(read(`n=${text}`, { type: 'integer' })).rejects.toThrow('more than a number can hold exactly');
    },
  );

  it.each([
    ['0xff', 255],
    ['1e21', 1e21],
    ['-2.5e3', -2500],
    ['9007199254740991', 9007199254740991],
  ])('that can be sent as it is, is: %s', async (text, n) => {
    expect(await read(`n=${text}`, { type: 'number' })).toEqual({ n });
  });
});

describe('a choice of values', () => {
  const member = { oneOf: [{ const: true }, { const: 'auto' }, { const: null }, { enum: [1, '2', 2] }] };

  it.each([
    ['true', true],
    ['auto', 'auto'],
    ['null', null],
    ['1', 1],
    ['2', '2'],
    ['other', 'other'],
  ])('takes %s for the one that is written so', async (text, n) => {
    expect(await read(`n=${text}`, member)).toEqual({ n });
  });
});
