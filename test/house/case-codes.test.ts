// The codes of cases in the titles of tests (`H15 answers …`) are those that docs/testing.md explains.
import { expect, it } from 'vitest';
import { file, sources } from './tree.ts';

const explained = [...file('docs/testing.md').text.matchAll(/^\| ([A-Z]\d\d) \|/gm)].map(([, code = '']) => code);

it('every code that a test bears is explained once, and every explained one is borne', () => {
  const families = [...new Set(explained.map((code) => code.charAt(0)))].join('');
  const code = new RegExp(`\\b[${families}]\\d\\d\\b`, 'g');
  const others = sources('test').filter(({ path }) => !path.startsWith('test/house/'));
  const borne = new Set(others.flatMap(({ text }) => text.match(code) ?? []));
  expect([...explained].sort()).toEqual([...borne].sort());
});
