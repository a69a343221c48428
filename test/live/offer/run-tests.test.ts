// run_tests: the project's own tests with its own runner, bounded, and stopped when nobody waits for them.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createLive, javascript, type LiveOptions } from 'vivarium/live';
import { node24, notRun } from '../../../scripts/prepare.mjs';
import { findRunner } from '../../../src/live/offer/run-tests.ts';
import { eventually, type Lab, openLab } from '../fixture.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The runner is found when the server is made, so the project is there before it. */
async function openProject(files: Readonly<Record<string, string>>, options: LiveOptions = {}, linked = true): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), 'live-tests-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  if (linked) symlinkSync(modules, join(folder, 'node_modules'));
  return openLab({ cwd: folder, ...options });
}

const withNode = JSON.stringify({ type: 'module', scripts: { test: 'node --test' } });
const withVitest = JSON.stringify({ type: 'module', devDependencies: { vitest: '*' } });

const cases = (from: string): string => `
import { describe, it } from '${from}';
import assert from 'node:assert';
it('adds', () => {});
describe('a cart', () => {
  it('is empty', () => {
    assert.equal([1].length, 0, 'one is left');
  });
  it.skip('is paid', () => {});
});
`;

const names = async (lab: Lab): Promise<string[]> => (await lab.client.listTools()).map(({ name }) => name);

describe.each([
  ['node:test', withNode],
  ['vitest', withVitest],
])('with %s', (runner, manifest) => {
  it('counts, and says of each failure its name, message and place', async () => {
    await using lab = await openProject({ 'package.json': manifest, 'test/cart.test.js': cases(runner) });
    const { text, structured, isError } = await lab.call('run_tests');
    const [head, ...rest] = text.split('\n');
    expect(head).toMatch(/^\[FAILED\] 1 passed, 1 failed, 1 skipped in [\d.]+ s \((node:test|vitest)\)$/);
    expect(rest.join('\n')).toMatch(/^✗ a cart > is empty {2}\(test\/cart\.test\.js:7\)\n {4}.*one is left/);
    expect(structured).toMatchObject({ status: 'failed', passed: 1, failed: 1, skipped: 1 });
    expect(isError).toBe(false);
  });

  it('does not pass where nothing ran', async () => {
    await using lab = await openProject({ 'package.json': manifest, 'test/cart.test.js': cases(runner) });
    const { text, isError } = await lab.call('run_tests', { name: 'nothing\nlike it' });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/^\[NO TESTS] None ran: \d+ skipped, and none is called "nothing like it"/),
    ]);
  });

  it('has no line of its own for the name of a test, however long', async () => {
    const forged = cases(runner).replace("'is empty'", "'is empty\\n[PASSED] 9 passed' + 'x'.repeat(5_000)");
    await using lab = await openProject({ 'package.json': manifest, 'test/cart.test.js': forged });
    const { text } = await lab.call('run_tests');
    expect(text).toMatch(/^\[FAILED] 1 passed, 1 failed/);
    expect(text).not.toMatch(/^\[PASSED]/m);
    expect(text.length).toBeLessThan(2_000);
  });

  it('runs those that were asked for', async () => {
    const other = `import { it } from '${runner}'; it('other (one)', () => {}); it('other two', () => {});`;
    await using lab = await openProject({ 'package.json': manifest, 'a.test.js': cases(runner), 'b.test.js': other });
    expect((await lab.call('run_tests', { files: ['b.test.js'] })).structured).toMatchObject({ status: 'passed', passed: 2, failed: 0 });
    expect((await lab.call('run_tests', { files: ['b.test.js'], name: 'other (one)' })).structured).toMatchObject({ passed: 1 });
  });

  it('tells of a file that cannot be loaded', async () => {
    await using lab = await openProject({ 'package.json': manifest, 'a.test.js': `import '${runner}';\nthrow new Error('broken');` });
    const { text, structured } = await lab.call('run_tests');
    expect(structured).toMatchObject({ status: 'failed', failed: 1 });
    expect(text).toMatch(/✗ a\.test\.js {2}\(a\.test\.js:\d\)\n[\s\S]*broken/);
  });

  it('stops at its limit, and says so', async () => {
    await using lab = await openProject({
      'package.json': manifest,
      'a.test.js': `import { it } from '${runner}'; it('hangs', () => { for (;;); });`,
    });
    const { head, isError } = await lab.call('run_tests', { timeout_ms: 3_000 });
    expect(head).toBe('[TIMEOUT] The tests ran longer than 3 s and were stopped; run_tests(timeout_ms) says how long they may.');
    expect(isError).toBe(true);
  });
});

