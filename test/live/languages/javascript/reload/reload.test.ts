// From a saved file to new behaviour in the running program, with its state.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { javascript } from 'vivarium/live';
import { type Files, writeProject } from '../../../../fixtures/live/projects.ts';
import { type Answer, type Lab, onEachNode, openLab } from '../../../fixture.ts';

async function project(node: string, files: Files): Promise<Lab> {
  const lab = await openLab({ node });
  writeProject(lab.folder, { 'package.json': '{ "type": "module" }', ...files });
  return lab;
}

function save(lab: Lab, file: string, text: string): void {
  writeFileSync(join(lab.folder, file), text);
}

function reload(lab: Lab, files?: readonly string[]): Promise<Answer> {
  return lab.call('reload', files === undefined ? {} : { files });
}

const paths = (to: string, include: string): string =>
  JSON.stringify({ compilerOptions: { paths: { '@b': [`./${to}.ts`] } }, include: [include] });

const cart = (price: string, more = ''): string => `
let made = 0;
interface Item { price: number }
export class Cart {
  items: Item[] = [];
  constructor() { made++; }
  add(price: number): this { this.items.push({ price }); return this; }
  total(): number { return ${price}; }
}
export function count(): number { return made; }
export const label = (cart: Cart): string => 'cart of ' + cart.items.length;
${more}`;
const sum = 'this.items.reduce((all, one) => all + one.price, 0)';

