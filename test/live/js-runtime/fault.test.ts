// Whatever code throws or gives back is told, bounded, without running more of it than was asked for.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Lab, onEachNode, openLab } from '../fixture.ts';

onEachNode((node) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab({ node });
  });
  let session: string;
  beforeEach(async () => {
    session = await lab.open();
    return async () => {
      await lab.call('sessions', { action: 'close', session });
    };
  });
  afterAll(() => lab.close());

  const evaluate = (code: string, args: object = {}): Promise<Answer> => lab.evaluate(code, { session, ...args });
  const value = (code: string): Promise<string> => lab.value(code, { session });
  const look = (args: object): Promise<Answer> => lab.call('inspect', { session, ...args });

  /** The session answers, and is the one it was. */
  const usable = async (): Promise<void> => {
    const { head, structured } = await evaluate('6 * 7', { timeout_ms: 10_000 });
    expect({ head, generation: structured.generation }).toEqual({ head: '=> 42', generation: 1 });
  };

  describe('E09 thrown is told as an error', () => {
    it.each([
      ['null', 'throw null', /^\[ERROR\] thrown: null/],
      ['undefined', 'throw undefined', /^\[ERROR\] thrown: undefined/],
      ['a string', "throw 'words'", /^\[ERROR\] thrown: 'words'/],
      ['a symbol', "throw Symbol('s')", /^\[ERROR\] thrown: Symbol\(s\)/],
      ['a frozen error', "throw Object.freeze(new RangeError('cold'))", /^\[ERROR\] RangeError: cold/],
      [
        'an error whose stack throws',
        "throw Object.defineProperty(new Error('x'), 'stack', { get() { throw new Error('no stack') } })",
        /^\[ERROR\] Error: x/,
      ],
      ['an error whose message throws', "throw Object.defineProperty(new Error(), 'message', { get() { throw 1 } })", /^\[ERROR\] Error/],
      [
        'a proxy whose traps throw',
        'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })',
        /^\[ERROR\] thrown: /,
      ],
      ['a proxy of an error', "throw new Proxy(new Error('x'), { get() { throw 1 } })", /^\[ERROR\] /],
      ['a revoked proxy', 'const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy', /^\[ERROR\] thrown: /],
      ['an object without prototype', 'throw Object.create(null)', /^\[ERROR\] thrown: \[Object: null prototype\] {}/],
      ['an error with a message of 10 MB', "throw new Error('x'.repeat(1e7))", /^\[ERROR\] Error: x{1000}/],
    ])('%s', async (_, code, expected) => {
      for (const form of [code, `await null; ${code}`]) {
        const answer = await evaluate(form, { timeout_ms: 10_000 });
        expect(answer.text).toMatch(expected);
        expect(answer.isError).toBe(true);
        expect(answer.structured).toMatchObject({ status: 'error', generation: 1 });
        expect(answer.text.length).toBeLessThan(12_000);
      }
      await usable();
    });

    it('with the frames of the cell first, its causes and its own properties', async () => {
      const { text } = await evaluate(
        "function inner() {\n  throw Object.assign(new Error('outer', { cause: new TypeError('inner cause') }), { code: 'E_MINE' });\n}\ninner();",
      );
      expect(text).toMatch(/^\[ERROR\] Error: outer\n/);
      expect(text).toContain('caused by TypeError: inner cause');
      expect(text).toContain("code: 'E_MINE'");
      expect(text).toMatch(/\[Backtrace\]\n {2}0: inner \(cell-\d+:2:\d+\)\n {2}1: \(top level\) \(cell-\d+:4:1\)/);
      expect(text).not.toMatch(/node:internal|boot\.cjs/);
    });

    it.each([
      'new Error("mine")',
      '[new AggregateError([new TypeError("inner")], "mine")]',
      'Object.assign(new Error("mine"), { code: 7 })',
      'await 0; new Error("mine", { cause: new RangeError("inner") })',
    ])('as a value has the frames of the user alone: %s', async (code) => {
      const { text } = await evaluate(code);
      expect(text).toContain('Error: mine\n');
      expect(text).toMatch(/at .*cell-\d+:1:\d+/);
      expect(text).not.toMatch(/boot\.c?js|node:/);
      if (code.includes('code: 7')) expect(text).toMatch(/ \{\n\s+code: 7\n/);
    });

    it('with _err, which is the error itself', async () => {
      await evaluate("throw Object.assign(new Error('mine'), { extra: 1 })");
      expect(await value('[_err.message, _err.extra]')).toBe("[ 'mine', 1 ]");
    });
  });

  describe('E10 given back is printed, bounded', () => {
    it.each([
      ['a circle', 'const c = { a: 1 }; c.self = c; c', /^=> <ref \*1> \{ a: 1, self: \[Circular \*1\] \}/],
      ['a BigInt', '2n ** 64n', /^=> 18446744073709551616n$/],
      ['a symbol', "Symbol('s')", /^=> Symbol\(s\)$/],
      ['negative zero', '-0', /^=> -0$/],
      ['NaN', 'NaN', /^=> NaN$/],
      ['undefined', 'void 0', /^=> undefined$/],
      ['a function', 'function named() {} named', /^=> \[Function: named\]/],
      ['a class', 'class Named {} Named', /^=> \[class Named\]/],
      ['a sparse array', 'const s = []; s.length = 1e8; s[5] = 1; s', /empty items/],
      ['a huge array', 'new Array(1e6).fill(7)', /more items/],
      ['a huge string', "'x'.repeat(1e7)", /more characters|…/],
      ['toJSON that throws', '({ toJSON() { throw 1 } })', /^=> \{ toJSON: \[Function: toJSON\] \}/],
      ['an inspect that throws', "({ [Symbol.for('nodejs.util.inspect.custom')]() { throw 1 } })", /^=> /],
      [
        'an inspect that loops through itself',
        "({ [Symbol.for('nodejs.util.inspect.custom')](d, o, inspect) { return inspect(this, o) } })",
        /^=> /,
      ],
      ['a depth of 10,000', 'let deep = {}; for (let i = 0; i < 1e4; i++) deep = { deep }; deep', /\[Object\]/],
      ['a typed array of 100 MB', 'new Uint8Array(1e8)', /more items/],
      ['a promise that never ends', 'new Promise(() => {})', /^=> Promise \{ <pending> \}/],
      ['a module', "await import('node:path')", /^=> \[Module: null prototype\]/],
    ])('%s', async (_, code, expected) => {
      const answer = await evaluate(code, { timeout_ms: 10_000 });
      expect(answer.text).toMatch(expected);
      expect(answer.isError).toBe(false);
      expect(answer.text.length).toBeLessThan(12_000);
      await usable();
    });
  });

  describe('E11 introspection', () => {
    it.each([
      ['a revoked proxy', 'const r = Proxy.revocable({}, {}); r.revoke(); globalThis.target = r.proxy; 1'],
      [
        'a proxy with traps that throw',
        'globalThis.target = new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 } }); 1',
      ],
      [
        'a proxy with traps that loop',
        'globalThis.target = new Proxy({}, { get() { for (;;); }, ownKeys() { for (;;); }, getPrototypeOf() { for (;;); } }); 1',
      ],
      ['getters that loop', 'globalThis.target = { get a() { for (;;); }, get [Symbol.toStringTag]() { for (;;); } }; 1'],
      ['toPrimitive that throws', 'globalThis.target = { [Symbol.toPrimitive]() { throw 1 } }; 1'],
      ['a private brand check', 'class P { #x = 1; get x() { return this.#x } }; globalThis.target = Object.create(P.prototype); 1'],
      ['a constructor that is a trap', 'globalThis.target = Object.create({ get constructor() { for (;;); } }); 1'],
    ])('of %s is bounded text and runs none of it', async (_, code) => {
      await value(code);
      const seen = await look({ target: 'target' });
      expect(seen.text.length).toBeLessThan(12_000);
      expect(seen.text).not.toBe('');
      const shown = await evaluate('target', { timeout_ms: 2_000 });
      expect(shown.text.length).toBeLessThan(12_000);
      await usable();
    });

    it('shows getters without running them', async () => {
      await value('let ran = 0; const lazy = { plain: 1, get computed() { ran++; return 2 } }; 1');
      const { text, isError } = await look({ target: 'lazy' });
      expect(isError).toBe(false);
      expect(text).toContain('plain: 1');
      expect(text).toMatch(/computed: \[getter\]/i);
      expect(await value('ran')).toBe('0');
    });

    it.each([
      ['an assignment', 'counted.n = 99'],
      ['a call that changes something', 'counted.list.push(1)'],
      ['a declaration', 'globalThis.leak = 1'],
      ['printing', "console.log('said')"],
      ['a process', "require('node:child_process').execSync('true')"],
    ])('refuses %s, and nothing changes', async (_, target) => {
      await value('var counted = { n: 1, list: [] }; 1');
      const { isError } = await look({ target });
      expect(isError).toBe(true);
      expect(await value('[counted.n, counted.list.length, typeof leak]')).toBe("[ 1, 0, 'undefined' ]");
    });

    it('of what loops ends by itself', async () => {
      const { isError } = await look({ target: '(() => { for (;;); })()' });
      expect(isError).toBe(true);
      await usable();
    });
  });

  describe('E16 infinite recursion', () => {
    it.each([
      [
        'of a function',
        'function down(n) { return down(n + 1) + 1 } down(0)',
        /RangeError: Maximum call stack size exceeded[\s\S]*down \(cell-/,
      ],
      ['of a getter', '({ get a() { return this.a } }).a', /RangeError: Maximum call stack size exceeded/],
      ['of toString', 'const o = { toString() { return String(this) } }; String(o)', /RangeError/],
      ['after an await', 'await null; (function down() { down() })()', /RangeError/],
      ['of promises that call each other', 'async function down() { await down() } await down()', /RangeError/],
    ])('%s is an error with a backtrace, and the session is usable', async (_, code, expected) => {
      const answer = await evaluate(code, { timeout_ms: 10_000 });
      expect(answer.text).toMatch(expected);
      expect(answer.structured).toMatchObject({ status: 'error', generation: 1 });
      await usable();
    });
  });

  describe('E26 a huge graph', () => {
    it('of a million properties is paged', { timeout: 60_000 }, async () => {
      await using lab = await openLab({ node, limits: { heapMb: 1_024, rssMb: 2_048 } });
      await lab.value("var wide = {}; for (let i = 0; i < 1e6; i++) wide['key' + i] = i; 1");
      const first = await lab.call('inspect', { target: 'wide' });
      expect(first.text).toContain('key0: 0');
      expect(first.text).toMatch(/999950 more: offset 50/);
      expect(first.text.length).toBeLessThan(12_000);
      expect(first.structured).toMatchObject({ truncated: true });
      const next = await lab.call('inspect', { target: 'wide', offset: 999_990 });
      expect(next.text).toContain('key999999: 999999');
    });

    it('is followed by keys and by references', async () => {
      const { structured, text } = await evaluate('({ users: [{ name: "Ada", tags: new Map([["role", { admin: true }]]) }] })');
      const [ref] = structured.refs ?? [];
      expect(text).toContain(`#${ref}`);
      const user = await look({ target: `#${ref}`, path: ['users', '0'] });
      expect(user.text).toContain("name: 'Ada'");
      expect((await look({ target: `#${ref}`, path: ['users', '7'] })).isError).toBe(true);
      expect((await look({ target: '#99999' })).text).toContain('There is no #99999');
    });
  });
});
