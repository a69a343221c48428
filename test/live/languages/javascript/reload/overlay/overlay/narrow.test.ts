// Where a newer text beside the one that runs would mean something else, the engine swaps; where it means the same, nothing is swapped.
import { describe, expect, it } from 'vitest';
import { onEachNode } from '../../../../../fixture.ts';
import { edit, engineHas, project } from '../lab.ts';

interface Row {
  readonly title: string;
  readonly file: string;
  /** The text before, with the words that change and what they become. */
  readonly text: string;
  readonly from: string;
  readonly to: string;
  /** A cell before the edit, and one after it. */
  readonly begin?: string;
  readonly look: string;
  readonly seen: string;
  readonly isLaid: boolean;
}

const rows: readonly Row[] = [
  {
    title: 'a function in the body, which waits for a promise',
    file: 'waits.js',
    text: 'export const seen = [];\nexport let go;\nconst ready = new Promise((done) => {\n  go = done;\n});\nexport function start() {\n  ready.then((v) => {\n    seen.push(1);\n  });\n}\n',
    from: 'push(1)',
    to: 'push(2)',
    begin: 'm.start()',
    look: 'm.go(); await new Promise(setImmediate); m.seen',
    seen: '[ 2 ]',
    isLaid: false,
  },
  {
    title: 'what stands around a function in the body',
    file: 'around.js',
    text: 'export function sum(list) {\n  return list.reduce((all, one) => all + one, 0) + 1;\n}\n',
    from: '0) + 1',
    to: '0) + 2',
    look: 'm.sum([1, 2])',
    seen: '5',
    isLaid: false,
  },
  {
    title: 'an accessor in the body that becomes a method',
    file: 'accessor.js',
    text: 'export function make() {\n  return { get a() { return 1; } };\n}\n',
    from: 'get a()',
    to: 'a()',
    look: 'typeof m.make().a',
    seen: "'function'",
    isLaid: false,
  },
  {
    title: 'blanks in a default value',
    file: 'head.js',
    text: "export function f(a = 'x  y') {\n  return [a, 1];\n}\n",
    from: "'x  y') {\n  return [a, 1]",
    to: "'x y') {\n  return [a, 2]",
    look: 'm.f()',
    seen: "[ 'x y', 2 ]",
    isLaid: false,
  },
  {
    title: 'a class that is known by its own name, given another value since',
    file: 'own.js',
    text: 'export class A {\n  who() {\n    return [typeof A, 1];\n  }\n}\nexport const one = new A();\nA = undefined;\n',
    from: 'A, 1',
    to: 'A, 2',
    look: 'm.one.who()',
    seen: "[ 'function', 2 ]",
    isLaid: true,
  },
  {
    title: 'super',
    file: 'super.js',
    text: 'class P {\n  m() {\n    return 1;\n  }\n}\nexport class A extends P {\n  m() {\n    return super.m() + 1;\n  }\n}\nexport const one = new A();\nconst I = A;\nA = class extends I {};\n',
    from: 'm() + 1',
    to: 'm() + 2',
    look: 'm.one.m()',
    seen: '3',
    isLaid: false,
  },
  {
    title: 'a directive',
    file: 'directive.cjs',
    text: 'exports.f = function () {\n  return typeof this;\n};\n',
    from: '{\n  return',
    to: "{\n  'use strict';\n  return",
    look: '(0, m.f)()',
    seen: "'undefined'",
    isLaid: false,
  },
  {
    title: 'a method of a class in a file that is not strict',
    file: 'sloppy.cjs',
    text: 'exports.A = class {\n  m() {\n    return [typeof this, 1];\n  }\n};\n',
    from: 'this, 1',
    to: 'this, 2',
    look: 'const { m: loose } = m.A.prototype; loose()',
    seen: "[ 'undefined', 2 ]",
    isLaid: true,
  },
  {
    title: 'recursion',
    file: 'recursion.js',
    text: 'export function sum(n) {\n  return n === 0 ? 1 : 1 + sum(n - 1);\n}\n',
    from: '? 1',
    to: '? 2',
    look: 'm.sum(2000)',
    seen: '2002',
    isLaid: false,
  },
  {
    title: 'recursion of a private method',
    file: 'private.js',
    text: 'export class A {\n  #walk(n) {\n    return n === 0 ? 1 : this.#walk(n - 1);\n  }\n  walk(n) {\n    return this.#walk(n);\n  }\n}\n',
    from: '? 1',
    to: '? 2',
    look: 'new m.A().walk(2000)',
    seen: '2',
    isLaid: false,
  },
  {
    title: 'recursion of a function that has no name of its own',
    file: 'nameless.js',
    text: 'export const o = {};\no.walk = function (n) {\n  return n === 0 ? 1 : o.walk(n - 1);\n};\n',
    from: '? 1',
    to: '? 2',
    look: 'm.o.walk(2000)',
    seen: '2',
    isLaid: false,
  },
  {
    title: 'a file in which eval is the own of the program',
    file: 'evaluating.js',
    text: 'const base = 10;\nexport function f() {\n  return base + 1;\n}\n',
    from: 'base + 1',
    to: 'base + 2',
    begin: 'const own = eval; globalThis.eval = (text) => own(text); 1',
    look: 'globalThis.eval = own; m.f()',
    seen: '12',
    isLaid: false,
  },
  {
    title: 'a function that asks the stack who called it',
    file: 'caller.js',
    text: "function caller() {\n  return [new Error().stack.split('\\n')[2].includes('outer'), 1];\n}\nexport function outer() {\n  return caller();\n}\n",
    from: "'outer'), 1",
    to: "'outer'), 2",
    look: 'm.outer()',
    seen: '[ true, 2 ]',
    isLaid: false,
  },
  {
    title: 'a program that reads all stacks itself',
    file: 'stacks.js',
    text: 'export function f() {\n  return where(1);\n}\nexport function where(n) {\n  return [new Error().stack, n];\n}\n',
    from: 'where(1)',
    to: 'where(2)',
    begin: 'const { prepareStackTrace } = Error; Error.prepareStackTrace = (_, sites) => sites[1].getLineNumber(); 1',
    look: 'const [line, n] = m.f(); Error.prepareStackTrace = prepareStackTrace; [line, n]',
    seen: '[ 2, 2 ]',
    isLaid: false,
  },
  {
    title: 'a function without a name of its own, in a stack',
    file: 'stack.cjs',
    text: "exports.g = function () {\n  throw new Error('1');\n};\n",
    from: "'1'",
    to: "'2'",
    look: "let stack; try { m.g() } catch (error) { stack = error.stack.split('\\n') } [stack[0], stack[1].includes('g (')]",
    seen: "[ 'Error: 2', true ]",
    isLaid: true,
  },
  {
    title: 'a file in which functions ask who called them',
    file: 'called.cjs',
    text: 'function g() {\n  return g.caller === exports.h;\n}\nexports.h = function () {\n  return [g(), 1];\n};\n',
    from: '(), 1',
    to: '(), 2',
    look: 'm.h()',
    seen: '[ true, 2 ]',
    isLaid: false,
  },
  {
    title: 'an assignment to a variable of a file that is not strict',
    file: 'assigns.cjs',
    text: 'let n = 0;\nexports.f = function () {\n  for ([n] of [[1]]);\n  return n + 1;\n};\n',
    from: 'n + 1',
    to: 'n + 2',
    look: 'm.f()',
    seen: '3',
    isLaid: false,
  },
  {
    title: 'assignments to own variables in a file that is not strict',
    file: 'own-variables.cjs',
    text: 'exports.f = function (a) {\n  let b = 0;\n  b += a++;\n  return [a, b, 1];\n};\n',
    from: 'b, 1',
    to: 'b, 2',
    look: 'm.f(5)',
    seen: '[ 6, 5, 2 ]',
    isLaid: true,
  },
  {
    title: 'an assignment to a variable of a strict file',
    file: 'strict.cjs',
    text: "// strict\n'use strict';\nlet n = 0;\nexports.f = function () {\n  n++;\n  return n + 1;\n};\n",
    from: 'n + 1',
    to: 'n + 2',
    look: 'm.f()',
    seen: '3',
    isLaid: true,
  },
  {
    title: 'an assertion, which is told by its line in the file',
    file: 'asserts.js',
    text: "import assert from 'node:assert';\nexport function f(n) {\n  const one = 1;\n  assert.ok(n === one);\n}\n",
    from: 'one = 1',
    to: 'one = 2',
    look: 'let said; try { m.f(1) } catch (error) { said = error.message } said.includes("n === one")',
    seen: 'true',
    isLaid: false,
  },
  {
    title: 'a function in the body with the name of a parameter',
    file: 'parameter.cjs',
    text: 'exports.f = function (a) {\n  if (true) { function b() {} }\n  function a() {}\n  return [typeof a, 1];\n};\n',
    from: 'a, 1',
    to: 'a, 2',
    look: 'm.f(1)',
    seen: "[ 'function', 2 ]",
    isLaid: false,
  },
];

onEachNode((node) => {
  describe('an edit means what it means in the file', () => {
    it('whether it is laid over or swapped by the engine', async () => {
      await using lab = await project(node, Object.fromEntries(rows.map(({ file, text }) => [file, text])));
      for (const { title, file, text, from, to, begin = '1', look, seen, isLaid } of rows) {
        await lab.value(`var m = await import('./${file}'); if (m.default !== undefined) m = m.default\n1`);
        await lab.value(begin);
        expect([title, text.split(from).length]).toEqual([title, 2]);
        expect([title, await edit(lab, file, text.replace(from, to))]).toEqual([title, expect.stringMatching(/^swapped /)]);
        expect([title, await lab.value(look)]).toEqual([title, seen]);
        expect([title, await engineHas(lab, file, from)]).toEqual([title, isLaid]);
      }
    });
  });
});
