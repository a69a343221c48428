// One run of `vivarium check`: what the flags ask for is judged, reported and turned into an exit code.
import { readFileSync } from 'node:fs';
import { compareWith, type Expected, namesSomething, type Report, readExpected, runCheck, withExpected } from '../../../check/cli.ts';
import { type Arguments, CommandError, exitCodes } from '../../args/command.ts';
import { printable } from '../../terminal/terminal.ts';
import { checkCases } from './cases.ts';
import { checkClient, checkRecording } from './client.ts';
import { historyUse } from './history.ts';
import { listRequirements } from './list.ts';
import { lockUse } from './lock.ts';
import { checkOptions } from './options.ts';
import { watchRun } from './progress.ts';
import { reportTo } from './report.ts';
import { checkTargets } from './targets.ts';

export async function runCommand(args: Arguments): Promise<number> {
  if (args.positionals[0] === 'list' && args.program === undefined) {
    process.stdout.write(listRequirements(args));
    return exitCodes.ok;
  }
  if (args.values['party'] !== undefined)
    throw new CommandError(exitCodes.usage, '--party is for check list', { hint: '--client judges a client' });
  const options = checkOptions(args);
  const code = await checkCases(args, () => checkTargets(args), options);
  if (code !== undefined) return code;
  const reporters = reportTo(args);
  const expected = expectedFailures(args);
  const lock = lockUse(args);
  const history = historyUse(args);
  const isServer = args.values['recording'] === undefined && args.values['client'] !== true;
  const targets = isServer ? await checkTargets(args) : [];
  if (targets.length > 1 && args.values['lock'] !== undefined) {
    throw new CommandError(exitCodes.usage, '--lock is for one server at a time');
  }
  const reports: Report[] = [];
  const watch = watchRun(args);
  const watched = { ...options, ...watch.options };
  if (args.values['recording'] !== undefined) reports.push(...(await checkRecording(args, options)));
  else if (args.values['client'] === true) reports.push(await checkClient(args, watched));
  for (const target of targets) {
    if (watch.isStopped) break;
    reports.push(await runCheck(target, { ...watched, ...lock.options }));
    watch.clear();
  }
  watch.end();
  const compared = history.compare(withExpected(expected ?? [], reports));
  reporters.write(compared);
  // An interrupted run is not recorded: the next one would be compared with it.
  if (!watch.isStopped) history.keep();
  const told = lock.finish();
  if (told !== undefined) process.stderr.write(`${printable(told)}\n`);
  const ending = watch.isStopped ? exitCodes.interrupted : exitCodeOf(reports, expected, args);
  if (ending !== exitCodes.ok) reporters.sum(compared);
  return ending;
}

function expectedFailures({ values }: Arguments): readonly Expected[] | undefined {
  const file = values['expected-failures'] as string | undefined;
  if (file === undefined) return undefined;
  try {
    return readExpected(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `--expected-failures: ${(cause as Error).message}`, { cause });
  }
}

function exitCodeOf(reports: readonly Report[], expected: readonly Expected[] | undefined, { values }: Arguments): number {
  const runs = reports.flatMap((report) => report.runs);
  if (reports.some(({ problem }) => problem?.kind === 'unreachable')) return exitCodes.unreachable;
  const { unexpected, stale } = compareWith(expected ?? [], reports);
  for (const one of stale) {
    const name = printable(one.id);
    const where = one.revision === undefined ? '' : ` in ${printable(one.revision)}`;
    const why = namesSomething(one) ? `expected to fail, and does not: ${name}${where}` : `${name} names no requirement${where}`;
    process.stderr.write(`${printable(why)}; take it from the list of expected failures\n`);
  }
  if (unexpected.length > 0 || stale.length > 0) return exitCodes.failed;
  if (reports.some(({ quality }) => quality?.changes?.some(({ breaking }) => breaking))) return exitCodes.failed;
  if (reports.some(({ problem }) => problem?.kind === 'unauthorized')) return exitCodes.authorization;
  if (values['strict'] === true && runs.some(({ tally }) => tally.notVerified > 0)) return exitCodes.incomplete;
  return exitCodes.ok;
}
