// What is offered beside the six tools, and how much of a model's attention the list takes.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLive } from 'vivarium/live';
import { type Lab, openLab } from '../fixture.ts';

const six = ['evaluate', 'inspect', 'lookup', 'reload', 'debug', 'sessions'];
const more = ['define', 'complete', 'check_syntax', 'load_file', 'profile', 'heap'];

let lab: Lab;
let project: string;
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'live-extra-'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ scripts: { test: 'node --test' } }));
  lab = await openLab({ cwd: project, tools: 'all' });
  mkdirSync(join(project, 'src'));
  writeFileSync(join(project, 'src/shop-list.mjs'), 'export const items = 3;');
  await lab.value('class Base { name() { return "base"; } }; 1');
  await lab.value('class Cart extends Base { add() { return 1; } }; const cart = new Cart(); const others = [new Cart(), new Cart()]; 1');
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

async function listed(from: Lab): Promise<readonly { readonly name: string; readonly inputSchema: { readonly properties: object } }[]> {
  const { tools } = (await from.client.request('tools/list')) as { tools: { name: string; inputSchema: { properties: object } }[] };
  return tools;
}

describe('the list of tools', () => {
  it('by default takes at most 1,000 tokens, with run_tests too', async () => {
    await using plain = await openLab();
    const tools = await listed(plain);
    expect(tools.map(({ name }) => name)).toEqual(six);
    expect(JSON.stringify(tools).length / 3.5).toBeLessThanOrEqual(1_000);
    await using testing = await openLab({ cwd: project });
    const withTests = await listed(testing);
    expect(withTests.map(({ name }) => name)).toEqual([...six, 'run_tests']);
    expect(JSON.stringify(withTests).length / 3.5).toBeLessThanOrEqual(1_000);
  });

  it('has all of them, or those that are named', async () => {
    expect((await listed(lab)).map(({ name }) => name)).toEqual([...six, ...more, 'run_tests']);
    await using some = await openLab({ tools: ['heap', 'complete'] });
    expect((await listed(some)).map(({ name }) => name)).toEqual([...six, 'heap', 'complete']);
    expect(() => createLive({ tools: ['help'] })).toThrow('There is no tool "help" to add: there are define, complete,');
  });

  it('is in the docs, with the arguments of each', async () => {
    const docs = readFileSync(new URL('../../../docs/live.md', import.meta.url), 'utf8');
    const tools = (await listed(lab)).filter(({ name }) => !six.includes(name));
    for (const { name, inputSchema } of tools) {
      const [, row = ''] = new RegExp(`^\\| \`${name}\` \\|([^|]*)\\|`, 'm').exec(docs) ?? [];
      const told = [...row.matchAll(/`(\w+)`/g)].map(([, argument]) => argument);
      expect([name, ...told]).toEqual([name, ...Object.keys(inputSchema.properties).filter((argument) => argument !== 'session')]);
    }
  });

  it('has resources and prompts as tools where that was asked for', async () => {
    await using exposing = await openLab({ expose: true });
    const names = (await listed(exposing)).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['resource_list', 'resource_read', 'read_class', 'read_object', 'prompt_review-class']));
    await exposing.value('function total() {}');
    expect((await exposing.call('read_function', { session: 'main', name: 'total' })).text).toContain('function total()');
    expect((await exposing.call('prompt_write-tests', { name: 'total' })).text).toContain('Write tests for "total"');
  });
});

describe('define', () => {
  it('defines a function', async () => {
    expect((await lab.call('define', { source: 'function twice(n) { return n * 2; }' })).isError).toBe(false);
    expect(await lab.value('twice(4)')).toBe('8');
  });

  it('replaces methods of a class whose instances stay', async () => {
    const source = 'add() { return 2; } name() { return "cart of " + super.name(); } static of() { return new this(); }';
    expect((await lab.call('define', { on: 'Cart', source })).text).toContain('class Cart');
    expect(await lab.value('[cart.add(), cart.name(), Cart.of().add()].join()')).toBe("'2,cart of base,2'");
  });

  it('takes only a name to define on', async () => {
    const { isError } = await lab.call('define', { on: 'Cart); process.exit(', source: 'x() {}' });
    expect(isError).toBe(true);
    expect(await lab.value('typeof Cart')).toBe("'function'");
  });
});

it('complete gives names, and members after a dot', async () => {
  expect((await lab.call('complete', { prefix: 'Ca' })).text).toBe('Cart');
  expect((await lab.call('complete', { prefix: 'cart.ad' })).text).toBe('cart.add');
  expect((await lab.call('complete', { prefix: 'nope.x' })).text).toBe('Nothing begins with nope.x');
});

it('check_syntax reads and does not run', async () => {
  expect((await lab.call('check_syntax', { code: 'globalThis.ran = 1; const a = 1, { b } = {};' })).text).toBe(
    'It can be read, and declares a, b.',
  );
  const { text, isError } = await lab.call('check_syntax', { code: 'const x = ;' });
  expect(text).toMatch(/^\[ERROR\] SyntaxError: [\s\S]*\(line 1, column 11\)$/);
  expect(isError).toBe(true);
  expect(await lab.value('globalThis.ran')).toBe('undefined');
});

it('load_file imports a file under its own name', async () => {
  expect((await lab.call('load_file', { file: 'src/shop-list.mjs' })).isError).toBe(false);
  expect(await lab.value('shopList.items')).toBe('3');
  expect((await lab.call('load_file', { file: 'src/none.mjs' })).isError).toBe(true);
});

describe('profile', () => {
  it('names the functions that took the time, and gives the value', async () => {
    await lab.value(
      'function slow() { let sum = 0; const end = Date.now() + 200; while (Date.now() < end) sum += Math.sqrt(sum + 1); return "done"; }',
    );
    const { text } = await lab.call('profile', { code: 'slow()' });
    const [head, title, first] = text.split('\n');
    expect(head).toBe("=> 'done'");
    expect(title).toMatch(/^Own time, of [\d.]+ ms sampled:$/);
    expect(first).toMatch(/ms +\d+ % {2}slow {2}\(cell-\d+:1\)$/);
    expect(text.length).toBeLessThan(3_000);
  });

  it('of what fails is the error, and the next one works', async () => {
    expect((await lab.call('profile', { code: 'null.x' })).head).toContain('[ERROR] TypeError');
    expect((await lab.call('profile', { code: '1 + 1' })).head).toBe('=> 2');
  });
});

it('heap counts instances of the classes of the session', async () => {
  const { text } = await lab.call('heap');
  expect(text).toMatch(/^[\d.]+ of [\d.]+ MB in use\nInstances:\n/);
  expect(text).toMatch(/^ +[345] {2}Cart$/m);
});
