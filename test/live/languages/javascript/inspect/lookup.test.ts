// lookup: what a name is and where it is used, told without running any of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Lab, onEachNode, openLab } from '../../../fixture.ts';

const shop = `
import { round } from './money.mjs';

/** Anything that has a price. */
export class Priced {
  price() { return 0; }
  static free() { return new this(); }
}

/**
 * What a customer takes home.
 * It is emptied when paid.
 */
export class Cart extends Priced {
  #items = [];
  constructor(currency = 'EUR', { tax = 0 } = {}) { super(); this.currency = currency; this.tax = tax; }
  // Adds one, or several.
  add(item, count = 1) { this.#items.push({ item, count }); return this; }
  get size() { globalThis.ran = 'the getter'; return this.#items.length; }
  set label(text) { this.text = text; }
  price() { return round(this.#items.length); }
  static of(...items) { return items.reduce((cart, item) => cart.add(item), new Cart()); }
}

export const total = async (cart, tax = (1 + 2)) => cart.price() * tax;
export function* walk(cart) { yield cart.add('total'); }
`;

onEachNode((node) => {
  let lab: Lab;
  const look = async (name: string, want?: string): Promise<string> => {
    const { text } = await lab.call('lookup', { name, ...(want !== undefined && { want }) });
    expect(await lab.value('globalThis.ran')).toBe('undefined');
    return text;
  };

  beforeAll(async () => {
    lab = await openLab({ node });
    mkdirSync(join(lab.folder, 'src'));
    writeFileSync(join(lab.folder, 'src/shop.mjs'), shop);
    writeFileSync(join(lab.folder, 'src/money.mjs'), 'export function round(sum) { return Math.round(sum * 100) / 100; }\n');
    writeFileSync(join(lab.folder, 'src/old.cjs'), 'function legacy(a) { return a; }\nmodule.exports = { legacy };\nexports.other = 1;\n');
    await lab.value(
      "import { Cart, walk } from './src/shop.mjs'; import * as app from './src/shop.mjs'; const old = require('./src/old.cjs'); 1",
    );
    await lab.value('const cart = new Cart(); cart.label = "mine"; 1');
    await lab.value('// Doubles.\nfunction twice(n) {\n  return cart.add(n * 2);\n}');
  });

  describe('a summary', () => {
    it('says what a class is, where it stands, what is written above it and how much it has', async () => {
      expect(await look('Cart')).toBe(
        [
          'Cart: class  (src/shop.mjs:14)',
          '  class Cart extends Priced',
          "  constructor(currency = 'EUR', { tax = 0 } = {})",
          'What a customer takes home.',
          'It is emptied when paid.',
          '4 members, 1 static, 1 inherited member: lookup(want: members) lists them.',
        ].join('\n'),
      );
    });

    it('follows dots, through prototypes and modules', async () => {
      expect(await look('Cart.prototype.add')).toBe(
        'Cart.prototype.add: method  (src/shop.mjs:18)\n  add(item, count = 1)\nAdds one, or several.',
      );
      expect(await look('cart.add')).toContain('cart.add: method  (src/shop.mjs:18)');
      expect(await look('app.total')).toBe('app.total: async function  (src/shop.mjs:25)\n  async (cart, tax = (1 + 2)) =>');
      expect(await look('walk')).toContain('walk: generator  (src/shop.mjs:26)');
      expect(await look('old.legacy')).toContain('old.legacy: function  (src/old.cjs:1)');
    });

    it('finds what a cell defined', async () => {
      expect(await look('twice')).toBe('twice: function  (cell-3:2)\n  function twice(n)\nDoubles.');
    });

    it('tells of getters without asking them', async () => {
      expect(await look('Cart.prototype.size')).toContain('Cart.prototype.size: getter  (src/shop.mjs:19)');
      expect(await look('cart.size.length')).toBe('size is a getter: reading it would run code');
    });

    it('shows values, and knows what the platform brings', async () => {
      expect(await look('cart.text')).toBe("cart.text = 'mine'");
      expect(await look('cart')).toMatch(/^cart = Cart \{[\s\S]*\} {3}#\d+\n3 own members, 5 inherited members: /);
      expect(await look('Array.isArray')).toContain('(built in)');
    });

    it('knows exports that were not imported', async () => {
      expect(await look('round')).toBe(
        "round: function  (src/money.mjs:1)\n  function round(sum)\nNot imported here yet: import { round } from './src/money.mjs'",
      );
    });

    it('names those that are near when there is none', async () => {
      expect(await look('cort')).toBe('There is no cort in this session. Near: Cart, cart.');
      expect(await look('cart.nothing')).toBe('There is no nothing');
    });
  });

  it('source is the text with its place, a class as a whole', async () => {
    expect(await look('Cart', 'source')).toBe(`// src/shop.mjs:14\n${/class Cart[\s\S]*?\n\}/.exec(shop)?.[0]}`);
    expect(await look('twice', 'source')).toBe('// cell-3:2\nfunction twice(n) {\n  return cart.add(n * 2);\n}');
    expect(await look('round', 'source')).toContain('// src/money.mjs:1\nfunction round(sum) {');
  });

  it('members are listed level by level', async () => {
    expect(await look('Cart', 'members')).toBe(
      [
        'Cart: class',
        'of instances:',
        '  add(item, count = 1)',
        '  get size',
        '  set label',
        '  price()',
        'inherited from Priced:',
        '  price()',
        'static:',
        '  of(...items)',
        'static, inherited from Priced:',
        '  free()',
      ].join('\n'),
    );
    expect(await look('cart', 'members')).toContain(
      'own:\n  currency: string\n  tax: number\n  text: string\ninherited from Cart:\n  add(item',
    );
  });

  it('members of something huge are bounded', async () => {
    await lab.value('globalThis.huge = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => ["k" + i, i])); 1');
    const text = await look('huge', 'members');
    expect(text).toContain('  … 99950 more');
    expect(text.length).toBeLessThan(2_000);
  });

  it('callers are the lines of files and cells that mention it, not its definition, comments or strings', async () => {
    expect((await look('Cart.prototype.add', 'callers')).split('\n')).toEqual([
      '3 places mention add:',
      expect.stringMatching(/^src\/shop\.mjs:22 {2}static of\(/),
      expect.stringMatching(/^src\/shop\.mjs:26 {2}export function\* walk/),
      'cell-3:3  return cart.add(n * 2);',
    ]);
    expect(await look('Cart', 'callers')).toContain('cell-2:1');
    expect(await look('app.nowhere', 'callers')).toBe('There is no nowhere');
    expect(await look('reduce', 'callers')).toContain('src/shop.mjs:22');
  });

  it('search finds parts of names, whatever their case, among names of the session, exports and globals', async () => {
    await lab.value('globalThis.myCartoon = 1');
    expect((await look('CART', 'search')).split('\n')).toEqual([
      'Cart  declared in this session',
      'cart  declared in this session',
      'Cart  exported by src/shop.mjs:14',
      'myCartoon  global',
    ]);
    expect(await look('legacy', 'search')).toContain('legacy  exported by src/old.cjs:1');
    expect(await look('isNa', 'search')).toContain('isNaN  of the platform');
    expect(await look('qqqq', 'search')).toContain('No name contains "qqqq"');
  });

  it.each([
    "Cart'); process.exit(//",
    'process.exit(1)',
    '(globalThis.ran = 1)',
    'x`$' + '{globalThis.ran = 1}`',
    'import("x")',
    '',
    '.',
    '#99999',
    'a\u0000b',
  ])('E27 the name %j is data, and nothing is run', async (name) => {
    for (const want of ['summary', 'source', 'members', 'callers', 'search']) await look(name, want);
    expect(await lab.value('globalThis.ran')).toBe('undefined');
  });

  it('E11 runs neither traps of proxies nor what was patched', async () => {
    await lab.value(`
      globalThis.trap = new Proxy({}, new Proxy({}, { get() { globalThis.ran = 'a trap'; } }));
      let hidden = globalThis.under = Object.create(globalThis.trap);
      Object.defineProperty(globalThis, 'lazy', { get() { globalThis.ran = 'lazy'; }, configurable: true });
      1`);
    for (const want of ['summary', 'source', 'members', 'callers']) {
      for (const name of ['trap', 'trap.x', 'under', 'under.x', 'hidden', 'lazy', 'lazy.x']) await look(name, want);
    }
    expect(await look('trap', 'members')).toBe('trap is a Proxy, or stands behind one: looking into it would run code.');
    expect(await look('under.x')).toBe('x is behind a Proxy: reading it would run code');
    const patched =
      "for (const name of ['ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf']) Reflect[name] = () => { globalThis.ran = name; }; 1";
    await lab.value(`${patched}; Array.prototype[Symbol.iterator] = String.prototype.slice = () => { globalThis.ran = 'patched'; }; 1`);
    for (const want of ['summary', 'source', 'members', 'callers']) expect(await look('Cart', want)).toContain('Cart');
  });

  it('reads TypeScript by the lines it was written on', async () => {
    const text =
      'interface Item { name: string }\n\n/** Of paper. */\nexport class Bag<T extends Item> {\n  private items: T[] = [];\n\n  /** Fills it. */\n  put(item: T): this {\n    return this;\n  }\n}\nexport enum Size { Small, Large }\n';
    writeFileSync(join(lab.folder, 'src/bag.ts'), text);
    const session = await lab.open();
    expect((await lab.evaluate("import { Bag } from './src/bag.ts'; 1", { session })).isError).toBe(false);
    const found = async (name: string): Promise<string> => (await lab.call('lookup', { name, session })).text;
    expect(await found('Bag')).toMatch(/^Bag: class {2}\(src\/bag\.ts:4\)\n {2}class Bag\s*\nOf paper\.\n/);
    expect(await found('Bag.prototype.put')).toBe('Bag.prototype.put: method  (src/bag.ts:8)\n  put(item)\nFills it.');
    expect(await found('Size')).toContain('Size: export  (src/bag.ts:12)');
  });

  it('many at once do not disturb each other', async () => {
    const session = await lab.open();
    await lab.value('function one() {}; globalThis.big = { a: { b: 1 } }; 1', { session });
    const calls = Array.from({ length: 40 }, (_, at) =>
      at % 2 === 0
        ? lab.call('lookup', { name: 'one', want: 'source', session })
        : lab.call('inspect', { target: 'big', path: ['a'], session }),
    );
    expect((await Promise.all(calls)).filter(({ isError }) => isError)).toEqual([]);
  });

  it('works while the program is busy', async () => {
    const session = await lab.open();
    const { code, seen } = lab.mark();
    const busy = lab.evaluate(`function later() {}; ${code}; globalThis.go = true; while (globalThis.go);`, { session });
    await seen();
    expect((await lab.call('lookup', { name: 'later', session })).text).toContain('later: function  (cell-1:1)');
    await lab.call('sessions', { action: 'interrupt', session });
    await busy;
  });
});
