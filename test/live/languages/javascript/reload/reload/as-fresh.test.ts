// After a reload the program behaves as one that is freshly started, or the answer names what does not.
import { asFreshlyStarted, type Row } from '../../../../fresh-start.ts';

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

asFreshlyStarted([
  ['what modules show each other', barrels],
  ['everything else', others],
]);
