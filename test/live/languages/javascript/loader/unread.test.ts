// A file that could not be read when it was first imported: once it is corrected, it can be had in the same session.
import { describe, expect, it } from 'vitest';
import { writeProject } from '../../../../fixtures/live/projects.ts';
import { type Lab, onEachNode, openLab } from '../../../fixture.ts';

onEachNode((node) => {
  async function project(files: Readonly<Record<string, string>>): Promise<Lab> {
    const lab = await openLab({ node });
    writeProject(lab.folder, { 'package.json': '{ "type": "module" }', ...files });
    return lab;
  }

  describe('a file with a syntax error', () => {
    it.each([
      ['src/w.ts', 'export const w = ;\n', 'export const w = 1;\n'],
      ['src/w.mjs', 'export const w = (;\n', 'export const w = 1;\n'],
      ['src/w.cjs', 'exports.w = (;\n', 'exports.w = 1;\n'],
      ['src/w.ts', 'enum A { X }\nexport const w = A.X;\nconst w = 2;\n', 'enum A { X = 1 }\nexport const w = A.X;\n'],
    ])('is imported once it is corrected (%s)', async (file, bad, good) => {
      await using lab = await project({ [file]: bad });
      const load = `import { w } from './${file}'; w`;
      for (let time = 0; time < 2; time++) expect((await lab.evaluate(load)).head).toContain('SyntaxError');
      writeProject(lab.folder, { [file]: good });
      expect((await lab.call('reload')).text).toBe(
        `${file} could not be read when it was imported, and has changed since: import it again`,
      );
      expect(await lab.value(load)).toBe('1');
      expect((await lab.call('reload')).text).toBe('Nothing changed on disk.');
    });

    it('is imported by way of files that are right, which run once', async () => {
      const files = {
        'src/a.ts': "import { b } from './b.js';\nimport { side } from './side.js';\nside.count++;\nexport const a = b + 1;\n",
        'src/b.ts': "export { c as b } from './c.js';\n",
        'src/c.ts': 'export const c = (;\n',
        'src/side.ts': 'export const side = { count: 0 };\n',
      };
      await using lab = await project(files);
      await lab.value("import { side } from './src/side.ts'; side.count = 10");
      expect((await lab.evaluate("import { a } from './src/a.ts'; a")).head).toContain('SyntaxError');
      writeProject(lab.folder, { 'src/c.ts': 'export const c = 4;\n' });
      expect(await lab.value("import { a } from './src/a.ts'; [a, side.count]")).toBe('[ 5, 11 ]');
      writeProject(lab.folder, { 'src/c.ts': 'export const c = 7;\n' });
      await lab.call('reload');
      expect(await lab.value("import { b } from './src/b.ts'; b")).toBe('7');
    });
  });

  it('a file that imports what is not there is imported once that is there', async () => {
    const files = {
      'src/a.ts': "import { b } from './b.js';\nexport const a = b;\n",
      'src/c.ts': "export { none } from './d.js';\n",
      'src/d.ts': 'export const one = 1;\n',
    };
    await using lab = await project(files);
    expect((await lab.evaluate("import { a } from './src/a.ts'; a")).isError).toBe(true);
    expect((await lab.evaluate("import { none } from './src/c.ts'; none")).isError).toBe(true);
    writeProject(lab.folder, { 'src/b.ts': 'export const b = 2;\n', 'src/c.ts': "export { one as none } from './d.js';\n" });
    expect(await lab.value("import { a } from './src/a.ts'; import { none } from './src/c.ts'; [a, none]")).toBe('[ 2, 1 ]');
  });

  describe('an edit that imports a file which cannot be read', () => {
    const files = { 'src/index.ts': "export { one } from './one.js';\n", 'src/one.ts': 'export const one = 1;\n' };

    it('is not taken, and taken once the file is corrected', async () => {
      await using lab = await project(files);
      await lab.value("import * as all from './src/index.ts'; all.one");
      writeProject(lab.folder, {
        'src/bad.ts': 'export const x = ;\n',
        'src/index.ts': `${files['src/index.ts']}export { x } from './bad.js';\n`,
      });
      const refused = await lab.call('reload');
      expect([refused.isError, refused.text]).toEqual([
        true,
        expect.stringMatching(/SyntaxError: .*src\/bad\.ts:1:18\)\nNothing was changed\./),
      ]);
      writeProject(lab.folder, { 'src/bad.ts': 'export const x = 9;\n' });
      expect((await lab.call('reload')).text).toContain('swapped src/index.ts: export x');
      expect(await lab.value('all.x')).toBe('9');
    });

    it('says which file is missing, and where it is imported', async () => {
      await using lab = await project(files);
      await lab.value("import * as all from './src/index.ts'; all.one");
      writeProject(lab.folder, { 'src/one.ts': "enum A { X = 1 }\nimport { gone } from './gone.js';\nexport const one = A.X + gone;\n" });
      expect((await lab.call('reload')).text).toBe('src/one.ts:2 imports ./gone.js, and there is no such file\nNothing was changed.');
      writeProject(lab.folder, {
        'src/one.ts': "import gone from 'no-such-package';\nexport const one = 1;\nexport const f = () => gone;\n",
      });
      expect((await lab.call('reload')).text).toContain("Cannot find package 'no-such-package'");
    });
  });

  it('a syntax error is told at its place in the file, not in what was compiled of it', async () => {
    await using lab = await project({
      'src/order.ts': 'export enum Status { New, Paid }\nexport class Order {\n  constructor(readonly id: number) {}\n}\n',
    });
    await lab.value("import { Order } from './src/order.ts'; 1");
    writeProject(lab.folder, {
      'src/order.ts':
        'export enum Status { New, Paid }\nexport class Order {\n  constructor(readonly id: number) {}\n}\nexport let twice = 1;\n\n  let twice = 2;\n',
    });
    expect((await lab.call('reload')).text).toMatch(/SyntaxError: .*src\/order\.ts:7:7\)/);
  });
});
