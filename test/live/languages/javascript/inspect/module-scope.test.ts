// evaluate(in: file): what a module does not export is read, assigned and awaited where it is.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeProject } from '../../../../fixtures/live/projects.ts';
import { eventually, type Lab, onEachNode, openLab } from '../../../fixture.ts';

const here = fileURLToPath(new URL('../../../../../dist/live/languages/javascript/here.js', import.meta.url));

const typed = `import { rate } from './rate.js';
interface Line { readonly price: number }
const lines: Line[] = [{ price: 5 }];
let discount = 1;
const run = 'the name of the tail itself';
class Cart { #pin = 7; total(): number { return lines.reduce((sum, one) => sum + one.price, 0) * rate * discount; } }
const cart = new Cart();
async function later<T>(value: T): Promise<T> { await new Promise((done) => setTimeout(done, 5)); return value; }
export function total(): number { return cart.total(); }
`;
const common = `const { rate } = require('./rate.cjs');
const lines = [{ price: 5 }];
let discount = 1;
class Cart { total() { return lines.reduce((sum, one) => sum + one.price, 0) * rate * discount; } }
const cart = new Cart();
exports.total = () => cart.total();
exports.later = async (value) => value;
`;
const files = {
  'src/app.ts': typed,
  'src/rate.ts': 'export const rate: number = 2;\n',
  'src/app.cjs': common,
  'src/rate.cjs': 'exports.rate = 2;\n',
  'package.json': '{ "type": "module" }',
};

