// Edits of bodies alone, which need nothing of the engine: what it would take grows with the heap.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onEachNode } from '../../../../fixture.ts';
import { edit, engineHas, project } from './lab.ts';

const cart = (n: number, more = ''): string => `let made = 0;
export class Cart {
  #items = [];
  constructor(name) {
    this.name = name + ${n};
    made++;
  }
  add(price) {
    this.#items.push(price);
    return this;
  }
  total() {${more}
    let all = 0; for (const one of this.#items) all += one * ${n};
    return all;
  }
  get label() {
    return this.name + ' of ' + made + ', ' + ${n};
  }
  static make({ name, price = 1 }, ...rest) {
    return new this(name).add(price).add(rest.length * ${n});
  }
}
export class Big extends Cart {
  total() {
    return super.total() + 1;
  }
}
export const twice = (x) => {
  return x * ${n};
};
export function fails(what) {${more}
  throw new Error(what + ${n});
}
export function fixed() {
  throw new Error('fixed');
}
`;
const begin = `import { Cart, Big, twice, fails, fixed } from './cart'
const one = new Cart('a').add(2).add(3)
const big = new Big('b').add(1)
const kept = { twice, total: one.total }
1`;
const seen =
  "[one.total(), big.total(), one.label, kept.twice(2), kept.total === one.total, Cart.make({ name: 'c' }, 1, 2).total(), new Cart('d').name]";
const all = 'Cart.constructor, Cart.total, Cart.label, Cart.make, twice, fails';

