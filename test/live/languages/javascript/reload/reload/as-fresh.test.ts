// After a reload the program behaves as one that is freshly started, or the answer names what does not.
import { mkdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Files, writeProject } from '../../../../../fixtures/live/projects.ts';
import { onEachNode, openLab } from '../../../../fixture.ts';

const require = createRequire(import.meta.url);

interface Row {
  readonly edit: string;
  readonly files: Files;
  readonly load: string;
  readonly saved: Files | readonly Files[];
  readonly says: string | RegExp;
  readonly look: string;
  /** What it sees where that differs from a fresh start, which the answer says. */
  readonly sees?: string;
  /** What a fresh start sees, where state makes a difference. */
  readonly fresh?: string;
}

const two = { 'a.js': "export const a = 1;\nexport const f = () => 'a';\n", 'b.js': "export const b = 2;\nexport const f = () => 'b';\n" };

const barrels: readonly Row[] = [
  {
    edit: 'a re-export that is added',
    files: {
      ...two,
      'index.js': "export { a } from './a.js';\n",
      'app.js': "import * as all from './index.js';\nexport const keys = () => Object.keys(all);\n",
    },
    load: "import * as all from './index.js'\nimport { keys } from './app.js'\n1",
    saved: { 'index.js': "export { a } from './a.js';\nexport { b } from './b.js';\n" },
    says: 'swapped index.js: export b\nswapped app.js: keys\nnamespace objects of index.js that were taken before lack b',
    look: '[keys(), Object.keys(all)]',
  },
  {
    edit: 'a re-export that comes from elsewhere',
    files: {
      ...two,
      'index.js': "export { f } from './a.js';\n",
      'top.js': "export * from './index.js';\n",
      'app.js': "import { f } from './top.js';\nlet calls = 0;\nexport const go = () => [++calls, f()];\n",
    },
    load: "import { f } from './index.js'\nimport { go } from './app.js'\ngo()",
    saved: { 'index.js': "export { f } from './b.js';\n" },
    says: 'swapped index.js: export f\nswapped app.js: go',
    look: '[f(), go()]',
    sees: "[ 'b', [ 2, 'b' ] ]",
    fresh: "[ 'b', [ 2, 'b' ] ]",
  },
  {
    edit: 'a star that leads elsewhere, and back again',
    files: {
      ...two,
      'index.js': "export * from './a.js';\n",
      'app.js': "import { f } from './index.js';\nexport const go = () => f();\n",
    },
    load: "import { go } from './app.js'\n1",
    saved: [{ 'index.js': "export * from './b.js';\n" }, { 'index.js': "export * from './a.js';\n" }],
    says: "swapped index.js: export * from './b.js' (removed), export * from './a.js'",
    look: 'go()',
  },
  {
    edit: 'a namespace that is exported, and loses all',
    files: { 'm.js': "export * from './lib.js';\n", 'lib.js': "export * as n from './base.js';\n", 'base.js': '' },
    load: "import * as m from './m.js'\n1",
    saved: { 'lib.js': '' },
    says: 'swapped lib.js: export n (removed)\nnamespace objects of m.js that were taken before still have n',
    look: 'Object.keys(m)',
  },
  {
    edit: 'a default export behind a namespace',
    files: { 'm.js': "export * as n from './lib.js';\n", 'lib.js': 'function f() { return 1; }\n' },
    load: "import * as m from './m.js'\n1",
    saved: { 'lib.js': 'function f() { return 1; }\nexport { f as default };\n' },
    says: 'swapped lib.js: default\nnamespace objects of lib.js that were taken before lack default',
    look: '[Object.keys(m.n), m.n.default?.()]',
  },
  {
    edit: 'an export under another name, for who imports it too',
    files: { 'm.js': 'const a = 1, b = 2;\nexport { a as x };\n', 'u.js': "import { x } from './m.js';\nexport const g = () => x;\n" },
    load: "import { g } from './u.js'\n1",
    saved: { 'm.js': 'const a = 1, b = 2;\nexport { b as x };\n' },
    says: 'swapped m.js: x\nswapped u.js: g',
    look: 'g()',
  },
  {
    edit: 'an export that is gone, and who imports it is named',
    files: {
      'a.js': 'export const a = 1;\nexport const b = 2;\n',
      'u.js': "// Uses it.\nimport { b } from './a.js';\nexport const go = () => b;\n",
    },
    load: "import { go } from './u.js'\n1",
    saved: { 'a.js': 'export const a = 1;\n' },
    says: 'swapped a.js: b (removed)\nu.js:2 imports b, which a.js does not export any more: a fresh start fails there',
    look: 'typeof go',
    sees: "'function'",
    fresh: "'undefined'",
  },
  {
    edit: 'exports that modules gain which import each other',
    files: {
      'a.js': "import { b } from './b.js';\nexport const a = () => 'a' + b.name;\n",
      'b.js': "import { a } from './a.js';\nexport function b() { return 'b' + a.name; }\n",
    },
    load: "import { a } from './a.js'\nimport { b } from './b.js'\n1",
    saved: {
      'a.js': "import { b } from './b.js';\nexport const a = () => 'A' + b();\nexport const c = 1;\n",
      'b.js': "import { a, c } from './a.js';\nexport function b() { return 'B' + c; }\n",
    },
    says: 'swapped a.js: a, c\nswapped b.js: b, c',
    look: '[a(), b()]',
  },
  {
    edit: 'CommonJS, of which ES modules have copies',
    files: {
      'a.cjs': 'exports.x = 1;\nexports.f = () => 1;\n',
      'u.js': "import { x, f } from './a.cjs';\nlet calls = 0;\nexport const go = () => [x, f(), ++calls];\n",
    },
    load: "import { go } from './u.js'\nimport { x } from './a.cjs'\ngo()",
    saved: { 'a.cjs': 'exports.x = 2;\nexports.f = () => 2;\n' },
    says: 'swapped a.cjs: f, exports.x (what was computed from it before keeps its value)\nswapped u.js: go',
    look: '[go(), x]',
  },
];

