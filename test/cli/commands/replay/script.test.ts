import { expect, it } from 'vitest';
import type { Entry } from '../../../../src/cli/commands/record/recording.ts';
import { ReplayScript } from '../../../../src/cli/commands/replay/script.ts';

function recorded(...said: readonly (readonly [Entry['from'], unknown])[]): Entry[] {
  return said.map(([from, value], t) => ({ t, from, raw: typeof value === 'string' ? value : JSON.stringify(value) }));
}

function played(entries: readonly Entry[]): { script: ReplayScript; said: string[] } {
  const said: string[] = [];
  return { script: new ReplayScript(entries, (raw) => said.push(raw)), said };
}

it('answers a batch once, as it was or with the ids of now', () => {
  const entries = recorded(
    [
      'client',
      [
        { id: 1, method: 'ping' },
        { id: 2, method: 'tools/list' },
      ],
    ],
    ['server', '[{"id":1,"result":{}}, {"id":2,"result":{"tools":[]}}]'],
  );
  const same = played(entries);
  same.script.hear({ id: 1, method: 'ping' });
  expect(same.said).toEqual([]);
  same.script.hear({ id: 2, method: 'tools/list' });
  expect(same.said).toEqual(['[{"id":1,"result":{}}, {"id":2,"result":{"tools":[]}}]']);
  const other = played(entries);
  other.script.hear({ id: 'a', method: 'ping' });
  other.script.hear({ id: 'b', method: 'tools/list' });
  other.script.hear({ id: 'c', method: 'tools/list', params: {} });
  expect(other.said).toEqual(['[{"id":"a","result":{}},{"id":"b","result":{"tools":[]}}]', '{"id":"c","result":{"tools":[]}}']);
});

it('answers what is asked once more as it did last', () => {
  const asked = (id: number) => ({ id, method: 'tools/list' });
  const { script, said } = played(
    recorded(
      ['client', asked(1)],
      ['server', { id: 1, result: 'a' }],
      ['client', asked(2)],
      ['server', { id: 2, result: 'b' }],
      ['client', asked(3)],
    ),
  );
  for (const id of [11, 12, 13, 14]) script.hear(asked(id));
  expect(said).toEqual(['{"id":11,"result":"a"}', '{"id":12,"result":"b"}', '{"id":14,"result":"b"}']);
});

it('finds its place in a long recording at once', () => {
  const count = 20_000;
  const asked = (id: unknown, n: number) => ({ id, method: 'tools/call', params: { name: 'a', arguments: { n, at: { x: 1, y: 2 } } } });
  const entries = recorded(
    ...Array.from({ length: count }, (_, n) => [['client', asked(n, n)] as const, ['server', { id: n, result: { n } }] as const]).flat(),
  );
  const { script, said } = played(entries);
  for (let n = 0; n < count; n++) script.hear(asked(`now-${n}`, n));
  expect(said.length).toBe(count);
  expect(said.at(-1)).toBe(JSON.stringify({ id: `now-${count - 1}`, result: { n: count - 1 } }));
});
