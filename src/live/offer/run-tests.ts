// run_tests: the project's own tests with its own runner, in a process of their own.

import { lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { signalGroup } from '../../node/process-group.ts';
import type { Context } from '../../server/context.ts';
import type { Server } from '../../server/server.ts';
import { ToolError } from '../../server/tool.ts';
import type { Audit, Ending } from '../access/audit.ts';
import type { Engine } from '../image/engine.ts';
import { startChild } from '../image/image-process.ts';
import { endDescendants } from '../image/process-tree.ts';
import { reportFile, type TestReport, type TestRunner, type TestSelection } from '../image/test-runner.ts';
import { languages } from '../languages/languages.ts';
import { type SandboxTerms, sandboxed } from '../sandbox/sandbox.ts';
import type { CallerSessions } from '../session/caller-sessions.ts';
import { OutputBuffer } from '../session/output-buffer.ts';
import type { ProjectFolder } from '../session/project-folder.ts';
import type { Session } from '../session/session.ts';
import { type LiveResult, resultOptions, textResult, waitFor } from './tool-results.ts';

export interface TestTerms {
  readonly home: ProjectFolder;
  readonly engines: readonly Engine[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxOutput: number;
  /** Tests run in the same sandbox as images. */
  readonly sandbox?: SandboxTerms | undefined;
  readonly audit: Audit;
  mask(text: string): string;
  unfinished(text: string): number;
}

interface Ended {
  readonly report: TestReport | undefined;
  readonly output: string;
  readonly why: 'over' | 'timeout';
  readonly code: number | null;
  readonly ms: number;
}

const maxFailures = 20;
const maxMessage = 600;
const maxName = 200;
const maxReport = 64 * 1024 * 1024;
/** How long to wait for buffered output after the runner exited. */
const drainMs = 500;

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
      if (session !== undefined) return inImage(place, session, { files, name }, timeout_ms, ctx);
      const runner = findRunner(terms.home.folder, terms.engines);
      if (runner === undefined) throw new ToolError(`run_tests ${noRunner(terms.home.folder)}`);
      const selection = { files, name };
      const begin = (): Promise<Ended> => run(runner, selection, { ...terms, timeoutMs: Math.min(timeout_ms, terms.timeoutMs) }, ctx);
      const ended = await terms.audit.watch(
        { engine: { language: runner.title } },
        'run_tests',
        JSON.stringify(selection),
        begin,
        endingOf,
      );
      const { report, output, why, code, ms } = ended;
      const tail = output.trim() === '' ? '' : `\n--- output\n${output.trim()}`;
      if (why === 'timeout')
        throw new ToolError(terms.mask(`[TIMEOUT] The tests ran longer than ${timeout_ms} ms and were stopped.${tail}`));
      if (report === undefined) throw new ToolError(terms.mask(`[ERROR] ${runner.title} ended with ${code} and left no report.${tail}`));
      if (report.passed + report.failed === 0) {
        const asked = name === undefined ? '' : `, and none is called "${oneLine(name)}"`;
        throw new ToolError(terms.mask(`[NO TESTS] None ran: ${report.skipped} skipped${asked} (${runner.title}).${tail}`));
      }
      return judged(report, terms.mask(reportText(report, runner.title, ms)));
    },
  );
}