const classes: readonly Row[] = [
  {
    edit: 'a method with a class in it, in one line',
    files: { 'c.js': 'export class C {\n #p = 1;\n total() { return this.#p; }\n}\n' },
    load: "import { C } from './c.js'\nconst c = new C()",
    saved: {
      'c.js': 'export class C {\n #p = 1;\n total() { if (this.x) return class { more() { return 1; } }; return this.#p + 1; }\n}\n',
    },
    says: 'swapped c.js: C.total',
    look: 'c.total()',
  },
  {
    edit: 'lines that go from one function to another',
    files: { 'm.js': 'export function f(n) {\n  n++;\n  n *= 2;\n  n -= 1;\n  return n;\n}\nexport function g(n) {\n  return n;\n}\n' },
    load: "import { f, g } from './m.js'\n1",
    saved: { 'm.js': 'export function f(n) {\n  return n;\n}\nexport function g(n) {\n  n++;\n  n *= 2;\n  n -= 1;\n  return n;\n}\n' },
    says: 'swapped m.js: f, g',
    look: '[f(5), g(5)]',
  },
  {
    edit: 'a method that was added to a class with private fields, and is edited',
    files: { 'c.js': 'export class C {\n #p = 1;\n get() { return this.#p; }\n}\n' },
    load: "import { C } from './c.js'\nconst c = new C()",
    saved: [
      { 'c.js': 'export class C {\n #p = 1;\n get() { return this.#p; }\n more() { return this.#p + 1; }\n}\n' },
      { 'c.js': 'export class C {\n #p = 1;\n get() { return this.#p; }\n more() { return this.#p + 100; }\n}\n' },
    ],
    says: 'swapped c.js: C.more',
    look: '[c.more(), c.get()]',
  },
  {
    edit: 'an accessor that loses its other half',
    files: { 'c.js': 'export class C { v = 1; get x() { return this.v; } set x(n) { this.v = n; } }\n' },
    load: "import { C } from './c.js'\nconst c = new C()",
    saved: { 'c.js': 'export class C { v = 1; get x() { return this.v; } }\n' },
    says: 'swapped c.js: C.x (removed)',
    look: "Object.entries(Object.getOwnPropertyDescriptor(C.prototype, 'x')).map(([key, value]) => key + typeof value)",
  },
  {
    edit: 'a method that becomes an accessor, and one with a name in quotes that goes',
    files: { 'c.js': "export class C { x() { return 1; } 'a-b'() { return 1; } }\n" },
    load: "import { C } from './c.js'\nconst c = new C()",
    saved: { 'c.js': 'export class C { get x() { return 2; } }\n' },
    says: 'swapped c.js: C.x, C.a-b (removed)',
    look: "[c.x, typeof c['a-b']]",
  },
  {
    edit: 'a class that is the value of a constant',
    files: { 'c.js': 'export const C = class { a() { return 1; } };\n' },
    load: "import { C } from './c.js'\nconst c = new C()",
    saved: { 'c.js': 'export const C = class { a() { return 2; } b() { return 3; } };\n' },
    says: 'swapped c.js: C.a, C.b',
    look: '[c.a(), c.b(), c instanceof C]',
  },
];