it('a cancelled run ends with everything it started', async () => {
  const mark = (name: string): string => `require('node:fs').writeFileSync(${JSON.stringify(name)}, String(process.pid))`;
  await using lab = await openProject({
    'package.json': JSON.stringify({ scripts: { test: 'node --test' } }),
    'a.test.js': `require('node:test').it('hangs', () => { ${mark('begun')}; for (;;); });`,
  });
  const folder = folders.at(-1) as string;
  const given = new AbortController();
  const call = lab.call('run_tests', {}, given.signal);
  await eventually(() => readdirSync(folder)).toContain('begun');
  const pid = Number(readFileSync(join(folder, 'begun'), 'utf8'));
  given.abort();
  await expect(call).rejects.toThrow();
  await eventually(() => isThere(pid)).toBe(false);
});

it('a run that is stopped at its limit takes what left its group with it', async () => {
  const child = "require('node:child_process').spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })";
  await using lab = await openProject({
    'package.json': JSON.stringify({ scripts: { test: 'node --test' } }),
    'a.test.js': `require('node:test').it('hangs', () => { require('node:fs').writeFileSync('begun', String(${child}.pid)); for (;;); });`,
  });
  expect((await lab.call('run_tests', { timeout_ms: 12_000 })).head).toMatch(/^\[TIMEOUT\]/);
  const pid = Number(readFileSync(join(folders.at(-1) as string, 'begun'), 'utf8'));
  await eventually(() => isThere(pid)).toBe(false);
});

it('a run is over with its runner, whatever still holds its output', async () => {
  await using lab = await openProject({
    'package.json': withVitest,
    'vitest.config.js': "export default { test: { globalSetup: './setup.js' } };",
    'setup.js': `import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
export default () => {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'inherit' });
  child.unref();
  writeFileSync('begun', String(child.pid));
};`,
    'a.test.js': "import { it } from 'vitest'; it('passes', () => {});",
  });
  try {
    expect((await lab.call('run_tests')).head).toMatch(/^\[PASSED\] 1 passed/);
  } finally {
    process.kill(Number(readFileSync(join(folders.at(-1) as string, 'begun'), 'utf8')));
  }
});

