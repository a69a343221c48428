// vivarium check: judges a server by the sentences of the specification, with the bytes as evidence.
import type { Report } from '../check/report.ts';
import { runCheck } from '../check/run.ts';
import { checkCases } from './check-cases.ts';
import { listRequirements } from './check-list.ts';
import { lockUse } from './check-lock.ts';
import { checkFlags, checkOptions } from './check-options.ts';
import { reportTo } from './check-report.ts';
import { checkTargets } from './check-targets.ts';
import { type Arguments, type Command, CommandError, exitCodes } from './command.ts';
import { progressLine } from './progress-line.ts';

export const check: Command = {
  name: 'check',
  summary: 'Judge an MCP server by the specification, with the bytes as evidence',
  usage: 'check [options] <url|name|module>… | check [options] -- <program> [arguments] | check list [options]',
  takesProgram: true,
  flags: checkFlags,
  examples: [
    ['vivarium check -- node server.js', 'a server on stdio'],
    ['vivarium check http://127.0.0.1:3000/mcp', 'a server at a URL'],
    ['vivarium check --spec-version all -- npx -y some-server', 'every revision that it offers'],
    ['vivarium check --config .mcp.json', 'every server of a configuration file, each shown before it is started'],
    ['vivarium check --reporter junit=check.xml --reporter pretty -- node server.js', 'for a build server'],
    ['vivarium check --lock surface.json -- node server.js', 'what has changed in what it offers since --update-lock'],
    ['vivarium check --generate cases.json -- node server.js', 'calls made from its schemas, to be run with --tests cases.json'],
    ['vivarium check list --spec-version 2025-11-25 --level must', 'what is asked of a server or a client'],
  ],
  async run(args) {
    if (args.positionals[0] === 'list' && args.program === undefined) {
      process.stdout.write(listRequirements(args));
      return exitCodes.ok;
    }
    const options = checkOptions(args);
    const code = await checkCases(args, () => checkTargets(args), options);
    if (code !== undefined) return code;
    const reporters = reportTo(args);
    const lock = lockUse(args);
    const reports: Report[] = [];
    const line = progressLine(args.values['quiet'] !== true && process.stderr.isTTY === true);
    const targets = await checkTargets(args);
    if (targets.length > 1 && args.values['lock'] !== undefined)
      throw new CommandError(exitCodes.usage, '--lock is for one server at a time');
    for (const target of targets) {
      const onProgress: typeof options.onProgress = ({ done, of, revision, step }) =>
        line.show({ progress: done, total: of, message: `${revision ?? ''} ${step}` });
      reports.push(await runCheck(target, { ...options, ...lock.options, onProgress }));
      line.clear();
    }
    for (const reporter of reporters) await reporter(reports);
    const told = lock.finish();
    if (told !== undefined) process.stderr.write(`${told}\n`);
    return exitCodeOf(reports, args);
  },
};

function exitCodeOf(reports: readonly Report[], { values }: Arguments): number {
  const runs = reports.flatMap((report) => report.runs);
  if (reports.some(({ problem }) => problem?.kind === 'unreachable')) return exitCodes.unreachable;
  if (runs.some(({ tally }) => tally.failed > 0)) return exitCodes.failed;
  if (reports.some(({ quality }) => quality?.changes?.some(({ breaking }) => breaking))) return exitCodes.failed;
  if (reports.some(({ problem }) => problem?.kind === 'unauthorized')) return exitCodes.authorization;
  if (values['strict'] === true && runs.some(({ tally }) => tally.notVerified > 0)) return exitCodes.incomplete;
  return exitCodes.ok;
}
