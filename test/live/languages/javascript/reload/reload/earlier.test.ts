// Edits of what an earlier reload brought: the answer stays exact, and what a file does is done once.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeProject } from '../../../../../fixtures/live/projects.ts';
import { type Lab, onEachNode, openLab } from '../../../../fixture.ts';

onEachNode((node) => {
  async function project(
    files: Readonly<Record<string, string>>,
  ): Promise<{ readonly lab: Lab; readonly edit: (file: string, text: string) => Promise<string> }> {
    const lab = await openLab({ node });
    writeProject(lab.folder, { 'package.json': '{ "type": "module" }', ...files });
    const edit = async (file: string, text: string): Promise<string> => {
      writeProject(lab.folder, { [file]: text });
      return (await lab.call('reload')).text;
    };
    return { lab, edit };
  }

  it('an export that was renamed and got its name back is passed on by export * and by name', async () => {
    const text = 'export const one = 1;\nexport function two() { return 2; }\n';
    const { lab, edit } = await project({
      'p.ts': text,
      'star.ts': "export * from './p.js';\n",
      'top.ts': "export * from './star.js';\n",
      'named.ts': "export { one, two } from './p.js';\n",
    });
    await using _ = lab;
    await lab.value("import * as star from './star.ts'; import * as top from './top.ts'; import * as named from './named.ts'; 1");
    await edit('p.ts', text.replace('two()', 'deux()'));
    expect(await lab.value('[Object.keys(star), Object.keys(top)]')).toBe("[ [ 'deux', 'one' ], [ 'deux', 'one' ] ]");
    await edit('p.ts', text);
    expect(await lab.value('[Object.keys(star), Object.keys(top), Object.keys(named)]')).toBe(
      "[ [ 'one', 'two' ], [ 'one', 'two' ], [ 'one', 'two' ] ]",
    );
    expect(await lab.value('[star.two(), top.two(), named.two()]')).toBe('[ 2, 2, 2 ]');
    expect(await lab.value("[typeof (await import('./star.ts')).two, typeof (await import('./star.ts')).deux]")).toBe(
      "[ 'function', 'undefined' ]",
    );
  });

  describe('what an earlier reload added', () => {
    it('stays done where it was a statement, and that is said', async () => {
      const first = 'export const seen: string[] = [];\n';
      const { lab, edit } = await project({ 'st.ts': first });
      await using _ = lab;
      await lab.value("import { seen } from './st.ts'; 1");
      expect(await edit('st.ts', `${first}seen.push('a');\n`)).toBe("swapped st.ts: ran `seen.push('a');`");
      expect(await edit('st.ts', `${first}seen.push('b');\n`)).toBe(
        "swapped st.ts: ran `seen.push('b');` (what `seen.push('a');` did stays done)",
      );
      expect(await edit('st.ts', first)).toBe("unchanged st.ts (what `seen.push('b');` did stays done)");
      expect(await lab.value('seen')).toBe("[ 'a', 'b' ]");
    });

    describe('a class with fields and no constructor', () => {
      const rest = 'export function make() {\n  return new A();\n}\n';
      const classText = (body: string, more = ''): string => `class A {\n  n = 0;\n${more}  hit() {\n    ${body}\n  }\n}\n${rest}`;
      const first = 'export let a = 1;\n';

      it('gets its new bodies, in old instances and new ones', async () => {
        const { lab, edit } = await project({ 'm.ts': first });
        await using _ = lab;
        await lab.value("import * as m from './m.ts'; m.a");
        await edit('m.ts', first + classText('return 1;'));
        expect(await lab.value('const k = m.make(); k.hit()')).toBe('1');
        expect(await edit('m.ts', first + classText('return 2;'))).toBe('swapped m.ts: A');
        expect(await lab.value('[k.hit(), m.make().hit(), k.constructor.name, m.make().n]')).toBe("[ 2, 2, 'A', 0 ]");
      });

      it('is imported anew where it gains a method, which is said', async () => {
        const { lab, edit } = await project({ 'm.ts': first });
        await using _ = lab;
        await lab.value("import * as m from './m.ts'; m.a");
        await edit('m.ts', first + classText('return 1;'));
        expect(await edit('m.ts', first + classText('return 1;', '  more() {\n    return 7;\n  }\n'))).toMatch(
          /^imported anew m\.ts: members of A changed, which an earlier reload added, so its variables begin again/,
        );
        expect(await lab.value('m.make().more()')).toBe('7');
      });
    });

    it('keeps its value where it was a variable, and that is said', async () => {
      const { lab, edit } = await project({ 'v.ts': 'export const get = () => 0;\n' });
      await using _ = lab;
      await lab.value("import { get } from './v.ts'; 1");
      await edit('v.ts', 'let more = 5;\nexport const get = () => more++;\n');
      expect(await edit('v.ts', 'let more = 50;\nexport const get = () => more++;\n')).toBe('unchanged v.ts (more keeps its value)');
      expect(await lab.value('get()')).toBe('5');
    });
  });

  it('a statement that is added after the file was imported anew runs once', async () => {
    const text = "import data from './data.json' with { type: 'json' };\nglobalThis.runs ??= [];\nexport const get = () => data;\n";
    const { lab, edit } = await project({ 'a.ts': text, 'data.json': '[1]' });
    await using _ = lab;
    await lab.value("import { get } from './a.ts'; 1");
    writeProject(lab.folder, { 'data.json': '[2]' });
    await lab.call('reload', { files: ['data.json'] });
    await edit('a.ts', `${text}globalThis.runs.push('added');\n`);
    expect(await lab.value('[runs, get()]')).toBe("[ [ 'added' ], [ 2 ] ]");
  });

  it('a folder means the files in it, and a file that is gone is said to be', async () => {
    const text = "import data from './data.json' with { type: 'json' };\nexport const get = () => data;\n";
    const { lab } = await project({ 'src/a.ts': text, 'src/data.json': '[1]', 'other/b.ts': 'export const b = 1;\n' });
    await using _ = lab;
    await lab.value("import { get } from './src/a.ts'; 1");
    writeProject(lab.folder, { 'src/a.ts': text.replace('=> data', '=> data.length') });
    expect((await lab.call('reload', { files: ['src'] })).text).toBe('swapped src/a.ts: get');
    expect((await lab.call('reload', { files: ['other'] })).text).toBe('nothing in other is loaded');
    writeProject(lab.folder, { 'src/data.json': '[1, 2]' });
    expect((await lab.call('reload', { files: ['src/data.json'] })).text).toContain('so the variables of those that import it begin again');
    rmSync(join(lab.folder, 'src/data.json'));
    expect((await lab.call('reload')).text).toBe(
      'gone src/data.json: what was read from it stays; a fresh start fails where it is imported',
    );
  });

  it('a constant that is made anew loses what was put into it, and that is said', async () => {
    const { lab, edit } = await project({
      'm.ts': 'const orders = new Map<number, number>();\nexport const put = (n: number) => orders.set(n, n).size;\n',
    });
    await using _ = lab;
    await lab.value("import { put } from './m.ts'; put(1); put(2)");
    for (const n of [7, 8]) {
      const said = await edit(
        'm.ts',
        `const orders = new Map<number, number>([[${n}, ${n}]]);\nexport const put = (n: number) => orders.set(n, n).size;\n`,
      );
      expect(said).toContain('orders begins again: what was in the old one is not in it');
      expect(await lab.value('put(1)')).toBe('2');
    }
  });
});
