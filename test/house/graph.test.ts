// The diagrams of docs/architecture.md show the imports as they are: `npm run graph` draws them.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cycles, reduced } from '../../scripts/house/digraph.mjs';
import { file, paths, root } from './tree.ts';

it('docs/architecture.md shows the imports as they are', { timeout: 120_000 }, () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/graph.mjs', '--check'], { cwd: root, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

it('docs/architecture.md names files that exist', () => {
  const named = new Set(file('docs/architecture.md').text.match(/[a-z][\w./-]*\.ts\b/g));
  const sources = paths('src');
  expect([...named].filter((name) => !sources.some((path) => path.endsWith(`/${name}`)))).toEqual([]);
});

describe('the reduction', () => {
  const graph = (edges: string) => {
    const found = new Map<string, Set<string>>();
    for (const [from = '', to = ''] of edges.split(' ').map((edge) => edge.split('')))
      found.set(from, (found.get(from) ?? new Set()).add(to)).set(to, found.get(to) ?? new Set());
    return found;
  };
  const left = (edges: string) =>
    [...reduced(graph(edges))]
      .flatMap(([from, targets]) => [...targets].map((to) => from + to))
      .sort()
      .join(' ');

  it.each([
    ['ab bc ac', 'ab bc'],
    ['ab bc cd ad bd', 'ab bc cd'],
    ['ab ac bd cd', 'ab ac bd cd'],
    ['ab ac bd cd ad', 'ab ac bd cd'],
  ])('of %s leaves %s', (edges, expected) => {
    expect(left(edges)).toBe(expected);
  });

  it('keeps every edge of a cycle', () => {
    expect(left('ab bc ca ac')).toBe('ab ac bc ca');
  });

  it('goes around a cycle that another path passes through', () => {
    expect(left('xa ab ba bd xd')).toBe('ab ba bd xa');
  });

  it('keeps a node without edges in reach', () => {
    expect([...reduced(new Map([['a', new Set<string>()]])).keys()]).toEqual(['a']);
  });

  it('names cycles, sorted', () => {
    expect(cycles(graph('ba ab bc cd dc de'))).toEqual([
      ['c', 'd'],
      ['a', 'b'],
    ]);
  });
});