const kinds: readonly Row[] = [
  {
    edit: 'a function that becomes asynchronous, also for who holds it',
    files: { 'm.js': 'export function f(a = 2) { return [a, 1]; }\n' },
    load: "import * as m from './m.js'\nconst held = m.f\n1",
    saved: { 'm.js': 'export async function f(a = 3) { return [a, 2]; }\n' },
    says: 'swapped m.js: f',
    look: '[await held(), await m.f()]',
  },
  {
    edit: 'a generator that becomes a plain function',
    files: { 'm.js': 'export function* f(a = 2) { yield a; }\n' },
    load: "import * as m from './m.js'\nconst held = m.f\n1",
    saved: { 'm.js': 'export function f(a = 4) { return [a, 1]; }\n' },
    says: 'swapped m.js: f (what holds f from before has the old one)',
    look: '[[...held()], m.f()]',
    sees: '[ [ 2 ], [ 4, 1 ] ]',
    fresh: '[ [ 4, 1 ], [ 4, 1 ] ]',
  },
  {
    edit: 'functions that are first called after a swap above them',
    files: {
      'm.js': 'function twice(x, g) {\n  return g(x);\n}\nconst make = (g) => (x) => twice(x, g);\nexport const a = make((x) => x * 2);\n',
    },
    load: "import { a } from './m.js'\n1",
    saved: {
      'm.js':
        'function twice(x, g) {\n  const more = "x".repeat(10).length;\n  return g(x + more);\n}\nconst make = (g) => (x) => twice(x, g);\nexport const a = make((x) => x * 2);\n',
    },
    says: 'swapped m.js: twice',
    look: 'a(1)',
  },
  {
    edit: 'a function between empty lines, with another first line',
    files: { 'm.js': 'export function f(a) { // One.\n  return a;\n}\n\nexport function g(a) {\n  return a;\n}\n\nexport const h = 1;\n' },
    load: "import * as m from './m.js'\n1",
    saved: {
      'm.js':
        'export function f(a, b) { // One.\n  if (b) {\n    return b;\n  }\n\n  return a;\n}\n\nexport function g(a) {\n  return a + 1;\n}\n\nexport const h = 1;\n',
    },
    says: 'swapped m.js: f, g',
    look: '[m.f(1, 2), m.g(1)]',
  },
  {
    edit: 'constants that are computed from each other',
    files: { 'm.js': 'const all = { a: 1 };\nexport const names = Object.keys(all);\n' },
    load: "import * as m from './m.js'\n1",
    saved: { 'm.js': 'const all = { a: 1, b: { c: 2 } };\nexport const names = [...Object.keys(all), ...Object.keys(all.b)];\n' },
    says: 'swapped m.js: all, names (what was computed from it before keeps its value)',
    look: 'm.names',
  },
  {
    edit: 'parameters that are properties',
    files: { 'p.ts': 'export class P {\n  items = [1];\n  constructor(private x: number) {}\n  get() { return this.x; }\n}\n' },
    load: "import { P } from './p'\nconst p = new P(1)",
    saved: {
      'p.ts':
        'export class P {\n  items = [1];\n  constructor(private x: number, readonly y = 2) {}\n  get() { return this.x + (this.y ?? 1); }\n}\n',
    },
    says: 'swapped p.ts: fields of P, P.constructor, P.get (instances made before keep the fields they have)',
    look: '[p.get(), new P(1).get(), p instanceof P, Object.keys(new P(1))]',
    sees: "[ 2, 3, true, [ 'x', 'y', 'items' ] ]",
    fresh: "[ 3, 3, true, [ 'x', 'y', 'items' ] ]",
  },
  {
    edit: 'a last field without a value, and another one behind it',
    files: { 'p.ts': 'export class P {\n  items = [1];\n  name: string;\n}\n' },
    load: "import { P } from './p'\nconst p = new P()",
    saved: [
      { 'p.ts': 'export class P {\n  items = [1, 2];\n  name: string;\n  more = 5;\n}\n' },
      { 'p.ts': 'export class P {\n  items = [1, 2, 3];\n  label: string;\n}\n' },
    ],
    says: 'swapped p.ts: fields of P (instances made before keep the fields they have)',
    look: '[p instanceof P, Object.entries(new P())]',
  },
  {
    edit: 'the first field of a class with a constructor',
    files: { 'p.js': 'class B {}\nexport class P extends B {\n  constructor() { super()\n    this.z = 1; }\n}\n' },
    load: "import { P } from './p.js'\nconst p = new P()",
    saved: { 'p.js': 'class B {}\nexport class P extends B {\n  x = () => this.z;\n  constructor() { super()\n    this.z = 1; }\n}\n' },
    says: 'swapped p.js: P.constructor (instances made before keep the fields they have)',
    look: '[new P().x(), p instanceof P, Object.keys(new P())]',
  },
];

