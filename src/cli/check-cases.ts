// check --generate and check --tests: calls made from a server's schemas, kept in a file and run again.
import { readFileSync, writeFileSync } from 'node:fs';
import { type Case, readSuite, suiteText } from '../check/cases/case.ts';
import type { CaseResult } from '../check/cases/run-cases.ts';
import { generateSuite, runSuite, withSnapshots } from '../check/cases/suite.ts';
import { visible } from '../check/evidence.ts';
import type { CheckOptions } from '../check/options.ts';
import { casesForms } from '../check/report/cases.ts';
import { labelOf, type Target } from '../check/target.ts';
import { type Arguments, CommandError, exitCodes } from './command.ts';
import { write } from './output.ts';

/** The exit code, or undefined where no cases were asked for. */
export async function checkCases(
  args: Arguments,
  targets: () => Promise<readonly Target[]>,
  options: CheckOptions,
): Promise<number | undefined> {
  const [generate, tests, update] = [args.values['generate'], args.values['tests'], args.values['update-snapshots'] === true];
  if (typeof generate === 'string' && typeof tests === 'string')
    throw new CommandError(exitCodes.usage, '--generate writes a file and --tests reads one: give one of them');
  if (typeof tests === 'string') {
    const reporters = reportTo(args);
    const text = textOf(tests);
    const cases = casesIn(text, tests);
    return runFile({ file: tests, text, cases, update }, await only(targets), options, reporters);
  }
  if (update) throw new CommandError(exitCodes.usage, '--update-snapshots needs --tests <file>');
  return typeof generate === 'string' ? generateFile(generate, await only(targets), options) : undefined;
}

async function only(targets: () => Promise<readonly Target[]>): Promise<Target> {
  const [target, ...others] = await targets();
  if (target !== undefined && others.length === 0) return target;
  throw new CommandError(exitCodes.usage, '--generate and --tests are for one server at a time');
}

async function generateFile(file: string, target: Target, options: CheckOptions): Promise<number> {
  const made = await generateSuite(target, options);
  if ('problem' in made) return unreached(made.problem);
  writeFileSync(file, suiteText(made.cases));
  for (const note of made.notes) process.stderr.write(`${visible(note)}\n`);
  process.stdout.write(`${made.cases.length} cases are written to ${file}; run them with --tests ${file}\n`);
  return exitCodes.ok;
}

interface CaseFile {
  readonly file: string;
  readonly text: string;
  readonly cases: readonly Case[];
  readonly update: boolean;
}

type Reporter = (results: readonly CaseResult[], target: string) => void;

async function runFile(
  { file, text, cases, update }: CaseFile,
  target: Target,
  options: CheckOptions,
  reporters: readonly Reporter[],
): Promise<number> {
  const results = await runSuite(target, cases, { ...options, takesSnapshots: update });
  if ('problem' in results) return unreached(results.problem);
  for (const reporter of reporters) reporter(results, labelOf(target));
  if (update) {
    // Whatever else stands in the file stays there.
    writeFileSync(file, `${JSON.stringify({ ...JSON.parse(text), cases: withSnapshots(results) }, undefined, 2)}\n`);
    process.stderr.write(`${takenInWords(results)} in ${file}\n`);
  }
  return results.some(({ verdict }) => verdict === 'failed') ? exitCodes.failed : exitCodes.ok;
}

function takenInWords(results: readonly CaseResult[]): string {
  const unsteady = results.filter(({ taken }) => taken === 'unsteady').length;
  const taken = results.filter((one) => one.taken !== undefined).length - unsteady;
  return `${taken} snapshots are kept${unsteady === 0 ? '' : `, and ${unsteady} that change from call to call are not,`}`;
}

/** Refused before anything is started. */
function reportTo({ lists }: Arguments): readonly Reporter[] {
  return (lists['reporter'] ?? ['pretty']).map((given) => {
    const [, name = '', file] = /^([^=]+)(?:=(.+))?$/.exec(given) ?? [];
    const form = casesForms.get(name);
    if (form === undefined) {
      const hint = `There are ${[...casesForms.keys()].join(', ')}`;
      throw new CommandError(exitCodes.usage, `There is no reporter "${name}" for cases`, { hint });
    }
    return (results, target) => write(form(results, target), file);
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(exitCodes.usage, `${file} cannot be read: ${(error as Error).message}`);
  }
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
