// reload(test: true): the tests that an edit concerns run with it, and no others.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { type Lab, openLab } from '../../fixture.ts';

const modules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function openShop(
  runner: string,
  manifest: object,
): Promise<{ readonly lab: Lab; readonly edit: (name: string, text: string) => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'live-after-'));
  folders.push(folder);
  const edit = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const cart = (title: string, call: string, from: string): string =>
    `import assert from 'node:assert';\nimport { it } from '${runner}';\n${from}\nit('${title}', () => assert.equal(${call}, 10));\n`;
  edit('package.json', JSON.stringify({ type: 'module', ...manifest }));
  edit('src/tax.ts', 'export const tax = (n: number): number => n * 2;\n');
  edit('src/cart.ts', "import { tax } from './tax.js';\nexport const total = (n: number): number => tax(n);\n");
  edit('src/other.ts', 'export const other = (): number => 10;\n');
  edit('test/cart.test.ts', cart('a cart', 'total(5)', "import { total } from '../src/cart.js';"));
  edit('test/other.test.ts', cart('another', 'other()', "import { other } from '../src/other.js';"));
  symlinkSync(modules, join(folder, 'node_modules'));
  const lab = await openLab({ cwd: folder });
  await lab.evaluate("import { total } from './src/cart.ts'; import { other } from './src/other.ts'");
  return { lab, edit };
}

describe.each([
  ['node:test', { scripts: { test: 'node --test' } }],
  ['vitest', { devDependencies: { vitest: '*' } }],
])('with %s', (runner, manifest) => {
  it('only those run that import what changed, by way of others too', async () => {
    const { lab, edit } = await openShop(runner, manifest);
    await using _ = lab;
    edit('src/tax.ts', 'export const tax = (n: number): number => n * 3;\n');
    const failed = await lab.call('reload', { test: true });
    expect(failed.text).toMatch(/^swapped src\/tax\.ts: tax\n\[FAILED] 0 passed, 1 failed in [\d.]+ s .*\n✗ a cart/);
    expect([failed.isError, failed.structured]).toEqual([false, expect.objectContaining({ status: 'failed', passed: 0, failed: 1 })]);
    edit('src/tax.ts', 'export const tax = (n: number): number => n * 2; // again\n');
    const passed = await lab.call('reload', { test: true });
    expect([passed.text, passed.structured.status]).toEqual([expect.stringContaining('[PASSED] 1 passed, 0 failed'), 'passed']);
    expect(await lab.value('total(5)')).toBe('10');
  });

  it('none runs where no test imports it, where nothing changed, and where the edit was refused', async () => {
    const { lab, edit } = await openShop(runner, manifest);
    await using _ = lab;
    edit('src/lonely.ts', 'export const lonely = (): number => 1;\n');
    await lab.evaluate("import { lonely } from './src/lonely.ts'");
    edit('src/lonely.ts', 'export const lonely = (): number => 2;\n');
    expect((await lab.call('reload', { test: true })).text).toMatch(
      /^swapped src\/lonely\.ts: lonely\n\[NO TESTS] No test imports what changed/,
    );
    expect((await lab.call('reload', { test: true })).text).toBe('Nothing changed on disk.\nNothing changed, so no test was run.');
    edit('src/lonely.ts', 'export const lonely = (): number => {\n');
    const refused = await lab.call('reload', { test: true });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(/Nothing was changed\.\nNo test was run\.$/)]);
  });
});

it('A project without tests has its files swapped, and that is said', async () => {
  await using lab = await openLab();
  writeFileSync(join(lab.folder, 'a.mjs'), 'export const a = () => 1;\n');
  await lab.evaluate("import { a } from './a.mjs'");
  writeFileSync(join(lab.folder, 'a.mjs'), 'export const a = () => 2;\n');
  const { text, isError } = await lab.call('reload', { test: true });
  expect([isError, text]).toEqual([true, expect.stringMatching(/^swapped a\.mjs: a\nrun_tests finds neither/)]);
  expect(await lab.value('a()')).toBe('2');
});