onEachNode((node) => {
  describe('functions that changed are swapped', () => {
    it('in TypeScript: instances, module variables and arrows keep what they have', async () => {
      await using lab = await project(node, { 'src/cart.ts': cart(sum) });
      await lab.value("import { Cart, count, label } from './src/cart'\nconst one = new Cart().add(2).add(3)\none.total()");
      save(lab, 'src/cart.ts', cart(`${sum} * 10 + made`).replace("'cart of '", "'basket of '"));
      expect((await reload(lab)).text).toBe('swapped src/cart.ts: Cart.total, label');
      expect(await lab.value('[one.total(), count(), label(one), new Cart().total(), one instanceof Cart]')).toBe(
        "[ 51, 1, 'basket of 2', 2, true ]",
      );
      expect((await reload(lab)).text).toBe('Nothing changed on disk.');
      save(
        lab,
        'src/cart.ts',
        cart('7').replace("'cart of ' + cart.items.length", "{ const n = cart.items.length; return 'bag of ' + n; }"),
      );
      expect((await reload(lab)).text).toBe('swapped src/cart.ts: Cart.total, label');
      expect(await lab.value('[one.total(), count(), label(one)]')).toBe("[ 7, 2, 'bag of 2' ]");
    });

    it('and of a file that is gone is said once that its code runs on; one that never was is an error', async () => {
      await using lab = await project(node, { 'a.js': 'export const a = () => 1;\n' });
      await lab.value("import { a } from './a.js'\na()");
      rmSync(join(lab.folder, 'a.js'));
      expect((await reload(lab)).text).toBe('gone a.js: what was loaded from it runs on; sessions(action: reset) gives a fresh image');
      expect((await reload(lab)).text).toBe('Nothing changed on disk.');
      expect(await lab.value('a()')).toBe('1');
      for (const file of ['b.js', 'b.json']) {
        const { text, isError } = await reload(lab, [file]);
        expect([text, isError]).toEqual([`there is no file ${file}\nNothing was changed.`, true]);
      }
      save(lab, 'a.js', 'export const a = () => 2;\n');
      expect((await reload(lab)).text).toBe('swapped a.js: a');
      expect(await lab.value('a()')).toBe('2');
    });

    it('in JavaScript: closures keep what they hold, and may use what no function used before', async () => {
      const counter = (body: string): string =>
        `import { join } from 'node:path';\nconst unused = 'was unused';\nexport const counter = () => {\n  let n = 0;\n  return () => {\n    ${body}\n  };\n};\n`;
      await using lab = await project(node, { 'counter.js': counter('return ++n;') });
      await lab.value("import { counter } from './counter.js'\nconst next = counter()\nnext()");
      save(lab, 'counter.js', `// A comment above.\n\n${counter("n += 10; return [join('a', 'b'), unused, n];")}`);
      expect((await reload(lab)).text).toBe('swapped counter.js: counter');
      expect(await lab.value('next()')).toBe("[ 'a/b', 'was unused', 11 ]");
    });

    it("in a running server: its handler changes between two requests, and the server's state stays", async () => {
      const server = (said: string): string =>
        `import { createServer } from 'node:http';\nlet hits = 0;\nfunction handle(request, response) {\n  hits++;\n  response.end(${said});\n}\nexport const server = createServer((request, response) => handle(request, response)).listen(0, '127.0.0.1');\n`;
      await using lab = await project(node, { 'server.js': server("'old ' + hits") });
      await lab.value(
        "import { server } from './server.js'\nimport { once } from 'node:events'\nif (!server.listening) await once(server, 'listening')",
      );
      const ask = "await (await fetch('http://127.0.0.1:' + server.address().port)).text()";
      expect(await lab.value(ask)).toBe("'old 1'");
      save(lab, 'server.js', server("'new ' + hits"));
      expect((await reload(lab)).text).toBe('swapped server.js: handle');
      expect(await lab.value(ask)).toBe("'new 2'");
    });

    it.each(['cjs', 'cts'])('in CommonJS, with .%s', async (extension) => {
      const bank = (rate: string): string =>
        `const { inspect } = require('node:util');\nlet money = 1;\nclass Account {\n  rate() { return ${rate}; }\n}\nexports.Account = Account;\nexports.earn = () => { money++; return money; };\nexports.shown = () => money;\n`;
      await using lab = await project(node, { [`bank.${extension}`]: bank('1') });
      await lab.value(`const { Account, earn, shown } = require('./bank.${extension}')\nconst mine = new Account()\nearn()`);
      save(
        lab,
        `bank.${extension}`,
        bank('inspect(2 + money)').replace('exports.shown = () => money', "exports.shown = () => 'm' + money"),
      );
      expect((await reload(lab)).text).toBe(`swapped bank.${extension}: Account.rate, shown`);
      expect(await lab.value('[mine.rate(), shown(), earn()]')).toBe("[ '4', 'm2', 3 ]");
    });

    it.each(['ts', 'cts'])('in .%s with functions that were added, and state stays', async (extension) => {
      const file = `shop.${extension}`;
      const say = extension === 'ts' ? 'export const' : 'exports.';
      const shop = (price: string, more = ''): string =>
        `let sold = 0;\n${more}\n${say}${extension === 'ts' ? ' ' : ''}sell = (n: number): unknown => {\n  sold += n;\n  return ${price};\n};\n`;
      await using lab = await project(node, { [file]: shop('sold') });
      await lab.value(`import { sell } from './${file}'\nsell(1)`);
      save(
        lab,
        file,
        shop(
          '[discount(n), { discount }]',
          'function discount(n: number): number { return base() * sold - n; }\nfunction base(): number { return 100; }',
        ),
      );
      expect((await reload(lab)).text).toBe(`swapped ${file}: sell, discount, base`);
      expect(await lab.value('sell(1)[0]')).toBe('199');
      expect((await reload(lab)).text).toBe('Nothing changed on disk.');
      save(lab, file, shop('discount(n)', 'function discount(n: number): number { return sold * 2; }'));
      expect((await reload(lab)).text).toBe(`swapped ${file}: sell, discount, base (removed)`);
      expect(await lab.value('sell(1)')).toBe('6');
    });

    it.each(['js', 'cjs'])('in .%s where the new text begins with the old one', async (extension) => {
      const file = `tight.${extension}`;
      const text = (f: string, g: string): string =>
        extension === 'js'
          ? `let n = 1; export function f() ${f}; export const g = (x) => ${g}; f(g);\n`
          : `let n = 1; exports.f = function () ${f}; exports.g = (x) => ${g}; exports.f(exports.g);\n`;
      await using lab = await project(node, { [file]: text('{ return n }', 'x') });
      await lab.value(`import { f, g } from './${file}'\nf()`);
      save(lab, file, text('{ if (n > 0) { return n + 1 } else { return n } }', 'x + x'));
      expect((await reload(lab)).text).toBe(`swapped ${file}: f, g`);
      expect(await lab.value('[f(), g(2)]')).toBe('[ 2, 4 ]');
      save(lab, file, text('{ if (n > 0) { return n + 1 } else { return n } return 1 }', 'x + x + x'));
      expect((await reload(lab)).text).toBe(`swapped ${file}: f, g`);
      expect(await lab.value('[f(), g(2)]')).toBe('[ 2, 6 ]');
    });

    it('in a file whose enums moved its lines', async () => {
      const light = (text: string): string =>
        `enum Color { Red, Green }\nlet seen = 0;\nexport function show(): string {\n  seen++;\n  return ${text};\n}\n`;
      await using lab = await project(node, { 'light.ts': light('Color[0] + seen') });
      await lab.value("import { show } from './light'\nshow()");
      save(lab, 'light.ts', light('Color[1] + seen'));
      expect((await reload(lab)).text).toBe('swapped light.ts: show');
      expect(await lab.value('show()')).toBe("'Green2'");
    });
  });

  describe('what cannot be swapped is imported anew', () => {
    it('an ES module whose default export changed, with those that import it, and cells get the new', async () => {
      const files = {
        'tax.ts': 'export default 2;\n',
        'price.ts': "import tax from './tax';\nexport const price = (n: number): number => n * tax;\nexport const made: object[] = [];\n",
        'other.ts': 'export const kept: object = {};\n',
      };
      await using lab = await project(node, files);
      await lab.value(
        "import { price } from './price'\nimport * as all from './price'\nimport tax from './tax'\nimport { kept } from './other'\nconst before = kept, old = price\nprice(1)",
      );
      save(lab, 'tax.ts', 'export default 3;\nexport const extra: string = "x";\n');
      const { text, isError } = await reload(lab);
      expect(isError).toBe(false);
      expect(text).toMatch(/^imported anew tax\.ts with price\.ts: its default export changed, .* price, all, tax in cells are new\n/);
      expect(text).toContain('What runs already of price.ts still uses the old tax.ts: sessions(action: reset) gives a fresh image');
      expect(await lab.value("[price(1), all.price(1), tax, kept === before, old(1), (await import('./tax')).extra]")).toBe(
        "[ 3, 3, 3, true, 2, 'x' ]",
      );
      expect((await reload(lab)).text).toBe('Nothing changed on disk.');
      save(lab, 'price.ts', files['price.ts'].replace('n * tax', 'n * tax * 100'));
      expect((await reload(lab)).text).toBe('swapped price.ts: price');
      expect(await lab.value('[price(1), old(1)]')).toBe('[ 300, 200 ]');
    });

    it('a CommonJS module with those that require it', async () => {
      await using lab = await project(node, {
        'rate.cjs': 'exports.rate = 1;\n',
        'bank.cjs': "const { rate } = require('./rate.cjs');\nexports.pay = (n) => n * rate;\n",
      });
      await lab.value("const bank = require('./bank.cjs'), { pay } = bank\npay(1)");
      save(lab, 'rate.cjs', 'Object.assign(exports, { rate: 5, more: true });\n');
      expect((await reload(lab)).text).toMatch(/^imported anew rate\.cjs with bank\.cjs: .* bank, pay in cells are new\n/);
      expect(await lab.value("[bank.pay(1), pay(1), require('./rate.cjs').more]")).toBe('[ 5, 5, true ]');
    });

    it('but what others took out of the exports of CommonJS follows where it is', async () => {
      await using lab = await project(node, {
        'rate.cjs': 'exports.rate = 1;\n',
        'bank.cjs': "const { rate } = require('./rate.cjs');\nlet paid = 0;\nexports.pay = (n) => [n * rate, ++paid];\n",
      });
      await lab.value("const { pay } = require('./bank.cjs'), { rate } = require('./rate.cjs')\npay(1)");
      save(lab, 'rate.cjs', 'exports.rate = 5;\nexports.more = true;\n');
      expect((await reload(lab)).text).toMatch(/^swapped rate\.cjs: exports\.rate, exports\.more /);
      expect(await lab.value("[pay(1), rate, require('./rate.cjs').more]")).toBe('[ [ 5, 2 ], 5, true ]');
    });

    it('a name that was given another value stays what it is', async () => {
      await using lab = await project(node, { 'a.js': 'export const a = 1;\n' });
      await lab.value("import { a } from './a.js'");
      await lab.value("a = 'mine'");
      save(lab, 'a.js', 'export const a = 2;\n');
      await reload(lab);
      expect(await lab.value("[a, (await import('./a.js')).a]")).toBe("[ 'mine', 2 ]");
    });

    it.each([
      ['package.json', '{ "version": "1" }', '{ "version": "2" }', '{ "version": "2", "type": "module" }'],
      ['tsconfig.json', paths('b', 'x'), paths('b', 'y'), paths('c', 'y')],
    ])('what %s says of loaded files is said to need a fresh image, and nothing else in it', async (file, first, other, telling) => {
      const uses = "import { b } from '@b';\nexport const a = () => b;\n";
      await using lab = await project(node, {
        'package.json': '{}',
        'tsconfig.json': paths('b', 'x'),
        [file]: first,
        'a.ts': uses,
        'b.ts': 'export const b = 1;\n',
      });
      await lab.value("import { a } from './a.ts'\na()");
      save(lab, file, other);
      expect((await reload(lab)).text).toBe('Nothing changed on disk.');
      save(lab, file, telling);
      const wanted = `changed ${file}: what it says of loaded files does not hold for them yet; sessions(action: reset) gives a fresh image`;
      expect((await reload(lab)).text).toBe(wanted);
    });

    it('JSON that was required is said to have changed', async () => {
      await using lab = await project(node, {
        'data.json': '{ "a": 1 }',
        'use.cjs': "const data = require('./data.json');\nexports.a = () => data.a;\n",
      });
      await lab.value("const { a } = require('./use.cjs')\na()");
      save(lab, 'data.json', '{ "a": 2 }');
      expect((await reload(lab)).text).toBe('changed data.json, which is no program: reload(files: ["data.json"]) reads it anew');
    });

    it('JSON, when it is named', async () => {
      await using lab = await project(node, {
        'data.json': '{ "a": 1 }',
        'use.js': "import data from './data.json';\nexport const a = () => data.a;\n",
      });
      await lab.value("import { a } from './use.js'\na()");
      expect((await reload(lab)).text).toBe('Nothing changed on disk.');
      save(lab, 'data.json', '{ "a": 2 }');
      expect((await reload(lab)).text).toBe('changed data.json, which is no program: reload(files: ["data.json"]) reads it anew');
      expect((await reload(lab, ['data.json'])).text).toMatch(/^imported anew data\.json with use\.js/);
      expect(await lab.value('a()')).toBe('2');
    });
  });

  describe('nothing is changed', () => {
    it.each([
      ['TypeScript', 'x.ts', 'export const f = (): number => 1;\n', 'export const f = (): number => 2;\nlet b: = 2;\n', 'x.ts:2:8'],
      ['JavaScript', 'x.js', 'export const f = () => 1;\n', 'export const f = () => 2;\nconst = 3;\n', 'x.js:2:7'],
    ])('by a file with an error in its %s, nor by others with it', async (_, file, good, bad, place) => {
      await using lab = await project(node, { [file]: good, 'y.js': 'export const g = () => 1;\n' });
      await lab.value(`import { f } from './${file}'\nimport { g } from './y.js'`);
      save(lab, file, bad);
      save(lab, 'y.js', 'export const g = () => 2;\n');
      const { isError, text } = await reload(lab);
      expect([isError, text]).toEqual([true, expect.stringContaining(place)]);
      expect(text).toContain('Nothing was changed.');
      expect(await lab.value('[f(), g()]')).toBe('[ 1, 1 ]');
      save(lab, file, good.replace('1;', '3;'));
      expect((await reload(lab)).isError).toBe(false);
      expect(await lab.value('[f(), g()]')).toBe('[ 3, 2 ]');
    });

    it('by a module that fails when it is imported anew', async () => {
      await using lab = await project(node, { 'a.js': 'export const a = () => 1;\n' });
      await lab.value("import { a } from './a.js'");
      save(lab, 'a.js', "export const a = () => 1;\nthrow new Error('not today');\n");
      const { isError, text } = await reload(lab);
      expect([isError, text]).toEqual([true, expect.stringContaining('not today')]);
      expect(await lab.value("[a(), (await import('./a.js')).a === a]")).toBe('[ 1, true ]');
    });

    it('where only comments and layout did, and where nothing was loaded', async () => {
      await using lab = await project(node, { 'a.js': 'export const a = () => 1;\n', 'b.js': '' });
      await lab.value("import { a } from './a.js'");
      save(lab, 'a.js', '// Said.\n\nexport const a = () => 1;\n');
      expect((await reload(lab)).text).toBe('unchanged a.js: only comments and layout');
      expect((await reload(lab, ['a.js', 'b.js'])).text).toBe('not loaded b.js: it is read when something imports it\nunchanged a.js');
    });
  });

  it('swaps what was loaded before the first cell, too', async () => {
    const early = (n: number): string => `let calls = 0;\nglobalThis.early = function early() {\n  calls++;\n  return ${n} + calls;\n};\n`;
    await using lab = await openLab({ engines: [javascript({ node, nodeArgs: ['--import', './early.mjs'] })] });
    writeProject(lab.folder, { 'early.mjs': early(10) });
    expect(await lab.value('early()')).toBe('11');
    expect((await reload(lab)).text).toBe('Nothing changed on disk.');
    save(lab, 'early.mjs', early(20));
    expect((await reload(lab)).text).toBe('swapped early.mjs: early');
    expect(await lab.value('early()')).toBe('22');
  });

  it('leaves what was swapped open to the debugger', async () => {
    const text = (n: number): string =>
      `let state = 5;\nexport function risky(x) {\n  const local = x * ${n};\n  throw new Error('at ' + local);\n}\n`;
    await using lab = await project(node, { 'risky.js': text(1) });
    await lab.value("import { risky } from './risky.js'");
    save(lab, 'risky.js', text(3));
    expect((await reload(lab)).text).toBe('swapped risky.js: risky');
    await lab.evaluate('risky(7)', { on_error: 'pause' });
    expect((await lab.call('debug', { action: 'eval', code: 'local + state' })).text).toContain('26');
    await lab.call('debug', { action: 'abort' });
    expect(await lab.value('try { risky(1) } catch (error) { error.message }')).toBe("'at 3'");
  });

  it('says that a function which waits cannot be swapped', async () => {
    const loop = (n: number): string => `export async function run(until) {\n  await until;\n  return ${n};\n}\n`;
    await using lab = await project(node, { 'loop.js': loop(1) });
    await lab.value("import { run } from './loop.js'\nlet end\nconst running = run(new Promise((resolve) => { end = resolve }))\n1");
    save(lab, 'loop.js', loop(2));
    const { isError, text } = await reload(lab);
    expect([isError, text]).toEqual([true, expect.stringMatching(/^not swapped loop\.js: run runs or waits/)]);
    expect(await lab.value('end(); await running')).toBe('1');
    expect((await reload(lab)).text).toBe('swapped loop.js: run');
    expect(await lab.value('await run()')).toBe('2');
  });
});
