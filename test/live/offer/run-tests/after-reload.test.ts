// reload(test: true): the tests that an edit concerns run with it, and no others.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually, isAlive, type Lab, type LabOptions, openLab } from '../../fixture.ts';

const modules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
const command = fileURLToPath(new URL('../../../../dist/cli/main.js', import.meta.url));
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

/** A test that leaves its process id and goes on for ever. */
function writeHanging(folder: string): void {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "scripts": { "test": "node --test" } }');
  writeFileSync(join(folder, 'a.mjs'), 'export const a = () => 1;\n');
  writeFileSync(
    join(folder, 'a.test.mjs'),
    `import { writeFileSync } from 'node:fs';\nimport { it } from 'node:test';\nimport './a.mjs';\nit('hangs', () => { writeFileSync(${JSON.stringify(join(folder, 'pid.txt'))}, String(process.pid)); for (;;); });\n`,
  );
}

function pidIn(folder: string): number | undefined {
  const file = join(folder, 'pid.txt');
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) || undefined : undefined;
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
    expect((await lab.call('reload', { test: true })).text).toBe(
      'Nothing changed on disk.\nNothing changed since the tests last ran, so no test was run.',
    );
    edit('src/lonely.ts', 'export const lonely = (): number => {\n');
    const refused = await lab.call('reload', { test: true });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(/Nothing was changed\.\nNo test was run\.$/)]);
  });

  it('a test that was edited or added runs, and one that failed runs again', async () => {
    const { lab, edit } = await openShop(runner, manifest);
    await using _ = lab;
    const text = (wanted: number): string =>
      `import assert from 'node:assert';\nimport { it } from '${runner}';\nimport { other } from '../src/other.js';\nit('added', () => assert.equal(other(), ${wanted}));\n`;
    edit('test/added.test.ts', text(11));
    for (let time = 0; time < 2; time++) {
      const failed = await lab.call('reload', { test: true });
      expect(failed.text).toMatch(/^Nothing that is loaded changed\.\n\[FAILED] 0 passed, 1 failed .*\n✗ added/);
    }
    edit('test/added.test.ts', text(10));
    expect((await lab.call('reload', { test: true })).text).toContain('[PASSED] 1 passed, 0 failed');
    expect((await lab.call('reload', { test: true })).text).toContain('Nothing changed since the tests last ran, so no test was run');
  });
});

it('Data that only tests read is a change for them', async () => {
  const { lab, edit } = await openShop('node:test', { scripts: { test: 'node --test' } });
  await using _ = lab;
  edit('test/data.json', '[1]');
  edit(
    'test/data.test.cjs',
    "const { it } = require('node:test');\nconst data = require('./data.json');\nit('data', () => require('node:assert').equal(data[0], 1));\n",
  );
  expect((await lab.call('reload', { test: true })).text).toContain('[PASSED] 1 passed');
  edit('test/data.json', '[2]');
  expect((await lab.call('reload', { test: true })).text).toContain('[FAILED] 0 passed, 1 failed');
});

describe('tests that do not end', () => {
  async function openHanging(options: LabOptions = {}): Promise<{ readonly lab: Lab; readonly begun: () => number | undefined }> {
    const folder = mkdtempSync(join(tmpdir(), 'live-hang-'));
    folders.push(folder);
    writeHanging(folder);
    const lab = await openLab({ cwd: folder, ...options });
    await lab.evaluate("import { a } from './a.mjs'");
    writeFileSync(join(folder, 'a.mjs'), 'export const a = () => 2;\n');
    return { lab, begun: () => pidIn(folder) };
  }

  it('are stopped by sessions(action: interrupt), and those that had begun are named', async () => {
    const { lab, begun } = await openHanging();
    await using _ = lab;
    const running = lab.call('reload', { test: true });
    await eventually(begun).toBeGreaterThan(0);
    const pid = begun() as number;
    expect((await lab.call('sessions', { action: 'interrupt' })).text).toContain('The tests that ran were stopped');
    const { text, isError } = await running;
    expect([isError, text]).toEqual([true, expect.stringMatching(/^swapped a\.mjs: a\n\[INTERRUPTED] The tests were stopped after/)]);
    expect(text).toMatch(/Begun and not ended:\n… .*a\.test\.mjs/);
    await eventually(() => isAlive(pid)).toBe(false);
  });

  it('are stopped by the time limit, which is said', async () => {
    const { lab } = await openHanging({ limits: { timeoutMs: 8_000 } });
    await using _ = lab;
    const { text } = await lab.call('reload', { test: true });
    expect(text).toContain('[TIMEOUT] The tests ran longer than 8 s and were stopped; run_tests(timeout_ms) says how long they may.');
  });

  it('do not outlive the server, even one that was killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'live-hang-'));
    folders.push(folder);
    writeHanging(folder);
    const server = spawn(process.execPath, [command, 'live', '--cwd', folder, '-q', '--state', join(folder, 'state')], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    const send = (message: object): boolean => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    send({ id: 1, method: 'initialize', params: hello });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'run_tests', arguments: {} } });
    await eventually(() => pidIn(folder)).toBeGreaterThan(0);
    const pid = pidIn(folder) as number;
    server.kill('SIGKILL');
    await eventually(() => isAlive(pid)).toBe(false);
  });
});

it('A project without tests has its files swapped, and that is said', async () => {
  await using lab = await openLab();
  writeFileSync(join(lab.folder, 'a.mjs'), 'export const a = () => 1;\n');
  await lab.evaluate("import { a } from './a.mjs'");
  writeFileSync(join(lab.folder, 'a.mjs'), 'export const a = () => 2;\n');
  const { text, isError } = await lab.call('reload', { test: true });
  expect([isError, text]).toEqual([
    false,
    expect.stringMatching(/^swapped a\.mjs: a\n\[NO TESTS] No test was run: vivarium finds neither vitest, jest nor node:test in /),
  ]);
  expect(await lab.value('a()')).toBe('2');
});
