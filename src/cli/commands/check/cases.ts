// check --generate and check --tests: calls made from a server's schemas, kept in a file and run again.
import { existsSync } from 'node:fs';
import {
  type Case,
  type CaseResult,
  type CheckOptions,
  type CheckTarget,
  casesForms,
  casesInWords,
  generateSuite,
  joinedCases,
  labelOf,
  readSuite,
  runSuite,
  suiteText,
  visible,
  withSnapshots,
} from '../../../check/cli.ts';
import { shellQuote } from '../../../text/shell-quote.ts';
import { type Arguments, CommandError, exitCodes } from '../../args/command.ts';
import { readText } from '../../args/read-file.ts';
import { mustBeWritable, write } from '../../terminal/output.ts';
import { destinations } from './destinations.ts';
import { watchRun } from './progress.ts';

const mostMiB = 256;

/** The exit code, or undefined where no cases were asked for. */
export async function checkCases(
  args: Arguments,
  targets: () => Promise<readonly CheckTarget[]>,
  options: CheckOptions,
): Promise<number | undefined> {
  const [generate, tests, update] = [args.values['generate'], args.values['tests'], args.values['update-snapshots'] === true];
  if (typeof generate === 'string' && typeof tests === 'string')
    throw new CommandError(exitCodes.usage, '--generate writes a file and --tests reads one: give one of them');
  if (typeof tests === 'string') {
    const reporters = destinations(args, casesForms, ' for cases');
    const text = readText(tests, { mostMiB });
    const cases = casesIn(text, tests);
    const target = await only(targets);
    const watch = watchRun(args);
    const strict = args.values['strict'] === true;
    const code = await runFile({ file: tests, text, cases, update, strict }, target, { ...options, ...watch.options }, (results) => {
      watch.end();
      for (const reporter of reporters) reporter.write(reporter.form(results, labelOf(target)));
      const isSeen = reporters.some((reporter) => reporter.file === undefined);
      if (!isSeen && results.some(({ verdict }) => verdict === 'failed')) process.stderr.write(`${casesInWords(results)}\n`);
    }).finally(() => watch.end());
    return watch.isStopped ? exitCodes.interrupted : code;
  }
  if (update) throw new CommandError(exitCodes.usage, '--update-snapshots needs --tests <file>');
  return typeof generate === 'string' ? generateFile(generate, () => only(targets), options, args) : undefined;
}

async function only(targets: () => Promise<readonly CheckTarget[]>): Promise<CheckTarget> {
  const [target, ...others] = await targets();
  if (target !== undefined && others.length === 0) return target;
  throw new CommandError(exitCodes.usage, '--generate and --tests are for one server at a time');
}

/** Keeps what the user has edited in the file. */
async function generateFile(file: string, target: () => Promise<CheckTarget>, options: CheckOptions, args: Arguments): Promise<number> {
  mustBeWritable(file);
  const before = existsSync(file) ? casesIn(readText(file, { mostMiB }), file) : [];
  const one = await target();
  const watch = watchRun(args);
  const made = await generateSuite(one, { ...options, ...watch.options }).finally(() => watch.end());
  if (watch.isStopped) return exitCodes.interrupted;
  if ('problem' in made) return unreached(made.problem);
  const { cases, kept, gone } = joinedCases(before, made.cases);
  write(suiteText(cases), file);
  for (const note of made.notes) process.stderr.write(`${visible(note)}\n`);
  const past = before.length === 0 ? '' : ` (${kept} as they were expected before, ${gone} that are no longer made left out)`;
  process.stdout.write(`${cases.length} cases are written to ${visible(file)}${past}; run them with --tests ${shellQuote(file)}\n`);
  return exitCodes.ok;
}

interface CaseFile {
  readonly file: string;
  readonly text: string;
  readonly cases: readonly Case[];
  readonly update: boolean;
  readonly strict: boolean;
}

async function runFile(
  { file, text, cases, update, strict }: CaseFile,
  target: CheckTarget,
  options: CheckOptions,
  report: (results: readonly CaseResult[]) => void,
): Promise<number> {
  const results = await runSuite(target, cases, { ...options, takesSnapshots: update });
  if ('problem' in results) return unreached(results.problem);
  report(results);
  if (update && options.signal?.aborted !== true) {
    // Keep unknown members of the file.
    write(`${JSON.stringify({ ...JSON.parse(text), cases: withSnapshots(results) }, undefined, 2)}\n`, file);
    process.stderr.write(`${takenInWords(results)} in ${visible(file)}\n`);
  }
  if (results.some(({ verdict }) => verdict === 'failed')) return exitCodes.failed;
  const notRun = results.filter(({ verdict }) => verdict === 'not-run').length;
  if (!strict || notRun === 0) return exitCodes.ok;
  process.stderr.write(`--strict: ${notRun} of ${results.length} cases were not run\n`);
  return exitCodes.incomplete;
}

function takenInWords(results: readonly CaseResult[]): string {
  const unsteady = results.filter(({ taken }) => taken === 'unsteady').length;
  const taken = results.filter((one) => one.taken !== undefined).length - unsteady;
  return `${taken} snapshots are kept${unsteady === 0 ? '' : `, and ${unsteady} that change from call to call are not,`}`;
}

function casesIn(text: string, file: string): readonly Case[] {
  const cases = readSuite(text);
  if ('problem' in cases) throw new CommandError(exitCodes.usage, `${file} ${cases.problem}`);
  return cases;
}

function unreached(problem: string): number {
  process.stderr.write(`The server could not be reached: ${visible(problem)}\n`);
  return exitCodes.unreachable;
}
