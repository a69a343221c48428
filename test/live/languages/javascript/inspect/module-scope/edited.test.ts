// evaluate(in: file) after edits: the names are those that the file has by now, whatever it was loaded with.
import { describe, expect, it } from 'vitest';
import { writeProject } from '../../../../../fixtures/live/projects.ts';
import { type Lab, onEachNode, openLab } from '../../../../fixture.ts';

const first = `import { rate } from './rate.js';
let nextId = 1;
const limit = 10;
const label = 'old';
function helper() { return 'helped'; }
export class Order { constructor(readonly id: number) {} }
export function create() { return new Order(nextId++ * rate); }
export function show() { return [label, limit, helper()]; }
`;
const files = {
  'src/store.ts': first,
  'src/rate.ts': 'export const rate = 1;\n',
  'src/other.ts': 'export const rate = 7;\n',
  'src/log.ts': 'export const seen: string[] = [];\nexport function log(text: string) { seen.push(text); return seen.length; }\n',
  'src/plain.cjs': "let count = 1;\nexports.count = () => count;\nexports.kind = () => typeof gone;\nvar gone = 'here';\n",
  'package.json': '{ "type": "module" }',
};
const within = { in: 'src/store.ts' };

onEachNode((node) => {
  async function edited(...texts: readonly string[]): Promise<Lab> {
    const lab = await openLab({ node });
    writeProject(lab.folder, files);
    await lab.value("import * as store from './src/store.ts'; 1");
    for (const text of texts) {
      writeProject(lab.folder, { 'src/store.ts': text });
      expect((await lab.call('reload')).isError).toBe(false);
    }
    return lab;
  }

  describe('a file that was edited', () => {
    it('has the variables, constants, functions, classes and imports that it gained', async () => {
      const more = `let added = 5;\nconst fixed = 6;\nfunction twice() { return added * 2; }\nclass Extra { size = added; }\n`;
      const text = `import { log, seen } from './log.js';\n${first}${more}export const total = () => added + log('total') + seen.length - seen.length;\n`;
      await using lab = await edited(text);
      expect(await lab.value('[added, fixed, twice(), new Extra().size, log("x"), seen]', within)).toBe("[ 5, 6, 10, 5, 1, [ 'x' ] ]");
      expect(await lab.value('added = 8; added++; [added, twice()]', within)).toBe('[ 9, 18 ]');
      expect(await lab.value('({ added } = { added: 20 }); { let added = 1; added = 2; } total()', within)).toBe('22');
      expect(await lab.value('typeof globalThis.added + typeof added')).toBe("'undefinedundefined'");
      for (const name of ['fixed', 'log']) {
        const refused = await lab.evaluate(`${name} = 1`, within);
        expect(refused.head).toMatch(/TypeError: Assignment to constant variable\. .*src\/store\.ts/);
      }
      expect(
        await lab.value(
          '[fixed, typeof log, [1].map((fixed) => { fixed += 1; return fixed; }), (function () { return arguments.length; })(1, 2)]',
          within,
        ),
      ).toBe("[ 6, 'function', [ 2 ], 2 ]");
    });

    it('has those that are another kind of thing, or come from elsewhere', async () => {
      const text = first.replace("const label = 'old';", "function label() { return 'new'; }").replace('./rate.js', './other.js');
      await using lab = await edited(text);
      expect(await lab.value('[typeof label, rate, create().id]', within)).toBe("[ 'function', 7, 7 ]");
    });

    it('has those that it lost no more, unless the session has them', async () => {
      await using lab = await edited(
        first
          .replace(/^function helper.*$/m, '')
          .replace(', helper()', '')
          .replace(/^const limit.*$/m, '')
          .replace(', limit', ''),
      );
      expect((await lab.evaluate('helper()', within)).head).toContain('ReferenceError: helper is not defined');
      expect((await lab.evaluate('limit = 3', within)).head).toContain('ReferenceError: limit is not defined');
      expect(await lab.value('[typeof helper, typeof limit]', within)).toBe("[ 'undefined', 'undefined' ]");
      await lab.evaluate('let limit = 33');
      expect(await lab.value('limit += 1', within)).toBe('34');
      expect(await lab.value('limit')).toBe('34');
    });

    it('tells errors with the columns that were written, also behind names that live elsewhere', async () => {
      await using lab = await edited(`${first}let added = 5;\nexport const more = () => added;\n`);
      const thrown = await lab.evaluate('added + added; null.x', within);
      expect(thrown.text).toMatch(/cell-\d+:1:21\b/);
      expect(thrown.text).not.toContain('__vivarium');
      expect((await lab.evaluate('const a = 1;\n  added + a + null.y', within)).text).toMatch(/cell-\d+:2:20\b/);
      expect((await lab.evaluate('added;  missing + 1', within)).text).toMatch(/cell-\d+:1:9\b/);
      expect((await lab.evaluate('null.z', within)).text).toMatch(/cell-\d+:1:6\b/);
      expect((await lab.evaluate('added()', within)).head).toContain('TypeError: added is not a function');
      expect((await lab.evaluate('added.more.less', within)).head).toMatch(/TypeError: Cannot read properties of undefined/);
      const paused = await lab.evaluate('const held = added; null.x', { ...within, on_error: 'pause' });
      expect(paused.text).toContain('held = 5');
      expect(paused.text).not.toContain('__vivarium');
      await lab.call('debug', { action: 'abort' });
    });
  });

  describe('a name that is nowhere', () => {
    it('is not made by an assignment: the nearest is named', async () => {
      await using lab = await edited();
      const refused = await lab.evaluate('nextID2 = 5', within);
      expect(refused.head).toContain('ReferenceError: nextID2 is not defined: did you mean nextId?');
      expect((await lab.evaluate('nextid + 1', within)).head).toContain('ReferenceError: nextid is not defined: did you mean nextId?');
      expect((await lab.evaluate('zzzzz = 5', within)).head).toMatch(/ReferenceError: zzzzz is not defined$/);
      expect(await lab.value('[typeof nextid, typeof zzzzz, nextId]', within)).toBe("[ 'undefined', 'undefined', 1 ]");
      expect(await lab.value('globalThis.late = 1; late = 2; late', within)).toBe('2');
    });

    it('is not made in a CommonJS file either', async () => {
      await using lab = await edited();
      await lab.value("const plain = require('./src/plain.cjs'); 1");
      expect((await lab.evaluate('cuont = 5', { in: 'src/plain.cjs' })).head).toContain('did you mean count?');
      expect(await lab.value('count = 5; exports.count()', { in: 'src/plain.cjs' })).toBe('5');
    });
  });

  describe('a variable that was removed', () => {
    it('is gone for what still reads or writes it, as after a fresh start', async () => {
      await using lab = await edited(first.replace('let nextId = 1;\n', ''));
      expect((await lab.evaluate('store.create()')).head).toContain('ReferenceError: nextId is not defined');
      writeProject(lab.folder, { 'src/store.ts': first });
      await lab.call('reload');
      expect(await lab.value('store.create().id')).toBe('1');
    });

    it('is undefined for typeof, and becomes a global where the file is not strict', async () => {
      await using lab = await edited();
      await lab.value("const plain = require('./src/plain.cjs'); 1");
      const text = files['src/plain.cjs']
        .replace("var gone = 'here';\n", '')
        .replace('let count = 1;\n', '')
        .replace('=> count', '=> { count = 3; return count; }');
      writeProject(lab.folder, { 'src/plain.cjs': text });
      await lab.call('reload');
      expect(await lab.value('[plain.kind(), plain.count(), globalThis.count]')).toBe("[ 'undefined', 3, 3 ]");
    });
  });
});
