// The judge itself: what it calls a lie, and what not. Its facts are given here, so that answers can be wrong.
import { describe, expect, it } from 'vitest';
import { judge } from '../judge/judge.ts';
import { Reach } from '../judge/reach.ts';
import type { Edit, Facts } from '../judge/run.ts';
import { madeEdit } from '../made/made.ts';
import { Maker, Random } from '../made/program.ts';
import { render } from '../made/render.ts';
import { shrunk } from '../made/shrink.ts';

const edit: Edit = {
  id: 'shop',
  entry: 'main.mjs',
  required: false,
  before: { 'main.mjs': 'let sold = 0;\nexport const count = () => sold;\nexport const tax = 2;\n' },
  after: { 'main.mjs': 'let sold = 100;\nexport const count = () => sold;\nexport const tax = 2;\n' },
};
const names = { 'now|*|names': 'count tax', 'held|*|names': 'count tax', 'now|count|kind': 'function', 'held|count|kind': 'function' };
const old: Facts = { ...names, 'now|count|()': '0', 'held|count|()': '0' };
const fresh: Facts = { ...names, 'now|count|()': '100', 'held|count|()': '100' };
const verdictOf = (answer: string, reloaded = old, now = fresh) => judge({ edit, answer, reloaded, fresh: now }).verdict;

describe('the judge', () => {
  it('calls it equal where a fresh start shows the same', () => {
    expect(verdictOf('swapped shop/main.mjs: count', fresh)).toBe('equal');
  });

  it('calls it told where the answer names what the difference comes from', () => {
    expect(verdictOf('unchanged shop/main.mjs (sold keeps its value)')).toBe('told');
  });

  it.each([
    ['says nothing', 'Nothing changed on disk.'],
    ['names nothing', 'unchanged shop/main.mjs: only comments and layout'],
    ['names something else', 'unchanged shop/main.mjs (tax keeps its value)'],
    ['names it in another file', 'unchanged other/main.mjs (sold keeps its value)'],
    ['says that it was swapped', 'swapped shop/main.mjs: count, sold'],
    ['imports it anew, and what is imported is old', 'imported anew shop/main.mjs: sold changed, so its variables begin again'],
  ])('calls it silent where the answer %s', (_, answer) => {
    expect(verdictOf(answer)).toBe('silent');
  });

  it('takes what was imported anew as told for what was held before, not for what is imported now', () => {
    const answer = 'imported anew shop/main.mjs: sold changed\nWhat was made before still uses the old shop/main.mjs: reset';
    expect(verdictOf(answer, { ...fresh, 'held|count|()': '0' })).toBe('told');
    expect(verdictOf(answer, { ...fresh, 'now|count|()': '0' })).toBe('silent');
  });

  it('calls it silent where an export that is gone is still there, until its name is told', () => {
    const without: Facts = { 'now|*|names': 'count', 'held|*|names': 'count', 'now|count|kind': 'function', 'held|count|kind': 'function' };
    const still: Facts = { ...without, 'now|*|names': 'count tax', 'now|tax|kind': 'number', 'held|*|names': 'count tax' };
    expect(verdictOf('swapped shop/main.mjs: count', still, without)).toBe('silent');
    expect(verdictOf('unchanged shop/main.mjs (tax stays until a fresh image)', still, without)).toBe('told');
  });

  it('calls it false where something is said to be old and is as after a fresh start', () => {
    const same = { ...fresh, 'now|tax|value': '2' };
    expect(verdictOf('swapped shop/main.mjs: count (tax keeps its old value: refused)', same, same)).toBe('false');
  });
});

describe('what a name depends on', () => {
  it('is found through other declarations and files', () => {
    const files = {
      'main.ts': "import { b } from './lib.ts';\nexport const a = (x: number) => b(x);",
      'lib.ts': 'const c = 1;\nexport function b() { return c; }',
    };
    expect([...new Reach(files).of('a')]).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    expect(new Reach(files).of('c').has('a')).toBe(false);
  });
});

describe('a made-up edit', () => {
  it('is the same from the same number, and changes the files', () => {
    expect(madeEdit(7)).toEqual(madeEdit(7));
    const changed = Array.from({ length: 200 }, (_, seed) => madeEdit(seed)).filter(
      ({ before, after }) => JSON.stringify(render(before)) !== JSON.stringify(render(after)),
    );
    expect(changed.length).toBeGreaterThan(170);
  });

  it('is of every format and of every kind', () => {
    const edits = new Set(Array.from({ length: 2_000 }, (_, seed) => madeEdit(seed)).flatMap((one) => [one.before.format, ...one.edits]));
    expect(edits.size).toBeGreaterThanOrEqual(3 + 22);
  });

  it('is made small: only what shows the lie is left', async () => {
    const maker = new Maker(new Random(11));
    const before = maker.program();
    const [first] = before.files[0]?.units ?? [];
    const after = { ...before, files: before.files.map((file, at) => (at === 0 ? { ...file, units: file.units.slice(1) } : file)) };
    const shows = (one: { readonly before: typeof before; readonly after: typeof before }): boolean => {
      const has = ({ files }: typeof before): boolean => files.some(({ units }) => units.some(({ id }) => id === first?.id));
      return has(one.before) && !has(one.after);
    };
    const small = await shrunk({ before, after }, (tries) => Promise.resolve(tries.map(shows)));
    expect(small.before.files.flatMap(({ units }) => units.map(({ id }) => id))).toEqual([first?.id]);
    expect(small.after.files.flatMap(({ units }) => units)).toEqual([]);
  });
});
