// A run of the project's tests in a process of their own, in the same sandbox as images.
import { lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ProcessGroup, signalGroup } from '../../node/process-group.ts';
import type { Context } from '../../server/context.ts';
import type { Audit } from '../access/audit.ts';
import type { Engine } from '../image/engine.ts';
import { startChild } from '../image/image-process.ts';
import { endDescendants } from '../image/process-tree.ts';
import { reportFile, type TestReport, type TestRunner, type TestSelection } from '../image/test-runner.ts';
import { type SandboxTerms, sandboxed } from '../sandbox/sandbox.ts';
import { OutputBuffer } from '../session/output-buffer.ts';
import type { ProjectFolder } from '../session/project-folder.ts';
import type { TestRuns } from '../session/test-runs.ts';

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

type Why = 'over' | 'timeout' | 'interrupted';

/** Where runs are known while they last, and whose this one is. */
export interface TestCaller {
  readonly runs: TestRuns;
  readonly owner: string;
}

export interface Ended {
  readonly report: TestReport | undefined;
  readonly output: string;
  readonly why: Why;
  /** Where it was stopped: tests that had begun, as far as the runner tells. */
  readonly unfinished: readonly string[];
  readonly code: number | null;
  readonly ms: number;
}

const maxReport = 64 * 1024 * 1024;
/** How long to wait for buffered output after the runner exited. */
const drainMs = 500;

export async function runTests(
  runner: TestRunner,
  selection: TestSelection,
  terms: TestTerms,
  caller: TestCaller,
  ctx: Context,
): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'vivarium-tests-'));
  const began = performance.now();
  try {
    for (const [name, text] of Object.entries(runner.brings ?? {})) await writeFile(join(folder, name), text);
    const printed = new OutputBuffer(terms.maxOutput);
    const { code, why } = await finished(runner, runner.args(selection, folder), folder, terms, printed, caller, ctx);
    const text = await reportIn(folder);
    return {
      report: text === undefined ? undefined : readSafely(runner, text),
      output: printed.take(terms.unfinished).text,
      why,
      unfinished: text === undefined || why === 'over' ? [] : namesIn(runner, text),
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

function namesIn(runner: TestRunner, text: string): readonly string[] {
  try {
    return runner.unfinished?.(text) ?? [];
  } catch {
    return [];
  }
}

async function finished(
  { title, command, reads = [] }: TestRunner,
  args: readonly string[],
  folder: string,
  { home, env, timeoutMs, mask, unfinished, sandbox, audit }: TestTerms,
  printed: OutputBuffer,
  { runs, owner }: TestCaller,
  ctx: Context,
): Promise<{ code: number | null; why: Why }> {
  // In a process group of its own, which is killed afterwards.
  const plain = { command: await command(), args, env, cwd: home.folder, terms: {}, reads };
  const launch = sandbox === undefined ? plain : audit.outOfReach(sandboxed(plain, sandbox, [folder]));
  const child = startChild(launch, false);
  const printing = [child.stdout, child.stderr] as Readable[];
  for (const stream of printing) stream.setEncoding('utf8').on('data', (text: string) => printed.add(text));
  // Also where this process is ended before them.
  const group = child.pid === undefined ? undefined : new ProcessGroup(child, child.pid);
  let why: Why = 'over';
  const stop = (): void => {
    if (child.pid === undefined) return;
    // Descendants with a process group of their own first, while the pid is still ours.
    if (child.exitCode === null && child.signalCode === null) endDescendants(child.pid);
    signalGroup(child.pid, 'SIGKILL');
  };
  const stopFor = (reason: Why): void => {
    why = reason;
    stop();
  };
  const timer = setTimeout(() => stopFor('timeout'), timeoutMs);
  const over = runs.add({ owner, stop: () => stopFor('interrupted') });
  ctx.signal.addEventListener('abort', stop, { once: true });
  if (ctx.signal.aborted) stop();
  let beats = 0;
  const beat = setInterval(() => {
    const said = mask(printed.lastLine(unfinished)).slice(-120);
    ctx.progress(++beats, undefined, said || `${title} runs the tests`);
  }, 1_000);
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
    over();
    ctx.signal.removeEventListener('abort', stop);
    stop();
    await group?.release();
    for (const stream of printing) stream.destroy();
  }
}