onEachNode((node) => {
  describe('bodies that changed are laid over those that run, and the engine swaps nothing', () => {
    it.each(['cart.js', 'cart.ts'])('in %s: methods with private names, constructors, accessors, statics, arrows', async (file) => {
      await using lab = await project(node, { [file]: cart(1) });
      await lab.value(begin);
      expect(await lab.value(seen)).toBe("[ 5, 2, 'a1 of 2, 1', 2, true, 3, 'd1' ]");
      expect(await edit(lab, file, cart(2))).toBe(`swapped ${file}: ${all}`);
      expect(await lab.value(seen)).toBe("[ 10, 3, 'a1 of 4, 2', 4, true, 10, 'd2' ]");
      expect(await edit(lab, file, cart(3, '\n    const more = 1;'))).toBe(`swapped ${file}: ${all}`);
      expect(await lab.value(seen)).toBe("[ 15, 4, 'a1 of 6, 3', 6, true, 21, 'd3' ]");
      expect((await lab.call('reload')).text).toBe('Nothing changed on disk.');
      expect(await edit(lab, file, cart(1))).toBe(`swapped ${file}: ${all}`);
      expect(await lab.value(seen)).toBe("[ 5, 2, 'a1 of 8, 1', 2, true, 3, 'd1' ]");
      expect(await engineHas(lab, file, 'all += one * 1;')).toBe(true);
    });

    it('in CommonJS, with what others took out of its exports', async () => {
      const text = (n: number): string =>
        `'use strict';\nlet calls = 0;\nfunction f(a) {\n  calls++;\n  return [a, ${n}, calls];\n}\nmodule.exports = { f };\n`;
      await using lab = await project(node, { 'a.cjs': text(1), 'b.cjs': "const { f } = require('./a.cjs');\nexports.g = (a) => f(a);\n" });
      await lab.value("const { g } = require('./b.cjs')\n1");
      expect(await lab.value('g(7)')).toBe('[ 7, 1, 1 ]');
      expect(await edit(lab, 'a.cjs', text(2))).toBe('swapped a.cjs: f');
      expect(await lab.value('g(7)')).toBe('[ 7, 2, 2 ]');
      expect(await engineHas(lab, 'a.cjs', 'return [a, 1, calls]')).toBe(true);
    });

    it('and is told in the lines of the file as it is now', async () => {
      await using lab = await project(node, { 'cart.js': cart(1) });
      await lab.value(begin);
      const now = cart(2, '\n    const more = 1;\n');
      await edit(lab, 'cart.js', now);
      const place = (text: string): string => {
        const line = now.split('\n').findIndex((one) => one.includes(text));
        return `cart.js:${line + 1}:${(now.split('\n')[line]?.indexOf('new Error') ?? 0) + 1}`;
      };
      const fails = (await lab.evaluate("fails('x')")).text;
      expect(fails).toContain(`0: fails (${place('Error(what')})\n  1: (top level)`);
      expect((await lab.evaluate('fixed()')).text).toContain(`0: fixed (${place("Error('fixed")})\n  1: (top level)`);
      await lab.evaluate("fails('y')", { on_error: 'pause' });
      const frames = (await lab.call('debug', { action: 'frames' })).text;
      expect(frames).toMatch(
        new RegExp(`0: fails \\(cart\\.js:${/:(\d+):/.exec(place('Error(what'))?.[1]}:\\d+\\)\\n\\s+what = 'y'\\n\\s+more = 1\\n`),
      );
      expect(frames).not.toMatch(/1: fails|__vivarium/);
      await lab.call('debug', { action: 'abort' });
    });

    it('and functions and classes show the text, the name and the length they have in the file', async () => {
      await using lab = await project(node, { 'cart.js': cart(1) });
      await lab.value(begin);
      const texts = '[String(fails), String(Cart), String(Cart.make), twice.toString(), fails.name, fails.length].join("\\n--\\n")';
      const shown = (text: string): string => {
        const between = (from: string, to: string): string => text.slice(text.indexOf(from), text.indexOf(to) + to.length);
        return [
          between('function fails', 'what + 2);\n}').replaceAll('2', text.includes('* 2') ? '2' : '1'),
          between('class Cart', '\n}\n').trimEnd(),
          /make\([\s\S]*?\n {2}\}/.exec(text)?.[0],
          /\(x\) => \{[\s\S]*?\n\}/.exec(text)?.[0],
          'fails',
          '1',
        ].join('\n--\n');
      };
      const told = async (): Promise<string> =>
        JSON.parse(
          await lab.value(`JSON.stringify(${texts})`).then((text) => text.slice(1, -1).replaceAll("\\'", "'").replaceAll('\\\\', '\\')),
        );
      await edit(lab, 'cart.js', cart(2, '\n    const more = 1;'));
      expect(await told()).toBe(shown(cart(2, '\n    const more = 1;')));
      const source = (await lab.call('lookup', { name: 'fails', want: 'source' })).text;
      expect(source).toBe(`// cart.js:32\n${shown(cart(2, '\n    const more = 1;')).split('\n--\n')[0]}`);
      expect((await lab.call('lookup', { name: 'twice', want: 'callers' })).text).not.toContain('__vivarium');
    });
  });

  describe('the engine swaps', () => {
    it('functions of one line, and they are told in their columns before an edit and after it', async () => {
      const text = (n: number): string =>
        `const no = (x) => { throw new Error(x); };\nexport const f = (x) => no(x + ${n});\nexport class C { get m() { return no(${n}); } }\nexport function g() { return no(0); }\n`;
      await using lab = await project(node, { 'one.js': text(1) });
      await lab.value("import { f, C, g } from './one.js'\n1");
      const places = async (code: string): Promise<string> =>
        (await lab.evaluate(code)).text.replace(/\(\d+ frames? of[\s\S]*/, '').replace(/\s+/g, ' ');
      const told = async (n: number): Promise<void> => {
        expect(await places('f(1)')).toContain(`Error: ${1 + n} [Backtrace] 0: no (one.js:1:27) 1: f (one.js:2:25) 2: (top level)`);
        expect(await places('new C().m')).toMatch(/ 0: no \(one\.js:1:27\) 1: [^(]*m[^(]* \(one\.js:3:35\) 2: \(top/);
        expect(await places('g()')).toContain(' 0: no (one.js:1:27) 1: g (one.js:4:30) 2: (top level)');
        await lab.evaluate('f(1)', { on_error: 'pause' });
        expect((await lab.call('debug', { action: 'frames' })).text).toMatch(/0: no \(one\.js:1:2\d\)[\s\S]*1: f \(one\.js:2:25\)/);
        await lab.call('debug', { action: 'abort' });
      };
      await told(1);
      expect(await edit(lab, 'one.js', text(2))).toBe('swapped one.js: f, C.m');
      await told(2);
      expect(await edit(lab, 'one.js', `${text(3)}export const more = 1;\n`)).toMatch(/^swapped one\.js: /);
      await told(3);
    });

    it('what more is needed for, and then nothing lies over it', async () => {
      const text = (n: number, more = ''): string =>
        `let state = 5;\nexport function f() {\n  return state + ${n};\n}\nexport function g() {\n  return f() * 2;\n}\n${more}`;
      await using lab = await project(node, { 'a.js': text(1) });
      await lab.value("import { f, g } from './a.js'\n1");
      expect(await edit(lab, 'a.js', text(2))).toBe('swapped a.js: f');
      expect(await edit(lab, 'a.js', text(2, 'export function h() {\n  return f();\n}\n'))).toBe('swapped a.js: h');
      expect(await lab.value('[f(), g()]')).toBe('[ 7, 14 ]');
      expect(await edit(lab, 'a.js', text(3, 'export function h() {\n  return f();\n}\n'))).toBe('swapped a.js: f');
      expect(await lab.value('[f(), g()]')).toBe('[ 8, 16 ]');
      expect(await edit(lab, 'a.js', text(1))).toMatch(/^swapped a\.js: f/);
      expect(await lab.value('[f(), g(), String(f)]')).toBe("[ 6, 12, 'function f() {\\n  return state + 1;\\n}' ]");
    });

    it('functions that others may hold which were made within them', async () => {
      const text = (n: number): string => `export function make(x) {\n  return () => {\n    return x * ${n};\n  };\n}\n`;
      await using lab = await project(node, { 'a.js': text(1) });
      await lab.value("import { make } from './a.js'\nconst held = make(3)\n1");
      expect(await edit(lab, 'a.js', text(2))).toBe('swapped a.js: make');
      expect(await lab.value('[held(), make(4)()]')).toBe('[ 6, 8 ]');
    });

    it('other files, and what is laid over one stays', async () => {
      const text = (n: number): string => `export function f() {\n  return ${n};\n}\n`;
      await using lab = await project(node, { 'a.js': text(1), 'b.js': 'export const b = 1;\n' });
      await lab.value("import { f } from './a.js'\nimport { b } from './b.js'\n1");
      expect(await edit(lab, 'a.js', text(2))).toBe('swapped a.js: f');
      expect(await edit(lab, 'b.js', 'export const b = 2;\n')).toMatch(/^swapped b\.js: b/);
      expect(await lab.value('[f(), b]')).toBe('[ 2, 2 ]');
      writeFileSync(join(lab.folder, 'b.js'), 'export const b = 3;\n');
      expect(await edit(lab, 'a.js', text(1))).toMatch(/^swapped a\.js: f\nswapped b\.js: b/);
      expect(await lab.value('[f(), b]')).toBe('[ 1, 3 ]');
    });

    it('files that import what is another thing now, and what lies over them follows', async () => {
      const text = (n: number): string => `import { x } from './a.js';\nexport function f() {\n  return [${n}, typeof x];\n}\n`;
      const shows = (name: string): string => `export const p = 1;\nexport function q() {\n  return 2;\n}\nexport { ${name} as x };\n`;
      await using lab = await project(node, { 'a.js': shows('p'), 'b.js': text(1) });
      await lab.value("import { f } from './b.js'\n1");
      expect(await edit(lab, 'b.js', text(2))).toBe('swapped b.js: f');
      expect(await edit(lab, 'a.js', shows('q'))).toMatch(/^swapped a\.js: x/);
      expect(await lab.value('f()')).toBe("[ 2, 'function' ]");
      expect(await edit(lab, 'b.js', text(3))).toBe('swapped b.js: f');
      expect(await lab.value('f()')).toBe("[ 3, 'function' ]");
    });

    it('where a file that failed has changed', async () => {
      await using lab = await project(node, { 'a.js': 'export function f() {\n  return 1;\n}\n', 'bad.js': "throw new Error('bad');\n" });
      await lab.value("import { f } from './a.js'\nawait import('./bad.js').catch(() => 1)");
      expect(await edit(lab, 'a.js', 'export function f() {\n  return 2;\n}\n')).toBe('swapped a.js: f');
      expect(await lab.value('f()')).toBe('2');
    });
  });

  it('says that a function which runs just now cannot be swapped', async () => {
    const text = (n: number): string => `export function spin(begin) {
  begin();
  for (let n = ${n}; n > 0; n++) step();
}
function step() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}
`;
    await using lab = await project(node, { 'spin.js': text(1) });
    await lab.value("import { spin } from './spin.js'\nimport { writeFileSync } from 'node:fs'\n1");
    const running = lab.evaluate("spin(() => writeFileSync('begun', ''))");
    while (!existsSync(join(lab.folder, 'begun'))) await new Promise((next) => setTimeout(next, 10));
    expect(await edit(lab, 'spin.js', text(2))).toMatch(/^not swapped spin\.js: spin runs or waits just now/);
    await lab.call('sessions', { action: 'interrupt' });
    expect((await running).isError).toBe(true);
    expect((await lab.call('reload')).text).toBe('swapped spin.js: spin');
  });

  it('leaves files alone that a worker of the program loads', async () => {
    await using lab = await project(node, {
      'a.js': 'export function f(x) {\n  return x + 1;\n}\n',
      'worker.js': "import { parentPort } from 'node:worker_threads';\nimport { f } from './a.js';\nparentPort.postMessage(f(1));\n",
    });
    await lab.value("import { f } from './a.js'\nimport { Worker } from 'node:worker_threads'\n1");
    const asked = "await new Promise((done, failed) => new Worker('./worker.js').once('message', done).once('error', failed))";
    expect(await lab.value(asked)).toBe('2');
  });
});