const decorator = `const log: string[] = [];
export const seen = () => log.splice(0);
function logged(_: object, key: string, member: any) {
  const { value } = member;
  member.value = function (...given: any[]) { log.push(key); return value.apply(this, given); };
}
`;
const decorated = (members: string): Files => ({ 'd.ts': `${decorator}export class D {\n  #p = 1;\n  ${members}\n}\n` });
const first = '@logged get() { return this.#p; }';

const decorators: readonly Row[] = [
  {
    edit: 'a method with private names beside a decorated one, which is not called',
    files: decorated(`${first}\n  plain() { return this.#p; }`),
    load: "import { D, seen } from './d'\nconst d = new D()",
    saved: decorated(`${first}\n  plain() { return this.#p; }\n  more() { return this.#p + 1; }`),
    says: 'swapped d.ts: D.more',
    look: '[d.more(), seen()]',
  },
  {
    edit: 'a method with private names where every other is decorated',
    files: decorated(first),
    load: "import { D, seen } from './d'\nconst d = new D()",
    saved: decorated(`${first}\n  more() { return this.#p + 1; }`),
    says: /^imported anew d\.ts: the new methods of D use private names, and there is no method to reach them from/,
    look: '[new D().more(), seen()]',
  },
  {
    edit: 'a decorated method, and another one after it',
    files: decorated(first),
    load: "import { D, seen } from './d'\nconst d = new D()",
    saved: [
      decorated(`${first}\n  @logged more() { return 2; }`),
      decorated(`${first}\n  @logged more() { return 3; }\n  last() { return 4; }`),
    ],
    says: 'swapped d.ts: D.more, D.last',
    look: '[d.more(), d.get(), d.last(), seen()]',
  },
  {
    edit: 'a decorated method that becomes asynchronous',
    files: decorated(first),
    load: "import { D, seen } from './d'\nconst d = new D()",
    saved: decorated('@logged async get() { return 5; }'),
    says: 'swapped d.ts: D.get',
    look: '[await d.get(), seen()]',
  },
  {
    edit: 'a decorator of a method that had none',
    files: decorated(`${first}\n  old() { return 1; }`),
    load: "import { D, seen } from './d'\nconst d = new D()",
    saved: decorated(`${first}\n  @logged old() { return 2; }`),
    says: 'swapped d.ts: D.old, decorated D.old',
    look: '[d.old(), seen()]',
  },
];

