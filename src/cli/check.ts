// vivarium check: judges a server by the sentences of the specification, with the bytes as evidence.

import type { CheckOptions } from '../check/options.ts';
import { prettyReport } from '../check/report/pretty.ts';
import type { Report } from '../check/report.ts';
import { all as revisions } from '../check/requirement.ts';
import { runCheck } from '../check/run.ts';
import { checkTargets } from './check-targets.ts';
import { type Arguments, type Command, CommandError, exitCodes } from './command.ts';
import { count, list, milliseconds } from './flag-values.ts';

export const check: Command = {
  name: 'check',
  summary: 'Judge an MCP server by the specification, at a URL or as a command',
  usage: 'check <url>… | check [options] -- <command> [arguments]',
  flags: {
    'spec-version': {
      type: 'string',
      value: 'revision',
      help: 'auto (the newest it offers, default), all (each it offers), or one revision',
    },
    level: { type: 'string', value: 'must|should|may', help: 'Judge only what is at least that strong (default: may)' },
    only: { type: 'string', value: 'ids', help: 'Judge only these: ids, beginnings (tools/call) or patterns with *, separated by commas' },
    skip: { type: 'string', value: 'ids', help: 'Leave these out' },
    'allow-side-effects': {
      type: 'boolean',
      help: 'Call tools that do not say that they are read-only, with arguments made from their schemas',
    },
    timeout: { type: 'string', value: 'time', help: 'How long an answer may take (default: 5s)' },
    'start-timeout': { type: 'string', value: 'time', help: 'How long the first answer may take (default: 20s)' },
    'rate-limit': { type: 'string', value: 'n', help: 'Requests a minute at most' },
    repeat: { type: 'string', value: 'n', help: 'Make the whole run that often; every time counts' },
    bail: { type: 'boolean', help: 'Stop at the first revision in which a MUST is broken' },
    strict: { type: 'boolean', help: 'Exit with 6 when something that applies was not verified' },
    reporter: { type: 'string', value: 'name', help: 'pretty (default) or json' },
    verbose: { type: 'boolean', short: 'v', help: 'Also list what passed, and what does not apply and why' },
    quiet: { type: 'boolean', short: 'q', help: 'Show no progress' },
  },
  examples: [
    ['vivarium check -- node server.js', 'a server on stdio'],
    ['vivarium check http://127.0.0.1:3000/mcp', 'a server at a URL'],
    ['vivarium check --spec-version all -- npx -y some-server', 'every revision that it offers'],
  ],
  async run(args) {
    const targets = checkTargets(args.positionals);
    const options = optionsOf(args);
    const reports: Report[] = [];
    for (const target of targets) reports.push(await runCheck(target, options));
    write(args, reports);
    return exitCodeOf(reports, args.values['strict'] === true);
  },
};

function optionsOf({ values }: Arguments): CheckOptions {
  const text = (name: string) => (typeof values[name] === 'string' ? (values[name] as string) : undefined);
  const revision = text('spec-version') ?? 'auto';
  const known = ['auto', 'all', ...revisions].find((one) => one === revision);
  if (known === undefined) throw new CommandError(exitCodes.usage, `--spec-version takes auto, all or one of ${revisions.join(', ')}`);
  const level = text('level') ?? 'may';
  if (level !== 'must' && level !== 'should' && level !== 'may')
    throw new CommandError(exitCodes.usage, '--level takes must, should or may');
  const only = text('only');
  const skip = text('skip');
  const timeout = text('timeout');
  const startTimeout = text('start-timeout');
  const rateLimit = text('rate-limit');
  const repeat = text('repeat');
  return {
    revision: known as NonNullable<CheckOptions['revision']>,
    level,
    ...(only !== undefined && { only: list(only) }),
    ...(skip !== undefined && { skip: list(skip) }),
    ...(timeout !== undefined && { timeout: milliseconds('timeout', timeout) }),
    ...(startTimeout !== undefined && { startTimeout: milliseconds('start-timeout', startTimeout) }),
    ...(rateLimit !== undefined && { rateLimit: count('rate-limit', rateLimit) }),
    ...(repeat !== undefined && { repeat: count('repeat', repeat) }),
    allowSideEffects: values['allow-side-effects'] === true,
    bail: values['bail'] === true,
  };
}

function write({ values }: Arguments, reports: readonly Report[]): void {
  const { reporter = 'pretty' } = values;
  if (reporter === 'json') {
    process.stdout.write(`${JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2)}\n`);
    return;
  }
  if (reporter !== 'pretty') throw new CommandError(exitCodes.usage, `There is no reporter "${String(reporter)}"`);
  const color = process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined;
  for (const report of reports) process.stdout.write(prettyReport(report, { color, verbose: values['verbose'] === true }));
}

function exitCodeOf(reports: readonly Report[], strict: boolean): number {
  if (reports.some(({ problem }) => problem?.kind === 'unreachable')) return exitCodes.unreachable;
  if (reports.some(({ runs }) => runs.some(({ tally }) => tally.failed > 0))) return exitCodes.failed;
  if (reports.some(({ problem }) => problem?.kind === 'unauthorized')) return exitCodes.authorization;
  if (strict && reports.some(({ runs }) => runs.some(({ tally }) => tally.notVerified > 0))) return exitCodes.incomplete;
  return exitCodes.ok;
}
