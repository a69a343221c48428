// What the engine does not find again it does not swap, and says nothing: so it is asked only for what it finds.
import { describe, expect, it } from 'vitest';
import { findsAgain } from '../../../../../src/live/languages/javascript/reload/engine-diff.ts';
import { onEachNode } from '../../../fixture.ts';
import { edit, project } from './overlay/lab.ts';

const lines = (n: number, text: string): string => `${text}\n`.repeat(n);

describe('the engine', () => {
  it('finds a place again in all lines that stay, and in those that differ where the piece is short', () => {
    const [old, now] = [`a\n${lines(50, 'body of the function')}end`, `a\n${lines(50, 'another function body')}end`];
    expect(findsAgain(old, now, () => [0, old.length - 1])).toBe(true);
    expect(findsAgain(old, now, () => [5])).toBe(false);
    expect(findsAgain('a b c', 'a d c', () => [4])).toBe(true);
    expect(findsAgain(old, old, () => [5])).toBe(true);
  });

  it('does not find it where what is new is long, or where lines that differ stand together', () => {
    expect(findsAgain('a\nb\nc', `a\n${lines(60, 'something long and new')}c`, () => [2])).toBe(false);
    expect(findsAgain('a\nb\nc', `a\n${lines(60, 'something long and new')}b\nc`, () => [2])).toBe(true);
    const all = Array.from({ length: 10 }, (_, at) => `const f${at} = (a) => { return a + '${'x'.repeat(70)}'; };`);
    expect(findsAgain(all.join('\n'), all.map((one) => one.replace('=>', '=>  ')).join('\n'), () => [10])).toBe(false);
  });
});

onEachNode((node) => {
  it('swaps functions that stand close together in files with guards', async () => {
    const text = (d: number, t: number, u: number): string => `class P {
  #n = 3;
  constructor(x = ${d}) {
  }
  m(a) {
    return [this.#n, 1, a, 1];
  }
}
const arrow = (a) => a + 1;
const o = { t(a) { return a + ${t}; }, u: (z) => z * ${u} };
exports.o = o;
`;
    await using lab = await project(node, { 'a.cjs': text(1, 1, 1) });
    await lab.value("const { o } = require('./a.cjs')\n1");
    expect(await edit(lab, 'a.cjs', text(4, 2, 4))).toBe('swapped a.cjs: P.constructor, o.t, o.u');
    expect(await lab.value('[o.t(1), o.u(3)]')).toBe('[ 3, 12 ]');
    expect(await edit(lab, 'a.cjs', text(4, 3, 5))).toBe('swapped a.cjs: o.t, o.u');
    expect(await lab.value('[o.t(1), o.u(3)]')).toBe('[ 4, 15 ]');
  });

  it('shows the text of a class whose file has become much shorter', async () => {
    const text = (n: number, more: string): string =>
      `export async function g() {\n${more}  return ${n};\n}\nexport class A {\n  m() {\n    return 1;\n  }\n}\n`;
    await using lab = await project(node, { 'a.js': text(1, lines(80, '  g.calls = (g.calls ?? 0) + 1;')) });
    await lab.value("import { A, g } from './a.js'\n1");
    expect(await edit(lab, 'a.js', text(2, ''))).toMatch(/^(?:swapped|imported anew) a\.js: /);
    expect(await lab.value('[typeof String(A), new A().m(), await g()]')).toBe("[ 'string', 1, 2 ]");
  });
});