const others: readonly Row[] = [
  {
    edit: 'an enum with other members',
    files: {
      'e.ts': 'export enum E { A, B }\nexport const b = () => E.B;\n',
      'u.ts': "import { E } from './e';\nexport const of = () => [E.A, E.B, (E as any).C, E[1]];\n",
    },
    load: "import { of } from './u'\nimport { E, b } from './e'\nconst same = E",
    saved: { 'e.ts': 'export enum E { A, X, B, C }\nexport const b = () => E.B;\n' },
    says: 'swapped e.ts: b, E',
    look: '[of(), b(), Object.keys(same), same === E]',
  },
  {
    edit: 'a namespace that loses a member',
    files: { 'n.ts': 'export namespace N { export function a() { return 1; } export function b() { return 1; } }\n' },
    load: "import { N } from './n'\nconst same = N",
    saved: { 'n.ts': 'export namespace N { export function b() { return 2; } }\n' },
    says: 'swapped n.ts: N (N ran again: its own variables begin again, and what was taken out of it before stays as it was)',
    look: '[Object.keys(same), same.b()]',
  },
  {
    edit: 'a value that a changed function computed',
    files: {
      'm.js': 'function make() { return 1; }\nexport const other = () => make();\nexport const own = make();\n',
      'u.js': "import { other } from './m.js';\nexport const g = other();\n",
    },
    load: "import { g } from './u.js'\nimport { own, other } from './m.js'\n1",
    saved: { 'm.js': 'function make() { return 2; }\nexport const other = () => make();\nexport const own = make();\n' },
    says: 'swapped m.js: make (own keeps its value, computed when the file was loaded)\nu.js: g keeps its value, computed when the file was loaded',
    look: '[g, own, other()]',
    sees: '[ 1, 1, 2 ]',
    fresh: '[ 2, 2, 2 ]',
  },
  {
    edit: 'a statement that is added above others',
    files: { 'app.js': "export const calls = [];\nconst use = (x) => calls.push(x);\nuse('a');\nuse('error');\n" },
    load: "import { calls } from './app.js'\n1",
    saved: { 'app.js': "export const calls = [];\nconst use = (x) => calls.push(x);\nuse('a');\nuse('b');\nuse('error');\n" },
    says: "swapped app.js: ran `use('b');` (`use('b');` ran after `use('error');`, which stands below it: a fresh start runs it before)",
    look: 'calls',
    sees: "[ 'a', 'error', 'b' ]",
    fresh: "[ 'a', 'b', 'error' ]",
  },
  {
    edit: 'statements in another order',
    files: { 'm.js': 'export const all = [];\nall.push(1);\nall.push(2);\n' },
    load: "import { all } from './m.js'\n1",
    saved: { 'm.js': 'export const all = [];\nall.push(2);\nall.push(1);\n' },
    says: /^imported anew m\.js: the order of its statements changed/,
    look: 'all',
  },
  {
    edit: 'functions in another order',
    files: { 'm.js': 'export const a = () => 1;\nexport const b = () => 2;\n' },
    load: "import * as m from './m.js'\n1",
    saved: { 'm.js': 'export const b = () => 2;\nexport const a = () => 1;\n' },
    says: 'unchanged m.js (its parts stand in another order)',
    look: '[m.a(), m.b()]',
  },
  {
    edit: 'names that are removed, and mean something else or nothing then',
    files: { 'm.js': 'const fetch = () => 1, helper = () => 1;\nexport const go = () => [fetch(), helper()];\n' },
    load: "import { go } from './m.js'\ngo()",
    saved: { 'm.js': 'export const go = () => { try { helper(); } catch (error) { return [fetch.name, error.message]; } };\n' },
    says: 'swapped m.js: go, fetch (removed), helper (removed)',
    look: 'go()',
  },
  {
    edit: 'a directive',
    files: { 'm.cjs': 'exports.f = function () { return this === undefined; };\n' },
    load: "const m = require('./m.cjs')\n1",
    saved: { 'm.cjs': "'use strict';\nexports.f = function () { return this === undefined; };\n" },
    says: /^imported anew m\.cjs: its directives changed/,
    look: '(0, m.f)()',
  },
  {
    edit: 'a variable that is exported, and changes',
    files: { 'm.js': 'export const next = () => 0;\n' },
    load: "import * as m from './m.js'\n1",
    saved: { 'm.js': 'export let n = 0;\nexport const next = () => ++n;\n' },
    says: /^imported anew m\.js: it exports the variable n now/,
    look: '[m.next(), m.n]',
  },
  {
    edit: 'a file that is loaded under two names',
    files: { 'm.js': 'export const a = () => 1;\n' },
    load: "import * as m from './m.js'\nimport * as n from './m.js?n'\n1",
    saved: { 'm.js': 'export const a = () => 2;\nexport const b = 1;\n' },
    says: 'swapped m.js: a, b (imported with ?n it exports what it did before)\nnamespace objects of m.js that were taken before lack b',
    look: '[m.a(), n.a(), m.b, n.b]',
    sees: '[ 2, 2, 1, undefined ]',
    fresh: '[ 2, 2, 1, 1 ]',
  },
];

onEachNode((node) => {
  describe.each([
    ['what modules show each other', barrels],
    ['functions and classes', [...classes, ...kinds]],
    ['decorators', decorators],
    ['everything else', others],
  ])('%s', (_, rows) => {
    it.each(rows.map((row) => [row.edit, row] as const))('%s', async (_, { files, load, saved, says, look, sees, fresh }) => {
      await using lab = await openLab({ node });
      const settings = '{ "compilerOptions": { "experimentalDecorators": true } }';
      writeProject(lab.folder, { 'package.json': '{ "type": "module" }', 'tsconfig.json': settings, ...files });
      mkdirSync(join(lab.folder, 'node_modules'));
      symlinkSync(dirname(require.resolve('esbuild/package.json')), join(lab.folder, 'node_modules/esbuild'));
      await lab.value(load);
      let text = '';
      for (const edit of [saved].flat() as Files[]) {
        writeProject(lab.folder, edit);
        ({ text } = await lab.call('reload'));
      }
      if (typeof says === 'string') expect(text).toBe(says);
      else expect(text).toMatch(says);
      const seen = await lab.value(look);
      const session = await lab.open();
      await lab.evaluate(load, { session });
      expect(await lab.value(look, { session })).toBe(fresh ?? seen);
      expect(seen).toBe(sees ?? seen);
      expect((await lab.call('reload')).text).toBe('Nothing changed on disk.');
    });
  });
});
