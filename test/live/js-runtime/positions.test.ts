// Errors and paused frames are told where the user wrote them: to the line and the column.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeProject } from '../../fixtures/live/projects.ts';
import { type Lab, onEachNode, openLab } from '../fixture.ts';

/** Where `mark` stands in a text, as `line:column`. */
function at(text: string, mark: string): string {
  const lines = text.slice(0, text.indexOf(mark)).split('\n');
  return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
}

/** The places of the frames in `file`, of an error and of a pause. */
async function places(lab: Lab, code: string, file: string): Promise<{ readonly error: string[]; readonly paused: string[] }> {
  const found = (text: string): string[] =>
    [...text.matchAll(new RegExp(`\\b${file.replace('.', '\\.')}:(\\d+:\\d+)`, 'g'))].map(([, one = '']) => one);
  const error = found((await lab.evaluate(code)).text);
  const paused = found((await lab.evaluate(code, { on_error: 'pause' })).text);
  await lab.call('debug', { action: 'abort' });
  return { error, paused };
}

onEachNode((node) => {
  describe('in a cell', () => {
    it.each([
      ['that awaits', 'await null; const a = 1; null.x'],
      ['that imports', "import { join } from 'node:path'; join('a'); null.x"],
      ['over several lines', "const a = 1, b = 2\nimport { join } from 'node:path'\nlet c = a; null.x\n"],
      ['that declares', 'let first = 1, second = (() => null)(); null.x'],
      ['with an import() and a class', "class A {}; import('node:fs'); null.x"],
    ])('%s', async (_, code) => {
      await using lab = await openLab({ node });
      const { text } = await lab.evaluate(code);
      expect(text).toContain(`cell-1:${at(code, 'x')}`);
      const paused = await lab.evaluate(code, { on_error: 'pause' });
      expect(paused.text).toContain(`cell-2:${at(code, 'x')}`);
    });

    it('with functions of its own in the same line', async () => {
      await using lab = await openLab({ node });
      const code = 'await null; function bad() { null.x }; bad()';
      const { text } = await lab.evaluate(code);
      expect(text).toContain(`bad (cell-1:${at(code, 'x }')})`);
      expect(text).toContain(`cell-1:1:${code.lastIndexOf('bad') + 1}`);
    });
  });

  const parts = `enum Color {\n  Red,\n  Green,\n}\nexport class Box {\n  constructor(private readonly size: number) {}\n  open(key: string): never {\n    const said = key + Color[0] + this.size;\n    throw new Error(said);\n  }\n}\n`;

  it('in a file that the compiler of types moves', async () => {
    await using lab = await openLab({ node });
    writeProject(lab.folder, { 'package.json': '{ "type": "module" }', 'box.ts': parts });
    await lab.value("import { Box } from './box.ts'");
    const { error, paused } = await places(lab, "new Box(1).open('a')", 'box.ts');
    expect(error).toEqual([at(parts, 'new Error')]);
    expect(paused).toEqual([at(parts, 'throw new')]);
  });

  it.each([
    ['box.ts', parts],
    [
      'box.mjs',
      'export class Box {\n  open(key) {\n    const said = key;\n    throw new Error(said);\n  }\n}\nexport const arrow = (key) => new Box().open(key);\n',
    ],
    ['box.cjs', 'class Box {\n  open(key) {\n    const said = key;\n    throw new Error(said);\n  }\n}\nmodule.exports = { Box };\n'],
  ])('in %s after it was swapped', async (file, text) => {
    await using lab = await openLab({ node });
    writeProject(lab.folder, { 'package.json': '{ "type": "module" }', [file]: text });
    await lab.value(`import { Box } from './${file}'\nconst box = new Box(1)`);
    const call = "box.open('a')";
    // Moved down, with a word more before the place, and a method that was not there.
    const edited = `// One line\n// and another\n${text}`
      .replace('const said = key', 'const word = key;\n    const said = word')
      .replace('throw new Error(said)', "if (said) throw new Error('no ' + said)")
      .replace(/^( {2})open/m, '  added() {\n    return null.x;\n  }\n  open');
    writeFileSync(join(lab.folder, file), edited);
    expect((await lab.call('reload')).text).toMatch(/^swapped .*Box\.open, Box\.added/);
    const { error, paused } = await places(lab, call, file);
    expect(error).toEqual([at(edited, 'new Error')]);
    expect(paused).toEqual([at(edited, 'throw new')]);
    const added = await places(lab, 'box.added()', file);
    expect(added.error).toEqual([at(edited, 'x;')]);
    expect(added.paused).toEqual([at(edited, 'x;')]);
    // And a second time.
    const again = edited.replace('// and another\n', '').replace('const word = key', 'const word = [key].join()');
    writeFileSync(join(lab.folder, file), again);
    expect((await lab.call('reload')).text).toMatch(/^swapped /);
    expect(await places(lab, call, file)).toEqual({ error: [at(again, 'new Error')], paused: [at(again, 'throw new')] });
  });
});
