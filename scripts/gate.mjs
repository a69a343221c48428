// `npm test`: every check, then the tests that an edit can break. `npm run test:all`: the tests that take too long for every edit
// (scripts/long-tests.mjs), and the tests of processes once more on the second Node.
import { Buffer } from 'node:buffer';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { argv, chdir, env, execPath, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { leftOut } from './left-out.mjs';
import { longTests } from './long-tests.mjs';
import { notRun, reference } from './prepare.mjs';

chdir(fileURLToPath(new URL('..', import.meta.url)));
const words = argv.slice(2);
const mode = words[0] === 'all' ? 'all' : 'test';
if (words.includes('--list')) list();
const unknown = words.find((word, at) => word !== 'all' || at > 0);
if (unknown !== undefined) {
  const usage = 'usage: npm test, npm run test:all, npm run test:all -- --list; for some tests only: npx vitest run test/server';
  (unknown === '--help' ? stdout : stderr).write(`${unknown === '--help' ? '' : `Unknown: ${unknown}\n`}${usage}\n`);
  exit(unknown === '--help' ? 0 : 2);
}

await step('prepare', [join('scripts', 'prepare.mjs')]);
await step('edits', [join('scripts', 'published-edits.mjs')]);
if (mode === 'all') await step('strangers', [join('scripts', 'strangers.mjs')]);
// --force: the build information may outlive a deleted dist, and then nothing would be built.
await step('build', [join('scripts', 'build.mjs'), '--force']);
if (mode === 'test') {
  await Promise.all([
    step('types', [bin('typescript', 'tsc'), '-b']).then(() => step('publint', [bin('publint', 'publint'), '--strict'])),
    step('biome', [bin('@biomejs/biome', 'biome'), 'ci', '--error-on-warnings']).then(() => step('knip', [bin('knip', 'knip')])),
  ]);
  await step('attw', [bin('@arethetypeswrong/cli', 'attw'), '--pack', '--profile', 'esm-only']);
}

const projects = (...names) => names.flatMap((name) => ['--project', name]);
const secondNode = [...onSecondNode(), '--testNamePattern', 'on Node 24'];
const runs =
  mode === 'test'
    ? [['test', projects('unit', 'alone', 'house', 'types', 'examples')]]
    : [
        // More workers than in the other runs: here tests wait most of the time.
        ['long', [...projects('long', 'peers', 'conformance'), '--maxWorkers', '4']],
        ['second Node', [...projects('unit', 'long'), ...secondNode], { VIVARIUM_SECOND_NODE: 'only' }],
      ];
const reports = runs.map(([name, args, more]) => vitest(name, args, more));
summary(reports);
exit(reports.every(({ status }) => status === 0) ? 0 : 1);

/** One run of vitest; what it found is kept for the summary. */
function vitest(name, args, more = {}) {
  const file = join('.cache', `tests-${name.replaceAll(' ', '-')}.json`);
  mkdirSync('.cache', { recursive: true });
  rmSync(file, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const options = { stdio: 'inherit', env: { ...env, ...more } };
  const { status } = spawnSync(execPath, [bin('vitest', 'vitest'), 'run', ...args, ...reporters], options);
  const found = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] };
  const files = found.testResults.map(({ name: path, startTime, endTime }) => ({
    path: relative('.', path),
    seconds: (endTime - startTime) / 1000,
  }));
  const { numPassedTests: passed = 0, numFailedTests: failed = 0, numPendingTests: skipped = 0 } = found;
  // A run by a pattern leaves out what does not match it.
  const notRunHere = args.includes('--testNamePattern') ? [] : leftOut(found, (path) => readFileSync(path, 'utf8'), lacks);
  return { name, status, files, passed, failed, skipped, notRunHere, broken: broken(found) };
}

/** The failed tests, and the files that could not be run. */
function broken({ testResults }) {
  return testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [{ file, name: 'the file', message }];
    return failed.map(({ fullName, failureMessages }) => ({ file, name: fullName, message: failureMessages.join('\n') }));
  });
}

function lacks(component) {
  return component === 'reference' ? reference() === undefined : notRun(component);
}

/** The slowest files and the seconds of all workers together; .cache/gate.json keeps them for `npm run house`. */
function summary(reports) {
  const kept = existsSync('.cache/gate.json') ? JSON.parse(readFileSync('.cache/gate.json', 'utf8')) : {};
  for (const { name, status, files, passed, failed, skipped } of reports) {
    const workerSeconds = Math.round(files.reduce((total, file) => total + file.seconds, 0));
    kept[name] = { status, workerSeconds, files: files.length, passed, failed, skipped };
    stdout.write(`\n${name}: ${workerSeconds} worker-seconds in ${files.length} files; the slowest:\n`);
    const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10);
    for (const file of slowest) stdout.write(`${file.seconds.toFixed(1).padStart(7)} s  ${file.path}\n`);
  }
  for (const { reason, tests } of reports.flatMap(({ notRunHere }) => notRunHere)) {
    stdout.write(`\nLeft out, because ${reason}: ${tests.length}\n`);
    for (const { file, name } of tests) stdout.write(`  ${relative('.', file)}: ${name}\n`);
  }
  // Once more at the end, because of a build server one often sees the last lines only.
  for (const { file, name, message } of reports.flatMap(({ broken }) => broken)) {
    stdout.write(`\nFailed: ${relative('.', file)}: ${name}\n${message.split('\n').slice(0, 12).join('\n')}\n`);
  }
  writeFileSync('.cache/gate.json', `${JSON.stringify(kept, undefined, 1)}\n`);
  const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
  const failed = reports.filter(({ status }) => status !== 0).map(({ name }) => name);
  if (failed.length > 0) stdout.write(`\nFailed runs: ${failed.join(', ')}`);
  stdout.write(`\n${count({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') })}\n`);
}

function count({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function list() {
  for (const { why, files } of longTests) stdout.write(`${why}\n${files.map((file) => `  ${file}\n`).join('')}`);
  stdout.write(
    `on the second Node\n${onSecondNode()
      .map((file) => `  ${file}\n`)
      .join('')}`,
  );
  exit(0);
}

function onSecondNode() {
  const files = readdirSync('test', { recursive: true }).map((name) => join('test', String(name)));
  const isForEach = (file) => /\b(?:onEachNode|asFreshlyStarted)\(/.test(readFileSync(file, 'utf8'));
  const each = files.filter((file) => file.endsWith('.test.ts') && isForEach(file)).sort();
  // Their edits are among those of `published-all` and `made-many`.
  return each.filter((file) => !/reload\/(?:published|made)\.test\.ts$/.test(file));
}

function step(name, args) {
  const start = performance.now();
  return new Promise((resolve) => {
    const child = spawn(execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err] = [[], []];
    child.stdout.on('data', (piece) => out.push(piece));
    child.stderr.on('data', (piece) => err.push(piece));
    child.on('error', (error) => err.push(Buffer.from(`${error}\n`)));
    child.on('close', (status) => {
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      stdout.write(`${name.padEnd(9)} ${seconds.padStart(5)} s${status === 0 ? '' : '  failed'}\n`);
      if (status !== 0) stdout.write(Buffer.concat(out));
      if (status !== 0 || ['prepare', 'edits', 'strangers'].includes(name)) stderr.write(Buffer.concat(err));
      if (status !== 0) exit(status || 1);
      resolve();
    });
  });
}

function bin(name, command) {
  const folder = join('node_modules', name);
  const { bin: table } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof table === 'string' ? table : table[command]);
}
