// vivarium check: judges a server by the sentences of the specification, with the bytes as evidence.
import { readFileSync } from 'node:fs';
import { compareWith, type Expected, namesSomething, readExpected, withExpected } from '../../../check/report/expected-failures.ts';
import type { Report } from '../../../check/report/report.ts';
import { runCheck } from '../../../check/servers/run.ts';
import { type Arguments, type Command, CommandError, exitCodes } from '../../args/command.ts';
import { printable } from '../../terminal/terminal.ts';
import { checkCases } from './cases.ts';
import { checkClient, checkRecording } from './client.ts';
import { historyUse } from './history.ts';
import { listRequirements } from './list.ts';
import { lockUse } from './lock.ts';
import { checkFlags, checkOptions } from './options.ts';
import { watchRun } from './progress.ts';
import { reportTo } from './report.ts';
import { checkTargets } from './targets.ts';

export const check: Command = {
  name: 'check',
  summary: 'Judge an MCP server by the specification, with the bytes as evidence',
  usage:
    'check [options] <url|name|module>… | check [options] -- <program> [arguments] | check --client -- <program> [arguments] | check --recording <file> | check list [options]',
  takesProgram: true,
  flags: checkFlags,
  examples: [
    ['vivarium check -- node server.js', 'a server on stdio'],
    ['vivarium check http://127.0.0.1:3000/mcp', 'a server at a URL'],
    ['vivarium check --spec-version all -- npx -y some-server', 'every revision that it offers'],
    ['vivarium check --config .mcp.json', 'every server of a configuration file, each shown before it is started'],
    ['vivarium check --reporter junit=check.xml --reporter pretty -- node server.js', 'for a build server'],
    ['vivarium check --config .mcp.json --yes --history runs.jsonl', 'a table of all of them, and what has changed since the last run'],
    ['vivarium check --lock surface.json -- node server.js', 'what has changed in what it offers since --update-lock'],
    ['vivarium check --generate cases.json -- node server.js', 'calls made from its schemas, to be run with --tests cases.json'],
    ['vivarium check --client -- node client.js {url}', 'a client: we are the server'],
    ['vivarium check --recording s.jsonl', 'what vivarium record wrote down'],
    ['vivarium check list --spec-version 2025-11-25 --level must --party server', 'what is asked of a server or a client'],
  ],
  async run(args) {
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
    // Half a run is no measure for the next.
    if (!watch.isStopped) history.keep();
    const told = lock.finish();
    if (told !== undefined) process.stderr.write(`${printable(told)}\n`);
    const ending = watch.isStopped ? exitCodes.interrupted : exitCodeOf(reports, expected, args);
    if (ending !== exitCodes.ok) reporters.sum(compared);
    return ending;
  },
};

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
