// Files that can have newer texts run as they were written, whatever is in them and whatever the program does to its globals.
import { describe, expect, it } from 'vitest';
import { onEachNode } from '../../../../../fixture.ts';
import { edit, engineHas, project } from '../lab.ts';

const f = (n: number): string => `export function f(x) {\n  return [x, ${n}];\n}\n`;

onEachNode((node) => {
  describe('files run as they were written', () => {
    it('with texts in which a piece of the loader could do harm', async () => {
      await using lab = await project(node, {
        'a.js':
          'export class A { #x = 1 }\nexport class B { #c = 5; m = () => this.#c }\nexport class C {\n  m() { return this.#c; }\n  #c = 5 }\n',
        'b.js': 'export class A {\n  #x = 1;\n  get\n}\nexport const g = (a /* => b */) => a;\nexport const h = (/* => */) => 3;\n',
        'c.js': `export const g = (a = 1 // =>\n) => a + 1;\n${f(1)}`,
        'd.cjs': 'exports.f = function (x, undefined) {\n  return x;\n};\n',
        'e.js': 'const undefined = 5;\nexport function f(x) {\n  return [x, undefined];\n}\n',
        'f.cjs': '__filename = undefined;\nexports.f = function (x) {\n  return x;\n};\n',
        'g.js': 'export const g = () => `\n//# sourceMappingURL=data:x`;\nexport function f(x) {\n  return x;\n}\n',
      });
      expect(await lab.value("import * as a from './a.js'\n[new a.A(), new a.B().m(), new a.C().m()]")).toBe('[ A {}, 5, 5 ]');
      expect(await lab.value("import * as b from './b.js'\n[Object.keys(new b.A()), b.g(7), b.h()]")).toBe("[ [ 'get' ], 7, 3 ]");
      expect(await lab.value("import * as c from './c.js'\n[c.g(), c.f(1)]")).toBe('[ 2, [ 1, 1 ] ]');
      expect(await lab.value("require('./d.cjs').f(4, 5)")).toBe('4');
      expect(await lab.value("import * as e from './e.js'\ne.f(1)")).toBe('[ 1, 5 ]');
      expect(await lab.value("require('./f.cjs').f(1)")).toBe('1');
      expect(await lab.value("import * as g from './g.js'\n[g.g(), g.f(2)]")).toBe("[ '\\n//# sourceMappingURL=data:x', 2 ]");
      expect(await edit(lab, 'c.js', `export const g = (a = 1 // =>\n) => a + 1;\n${f(2)}`)).toBe('swapped c.js: f');
      expect(await lab.value('[c.g(), c.f(1)]')).toBe('[ 2, [ 1, 2 ] ]');
      expect(await edit(lab, 'c.js', `export const g = (a = 1 // =>\n) => a + 2;\n${f(2)}`)).toBe('swapped c.js: g');
      expect(await lab.value('[c.g(), c.f(1)]')).toBe('[ 3, [ 1, 2 ] ]');
    });

    it('with the places they have, for assert and for programs that read stacks themselves', async () => {
      const text = (n: number): string => `import assert from 'node:assert';
export const one = (x) => { return x + 1; }; export const where = () => new Error('x').stack.split('\\n')[1].trim();
export function check(x) {
  assert(x > ${n}0);
}
`;
      await using lab = await project(node, { 'a.js': text(1) });
      const address = (await lab.value("import { one, where, check } from './a.js'\nwhere()")).slice(1, -1);
      expect(address).toMatch(/^at where \(file:\/\/\/.*\/a\.js:2:73\)$/);
      const failed = 'try { check(1) } catch (error) { [error.name, error.code] }';
      expect(await lab.value(failed)).toBe("[ 'AssertionError', 'ERR_ASSERTION' ]");
      expect(await edit(lab, 'a.js', text(2))).toBe('swapped a.js: check');
      expect(await lab.value(failed)).toBe("[ 'AssertionError', 'ERR_ASSERTION' ]");
    });

    it('where nothing can be added to the global object, and then the engine swaps them', async () => {
      const many = Array.from({ length: 300 }, (_, at) => `export function f${at}() {\n  return ${at};\n}\n`).join('');
      await using lab = await project(node, { 'a.js': f(1), 'b.js': many, 'c.cjs': 'exports.f = function () {\n  return 1;\n};\n' });
      await lab.value("import { f } from './a.js'\nObject.preventExtensions(globalThis)\n1");
      expect(await lab.value("(await import('./b.js')).f299()")).toBe('299');
      expect(await lab.value("require('./c.cjs').f()")).toBe('1');
      expect(await edit(lab, 'b.js', many.replaceAll('return', 'return 1 +'))).toMatch(/^swapped b\.js: f0, /);
      expect(await lab.value("(await import('./b.js')).f299()")).toBe('300');
      await lab.value('Object.freeze(globalThis)\n1');
      expect(await edit(lab, 'a.js', f(2))).toBe('swapped a.js: f');
      expect(await lab.value('f(1)')).toBe('[ 1, 2 ]');
    });

    it('where functions cannot be told to show another text', async () => {
      await using lab = await project(node, { 'a.js': f(1) });
      await lab.value('Object.freeze(Function.prototype)\n1');
      expect(await lab.value("import { f } from './a.js'\n[f(1), String(f).includes('vivarium')]")).toBe('[ [ 1, 1 ], false ]');
      expect(await edit(lab, 'a.js', f(2))).toBe('swapped a.js: f');
      expect(await lab.value('f(1)')).toBe('[ 1, 2 ]');
    });

    it('where the program tidies up the global object, or changes how functions are called', async () => {
      await using lab = await project(node, { 'a.js': f(1) });
      await lab.value("import { f } from './a.js'\n1");
      await lab.value(
        'for (const name of Object.getOwnPropertyNames(globalThis)) if (/^__vivarium_[mc]\\d/.test(name)) delete globalThis[name]\n1',
      );
      expect(await lab.value('f(1)')).toBe('[ 1, 1 ]');
      await lab.value(
        'const { call } = Function.prototype\nlet calls = 0\nFunction.prototype.call = function (...all) { calls++; return Reflect.apply(call, this, all) }\n1',
      );
      expect(await edit(lab, 'a.js', f(2))).toBe('swapped a.js: f');
      expect(await lab.value('calls = 0; [f(1), calls]')).toBe('[ [ 1, 2 ], 0 ]');
      expect(await engineHas(lab, 'a.js', '[x, 1]')).toBe(true);
    });
  });

  it('of a file that only Node can read a change is never kept quiet', async () => {
    const text = (n: number): string => `exports.t = new.target;\nexports.f = function () {\n  return ${n};\n};\n`;
    await using lab = await project(node, { 'a.cjs': text(1), 'b.js': f(1) });
    await lab.value("const { f } = require('./a.cjs')\nimport * as b from './b.js'\n1");
    expect(await edit(lab, 'a.cjs', text(2))).toMatch(/^SyntaxError: 'new\.target' [\s\S]*Nothing was changed\.$/);
  });
});