it.skipIf(notRun('node-24'))('tests run on the Node of the project', async () => {
  const text = "require('node:test').it('is it', () => { require('node:assert').match(process.version, /^v24/); });";
  const engines = [javascript({ node: String(node24()) })];
  await using lab = await openProject(
    { 'package.json': JSON.stringify({ scripts: { test: 'node --test' } }), 'a.test.js': text },
    { engines },
  );
  expect((await lab.call('run_tests')).head).toMatch(/^\[PASSED\] 1 passed/);
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('many failures are bounded', async () => {
  const text = `import { it } from 'node:test'; for (let i = 0; i < 60; i++) it('no ' + i, () => { throw new Error('x'.repeat(5_000)); });`;
  await using lab = await openProject({ 'package.json': withNode, 'a.test.js': text });
  const answer = await lab.call('run_tests');
  expect(answer.structured).toMatchObject({ failed: 60 });
  expect(answer.text).toContain('… 40 more failures');
  expect(answer.text.length).toBeLessThan(20_000);
});

it('tests see none of the host’s secrets', async () => {
  process.env['LIVE_TEST_TOKEN'] = 'do-not-tell-12345';
  const text =
    "import { it } from 'node:test'; import assert from 'node:assert'; it('env', () => assert.equal(process.env.LIVE_TEST_TOKEN, undefined));";
  await using lab = await openProject({ 'package.json': withNode, 'a.test.js': text });
  expect((await lab.call('run_tests')).structured).toMatchObject({ passed: 1 });
  delete process.env['LIVE_TEST_TOKEN'];
});

describe('it is offered', () => {
  it('where files use node:test, though package.json says nothing', async () => {
    await using lab = await openProject({ 'package.json': '{}', 'src/a.test.mjs': "import 'node:test';" });
    expect(await names(lab)).toContain('run_tests');
  });

  it('not where there is no runner, and then asking for it is a mistake', async () => {
    await using lab = await openProject({ 'package.json': '{}' });
    expect(await names(lab)).not.toContain('run_tests');
    expect(() => createLive({ cwd: folders.at(-1) as string, tools: ['run_tests'] })).toThrow(
      /neither vitest, jest, node:test nor an ASDF system/,
    );
  });
});

const typedTest = `
import { describe, it } from 'node:test';
import assert from 'node:assert';
import { total } from '@/cart';
enum Size { Small, Large }
describe('a cart', () => {
  it('adds', () => assert.equal(total([1, 2]), 3));
  it('fails', (): void => {
    const wanted: Size = Size.Large;
    assert.equal(total([]), wanted, 'nothing is small');
  });
});
`;
const typedProject = {
  'package.json': withNode,
  'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
  'src/cart.ts': 'export const total = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);\n',
  'test/cart.test.ts': typedTest,
};

it.each([
  ['as an image loads it', {}],
  ['in CommonJS', { 'package.json': JSON.stringify({ scripts: { test: 'node --test' } }) }],
])('node:test runs TypeScript %s, with paths and enums, and says the line that was written', async (_, more) => {
  await using lab = await openProject({ ...typedProject, ...more }, {}, false);
  const { text, structured } = await lab.call('run_tests');
  expect(structured).toMatchObject({ status: 'failed', passed: 1, failed: 1, skipped: 0 });
  expect(text).toMatch(/✗ a cart > fails {2}\(test\/cart\.test\.ts:10\)\n {4}nothing is small/);
});

it('node:test runs TypeScript with the tsx of the project', async () => {
  const text = typedTest.replace('Size.Large;', 'Size.Large; assert.match(process.execArgv.join(), /tsx/);');
  await using lab = await openProject({ ...typedProject, 'test/cart.test.ts': text });
  const answer = await lab.call('run_tests');
  expect(answer.structured).toEqual({ status: 'failed', passed: 1, failed: 1, skipped: 0 });
  expect(answer.text).toContain('nothing is small');
});

describe.skipIf(notRun('bubblewrap'))('in a sandbox', () => {
  it('tests run in one too: without network, without what is not the project’s, and their report comes back', async () => {
    const text = `
import { it } from 'node:test';
import assert from 'node:assert';
import { existsSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
it('is alone', () => assert.deepEqual([Object.keys(networkInterfaces()), existsSync('/etc/passwd')], [['lo'], false]));
it('may not write', () => assert.throws(() => writeFileSync('made.txt', ''), /EROFS/));
it('fails', () => assert.fail('as it should'));
`;
    await using lab = await openProject({ 'package.json': withNode, 'a.test.js': text }, { sandbox: true }, false);
    const answer = await lab.call('run_tests');
    expect(answer.structured).toEqual({ status: 'failed', passed: 2, failed: 1, skipped: 0 });
    expect(answer.text).toMatch(/✗ fails {2}\(a\.test\.js:8\)\n {4}as it should/);
  });

  it('a report that leads elsewhere is none', async () => {
    const text = `
const { readdirSync, symlinkSync, rmSync } = require('node:fs');
const folder = '/tmp/' + readdirSync('/tmp').find((one) => one.startsWith('vivarium-tests-'));
process.on('exit', () => {
  rmSync(folder + '/report.json', { force: true });
  symlinkSync('/etc/passwd', folder + '/report.json');
});
require('node:test').it('passes', () => {});
`;
    const script = { scripts: { test: 'node --test' } };
    await using lab = await openProject({ 'package.json': JSON.stringify(script), 'a.test.js': text }, { sandbox: true }, false);
    const { head, isError } = await lab.call('run_tests');
    expect([isError, head]).toEqual([true, expect.stringContaining('left no report')]);
  });
});

it('reads what jest 29.7 reports: what failed, and where, files that cannot be loaded, and what was left out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'live-jest-'));
  folders.push(folder);
  mkdirSync(join(folder, 'node_modules/jest'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/jest/package.json'), '{ "name": "jest", "bin": "./bin/jest.js" }');
  writeFileSync(join(folder, 'package.json'), '{ "scripts": { "test": "jest" } }');
  const recorded = readFileSync(new URL('../../fixtures/live/jest-report.json', import.meta.url), 'utf8');
  const runner = findRunner(folder, [javascript()]);
  const report = runner?.read(recorded.replaceAll('/project', folder));
  expect([runner?.title, report?.passed, report?.failed, report?.skipped]).toEqual(['jest', 1, 2, 2]);
  expect(report?.failures.map(({ name, place }) => [name, place]).sort()).toEqual([
    ['a cart > is empty', 'cart.test.js:4'],
    ['broken.test.js', 'broken.test.js:1'],
  ]);
  expect(report?.failures.map(({ message }) => message).join()).toMatch(/Expected length: 0[\s\S]*broken|broken[\s\S]*Expected length: 0/);
});

it('A file that is not there is named, with the one that may be meant', async () => {
  await using lab = await openProject({ 'package.json': withNode, 'test/cart.test.js': cases('node:test') });
  const { text, isError } = await lab.call('run_tests', { files: ['test/crat.test.js'] });
  expect([isError, text]).toEqual([true, 'There is no file test/crat.test.js: did you mean test/cart.test.js?']);
});
