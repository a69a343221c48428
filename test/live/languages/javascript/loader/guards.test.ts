// What the loader puts into a file: a question in each function that can have a newer text and that nobody sees.
import { describe, expect, it } from 'vitest';
import { placeIn } from '../../../../../src/live/js-runtime/place-table.ts';
import { guarded, guardsOf } from '../../../../../src/live/languages/javascript/loader/guards.ts';
import { insertionsIn, withInsertions, withoutInsertions } from '../../../../../src/live/languages/javascript/loader/insertions.ts';
import type { Runnable } from '../../../../../src/live/languages/javascript/loader/transform.ts';
import { placesIn } from '../../../../../src/live/languages/javascript/reload/moved-places.ts';

function module(code: string): Runnable {
  return { code, format: 'module' };
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

  it('stand in functions of one line where no map of a compiler tells their places', () => {
    const code = 'const a = (x) => x + 1;\nfunction b() { return 1; }\n';
    expect(namesIn(code)).toEqual(['a', 'b']);
    expect(namesIn(`${code}//# sourceMappingURL=data:application/json;base64,e30=`)).toEqual([]);
    const text = guarded(module(code), guardsOf(module(code)), 'm', 0, 'hash');
    expect(text).toContain('(x) =>/*vivarium-*/__vivarium_m0!==undefined?__vivarium_m0(x):/*-vivarium*/ x + 1;\n');
    const places = placesIn(text) ?? [];
    for (const word of ['x + 1', 'return 1']) {
      const [at, column] = text.split('\n').flatMap((one, line) => (one.includes(word) ? [line, one.indexOf(word)] : [])) as [
        number,
        number,
      ];
      const written = code.split('\n')[at] as string;
      expect(placeIn(places, at, column)).toEqual({ line: at, column: written.indexOf(word) });
      expect(placeIn(places, at, 3)).toEqual({ line: at, column: 3 });
    }
  });

  it('can be taken out again, and leave every line where it is', () => {
    const code = guarded(module(file), guardsOf(module(file)), 'm', 3, 'hash');
    expect(code).toContain(
      'static make([first]) {/*vivarium-*/if(__vivarium_m4!==undefined)return __vivarium_m4.call(this,first);/*-vivarium*/\n',
    );
    expect(code).toContain('(x) => {/*vivarium-*/if(__vivarium_m8!==undefined)return __vivarium_m8(x);/*-vivarium*/\n');
    expect(withoutInsertions(code)).toBe(file);
    expect(withInsertions(file, insertionsIn(code))).toBe(code);
    expect(code.split('\n').map(withoutInsertions)).toEqual(file.split('\n'));
  });
});
