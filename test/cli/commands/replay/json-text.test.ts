import { expect, it } from 'vitest';
import { jsonText } from '../../../../src/cli/commands/replay/json-text.ts';

it.each([
  null,
  0,
  'a"\n\u2028',
  true,
  [],
  {},
  [1, [2, []], {}],
  { b: 1, a: { d: [], c: null } },
  { 'odd "name"': [{ x: undefined, y: 1 }] },
])('writes %j as JSON.stringify does', (value) => expect(jsonText(value)).toBe(JSON.stringify(value)));

it('sorts members at every level where that is asked for', () => {
  expect(jsonText({ b: [{ z: 1, y: 2 }], a: 0 }, { sorted: true })).toBe('{"a":0,"b":[{"y":2,"z":1}]}');
});
