// Code of the user's that replaces what the language is made of: it changes its own program, and not what is told about it.
import { expect, it } from 'vitest';
import { fenced, onEachNode, openLab } from '../fixture.ts';

/** Each of them lies, or throws, from now on. */
const patches: Readonly<Record<string, string>> = {
  'methods of arrays': `
    for (const name of ['map', 'filter', 'find', 'some', 'every', 'slice', 'splice', 'push', 'pop', 'shift', 'join', 'at', 'indexOf', 'includes', 'flatMap', 'entries', 'keys', 'values', 'concat'])
      Array.prototype[name] = function () { return ['forged'] };`,
  'the iterator of arrays': `Array.prototype[Symbol.iterator] = function* () { yield 'forged' };`,
  'methods of maps and sets': `
    for (const type of [Map, Set, WeakMap, WeakSet]) for (const name of Reflect.ownKeys(type.prototype))
      if (typeof Object.getOwnPropertyDescriptor(type.prototype, name).value === 'function' && name !== 'constructor')
        Object.defineProperty(type.prototype, name, { value() { return 'forged' } });
    Object.defineProperty(Map.prototype, 'size', { get: () => 4711 });
    Object.getPrototypeOf(Map.prototype.entries).next = () => ({ done: true });`,
  'the iterator of maps': `Object.getPrototypeOf(new Map().entries()).next = () => ({ done: false, value: ['forged', 'forged'] });
    globalThis.stopped = 1;`,
  'methods of texts': `
    for (const name of ['slice', 'split', 'replace', 'replaceAll', 'indexOf', 'startsWith', 'trim', 'match', 'matchAll', 'toWellFormed', 'at', 'substring'])
      if (name in String.prototype) String.prototype[name] = () => 'forged';`,
  'methods of patterns': `RegExp.prototype.exec = () => null; RegExp.prototype.test = () => true; RegExp.prototype[Symbol.replace] = () => 'forged'; RegExp.prototype[Symbol.split] = () => ['forged'];`,
  'ways to call': `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => () => 'forged'; Function.prototype.toString = () => 'class forged {}';`,
  'ways to look': `
    for (const name of ['getOwnPropertyDescriptor', 'getOwnPropertyDescriptors', 'getPrototypeOf', 'defineProperty', 'keys', 'entries', 'fromEntries', 'assign', 'create', 'hasOwn']) Object[name] = () => 'forged';
    for (const name of ['ownKeys', 'apply', 'get', 'set', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'defineProperty', 'has']) Reflect[name] = () => 'forged';`,
  'JSON, String and Number': `JSON.stringify = () => '"forged"'; JSON.parse = () => ({ forged: 1 }); globalThis.String = () => 'forged'; globalThis.Number = () => 4711;`,
  promises: `Promise.prototype.then = Promise.prototype.catch = Promise.prototype.finally = function () { return 'forged' };`,
  'the way out': `
    const { MessagePort } = require('node:worker_threads');
    MessagePort.prototype.postMessage = function (message) { globalThis.caught = message };
    require('node:inspector').Session.prototype.post = () => {};`,
  'what prints': `
    const util = require('node:util');
    util.inspect = () => 'forged'; util.types.isProxy = () => true; util.types.isMap = () => false; util.types.isNativeError = () => false;
    require('node:module').syncBuiltinESMExports();`,
  'what all objects inherit': `
    for (const name of ['get', 'set', 'fault', 'interrupted', 'memory', 'refused', 'unshown', 'note', 'cut', 'ref', 'skipped', 'exceptionDetails', 'objectId', 'unserializableValue'])
      Object.prototype[name] = 'forged';`,
  'references, atomics and tags': `WeakRef.prototype.deref = () => 'forged'; Atomics.store = Atomics.load = () => 1; globalThis.queueMicrotask = () => {}; globalThis.WeakRef = class { deref() { return 'forged' } };`,
};

onEachNode((node) => {
  it.each(['let globalThis = 3', 'delete globalThis.globalThis'])(
    'T02 after %s: values are told, and the last one is kept',
    async (code) => {
      await using lab = await openLab({ node });
      expect((await lab.evaluate(code)).head).not.toContain('cannot be shown');
      expect((await lab.evaluate('({ fern: 3 })')).head).toMatch(/^=> \{ fern: 3 \}/);
      expect((await lab.evaluate('_')).head).toMatch(/^=> \{ fern: 3 \}/);
    },
  );

  it.each(Object.entries(patches))('T02 %s, replaced: results, errors, output and members are told as they are', async (_, patch) => {
    await using lab = await openLab({ node });
    const session = await lab.open();
    const asking = { session, timeout_ms: 10_000 };
    await lab.value("const cart = { items: 3, name: 'fern', get worth() { return 1 } }; const stock = new Map([['moss', 7]]); 1", asking);
    const done = await lab.evaluate(`${patch}\n'patched'`, asking);
    expect(done.head).toBe("=> 'patched'");
    expect((await lab.evaluate('6 * 7', asking)).head).toBe('=> 42');
    expect((await lab.evaluate('await 43', asking)).head).toBe('=> 43');
    expect((await lab.evaluate('let one = 1, two = 2; one + two', asking)).head).toBe('=> 3');
    const failed = await lab.evaluate("function broken() { throw new TypeError('real') }\nbroken()", asking);
    expect(failed.head).toBe('[ERROR] TypeError: real');
    expect(failed.text).toMatch(/0: broken \(cell-\d+:1:/);
    const printed = await lab.evaluate("process.stdout.write('said\\n'); 1", asking);
    expect([printed.head, fenced(printed.text)]).toEqual(['=> 1', ['said']]);
    const shown = await lab.evaluate('cart', asking);
    expect(shown.head).toMatch(/^=> \{ items: 3, name: 'fern', worth: \[Getter\] \}/);
    const [ref] = shown.structured.refs ?? [];
    const looked = await lab.call('inspect', { target: `#${ref}`, session });
    expect(looked.text).toMatch(/items: 3\n {2}name: 'fern'\n {2}worth: \[getter\]/);
    expect((await lab.call('inspect', { target: 'stock', session })).text).toMatch(/Map\(1\) \{ 'moss' => 7 \}\n {2}'moss': 7/);
    expect((await lab.call('inspect', { target: `#${ref}`, path: ['name'], session })).text).toContain("'fern'");
    const { structured } = await lab.evaluate('1', asking);
    expect(structured).toMatchObject({ status: 'ok', generation: 1 });
    expect((await lab.evaluate('for (;;);', { session, timeout_ms: 300 })).head).toContain('[INTERRUPTED]');
  });
});
