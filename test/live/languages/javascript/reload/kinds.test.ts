// Functions that become asynchronous, generators or accessors while their text stays as it is, and back.
import { asFreshlyStarted, type Row } from '../../../fresh-start.ts';

const plain = (value: number): string => `export function f(x) {\n  const y = x + ${value};\n  return y;\n}\n`;
const method = (value: number): string => `class A {\n  g() {\n    return ${value};\n  }\n}\nexport const f = () => new A().g();\n`;
const constant = (value: number): string => `export const f = () => {\n  return ${value};\n};\n`;
const inner = (value: number): string => `export function f() {\n  const g = (x) => {\n    return x + ${value};\n  };\n  return g(1);\n}\n`;

const asynchronous = (text: string): string =>
  text
    .replace('function f(x)', 'async function f(x)')
    .replace(/^ {2}g\(\)/m, '  async g()')
    .replace('f = () => {\n', 'f = async () => {\n')
    .replace('g = (x)', 'g = async (x)');

function rows(what: string, text: (value: number) => string, says: RegExp, returns = says): Row[] {
  const files = { 'a.js': text(1) };
  const load = "import { f } from './a.js'";
  const row = (edit: string, texts: readonly string[], said = says): Row => ({
    edit: `${what} ${edit}`,
    files,
    load,
    saved: texts.map((one) => ({ 'a.js': one })),
    says: said,
    look: 'f(1)',
  });
  return [
    row('that becomes asynchronous', [asynchronous(text(1))]),
    row('that was asynchronous for a while', [asynchronous(text(4)), text(4)]),
    row('that is edited after it was asynchronous', [asynchronous(text(4)), text(4), text(5)]),
    row('that is asynchronous again', [asynchronous(text(4)), text(4), asynchronous(text(4))]),
    row('that is as it was at first again', [asynchronous(text(1)), text(1)], returns),
  ];
}

const others: readonly Row[] = [
  {
    edit: 'a function that was added, and becomes asynchronous',
    files: { 'a.js': 'export let a = 1;\n' },
    load: "import * as all from './a.js'",
    saved: [{ 'a.js': `export let a = 1;\n${plain(1)}` }, { 'a.js': `export let a = 1;\n${asynchronous(plain(1))}` }],
    says: /^swapped a\.js: f\b/,
    look: "let own = await import('./a.js'); [own.f(1)]",
  },
  {
    edit: 'a method that was added, and becomes an accessor',
    files: { 'a.js': 'class A {\n}\nexport const f = () => typeof new A().g;\n' },
    load: "import { f } from './a.js'",
    saved: ['g() {', 'get g() {'].map((head) => ({
      'a.js': `class A {\n  ${head}\n    return 1;\n  }\n}\nexport const f = () => typeof new A().g;\n`,
    })),
    says: /^swapped a\.js: A\.g\b/,
    look: 'f()',
  },
  {
    edit: 'a function in another that becomes a generator',
    files: { 'a.js': 'export function f() {\n  const g = function (x) {\n    return x;\n  };\n  return String(g(1));\n}\n' },
    load: "import { f } from './a.js'",
    saved: { 'a.js': 'export function f() {\n  const g = function* (x) {\n    return x;\n  };\n  return String(g(1));\n}\n' },
    says: /^swapped a\.js: f\b/,
    look: 'f()',
  },
  {
    edit: 'a file that writes the comment of a source map in a template',
    files: { 'a.js': 'export const f = (m) => `\n//# sourceMappingURL=data:$' + '{m}`;\n' },
    load: "import { f } from './a.js'",
    saved: { 'a.js': 'export const f = (m) => `x\n//# sourceMappingURL=data:$' + '{m}`;\n' },
    says: 'swapped a.js: f',
    look: 'f(1)',
  },
  {
    edit: 'statements of the same words, with a line that ends elsewhere',
    files: { 'a.js': 'let a = 1, b = 1;\na\n++b\nexport const f = () => [a, b, 1];\n' },
    load: "import { f } from './a.js'",
    saved: { 'a.js': 'let a = 1, b = 1;\na++\nb\nexport const f = () => [a, b, 2];\n' },
    says: /^(?:imported anew|swapped a\.js: .*\()/,
    look: 'f().at(-1)',
  },
  {
    edit: 'a CommonJS file that gives __filename another value',
    files: { 'a.cjs': '__filename = undefined;\nexports.f = () => 1;\n' },
    load: "const { f } = require('./a.cjs')",
    saved: { 'a.cjs': '__filename = undefined;\nexports.f = () => 2;\n' },
    says: /^swapped a\.cjs: f\b/,
    look: 'f()',
  },
];

asFreshlyStarted([
  ['a function', rows('one', plain, /^swapped a\.js: f\b/)],
  ['a method', rows('one', method, /^swapped a\.js: A\.g\b/)],
  ['a constant', rows('one', constant, /^swapped a\.js: f\b/)],
  ['a function in another', rows('one', inner, /^swapped a\.js: f\b/)],
  ['everything else', others],
]);
