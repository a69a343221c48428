// check --generate and check --tests: calls made from a server's schemas, kept in a file and run again.
import { readFileSync, writeFileSync } from 'node:fs';
import { readSuite, suiteText } from '../check/cases/case.ts';
import type { CaseResult } from '../check/cases/run-cases.ts';
import { generateSuite, runSuite } from '../check/cases/suite.ts';
import { visible } from '../check/evidence.ts';
import type { CheckOptions } from '../check/options.ts';
import type { Target } from '../check/target.ts';
import { type Arguments, CommandError, exitCodes } from './command.ts';

/** The exit code, or undefined where no cases were asked for. */
export async function checkCases(
  { values }: Arguments,
  targets: () => Promise<readonly Target[]>,
  options: CheckOptions,
): Promise<number | undefined> {
  const [generate, tests] = [values['generate'], values['tests']];
  if (typeof generate !== 'string' && typeof tests !== 'string') return undefined;
  const cases = typeof tests === 'string' ? casesIn(tests) : [];
  const [target, ...others] = await targets();
  if (target === undefined || others.length > 0)
    throw new CommandError(exitCodes.usage, '--generate and --tests are for one server at a time');
  if (typeof generate === 'string') {
    const made = await generateSuite(target, options);
    if ('problem' in made) return unreached(made.problem);
    writeFileSync(generate, suiteText(made));
    process.stdout.write(`${made.length} cases are written to ${generate}; run them with --tests ${generate}\n`);
    return exitCodes.ok;
  }
  const results = await runSuite(target, cases, options);
  if ('problem' in results) return unreached(results.problem);
  process.stdout.write(reportOf(results));
  return results.some(({ verdict }) => verdict === 'failed') ? exitCodes.failed : exitCodes.ok;
}

function casesIn(file: string): Parameters<typeof runSuite>[1] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(exitCodes.usage, `${file} cannot be read: ${(error as Error).message}`);
  }
  const cases = readSuite(text);
  if ('problem' in cases) throw new CommandError(exitCodes.usage, `${file} ${cases.problem}`);
  return cases;
}

function unreached(problem: string): number {
  process.stderr.write(`The server could not be reached: ${visible(problem)}\n`);
  return exitCodes.unreachable;
}

function reportOf(results: readonly CaseResult[]): string {
  const of = (verdict: CaseResult['verdict']) => results.filter((one) => one.verdict === verdict);
  const failed = of('failed').flatMap(({ case: { tool, name, arguments: given }, message }) => [
    `✗ ${visible(tool)}  ${visible(name)}`,
    `    ${visible(message)}`,
    `    with ${visible(JSON.stringify(given)).slice(0, 200)}`,
  ]);
  const reasons = new Map<string, number>();
  for (const { message } of of('not-run')) reasons.set(message, (reasons.get(message) ?? 0) + 1);
  const notRun = [...reasons].map(([reason, count]) => `– ${count} not run: ${visible(reason)}`);
  const sum = `${results.length} cases: ${of('passed').length} passed, ${of('failed').length} failed, ${of('not-run').length} not run`;
  return `${[...failed, ...notRun, sum].join('\n')}\n`;
}