onEachNode((node) => {
  async function shop(file = 'src/app.ts'): Promise<Lab> {
    const lab = await openLab({ node });
    writeProject(lab.folder, files);
    await lab.evaluate(file.endsWith('.cjs') ? `const { total } = require('./${file}')` : `import { total } from './${file}'`);
    return lab;
  }

  describe('a file of the project', () => {
    it.each(['src/app.ts', 'src/app.cjs'])('has its own variables read and assigned (%s)', async (file) => {
      await using lab = await shop(file);
      expect(await lab.value('[lines, discount, rate, cart.total()]', { in: file })).toBe('[ [ { price: 5 } ], 1, 2, 10 ]');
      expect(await lab.value('discount = 3', { in: file })).toBe('3');
      expect(await lab.value('total()')).toBe('30');
      expect(await lab.value('lines.push({ price: 1 }); cart.total()', { in: file })).toBe('36');
    });

    it('is awaited in, and code that goes on afterwards is still in its scope', async () => {
      await using lab = await shop();
      expect(await lab.value('const old = discount; discount = await later(10); old + discount', { in: 'src/app.ts' })).toBe('11');
      await lab.evaluate('const up = () => ++discount; globalThis.up = up', { in: 'src/app.ts' });
      expect(await lab.value('up(); up(); total()')).toBe('120');
    });

    it('hides none of its names behind one of ours, and lets cells keep theirs', async () => {
      await using lab = await shop();
      expect(await lab.value('run', { in: 'src/app.ts' })).toBe("'the name of the tail itself'");
      await lab.evaluate('let mine = 1');
      expect(await lab.value('mine = discount + 1; const lines = 0; [mine, lines]', { in: 'src/app.ts' })).toBe('[ 2, 0 ]');
      expect(await lab.value('[mine, total()]')).toBe('[ 2, 10 ]');
    });

    it('takes types, dynamic imports from its own folder, and import.meta', async () => {
      await using lab = await shop();
      expect(await lab.value('const n: number = discount as number; n satisfies number; n', { in: 'src/app.ts' })).toBe('1');
      expect(await lab.value("(await import('./rate.js')).rate === rate", { in: 'src/app.ts' })).toBe('true');
      expect(await lab.value('import.meta.filename', { in: 'src/app.ts' })).toContain('src/app.ts');
    });

    it('is named as an import would name it, and gives the value of the last statement', async () => {
      await using lab = await shop();
      for (const file of ['src/app.js', 'src/app', './src/app.ts']) expect(await lab.value('discount', { in: file })).toBe('1');
      expect(await lab.value("if (discount > 5) 'more'; else { 'less' }", { in: 'src/app.ts' })).toBe("'less'");
      expect(await lab.value("try { discount.x.y } catch { 'caught' }", { in: 'src/app.ts' })).toBe("'caught'");
      expect(await lab.value('const double = discount * 2', { in: 'src/app.ts' })).toBe('2');
    });

    it('is reached after any number of reloads, each with what runs now', async () => {
      await using lab = await shop();
      for (const more of [1, 2, 3]) {
        writeFileSync(join(lab.folder, 'src/app.ts'), typed.replace('* discount', `* discount + ${more}`));
        expect((await lab.call('reload')).text).toContain('swapped src/app.ts: Cart.total');
        expect(await lab.value('discount = discount + 1; cart.total()', { in: 'src/app.ts' })).toBe(String(10 * (more + 1) + more));
      }
      writeFileSync(join(lab.folder, 'src/app.ts'), `${typed}let extra = 5;\nexport const more = () => extra;\n`);
      await lab.call('reload');
      expect(await lab.value('[discount, total()]', { in: 'src/app.ts' })).toBe('[ 4, 40 ]');
    });

    it('has errors told with their places, in the cell and in the file', async () => {
      await using lab = await shop();
      const thrown = await lab.evaluate('discount = 2;\n  missing + 1', { in: 'src/app.ts' });
      expect(thrown.head).toContain('ReferenceError: missing is not defined');
      expect(thrown.text).toMatch(/cell-\d+:2:3\b/);
      expect(await lab.value('total()')).toBe('20');
      expect((await lab.evaluate('rate = 3', { in: 'src/app.ts' })).head).toContain('Assignment to constant variable');
      const inner = await lab.evaluate('null.x', { in: 'src/app.ts' });
      expect(inner.text).toMatch(/cell-\d+:1:6\b/);
    });

    it('is interrupted, and keeps everything', async () => {
      await using lab = await shop();
      const stopped = await lab.evaluate('discount = 5; for (;;);', { in: 'src/app.ts', timeout_ms: 3_000 });
      expect(stopped.head).toContain('[INTERRUPTED]');
      expect(await lab.value('total()')).toBe('50');
    });

    it('is not run any more where it is stopped before it began', async () => {
      await using lab = await shop();
      const stopped = await lab.evaluate('discount = 5; for (;;);', { in: 'src/app.ts', timeout_ms: 1 });
      expect(stopped.head).toContain('[INTERRUPTED]');
      expect(await lab.value('typeof total()')).toBe("'number'");
    });

    it('can be paused in at an error', async () => {
      await using lab = await shop();
      const paused = await lab.evaluate('const held = lines.length; null.x', { in: 'src/app.ts', on_error: 'pause' });
      expect(paused.head).toContain('[PAUSED]');
      expect((await lab.call('debug', { action: 'eval', code: 'held + discount' })).text).toContain('2');
      await lab.call('debug', { action: 'abort' });
    });

    it.each([
      ['nothing.ts', '1', 'There is no file nothing.ts'],
      ['src/ap.ts', '1', 'There is no file src/ap.ts: did you mean src/app.ts?'],
      ['app.ts', '1', 'There is no file app.ts: did you mean src/app.ts?'],
      ['src', '1', 'in takes a file, not a folder: src/'],
      ['', '1', 'in takes a file, not a folder: src/'],
      ['package.json', '1', 'package.json is no program: it has no scope to run in'],
      ['src/rate.cjs', '1', 'src/rate.cjs is not loaded: import it first'],
      ['src/app.ts', "import './rate.js'", 'use await import(…)'],
      ['src/app.ts', 'export const x = 1', 'by an edit and reload'],
      ['src/app.ts', 'cart.#pin', 'in reach of their own class only'],
      ['src/app.ts', 'discount +', 'Unexpected token'],
    ])('says what cannot be done (in %s: %s)', async (file, code, words) => {
      await using lab = await shop();
      const refused = await lab.evaluate(code, { in: file });
      expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining(words)]);
      expect(await lab.value('discount', { in: 'src/app.ts' })).toBe('1');
    });

    it('is restored in a session that was saved', async () => {
      await using lab = await shop();
      await lab.evaluate('discount = 4', { in: 'src/app.ts' });
      await lab.call('sessions', { action: 'save', name: 'kept' });
      const restored = await lab.call('sessions', { action: 'restore', name: 'kept' });
      expect(await lab.value('total()', { session: restored.structured.session })).toBe('40');
    });
  });

  describe('a program with vivarium/here', () => {
    async function begin(flags: readonly string[]): Promise<{ readonly lab: Lab; readonly session: string }> {
      const lab = await openLab({ attach: true });
      writeProject(lab.folder, {
        ...files,
        'main.mjs': "import { total } from './src/app.cjs';\nsetInterval(total, 1000);\n",
        'other.mjs': '',
      });
      const child = spawn(node, [...flags, '--import', here, 'main.mjs'], { cwd: lab.folder, stdio: ['ignore', 'ignore', 'inherit'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      await expect.poll(() => existsSync(join(lab.folder, '.vivarium', `here-${child.pid}.sock`)) || child.exitCode !== null).toBe(true);
      return { lab, session: `here-${child.pid}` };
    }

    it('has the variables of files that were loaded after it read, assigned and awaited', async () => {
      const { lab, session } = await begin([]);
      await using _ = lab;
      await eventually(() => lab.value('discount = await exports.later(3); cart.total()', { in: 'src/app.cjs', session })).toBe('30');
    });

    it('has those of files that another tool loads read, and says that they cannot be assigned', async () => {
      const { lab, session } = await begin(['--import', './other.mjs']);
      await using _ = lab;
      await eventually(() => lab.value('[discount, await 1, cart.total()]', { in: 'src/app.cjs', session })).toBe('[ 1, 1, 10 ]');
      const refused = await lab.evaluate('discount = 2', { in: 'src/app.cjs', session });
      expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('discount of src/app.cjs can be read, not assigned')]);
    });
  });
});
