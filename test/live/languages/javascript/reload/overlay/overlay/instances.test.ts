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
  });
});
