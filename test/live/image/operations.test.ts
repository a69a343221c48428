// Decoders of what images answer: code in an image can forge anything, and no frame hurts the host.
import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../../../src/live/image/operations.ts';

const fields = [
  ...['view', 'text', 'kind', 'names', 'files', 'newest', 'failed', 'reason', 'frames', 'restarts', 'value', 'thrown', 'fault'],
  ...['usedSize', 'totalSize', 'classes', 'more', 'costs', 'ms'],
];
const hostile: readonly unknown[] = [null, 1, -1, Number.NaN, 'x', true, [], [null, 1, 'x', { name: {} }], {}, { members: {}, text: [] }];
const names = (Object.keys(operations) as OperationName[]).filter((name) => name !== 'evaluate');

describe.each(names)('%s', (name) => {
  const { decode } = operations[name] as { decode(frame: Readonly<Record<string, unknown>>): object };

  it('has the same fields, whatever an image puts into them', () => {
    const expected = Object.keys(decode({}));
    for (const value of hostile) {
      const decoded = decode(Object.fromEntries(fields.map((field) => [field, value])));
      expect(Object.keys(decoded)).toEqual(expect.arrayContaining(expected));
      expect(typeof JSON.stringify(decoded)).toBe('string');
    }
  });
});

it('bounds the members of a value, and keeps what is theirs', () => {
  const members = Array.from({ length: 5_000 }, (_, at) => ({ key: at, text: 'x'.repeat(300_000), ref: at === 0 ? -1 : at }));
  const { view } = operations.inspect.decode({ view: { text: 7, type: null, ref: 'a', members, offset: 1.5, total: 5_000, proto: [] } });
  expect(view).toMatchObject({ text: '7', type: '', offset: 0, total: 5_000 });
  expect(Object.keys(view)).not.toContain('proto');
  expect(view.members).toHaveLength(1_000);
  expect(view.members[0]).not.toHaveProperty('ref');
  expect(view.members[1]).toMatchObject({ key: '1', ref: 1 });
  expect(view.members[1]?.text.length).toBeLessThan(200_100);
});
