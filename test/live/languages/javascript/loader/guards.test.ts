// What the loader puts into a file: a question in each function that can have a newer text and that nobody sees.
import { parse } from 'acorn';
import { describe, expect, it } from 'vitest';
import { guarded, guardsOf } from '../../../../../src/live/languages/javascript/loader/guards.ts';
import { insertionsIn, piece, withInsertions, withoutInsertions } from '../../../../../src/live/languages/javascript/loader/insertions.ts';
import type { Runnable } from '../../../../../src/live/languages/javascript/loader/transform.ts';
import { outlineOf } from '../../../../../src/live/languages/javascript/reload/outline.ts';

function module(code: string): Runnable {
  return { code, format: 'module' };
}

function inserted(code: string): string {
  return guarded(module(code), guardsOf(module(code)), 'm', 0, 'hash');
}

function namesIn(code: string): string[] {
  return guardsOf(module(code)).guards.map(({ name }) => name);
}

const file = `export class Cart extends Base {
  #items = [];
  constructor(name) {
    super(name);
  }
  add(price, { tax = 1, ...rest } = {}) { // the price
    this.#items.push(price * tax);
  }
  static make([first]) {
    return first;
  }
  get size() {
    return 1;
  }
}
class Plain {
  constructor(a) {
    this.a = a;
  }
}
export function total(list) {
  return list.map((one) => {
    return one;
  });
}
export const twice = (x) => {
  return x * 2;
};
app.get('/', (request) => {
  return request;
});
`;

describe('guards', () => {
  it('stand in functions and methods of the top level, with all names their parameters bind', () => {
    expect(guardsOf(module(file)).guards.map(({ name, parameters }) => `${name}(${parameters})`)).toEqual([
      'add(price,tax,rest)',
      'make(first)',
      'size()',
      'constructor(a)',
      'total(list)',
      'twice(x)',
      '(request)',
    ]);
  });

  it('do not stand where a call may wait, and where the scope is not that of the file', () => {
    expect(namesIn('async function a() {\n  return 1;\n}')).toEqual([]);
    expect(namesIn('function* a() {\n  yield 1;\n}')).toEqual([]);
    expect(namesIn('{\n  let x = 1;\n  globalThis.a = () => {\n    return x;\n  };\n}')).toEqual([]);
    expect(namesIn('class A {\n  field = () => {\n    return this;\n  };\n}')).toEqual([]);
    expect(namesIn('const a = function b() {\n  return b;\n};')).toEqual([]);
    expect(namesIn('const A = class B {\n  m() {\n    return B;\n  }\n};')).toEqual([]);
    expect(namesIn('function a(x = () => 1) {\n  return x;\n}')).toEqual([]);
    expect(namesIn('function a() {\n  "use strict";\n  return 1;\n}')).toEqual([]);
    expect(namesIn('(function () {\n  return 1;\n})();')).toEqual([]);
  });

  it('stand only where the body begins at the end of a line: so no column of the file moves', () => {
    expect(namesIn('const a = (x) => x + 1;\nfunction b() { return 1; }\nfunction c() { return [\n1]; }\n')).toEqual([]);
    expect(namesIn('const a = (x) => { // why\n  return x;\n};\nfunction b() {\r\n  return 1;\r\n}\n')).toEqual(['a', 'b']);
    expect(namesIn('function a() { /* why */\n  return 1;\n}\n')).toEqual([]);
    const oneLine = 'class A { #x = 1 }\nclass B { #c = 5; m = () => this.#c }\nclass C {\n  #x = 1;\n  get\n}\n';
    expect(withoutInsertions(inserted(oneLine))).toBe(oneLine);
    expect(inserted(oneLine).match(/static\{/g)).toHaveLength(1);
    expect(() => parse(inserted(oneLine), { ecmaVersion: 'latest', sourceType: 'module' })).not.toThrow();
  });

  it('do not stand where parameters do more than bind values', () => {
    const body = ' {\n  return 1;\n}';
    for (const plain of ['a', '...a', '{ a, b: [c, , d], ...e }', "a = 'x'", 'a = 1, b = `t`', '{ a = 1 } = {}', 'a = []'])
      expect([plain, namesIn(`function f(${plain})${body}`)]).toEqual([plain, ['f']]);
    for (const more of ['a = b', 'a, get = { m() { return a; } }', '{ [a]: b }', 'a = `$' + '{1}`', 'a = class {}'])
      expect([more, namesIn(`function f(${more})${body}`)]).toEqual([more, []]);
    expect(guardsOf({ code: `function f(a, a)${body}`, format: 'commonjs' }).guards).toEqual([]);
  });

  it('do not stand where the body has something else under the name of a parameter', () => {
    const bodies = ['var a;', 'for (var [a] of []);', 'function a() {}', '{ function a() {} }', 'if (b) { var { a } = b; }'];
    for (const body of bodies)
      expect([body, guardsOf({ code: `function f(a, b) {\n  ${body}\n}`, format: 'commonjs' }).guards]).toEqual([body, []]);
    for (const body of ['var c;', 'function c(a) { var a; }', '{ let a; }'])
      expect([body, namesIn(`function f(a, b) {\n  ${body}\n}`)]).toEqual([body, ['f']]);
  });

  it('do not stand in files where the newer text could mean something else, or lines are counted in another way', () => {
    const text = 'function f() {\n  return 1;\n}\n';
    const others = [
      'var eval;',
      'globalThis.eval = 1;',
      'var \\u0065val;',
      'var __vivarium_code;',
      "'\u2028';",
      'a\r',
      '//# sourceURL=b.js\n',
    ];
    for (const other of others) expect([other, namesIn(`${text}${other}`)]).toEqual([other, []]);
    expect(namesIn(`${text}//# sourceMappingURL=data:application/json;base64,e30=`)).toEqual([]);
    expect(namesIn(`${text}const t = \`\n//# sourceMappingURL=data:x\`;\nevaluate('\\u00e9');`)).toEqual(['f']);
  });

  it('and what the user wrote that looks like them stays', () => {
    const open = piece('').slice(0, piece('').indexOf('*/') + 2);
    for (const text of [`'${open}'`, `'${piece('x')}'`, `// ${piece('x')}`]) {
      expect(withoutInsertions(text)).toBe(text);
      expect(insertionsIn(text)).toEqual([]);
      const code = `function f() {\n  return 1;\n}\n${text}`;
      expect(namesIn(code)).toEqual([]);
      expect(withoutInsertions(inserted(code))).toBe(code);
    }
  });

  it('are found in no time in a long line', () => {
    const begin = performance.now();
    const code = `const a = [${'() => { return 1; },'.repeat(16_000)}];\n${'a.b = class { #a = 1 }; '.repeat(3_000)}\n`;
    expect(namesIn(code)).toEqual([]);
    expect(outlineOf(module(code)).parts).toHaveLength(16_000 + 3_000);
    expect(performance.now() - begin).toBeLessThan(20_000);
  });

  it('can be taken out again, and leave every line where it is', () => {
    const code = guarded(module(file), guardsOf(module(file)), 'm', 3, 'hash');
    expect(code).toContain(
      `static make([first]) {${piece('if(typeof __vivarium_m4==="function")return __vivarium_m4.call(this,first);')}\n`,
    );
    expect(code).toContain(`(x) => {${piece('if(typeof __vivarium_m8==="function")return __vivarium_m8(x);')}\n`);
    expect(withoutInsertions(code)).toBe(file);
    expect(withInsertions(file, insertionsIn(code))).toBe(code);
    expect(code.split('\n').map(withoutInsertions)).toEqual(file.split('\n'));
  });
});