/** The runner of the first language that has one. */
export function findRunner(cwd: string, engines: readonly Engine[]): TestRunner | undefined {
  for (const { testRunner } of engines) {
    const found = testRunner?.(cwd);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function noRunner(cwd: string): string {
  const tools = languages.flatMap(({ testTools }) => testTools);
  return `finds neither ${tools.slice(0, -1).join(', ')} nor ${tools.at(-1)} in ${cwd}`;
}

function endingOf({ report, why, code }: Ended): Ending {
  if (why === 'timeout') return { outcome: 'interrupted', line: why };
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
): Promise<LiveResult> {
  const { engine, terms } = session;
  const code = engine.testsCode?.(selection) ?? '';
  const run = session.evaluate(code, place.evaluateOptions({ timeout_ms: timeoutMs }));
  const { text } = await waitFor(session, run, ctx, place.timeoutMs);
  const { outcome } = run;
  const report = outcome?.status === 'ok' ? outcome.value.tests : undefined;
  if (report === undefined) throw new ToolError(terms.mask(text));
  // The output of the tests is below the first line.
  const printed = text.includes('\n') ? `\n${text.slice(text.indexOf('\n') + 1)}` : '';
  return judged(report, terms.mask(`${reportText(report, engine.title, run.ms)}${printed}`));
}

function judged({ passed, failed, skipped }: TestReport, text: string): LiveResult {
  const all = { status: failed > 0 ? 'failed' : 'passed', passed, failed, skipped };
  return textResult(all, text);
}

async function run(runner: TestRunner, selection: TestSelection, terms: TestTerms, ctx: Context): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'vivarium-tests-'));
  const began = performance.now();
  try {
    for (const [name, text] of Object.entries(runner.brings ?? {})) await writeFile(join(folder, name), text);
    const printed = new OutputBuffer(terms.maxOutput);
    const { code, why } = await finished(runner, runner.args(selection, folder), folder, terms, printed, ctx);
    const text = await reportIn(folder);
    return {
      report: text === undefined ? undefined : readSafely(runner, text),
      output: printed.take(terms.unfinished).text,
      why,
      code,
      ms: performance.now() - began,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The tests may have replaced the file by anything. */
async function reportIn(folder: string): Promise<string | undefined> {
  const file = join(folder, reportFile);
  const found = await lstat(file).catch(() => undefined);
  return found?.isFile() === true && found.size <= maxReport ? readFile(file, 'utf8') : undefined;
}

/** Undefined for a truncated report. */
function readSafely(runner: TestRunner, text: string): TestReport | undefined {
  try {
    return runner.read(text);
  } catch {
    return undefined;
  }
}

async function finished(
  { command, reads = [] }: TestRunner,
  args: readonly string[],
  folder: string,
  { home, env, timeoutMs, mask, unfinished, sandbox, audit }: TestTerms,
  printed: OutputBuffer,
  ctx: Context,
): Promise<{ code: number | null; why: 'over' | 'timeout' }> {
  // In a process group of its own, which is killed afterwards.
  const plain = { command: await command(), args, env, cwd: home.folder, terms: {}, reads };
  const launch = sandbox === undefined ? plain : audit.outOfReach(sandboxed(plain, sandbox, [folder]));
  const child = startChild(launch, false);
  const printing = [child.stdout, child.stderr] as Readable[];
  for (const stream of printing) stream.setEncoding('utf8').on('data', (text: string) => printed.add(text));
  let why: 'over' | 'timeout' = 'over';
  const stop = (): void => {
    if (child.pid === undefined) return;
    // Descendants with a process group of their own first, while the pid is still ours.
    if (child.exitCode === null && child.signalCode === null) endDescendants(child.pid);
    signalGroup(child.pid, 'SIGKILL');
  };
  const timer = setTimeout(() => {
    why = 'timeout';
    stop();
  }, timeoutMs);
  ctx.signal.addEventListener('abort', stop, { once: true });
  if (ctx.signal.aborted) stop();
  let beats = 0;
  const beat = setInterval(() => ctx.progress(++beats, undefined, mask(printed.lastLine(unfinished)).slice(-120) || 'tests run'), 1_000);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
      child.once('exit', (status) => {
        stop();
        // A process that left the group may keep stdout open for ever.
        setTimeout(() => resolve(status), drainMs).unref();
      });
    });
    if (ctx.signal.aborted) throw ctx.signal.reason;
    return { code, why };
  } finally {
    clearTimeout(timer);
    clearInterval(beat);
    ctx.signal.removeEventListener('abort', stop);
    stop();
    for (const stream of printing) stream.destroy();
  }
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
