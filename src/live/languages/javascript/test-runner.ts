// The test runners of a Node project: how each is found, started and read.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { stripVTControlCharacters as plain } from 'node:util';
import { readPlainFile } from '../../../node/plain-file.ts';
import { reportFile, type TestFailure, type TestReport, type TestRunner } from '../../image/test-runner.ts';
import { packageFile } from '../../package-files.ts';
import { affectedBy } from './affected-tests.ts';
import { changedSince, testFilesOf } from './project-files.ts';

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const maxManifest = 1_048_576;

type NodeTests = Omit<TestRunner, 'command' | 'changedSince'>;

/** Found by the project's dependencies and its test script; `node` is the Node that runs the project. */
export function nodeTests(cwd: string, node: TestRunner['command']): TestRunner | undefined {
  const found = findRunner(cwd);
  return found && { ...found, command: node, changedSince: (time) => changedSince(cwd, time) };
}

function findRunner(cwd: string): NodeTests | undefined {
  const manifest = manifestOf(cwd);
  const script = manifest.scripts?.['test'] ?? '';
  const has = (name: string): boolean => manifest.devDependencies?.[name] !== undefined || manifest.dependencies?.[name] !== undefined;
  const vitest = binOf(cwd, 'vitest');
  const jest = binOf(cwd, 'jest');
  const byScript = /\bvitest\b/.test(script) ? 'vitest' : /\bjest\b/.test(script) ? 'jest' : /--test\b/.test(script) ? 'node' : undefined;
  if (vitest !== undefined && (byScript === 'vitest' || (byScript === undefined && has('vitest')))) return vitestOf(cwd, vitest);
  if (jest !== undefined && (byScript === 'jest' || (byScript === undefined && has('jest')))) return jestOf(cwd, jest);
  if (byScript === 'node' || (byScript === undefined && testFilesOf(cwd).some((file) => usesNode(join(cwd, file))))) return nodeOf(cwd);
  return undefined;
}

function vitestOf(cwd: string, bin: string): NodeTests {
  return {
    title: 'vitest',
    args: ({ files, name, changed }, folder) => [
      bin,
      ...(changed === undefined ? ['run'] : ['related', '--run', '--passWithNoTests']),
      '--reporter=json',
      `--outputFile=${join(folder, reportFile)}`,
      ...(name === undefined ? [] : [`--testNamePattern=${literal(name)}`]),
      ...(changed ?? files).map(asPath),
    ],
    read: (report) => readJest(report, cwd),
  };
}

function jestOf(cwd: string, bin: string): NodeTests {
  return {
    title: 'jest',
    args: ({ files, name, changed }, folder) => [
      bin,
      '--json',
      `--outputFile=${join(folder, reportFile)}`,
      ...(name === undefined ? [] : [`--testNamePattern=${literal(name)}`]),
      ...(changed === undefined ? [] : ['--passWithNoTests', '--findRelatedTests', ...changed.map(asPath)]),
      ...(files.length === 0 ? [] : ['--runTestsByPath', ...files.map(asPath)]),
    ],
    read: (report) => readJest(report, cwd),
  };
}

