// Everyday edits, each of them in ES modules, CommonJS and TypeScript: the state is kept, or it is said what was not, and why.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeProject } from '../../../../../fixtures/live/projects.ts';
import { type Lab, onEachNode, openLab } from '../../../../fixture.ts';

type Replaced = readonly [from: string | RegExp, to: string];

interface Row {
  readonly edit: string;
  readonly shop: readonly Replaced[];
  readonly app?: readonly Replaced[];
  /** In CommonJS, where it is written otherwise. */
  readonly commonShop?: readonly Replaced[];
  readonly commonApp?: readonly Replaced[];
  readonly says: string | RegExp;
  readonly commonSays?: string | RegExp;
  readonly look: string;
  readonly commonLook?: string;
  readonly sees: string;
  readonly only?: 'typed' | 'module';
}

const computed = 'what was computed from it before keeps its value';

const rows: readonly Row[] = [
  {
    edit: 'change the body of a method',
    shop: [['* tax;', '* tax + 1;']],
    says: 'swapped SHOP: Cart.total',
    look: '[cart.total(), count()]',
    sees: '[ 11, 1 ]',
  },
  {
    edit: 'change the body of a constructor',
    shop: [['created++;', 'created += 10;']],
    says: 'swapped SHOP: Cart.constructor',
    look: 'new Cart(); [made(), count()]',
    sees: '[ 11, 1 ]',
  },
  {
    edit: 'add a method to a class',
    shop: [['  total()', '  first() { return [this.items[0], sold, super.toString === Object.prototype.toString]; }\n  total()']],
    says: 'swapped SHOP: Cart.first',
    look: '[cart.first(), count()]',
    sees: '[ [ 5, 1, true ], 1 ]',
  },
  {
    edit: 'add a method that uses a private field',
    shop: [['  total()', '  secret() { return this.#pin + sold; }\n  total()']],
    says: 'swapped SHOP: Cart.secret',
    look: '[cart.secret(), cart.total(), count()]',
    sees: '[ 8, 10, 1 ]',
  },
  {
    edit: 'add a static method and a getter',
    shop: [['  total()', '  static of(n) { return new Cart().add(n); }\n  get size() { return this.items.length; }\n  total()']],
    says: 'swapped SHOP: Cart.of, Cart.size',
    look: '[cart.size, Cart.of(3).size, count()]',
    sees: '[ 1, 1, 2 ]',
  },
  {
    edit: 'make a method asynchronous',
    shop: [['  total()', '  async total()']],
    says: 'swapped SHOP: Cart.total',
    look: '[await cart.total(), count()]',
    sees: '[ 10, 1 ]',
  },
  {
    edit: 'remove a method',
    shop: [[/ {2}spare\(\).*\n/, '']],
    says: 'swapped SHOP: Cart.spare (removed)',
    look: '[cart.spare, count()]',
    sees: '[ undefined, 1 ]',
  },
  {
    edit: 'change a field, and add one',
    shop: [['#pin = 7;', '#pin = 8;\n  label = "new";']],
    says: 'swapped SHOP: fields of Cart (instances made before keep the fields they have)',
    look: '[cart.label, new Cart().label, count()]',
    sees: "[ undefined, 'new', 1 ]",
  },
  {
    edit: 'add a function, and use it',
    shop: [
      ['sum(this.items)', 'twice(sum(this.items))'],
      ['function sum', 'function twice(n) { return n * 2 + sold; }\nfunction sum'],
    ],
    says: 'swapped SHOP: Cart.total, twice',
    look: '[cart.total(), count()]',
    sees: '[ 22, 1 ]',
  },
  {
    edit: 'add a function and an export, and import it elsewhere',
    shop: [['function sum', 'export function half(n) { sold++; return n / 2; }\nfunction sum']],
    commonShop: [
      ['function sum', 'function half(n) { sold++; return n / 2; }\nfunction sum'],
      ['module.exports = {', 'module.exports = { half,'],
    ],
    app: [
      ['import { count', 'import { half, count'],
      ['return [', 'return [half(8), '],
    ],
    commonApp: [
      ['const { count', 'const { half, count'],
      ['return [', 'return [half(8), '],
    ],
    says: 'swapped SHOP: half\nswapped APP: run, half',
    commonSays: `swapped SHOP: half, module.exports (${computed})\nswapped APP: run, half, count, tax`,
    look: "[run(), (await import('./SHOP')).half(2), count()]",
    commonLook: "[run(), require('./SHOP').half(2), count()]",
    sees: '[ [ 4, 2, 2, 2 ], 1, 3 ]',
  },
  {
    edit: 'change a constant that others import',
    shop: [['tax = 2', 'tax = 3']],
    says: `swapped SHOP: tax (${computed})`,
    commonSays: /^swapped SHOP: tax \(what was computed/,
    look: '[cart.total(), count()]',
    sees: '[ 15, 1 ]',
  },
  {
    edit: 'change a constant, and see it elsewhere',
    only: 'module',
    shop: [['tax = 2', 'tax = 3']],
    says: `swapped SHOP: tax (${computed})`,
    look: '[run(), tax, count()]',
    sees: '[ [ 1, 3, 2 ], 3, 1 ]',
  },
  {
    edit: 'change the first value of a variable',
    shop: [['sold = 0', 'sold = 100']],
    says: 'unchanged SHOP (sold keeps its value)',
    look: 'count()',
    sees: '1',
  },
  {
    edit: 'add an import, and use it',
    shop: [
      [/^/, "import { basename, join as path } from 'node:path';\n"],
      ['return sold', "return [sold, basename('/a/b'), path('c', 'd')]"],
    ],
    commonShop: [
      [/^/, "const { basename, join: path } = require('node:path');\n"],
      ['return sold', "return [sold, basename('/a/b'), path('c', 'd')]"],
    ],
    says: 'swapped SHOP: count, basename, path',
    look: 'count()',
    sees: "[ 1, 'b', 'c/d' ]",
  },
  {
    edit: 'add constants, a variable and a class',
    shop: [
      [
        'function sum',
        'const rates = [1, 2], { length } = rates;\nlet asked = 0;\nclass Rate { now() { return rates[asked++] ?? length; } }\nconst rate = new Rate();\nfunction sum',
      ],
      ['return sold', 'return [sold, rate.now(), rate instanceof Rate, rate.constructor.name]'],
    ],
    says: 'swapped SHOP: count, rates, length, asked, Rate, rate',
    look: '[count(), count(), count()]',
    sees: "[ [ 1, 1, true, 'Rate' ], [ 1, 2, true, 'Rate' ], [ 1, 2, true, 'Rate' ] ]",
  },
  {
    edit: 'make a function asynchronous',
    shop: [
      ['export function count', 'export async function count'],
      [/^function count/m, 'async function count'],
    ],
    says: 'swapped SHOP: count',
    commonSays: 'swapped SHOP: count',
    look: '[await (run()[0]), await count()]',
    sees: '[ 1, 1 ]',
    only: 'module',
  },
  {
    edit: 'add something that is done when the file is loaded',
    shop: [['log.push("loaded");', 'log.push("loaded");\nlog.push("more " + sold);']],
    says: 'swapped SHOP: ran `log.push("more " + sold);`',
    look: '[seen(), count()]',
    sees: "[ [ 'loaded', 'more 1' ], 1 ]",
  },
  {
    edit: 'remove what was done when the file was loaded',
    shop: [['log.push("loaded");', '']],
    says: 'unchanged SHOP (what `log.push("loaded");` did stays done)',
    look: '[seen(), count()]',
    sees: "[ [ 'loaded' ], 1 ]",
  },
  {
    edit: 'change what is done when the file is loaded',
    shop: [['log.push("loaded");', 'log.push("changed");']],
    says: /^imported anew SHOP with APP: `log\.push\("changed"\);` changed, so its variables begin again; /,
    look: '[seen(), count()]',
    sees: "[ [ 'changed' ], 0 ]",
  },
  {
    edit: 'change what a class extends',
    shop: [
      ['class Cart {', 'class Cart extends Array {'],
      ['constructor() {', 'constructor() { super();'],
    ],
    says: /^imported anew SHOP with APP: what Cart extends changed, so its variables begin again; /,
    look: '[new Cart() instanceof Array, cart instanceof Cart, count()]',
    sees: '[ true, false, 0 ]',
  },
  {
    edit: 'add a private field',
    shop: [['#pin = 7;', '#pin = 7;\n  #pad = 1;']],
    says: /^imported anew SHOP with APP: the private fields of Cart changed, so its variables begin again; /,
    look: '[cart instanceof Cart, count()]',
    sees: '[ false, 0 ]',
  },
  {
    edit: 'add an enum, and use it',
    only: 'typed',
    shop: [
      ['function sum', 'enum Size { Small, Large }\nfunction sum'],
      ['return sold', 'return [sold, Size.Large, Size[0]]'],
    ],
    says: 'swapped SHOP: count, Size',
    look: 'count()',
    sees: "[ 1, 1, 'Small' ]",
  },
];

const shop = `const log = [];
log.push("loaded");
export const tax = 2;
let sold = 0, created = 0;
export class Cart {
  items = [];
  #pin = 7;
  constructor() { created++; }
  add(n) { sold++; this.items.push(n); return this; }
  spare() { return 'spare'; }
  total() { return sum(this.items) * tax; }
}
export function count() { return sold; }
export const made = () => created;
export const seen = () => log;
function sum(all) { return all.reduce((a, b) => a + b, 0); }
`;
const commonShop = `${shop.replaceAll('export ', '')}module.exports = { tax, Cart, count, made, seen };\n`;
const app = `import { count, tax } from './SHOP';\nlet calls = 0;\nexport const run = () => { calls++; return [count(), tax, calls]; };\n`;
const commonApp = `const { count, tax } = require('./SHOP');\nlet calls = 0;\nexports.run = () => { calls++; return [count(), tax, calls]; };\n`;
const typed = (text: string): string =>
  text
    .replace('add(n)', 'add(n: number): this')
    .replace('function sum(all)', 'function sum(all: number[]): number')
    .replace('log = []', 'log: string[] = []')
    .replace('items = []', 'items: number[] = []');

const kinds = [
  { kind: 'ES modules', shop: ['shop.mjs', shop], app: ['app.mjs', app], common: false, typed: false },
  { kind: 'CommonJS', shop: ['shop.cjs', commonShop], app: ['app.cjs', commonApp], common: true, typed: false },
  { kind: 'TypeScript', shop: ['shop.ts', typed(shop)], app: ['app.ts', app], common: false, typed: true },
] as const;

function replaced(text: string, edits: readonly Replaced[]): string {
  return edits.reduce((all, [from, to]) => all.replace(from, () => to), text);
}

function change(lab: Lab, file: string, edits: readonly Replaced[]): void {
  const path = join(lab.folder, file);
  writeFileSync(path, replaced(readFileSync(path, 'utf8'), edits));
}

onEachNode((node) => {
  describe.each(kinds)('in $kind', ({ shop: [shopFile, shopText], app: [appFile, appText], common, typed: isTyped }) => {
    const named = (text: string): string => text.replaceAll('SHOP', shopFile).replaceAll('APP', appFile);
    const wanted = rows.filter(({ only }) => only === undefined || (only === 'typed' ? isTyped : !common));
    it.each(wanted.map((row) => [row.edit, row] as const))('%s', async (_, row) => {
      await using lab = await openLab({ node });
      writeProject(lab.folder, { 'package.json': '{ "type": "module" }', [shopFile]: named(shopText), [appFile]: named(appText) });
      await lab.value(
        named("import { Cart, count, made, seen, tax } from './SHOP'\nimport { run } from './APP'\nconst cart = new Cart().add(5)\nrun()"),
      );
      await lab.value('cart.total()');
      change(lab, shopFile, (common ? row.commonShop : undefined) ?? row.shop);
      const inApp = (common ? row.commonApp : undefined) ?? row.app;
      if (inApp !== undefined) change(lab, appFile, inApp);
      const says = (common ? row.commonSays : undefined) ?? row.says;
      const { text } = await lab.call('reload');
      if (typeof says === 'string') expect(text).toBe(named(says));
      else expect(text).toMatch(new RegExp(named(says.source).replaceAll(/(?<!\\)\.([cm]?[jt]s)/g, '\\.$1')));
      expect(await lab.value(named((common ? row.commonLook : undefined) ?? row.look))).toBe(row.sees);
      expect((await lab.call('reload')).text).toBe('Nothing changed on disk.');
    });

    it('one edit after the other, each on what runs by then, and all of them undone', async () => {
      await using lab = await openLab({ node });
      writeProject(lab.folder, { 'package.json': '{ "type": "module" }', [shopFile]: named(shopText), [appFile]: named(appText) });
      await lab.value(
        named("import { Cart, count, made } from './SHOP'\nimport { run } from './APP'\nconst cart = new Cart().add(5)\nrun()"),
      );
      // Compiled for speed by now, where constants are taken for granted.
      await lab.value('for (let i = 0; i < 100_000; i++) cart.total()');
      const edit = async (...edits: Replaced[]): Promise<string> => {
        change(lab, shopFile, edits);
        const { text } = await lab.call('reload');
        expect(text).toMatch(/^swapped /);
        return lab.value('[cart.total(), cart.first?.(), cart.last?.(), count()]');
      };
      expect(await edit(['  total()', '  first() { return 1; }\n  total()'])).toBe('[ 10, 1, undefined, 1 ]');
      expect(
        await edit(
          ['tax = 2', 'tax = 3'],
          ['return 1;', 'return twice(tax);'],
          ['function sum', 'function twice(n) { return n * 2; }\nfunction sum'],
        ),
      ).toBe('[ 15, 6, undefined, 1 ]');
      expect(await edit(['n * 2', 'n * 3'], ['  first()', '  last() { return twice(sold); }\n  first()'])).toBe('[ 15, 9, 3, 1 ]');
      writeFileSync(join(lab.folder, shopFile), named(shopText));
      expect(await edit()).toBe('[ 10, undefined, undefined, 1 ]');
      expect((await lab.call('reload')).text).toBe('Nothing changed on disk.');
    });
  });
});
