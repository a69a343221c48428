// What lies over a file lies over the one instance of it that was there then.
import { describe, expect, it } from 'vitest';
import { onEachNode } from '../../../../../fixture.ts';
import { edit, project } from '../lab.ts';

onEachNode((node) => {
  describe('an instance of a file with newer texts', () => {
    it.each(['a.js', 'a.cjs'])('of %s is not taken for the one that was loaded anew', async (file) => {
      const shown = file === 'a.js' ? 'export { A };' : 'exports.A = A;';
      const text = (n: number, of = 'Object'): string => `class A extends ${of} {\n  m() {\n    return ${n};\n  }\n}\n${shown}\n`;
      await using lab = await project(node, { [file]: text(1) });
      await lab.value(file === 'a.js' ? "import { A } from './a.js'\n1" : "let { A } = require('./a.cjs')\n1");
      expect(await edit(lab, file, text(2))).toBe(`swapped ${file}: A.m`);
      expect(await edit(lab, file, text(3, 'Array'))).toMatch(new RegExp(`^imported anew ${file}`));
      expect(await lab.value('[new A().m(), Array.isArray(new A())]')).toBe('[ 3, true ]');
      expect(await edit(lab, file, text(2))).toMatch(new RegExp(`^imported anew ${file}`));
      expect(await lab.value('[new A().m(), Array.isArray(new A())]')).toBe('[ 2, false ]');
    });

    it('is swapped beside another one under a name with a query, there and back', async () => {
      const text = (n: number): string => `export function f() {\n  return ${n};\n}\n`;
      await using lab = await project(node, { 'a.js': text(1) });
      await lab.value("import { f } from './a.js'\n1");
      expect(await edit(lab, 'a.js', text(2))).toBe('swapped a.js: f');
      await lab.value("const x = await import('./a.js?x')\n1");
      for (const n of [3, 2, 1, 2]) {
        expect(await edit(lab, 'a.js', text(n))).toBe('swapped a.js: f');
        expect(await lab.value('[f(), x.f()]')).toBe(`[ ${n}, ${n} ]`);
      }
    });

    it('follows the text it was loaded with, though another one has never had that', async () => {
      const text = (n: number): string => `export function f() {\n  return ${n};\n}\n`;
      await using lab = await project(node, { 'a.js': text(1) });
      await lab.value("import { f } from './a.js'\n1");
      expect(await edit(lab, 'a.js', text(2))).toBe('swapped a.js: f');
      await lab.value("const x = await import('./a.js?x')\n1");
      expect(await edit(lab, 'a.js', text(1))).toBe('swapped a.js: f');
      expect(await lab.value('[f(), x.f()]')).toBe('[ 1, 1 ]');
    });

    it.each(['a.js', 'a.cjs'])('of %s is not taken for one of its past texts, whatever is undone', async (file) => {
      const text = (k: number, t: number, u: number): string =>
        [`const K = ${k};`, ...[`k() { return K; }`, `t() { return ${t}; }`, `u() { return ${u}; }`].map((one) => `function ${one}`)].join(
          '\n',
        ) + (file === 'a.js' ? '\nexport { k, t, u };\n' : '\nObject.assign(exports, { k, t, u });\n');
      await using lab = await project(node, { [file]: text(5, 1, 1) });
      await lab.value(file === 'a.js' ? "import { k, t, u } from './a.js'\n1" : "const { k, t, u } = require('./a.cjs')\n1");
      await edit(lab, file, text(7, 1, 1));
      await edit(lab, file, text(7, 3, 1));
      await edit(lab, file, text(7, 1, 1));
      expect(await edit(lab, file, text(7, 1, 2))).toBe(`swapped ${file}: u`);
      expect(await lab.value('[k(), t(), u()]')).toBe('[ 7, 1, 2 ]');
    });

    it('that CommonJS loads once more has the text of before as its own', async () => {
      const text = (n: number): string => `exports.f = () => ${n};\n`;
      await using lab = await project(node, { 'a.cjs': text(1) });
      await lab.value("const one = require('./a.cjs')\n1");
      await edit(lab, 'a.cjs', text(2));
      await edit(lab, 'a.cjs', text(1));
      await lab.value("delete require.cache[require.resolve('./a.cjs')]; const two = require('./a.cjs')\n1");
      expect(await edit(lab, 'a.cjs', text(3))).toBe('swapped a.cjs: f');
      expect(await lab.value('[one.f(), two.f()]')).toBe('[ 3, 3 ]');
    });
  });
});