function nodeOf(cwd: string): NodeTests {
  const script = manifestOf(cwd).scripts?.['test'] ?? '';
  // Loaders the project runs its tests with.
  const loaders = [...script.matchAll(/--(?:import|require|loader|experimental-strip-types|conditions)(?:[= ][\w@./:-]+)?/g)].map(
    ([flag]) => flag,
  );
  return {
    title: 'node:test',
    brings: { 'reporter.mjs': nodeReporter },
    affectedBy: (changed) => affectedBy(changed, testFilesOf(cwd), cwd),
    missing: (files) => files.find((file) => !/[*?{]/.test(file) && !existsSync(resolve(cwd, file))),
    tests: () => testFilesOf(cwd),
    args: ({ files, name }, folder) => [
      ...(loaders.length > 0 ? loaders.flatMap((flag) => flag.split(' ')) : typeLoader(cwd, files.length > 0 ? files : testFilesOf(cwd))),
      '--test',
      `--test-reporter=${join(folder, 'reporter.mjs')}`,
      `--test-reporter-destination=${join(folder, reportFile)}`,
      ...(name === undefined ? [] : [`--test-name-pattern=${literal(name)}`]),
      '--',
      ...(files.length > 0 ? files : testFilesOf(cwd)),
    ],
    read: (report) => readNode(report, cwd),
    unfinished: (report) => unfinishedIn(report, cwd),
  };
}

/** What loads TypeScript: the project's own tsx, otherwise what loads it in an image. */
function typeLoader(cwd: string, files: readonly string[]): string[] {
  if (!files.some((file) => /tsx?$/.test(file))) return [];
  try {
    return ['--import', pathToFileURL(createRequire(join(cwd, 'package.json')).resolve('tsx')).href];
  } catch {
    return ['--import', pathToFileURL(packageFile('live/languages/javascript/project-loader.js')).href];
  }
}

/** A line for each test that is over, and what a file printed that could not even be loaded. */
const nodeReporter = `export default async function* (events) {
  for await (const { type, data } of events) {
    const { name, nesting, file, line, skip, todo, details, message } = data ?? {};
    const at = { name, nesting, file, line };
    if (type === 'test:dequeue') yield JSON.stringify({ type: 'begun', ...at }) + '\\n';
    if (type === 'test:complete') yield JSON.stringify({ type: 'over', ...at }) + '\\n';
    if (type === 'test:start') yield JSON.stringify({ type: 'start', ...at }) + '\\n';
    if (type === 'test:stderr') yield JSON.stringify({ type: 'said', file, message }) + '\\n';
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { cause } = details?.error ?? {};
    const error = { message: cause?.message ?? details?.error?.message, stack: cause?.stack };
    const more = { suite: details?.type === 'suite', idle: skip !== undefined || todo !== undefined };
    yield JSON.stringify({ type: type === 'test:pass' ? 'pass' : 'fail', ...at, ...more, ...error }) + '\\n';
  }
}
`;

interface NodeLine {
  readonly type: 'begun' | 'over' | 'start' | 'said' | 'pass' | 'fail';
  readonly name?: string;
  readonly nesting?: number;
  readonly file?: string;
  readonly line?: number;
  readonly suite?: boolean;
  readonly idle?: boolean;
  readonly message?: string;
  readonly stack?: string;
}

function readNode(report: string, cwd: string): TestReport {
  let [passed, failed, skipped] = [0, 0, 0];
  const failures: TestFailure[] = [];
  const said = new Map<string, string>();
  const names: string[] = [];
  for (const text of report.split('\n').filter((line) => line !== '')) {
    const { type, name = '', nesting = 0, file = '', line = 1, suite, idle, message = '', stack = '' } = JSON.parse(text) as NodeLine;
    if (type === 'said') said.set(file, `${said.get(file) ?? ''}${message}`.slice(-2_000));
    if (type === 'start') names.splice(nesting, names.length, name);
    if ((type !== 'pass' && type !== 'fail') || suite === true) continue;
    if (idle === true) skipped++;
    else if (type === 'pass') passed++;
    else {
      failed++;
      // A file that failed as a whole is named like itself.
      const whole = file !== '' && file.endsWith(name);
      const place = frameOf(whole ? (said.get(file) ?? '') : stack, cwd) ?? `${short(file, cwd)}:${line}`;
      const titled = whole ? short(file, cwd) : [...names.slice(0, nesting), name].join(' > ');
      failures.push({ name: titled, message: whole ? (said.get(file)?.trim() ?? message) : message, place });
    }
  }
  return { passed, failed, skipped, failures };
}

/** Tests that began and did not end, the innermost of each file. */
function unfinishedIn(report: string, cwd: string): string[] {
  const running = new Map<string, NodeLine>();
  const keyOf = ({ file, name, line, nesting }: NodeLine): string => JSON.stringify([file, name, line, nesting]);
  for (const text of report.split('\n')) {
    // The last line may be a part of one.
    if (!text.endsWith('}')) continue;
    const line = JSON.parse(text) as NodeLine;
    if (line.type === 'begun') running.set(keyOf(line), line);
    else if (line.type === 'over' || line.type === 'pass' || line.type === 'fail') running.delete(keyOf(line));
  }
  const all = [...running.values()];
  const isFile = ({ name = '', file = '' }: NodeLine): boolean => name !== '' && (file === name || file.endsWith(`/${name}`));
  const tests = all.filter((one) => !isFile(one));
  const files = all.filter((one) => isFile(one) && !tests.some(({ file }) => file === one.file));
  return [
    ...tests.map(({ name, file = '', line }) => `${name} (${short(file, cwd)}:${line})`),
    ...files.map(({ name = '' }) => short(name, cwd)),
  ];
}

interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests?: number;
  readonly numTodoTests?: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

/** vitest writes what jest does. */
function readJest(report: string, cwd: string): TestReport {
  const { numPassedTests, numFailedTests, numPendingTests = 0, numTodoTests = 0, testResults } = JSON.parse(report) as JestReport;
  const failures: TestFailure[] = [];
  let broken = 0;
  for (const { name: file, status, message = '', assertionResults } of testResults) {
    const bad = assertionResults.filter((one) => one.status === 'failed');
    if (status === 'failed' && bad.length === 0) {
      broken++;
      failures.push({ name: short(file, cwd), message: plain(message).trim(), place: frameOf(message, cwd) ?? `${short(file, cwd)}:1` });
    }
    for (const { ancestorTitles, title, failureMessages } of bad) {
      const text = plain(failureMessages?.[0] ?? '');
      const said = text.split(/\n[^\S\n]+at /, 1)[0] ?? '';
      failures.push({ name: [...ancestorTitles, title].join(' > '), message: said, place: frameOf(text, cwd) ?? `${short(file, cwd)}:1` });
    }
  }
  return { passed: numPassedTests, failed: numFailedTests + broken, skipped: numPendingTests + numTodoTests, failures };
}

/** The first of the project's own. */
function frameOf(stack: string, cwd: string): string | undefined {
  for (const [, file = '', line] of plain(stack).matchAll(/(?:\(|at |^|\n)((?:file:\/\/)?\/[^\s()]+?):(\d+)(?::\d+)?/g)) {
    const path = short(file, cwd);
    if (!path.startsWith('/') && !path.includes('node_modules/')) return `${path}:${line}`;
  }
  return undefined;
}

function short(file: string, cwd: string): string {
  const path = file.startsWith('file://') ? fileURLToPath(file) : file;
  const inside = relative(cwd, path);
  return inside.startsWith('..') || inside === '' ? path : inside;
}

/** Whatever it is called, it is no option. */
function asPath(file: string): string {
  return file.startsWith('-') ? `./${file}` : file;
}

function literal(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

function manifestOf(cwd: string): Manifest {
  try {
    return JSON.parse(readPlainFile(join(cwd, 'package.json'), maxManifest) ?? '') as Manifest;
  } catch {
    return {};
  }
}

/** The program of a package the project has. */
function binOf(cwd: string, name: string): string | undefined {
  try {
    const file = createRequire(join(cwd, 'package.json')).resolve(`${name}/package.json`);
    const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { bin?: string | Readonly<Record<string, string>> };
    const path = typeof bin === 'string' ? bin : bin?.[name];
    return path === undefined ? undefined : join(dirname(file), path);
  } catch {
    return undefined;
  }
}

function usesNode(file: string): boolean {
  try {
    return /['"]node:test['"]/.test(readFileSync(file, 'utf8').slice(0, 4_000));
  } catch {
    return false;
  }
}
