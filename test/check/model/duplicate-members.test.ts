// Names that occur twice are found in the text, since the parsed value no longer has them.
import { expect, it } from 'vitest';
import { repeatedMember } from '../../../src/check/model/duplicate-members.ts';

const path = ['result', 'inputRequests'];

it('finds a name that an object has twice', () => {
  expect(repeatedMember('{"result": {"inputRequests": {"a": 1, "b": {}, "a": 2}}}', path)).toBe('a');
});

it('takes two spellings of a name for the same', () => {
  expect(repeatedMember('{"result":{"inputRequests":{"a":1,"\\u0061":2}}}', path)).toBe('a');
});

it.each([
  ['the same name in two objects', '{"result":{"inputRequests":{"a":{"a":1},"b":{"a":1}}}}'],
  ['a name twice elsewhere', '{"id":1,"id":2,"result":{"x":{"a":1,"a":2},"inputRequests":{"a":1}}}'],
  ['a name twice in a list on the way', '{"result":[{"inputRequests":{"a":1,"a":2}}]}'],
  ['a value that is the name', '{"result":{"inputRequests":{"a":"a","b":["a","a"]}}}'],
  ['signs of JSON within strings', '{"result":{"inputRequests":{"a":"\\",\\"a\\":{[","b":1}}}'],
  ['no such object', '{"error":{"code":1}}'],
])('is not misled by %s', (_, text) => {
  JSON.parse(text);
  expect(repeatedMember(text, path)).toBeUndefined();
});
