// What lies over a file when the engine swaps something in it: nobody sees an older text, and what changed is what is said.
import { describe, expect, it } from 'vitest';
import { onEachNode } from '../../../../../fixture.ts';
import { edit, project } from '../lab.ts';

const f = (n: number, more = ''): string => `export function f() {\n  return ${n};\n}\n${more}`;
const watching = `const seen = new Set(); let on = true
const look = () => { seen.add(f()); if (on) setImmediate(look) }
look()`;

onEachNode((node) => {
  describe('when the engine swaps a file that has newer texts', () => {
    it('nobody sees the text it was loaded with', async () => {
      await using lab = await project(node, { 'a.js': f(1) });
      await lab.value("import { f } from './a.js'\n1");
      expect(await edit(lab, 'a.js', f(2))).toBe('swapped a.js: f');
      await lab.value(watching);
      expect(await edit(lab, 'a.js', f(3, 'export function more() { return 1; }\n'))).toMatch(/^swapped a\.js: f, more/);
      expect(await lab.value('await new Promise(setImmediate); on = false; [...seen]')).toBe('[ 2, 3 ]');
    });

    it('nobody does where it follows what it imports', async () => {
      const shows = (name: string): string => `const p = 'p', q = 'q';\nexport { ${name} as x };\n`;
      const text = (n: number): string => `import { x } from './a.js';\nexport function f() {\n  return ${n} + x;\n}\n`;
      await using lab = await project(node, { 'a.js': shows('p'), 'b.js': text(1) });
      await lab.value("import { f } from './b.js'\n1");
      expect(await edit(lab, 'b.js', text(2))).toBe('swapped b.js: f');
      await lab.value(watching);
      expect(await edit(lab, 'a.js', shows('q'))).toMatch(/^swapped a\.js: x/);
      expect(await lab.value('await new Promise(setImmediate); on = false; [...seen]')).toBe("[ '2p', '2q' ]");
    });

    it('a function that has the text again it was loaded with is named, and what was computed with it', async () => {
      const rest = 'export const w = f();\n';
      await using lab = await project(node, { 'a.js': f(1, rest) });
      await lab.value("import { f } from './a.js'\n1");
      expect(await edit(lab, 'a.js', f(2, rest))).toMatch(/^swapped a\.js: f \(w keeps its value/);
      expect(await edit(lab, 'a.js', f(1, `${rest}export const more = 1;\n`))).toMatch(/^swapped a\.js: f, more \(.*w keeps its value/);
      expect(await lab.value('f()')).toBe('1');
    });

    it('functions that a body makes get later edits', async () => {
      const text = (k: number, a: string): string => `export function make() {\n  const k = ${k};\n  return () => '${a}' + k;\n}\n`;
      await using lab = await project(node, { 'a.js': text(1, 'a') });
      await lab.value("import { make } from './a.js'\n1");
      expect(await edit(lab, 'a.js', text(2, 'a'))).toBe('swapped a.js: make');
      await lab.value('const made = make()');
      expect(await edit(lab, 'a.js', text(2, 'b'))).toBe('swapped a.js: make');
      expect(await lab.value('made()')).toBe("'b2'");
    });

    it('lines of imports that are gone are those of the file as it is now', async () => {
      const text = (n: number, above = ''): string => `${above}import { x } from './a.js';\nexport function f() {\n  return ${n};\n}\n`;
      await using lab = await project(node, { 'a.js': 'export const x = 1, y = 2;\n', 'b.js': text(1) });
      await lab.value("import { f } from './b.js'\n1");
      expect(await edit(lab, 'b.js', text(2, '\n\n'))).toBe('swapped b.js: f');
      expect(await edit(lab, 'a.js', 'export const y = 2;\n')).toContain('b.js:3 imports x');
    });
  });
});
