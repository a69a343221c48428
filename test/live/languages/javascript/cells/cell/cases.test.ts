// Cells: what is written one after the other becomes one program that can be written over.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, fenced, type Lab, onEachNode, openLab } from '../../../../fixture.ts';

onEachNode((node) => {
  let lab: Lab;
  let session: string;
  beforeAll(async () => {
    lab = await openLab({ node });
    writeFileSync(join(lab.folder, 'module.mjs'), 'export const name = "module"; export default class Thing {}\n');
    writeFileSync(join(lab.folder, 'data.json'), '{ "answer": 42 }');
    writeFileSync(join(lab.folder, 'common.cjs'), 'exports.kind = "common"; exports.from = __filename;\n');
  });
  beforeEach(async () => {
    session = await lab.open();
    return async () => {
      await lab.call('sessions', { action: 'close', session });
    };
  });
  afterAll(() => lab.close());

  const value = (code: string, args: object = {}): Promise<string> => lab.value(code, { session, ...args });

  it.each([
    ['let', 'let x = 1', 'let x = 2', '2'],
    ['const', 'const x = 1', 'const x = 2', '2'],
    ['let by const', 'let x = 1', 'const x = 2', '2'],
    ['var by let', 'var x = 1', 'let x = 2', '2'],
    ['function', 'function x() { return 1 }', 'function x() { return 2 }', '[Function: x]'],
    ['function by const', 'function x() { return 1 }', 'const x = 2', '2'],
    ['const by function', 'const x = 1', 'function x() { return 2 }', '[Function: x]'],
    ['class', 'class x { a = 1 }', 'class x { b = 2 }', '[class x]'],
    ['class by function', 'class x {}', 'function x() {}', '[Function: x]'],
    ['in a cell that awaits', 'const x = await 1', 'let x = await 2', '2'],
    ['a function in a cell that awaits', 'function x() {}; await 1', 'function x() { return 2 }; await 1', '[Function: x]'],
    ['by destructuring', 'const { x } = { x: 1 }', 'const [, x] = [1, 2]', '2'],
    ['by an import', 'const x = 1', "import { sep as x } from 'node:path'", "'/'"],
    ['of an import', "import * as x from 'node:path'", 'const x = 2', '2'],
  ])('a name is declared again: %s', async (_, first, second, expected) => {
    for (const code of [first, second]) expect((await lab.evaluate(code, { session })).isError).toBe(false);
    expect(await value('x')).toBe(expected);
  });

  it.each([
    ['let', 'let x = missing()'],
    ['const', 'const x = missing()'],
    ['class', 'class x extends missing() {}'],
    ['destructuring', 'const { x } = null'],
    ['after an await', 'const x = await Promise.reject(new Error("no"))'],
    ['an import', "import x from './nowhere.mjs'"],
  ])('a name whose value failed stays usable: %s', async (_, code) => {
    expect((await lab.evaluate(code, { session })).structured).toMatchObject({ status: 'error' });
    expect(await value('x = 5; x')).toBe('5');
    expect(await value('const x = 6; x')).toBe('6');
  });

  it('a cell that cannot be read runs nothing, and shows where', async () => {
    const { text, structured } = await lab.evaluate('globalThis.ran = true;\nconst a = (1 + ;', { session });
    expect(text).toMatch(/^\[ERROR\] SyntaxError: /);
    expect(text).toMatch(/const a = \(1 \+ ;\n +\^/);
    expect(structured).toMatchObject({ status: 'error', generation: 1 });
    expect(await value('typeof ran')).toBe("'undefined'");
  });

  it.each(['javascript', 'js', 'typescript', 'ts'])('types may stand in a cell of the language %s', async (language) => {
    expect(await value('let typed: number = 3; typed', { language })).toBe('3');
  });

  it.each(['javascript', 'typescript'])('the mistake is marked, not the first type, in a cell of the language %s', async (language) => {
    const { text } = await lab.evaluate('const a: number = 1;\nconst b: number = ;', { session, language });
    expect(text).toMatch(/const b: number = ;\n {20}\^/);
  });

  it.each([
    ['the value of the last expression', 'const a = 1; a + 1', '2'],
    ['after an await', 'await 1; await Promise.resolve(2)', '2'],
    ['of a declaration after an await', 'const a = await 5', '5'],
    ['for await', 'let sum = 0; for await (const n of [1, Promise.resolve(2)]) sum += n; sum', '3'],
    ['an object literal', '{ a: 1, b: [2] }', '{ a: 1, b: [ 2 ] }'],
    ['an object literal that awaits', '{ a: await 1 }', '{ a: 1 }'],
    ['an empty object', '{}', '{}'],
    ['a block', '{ let inner = 1; inner + 1; }', '2'],
    ['destructuring with defaults', 'const { a, b: { c = 3 } = {}, ...rest } = { a: 1, d: 4 }; [a, c, rest]', '[ 1, 3, { d: 4 } ]'],
    ['an array pattern', 'let [p, , q = 9, ...r] = [1, 2, undefined, 4]; [p, q, r]', '[ 1, 9, [ 4 ] ]'],
    ['old code', 'with ({ w: 1 }) w', '1'],
    ['labels', 'outer: for (const a of [1]) for (;;) { break outer; } 7', '7'],
    ['a hashbang', '#!/usr/bin/env node\n8', '8'],
    ['a generator', 'function* g() { yield 1 } [...g()]', '[ 1 ]'],
    ['a comment at the end', '9 // nine', '9'],
    ['a try', "try { missing() } catch { 'caught' }", "'caught'"],
    ['an if', 'if (true) 3; else 4', '3'],
  ])('gives %s', async (_, code, expected) => {
    expect(await value(code)).toBe(expected);
  });

  it.each([
    ['empty', ''],
    ['blank', ' \n\t '],
    ['only a comment', '// nothing'],
    ['only a block comment', '/* nothing */'],
    ['lines of another system', 'const a = 1;\r\n// two\r\n'],
  ])('E21 code that is %s is undefined', async (_, code) => {
    expect((await lab.evaluate(code, { session })).head).toMatch(/^=> (undefined|1)$/);
  });

  it('E21 code with NUL is an error or a value, and the session is usable', async () => {
    expect((await lab.evaluate('1 + \0 1', { session })).isError).toBe(true);
    expect(await value("'a\0b'.length")).toBe('3');
  });

  it('E21 code of 5 MB runs', async () => {
    expect(await value(`'${'x'.repeat(5_000_000)}'.length`)).toBe('5000000');
  });

  it.each([
    ['annotations', 'const n: number = 1; function f<T>(a: T): T { return a } f<number>(n)', '1'],
    ['an interface and a type', 'interface A { b: number } type C = A | null; const a = { b: 2 } satisfies A; (a as A).b', '2'],
    ['an enum', 'enum Colour { Red, Green } Colour.Green', '1'],
    ['a parameter property', 'class P { constructor(readonly x: number) {} } new P(3).x', '3'],
    ['with an await', 'const later: Promise<number> = Promise.resolve(4); await later as number', '4'],
    ['a type import', "import type { Stats } from 'node:fs'; const s: Stats | undefined = undefined; s", 'undefined'],
  ])('TypeScript: %s', async (_, code, expected) => {
    expect(await value(code)).toBe(expected);
  });

  describe('modules', () => {
    it.each([
      ['import declarations', "import Thing, { name } from './module.mjs'; [name, Thing]", "[ 'module', [class Thing] ]"],
      ['a namespace', "import * as all from './module.mjs'; all.name", "'module'"],
      ['JSON', "import data from './data.json' with { type: 'json' }; data.answer", '42'],
      ['CommonJS', "import common from './common.cjs'; common.kind", "'common'"],
      ['import()', "(await import('./module.mjs')).name", "'module'"],
      ['import() in a function', "const load = () => import('./module.mjs'); (await load()).name", "'module'"],
      ['require', "require('./common.cjs').kind", "'common'"],
      ['require of what is built in', "require('node:path').basename('/a/b')", "'b'"],
      ['import.meta', "new URL('./data.json', import.meta.url).pathname.endsWith('/data.json')", 'true'],
      ['import.meta.dirname', 'import.meta.dirname === process.cwd()', 'true'],
      ['import.meta.resolve', "import.meta.resolve('./module.mjs').endsWith('/module.mjs')", 'true'],
    ])('%s', async (_, code, expected) => {
      expect(await value(code)).toBe(expected);
    });

    it('names that were imported stay for later cells', async () => {
      await value("import { name as label } from './module.mjs'; 1");
      expect(await value('label')).toBe("'module'");
    });
  });

  it('_ is the last value, _err the last error, and references stay', async () => {
    const { structured } = await lab.evaluate('({ first: true })', { session });
    const [ref] = structured.refs ?? [];
    expect(await value('_.first')).toBe('true');
    await lab.evaluate("throw new TypeError('oops')", { session });
    expect(await value('_err.name')).toBe("'TypeError'");
    expect((await lab.call('inspect', { target: `#${ref}`, session })).text).toContain('first: true');
  });

  it('a long one yields after wait_ms, and goes on when called again', async () => {
    const mark = lab.mark();
    const code = `console.log('begun'); ${mark.code}; let done; const wait = new Promise((resolve) => { done = resolve }); globalThis.go = setInterval(() => require('node:fs').existsSync('go') && done('result'), 5); await wait`;
    const first = await lab.evaluate(code, { session, wait_ms: 0 });
    expect(first.head).toMatch(/^\[(RUNNING|QUEUED)\]/);
    expect(first.isError).toBe(false);
    await mark.seen();
    // What was printed takes another way than the mark, and may come after it.
    let told = `${first.text}\n`;
    await eventually(async () => {
      const next = await lab.call('evaluate', { session, wait_ms: 1 });
      expect(next.head).toMatch(/^\[RUNNING\] \d+\.\d s \(cell 1\)$/);
      told += `${next.text}\n`;
      return fenced(told);
    }).toEqual(['begun']);
    writeFileSync(join(lab.folder, 'go'), '');
    const last = await lab.call('evaluate', { session });
    expect(last.head).toBe("=> 'result'");
    expect(last.text).not.toContain('begun');
    expect((await lab.call('evaluate', { session })).text).toContain('Nothing runs');
  });

  it('what ended while nobody waited is told once to who asks', async () => {
    const mark = lab.mark();
    await lab.evaluate(`await null; ${mark.code}; 'over'`, { session, wait_ms: 0 });
    await mark.seen();
    await eventually(async () => (await lab.call('sessions', { action: 'list' })).text).toMatch(new RegExp(`${session} .* idle`));
    expect((await lab.call('evaluate', { session })).head).toBe("=> 'over'");
  });
});
