// run_tests: the project's own tests with its own runner. Tests run in the image where the language has them there.
import { mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { realOf } from '../../node/real-path.ts';
import type { Context } from '../../server/context.ts';
import type { Server } from '../../server/server.ts';
import { ToolError } from '../../server/tool.ts';
import { near } from '../../text/did-you-mean.ts';
import type { Ending } from '../access/audit.ts';
import type { Engine } from '../image/engine.ts';
import type { TestReport, TestRunner, TestSelection } from '../image/test-runner.ts';
import { languages } from '../languages/languages.ts';
import type { CallerSessions } from '../session/caller-sessions.ts';
import type { Session } from '../session/session.ts';
import { type Ended, runTests, type TestTerms } from './test-process.ts';
import { resultOptions, textResult, waitFor } from './tool-results.ts';

export interface TestsRun {
  readonly report: TestReport;
  readonly text: string;
}

const maxFailures = 20;
const maxMessage = 600;
const maxName = 200;

export function offerRunTests(server: Server, place: CallerSessions, found: TestRunner | undefined, terms: TestTerms): void {
  const inImages = place.sessions.engines.some(({ testsCode }) => testsCode !== undefined);
  server.tool(
    'run_tests',
    {
      description: `Run the project's tests${found === undefined ? '' : ` (${found.title})`}.`,
      input: {
        type: 'object',
        properties: {
          files: { type: 'array', items: { type: 'string' } },
          name: { type: 'string', description: 'part of it' },
          timeout_ms: { type: 'integer', minimum: 1 },
          ...(inImages && { session: { type: 'string' } }),
        },
      } as {
        readonly type: 'object';
        readonly properties: {
          readonly files: { readonly type: 'array'; readonly items: { readonly type: 'string' } };
          readonly name: { readonly type: 'string' };
          readonly timeout_ms: { readonly type: 'integer' };
          readonly session: { readonly type: 'string' };
        };
      },
      ...resultOptions,
      annotations: { destructiveHint: false },
    },
    async ({ files = [], name, timeout_ms = place.timeoutMs, session: handle }, ctx) => {
      await place.home.settle(ctx);
      const session = inImages ? await sessionWith(place, handle, ctx) : undefined;
      const { report, text } =
        session === undefined
          ? await inProcess(place, terms, runnerFor(terms, terms.engines), { files, name }, timeout_ms, ctx)
          : await inImage(place, session, { files, name }, timeout_ms, ctx);
      const { passed, failed, skipped } = report;
      return textResult({ status: failed > 0 ? 'failed' : 'passed', passed, failed, skipped }, text);
    },
  );
}

function runnerFor({ home }: TestTerms, engines: readonly Engine[]): TestRunner {
  const runner = findRunner(home.folder, engines);
  if (runner === undefined) throw new ToolError(`run_tests ${noRunner(home.folder)}`);
  return runner;
}

/** Throws a ToolError where no test ran to its end. */
async function inProcess(
  place: CallerSessions,
  terms: TestTerms,
  runner: TestRunner,
  selection: TestSelection,
  asked: number,
  ctx: Context,
): Promise<TestsRun> {
  const files = selection.changed === undefined ? selection.files : (runner.affectedBy?.(selection.changed) ?? []);
  if (selection.changed !== undefined && runner.affectedBy !== undefined && files.length === 0) return concerned(runner);
  const timeoutMs = Math.min(asked, terms.timeoutMs);
  const caller = { runs: place.tests, owner: place.ownerOf(ctx) };
  const begin = (): Promise<Ended> => {
    mustBeThere(files, runner, terms);
    return runTests(runner, { ...selection, files }, { ...terms, timeoutMs }, caller, ctx);
  };
  const about = { engine: { language: runner.title } };
  const ended = await terms.audit.watch(about, 'run_tests', JSON.stringify(selection), begin, endingOf);
  const { report, output, why, code, ms } = ended;
  const tail = output.trim() === '' ? '' : `\n--- output\n${output.trim()}`;
  if (why !== 'over') throw new ToolError(terms.mask(`${stoppedText(ended, timeoutMs)}${tail}`));
  if (report === undefined) throw new ToolError(terms.mask(`[ERROR] ${runner.title} ended with ${code} and left no report.${tail}`));
  if (report.passed + report.failed === 0) {
    if (selection.changed !== undefined && report.skipped === 0) return concerned(runner);
    const asked = selection.name === undefined ? '' : `, and none is called "${oneLine(selection.name)}"`;
    throw new ToolError(terms.mask(`[NO TESTS] None ran: ${report.skipped} skipped${asked} (${runner.title}).${tail}`));
  }
  return { report, text: terms.mask(reportText(report, runner.title, ms)) };
}

function mustBeThere(files: readonly string[], runner: TestRunner, { mask }: TestTerms): void {
  const missing = runner.missing?.(files);
  if (missing === undefined) return;
  const meant = near(missing, runner.tests?.() ?? []);
  throw new ToolError(mask(`There is no file ${oneLine(missing)}${meant === undefined ? '' : `: did you mean ${meant}?`}`));
}

function stoppedText({ why, unfinished, ms }: Ended, timeoutMs: number): string {
  const seconds = (time: number): string => `${Number((time / 1000).toFixed(1))} s`;
  const names = unfinished.slice(0, maxFailures).map((one) => `\n… ${oneLine(one)}`);
  const begun = names.length === 0 ? '' : `\nBegun and not ended:${names.join('')}`;
  if (why === 'interrupted') return `[INTERRUPTED] The tests were stopped after ${seconds(ms)}.${begun}`;
  return `[TIMEOUT] The tests ran longer than ${seconds(timeoutMs)} and were stopped; run_tests(timeout_ms) says how long they may.${begun}`;
}

function concerned({ title }: TestRunner): TestsRun {
  const report = { passed: 0, failed: 0, skipped: 0, failures: [] };
  return { report, text: `[NO TESTS] No test imports what changed (${title}).` };
}

/** After an edit an answer is waited for: not as long as for all tests. */
const afterEditMs = 120_000;

/** Files that changed since the tests they concern last passed. */
interface Untested {
  since: number;
  ran?: true;
  readonly files: Set<string>;
}

const untested = new WeakMap<Session, Untested>();

/** The tests that a change of these files concerns, or of others on the disk; where tests run in the image, all of them. */
export async function testsAfter(
  place: CallerSessions,
  terms: TestTerms,
  session: Session,
  changed: readonly string[],
  ctx: Context,
): Promise<TestsRun | { readonly report?: undefined; readonly text: string }> {
  const { engine } = session;
  if (engine.testsCode !== undefined) return inImage(place, session, { files: [] }, place.timeoutMs, ctx);
  const { folder } = terms.home;
  const runner = findRunner(folder, [engine]);
  if (runner === undefined) return { text: `[NO TESTS] No test was run: vivarium ${noRunner(folder, engine.language)}.` };
  const pending = untested.get(session) ?? { since: session.opened, files: new Set<string>() };
  untested.set(session, pending);
  const began = fileTime();
  for (const file of [...changed, ...(runner.changedSince?.(pending.since) ?? [])]) pending.files.add(realOf(resolve(folder, file)));
  if (pending.files.size === 0)
    return { text: `Nothing changed since ${pending.ran ? 'the tests last ran' : 'the session began'}, so no test was run.` };
  const run = await inProcess(
    place,
    terms,
    runner,
    { files: [], changed: [...pending.files] },
    Math.min(place.timeoutMs, afterEditMs),
    ctx,
  );
  // Those that failed run again, whatever changes next.
  if (run.report.failed === 0) {
    pending.since = began;
    pending.ran = true;
    pending.files.clear();
  }
  return run;
}

/** The runner of the first language that has one. */
export function findRunner(cwd: string, engines: readonly Engine[]): TestRunner | undefined {
  for (const { testRunner } of engines) {
    const found = testRunner?.(cwd);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function noRunner(cwd: string, language?: string): string {
  const tools = languages.flatMap((one) => (language === undefined || one.language === language ? one.testTools : []));
  if (tools.length < 2) return `finds no ${tools[0] ?? 'tests'} in ${cwd}`;
  return `finds neither ${tools.slice(0, -1).join(', ')} nor ${tools.at(-1)} in ${cwd}`;
}

function endingOf({ report, why, code }: Ended): Ending {
  if (why !== 'over') return { outcome: 'interrupted', line: why };
  if (report === undefined) return { outcome: 'error', line: `it ended with ${code} and left no report` };
  const { passed, failed } = report;
  return { outcome: failed > 0 ? 'error' : 'ok', line: `${passed} passed, ${failed} failed` };
}

/** The named session or the caller's own; undefined where its language does not run tests in the image. */
async function sessionWith(place: CallerSessions, handle: string | undefined, ctx: Context): Promise<Session | undefined> {
  if (handle === undefined && place.sessions.engines[0]?.testsCode === undefined) return undefined;
  const session = await place.sessionFor(ctx, handle);
  return session.engine.testsCode === undefined ? undefined : session;
}

async function inImage(
  place: CallerSessions,
  session: Session,
  selection: TestSelection,
  timeoutMs: number,
  ctx: Context,
): Promise<TestsRun> {
  const { engine, terms } = session;
  const code = engine.testsCode?.(selection) ?? '';
  const run = session.evaluate(code, place.evaluateOptions({ timeout_ms: timeoutMs }));
  const { text } = await waitFor(session, run, ctx, place.timeoutMs);
  const { outcome } = run;
  const report = outcome?.status === 'ok' ? outcome.value.tests : undefined;
  if (report === undefined) throw new ToolError(terms.mask(text));
  // The output of the tests is below the first line.
  const printed = text.includes('\n') ? `\n${text.slice(text.indexOf('\n') + 1)}` : '';
  return { report, text: terms.mask(`${reportText(report, engine.title, run.ms)}${printed}`) };
}

/** So that no line of it can pose as ours. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > maxName ? `${line.slice(0, maxName)}…` : line;
}

function reportText({ passed, failed, skipped, failures }: TestReport, title: string, ms: number): string {
  const counts = [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(', ');
  const lines = [`${failed > 0 ? '[FAILED]' : '[PASSED]'} ${counts} in ${(ms / 1000).toFixed(1)} s (${title})`];
  for (const { name, message, place } of failures.slice(0, maxFailures)) {
    const said = message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message;
    lines.push(`✗ ${oneLine(name)}  (${place})`, ...said.split('\n').map((line) => `    ${line}`));
  }
  const left = failures.length - maxFailures;
  return [...lines, ...(left > 0 ? [`… ${left} more failures`] : [])].join('\n');
}

/** The clock of files ticks seldom, and is behind the other one. */
function fileTime(): number {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-now-'));
  try {
    return statSync(folder).ctimeMs;
  } finally {
    rmdirSync(folder);
  }
}
