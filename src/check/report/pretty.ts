// The report for a person at a terminal: the verdict first, then what is broken, with the bytes that show it.

import { visible } from '../model/evidence.ts';
import type { Outcome } from '../model/outcome.ts';
import { withArrows } from './arrows.ts';
import { type Paint, qualityLines } from './quality-lines.ts';
import type { Report, RevisionReport } from './report.ts';
import { trendLines } from './trend.ts';

export interface PrettyOptions {
  readonly color?: boolean;
  /** Also what passed, and what does not apply. */
  readonly verbose?: boolean;
}

const codes = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;

export function paintWith({ color = false }: PrettyOptions): Paint {
  return (style, text) => (color ? `\u001b[${codes[style]}m${text}\u001b[0m` : text);
}

export function prettyReport(report: Report, options: PrettyOptions = {}): string {
  const { verbose = false } = options;
  const paint = paintWith(options);
  const who = [report.server.name, report.server.version].filter((text) => text !== '').join(' ');
  const lines = [`check  ${visible(report.target)}   ${visible(who)}`.trimEnd()];
  if (report.offered.length > 0) lines.push(`revisions: ${report.offered.join(' ')}   ${(report.durationMs / 1000).toFixed(1)} s`);
  if (report.problem !== undefined) {
    lines.push(
      '',
      paint('red', report.problem.kind === 'unauthorized' ? 'AUTHORIZATION NEEDED' : 'NOT REACHED'),
      `  ${visible(report.problem.message)}`,
    );
    if (report.problem.stderr !== '') lines.push(paint('dim', indent(visible(report.problem.stderr.trimEnd()), '  | ')));
  }
  for (const run of report.runs) lines.push('', ...revisionLines(run, paint, verbose));
  if (report.runs.length > 1) lines.push('', ...matrix(report, paint));
  if (report.trends !== undefined) lines.push(...trendLines(report.trends, paint, verbose));
  if (report.quality !== undefined) lines.push(...qualityLines(report.quality, paint, verbose));
  return `${lines.join('\n')}\n`;
}

function revisionLines(run: RevisionReport, paint: Paint, verbose: boolean): string[] {
  const of = (verdict: Outcome['verdict']) => run.outcomes.filter((one) => one.verdict === verdict);
  const failed = of('failed');
  const warned = of('warned');
  const style = failed.length > 0 ? 'red' : run.conformant ? 'green' : 'yellow';
  const lines = [
    paint(style, paint('bold', run.verdict)),
    paint('dim', `${run.transport}, score ${run.score.toFixed(1)}, ${run.requests} messages sent, ${(run.durationMs / 1000).toFixed(1)} s`),
  ];
  if (failed.length > 0)
    lines.push('', paint('red', `FAILED  ${failed.length}${expectedInWords(failed)}`), ...failed.flatMap((one) => broken(one, '✗', paint)));
  if (warned.length > 0)
    lines.push('', paint('yellow', `RECOMMENDED, NOT MET  ${warned.length}`), ...warned.flatMap((one) => broken(one, '!', paint)));
  lines.push(...unverifiedLines(of('not-verified'), paint));
  if (run.withSideEffects !== undefined) lines.push(`  ${sideEffectsLine(run.withSideEffects)}`);
  if (verbose) {
    lines.push(
      '',
      paint('green', `PASSED  ${of('passed').length}`),
      ...of('passed').map(({ id, level, text }) => `  ✓ ${id}  ${level}  ${text}`),
    );
    lines.push('', `NOT APPLICABLE  ${of('not-applicable').length}`, ...reasons(of('not-applicable'), '·'));
    lines.push('', `NOT OBSERVABLE  ${of('unobservable').length}`, ...reasons(of('unobservable'), '·'));
  }
  return [...lines, '', ...table(run)];
}

function expectedInWords(failed: readonly Outcome[]): string {
  const known = failed.filter(({ expected }) => expected === true).length;
  if (known === 0) return '';
  return known === failed.length ? '  (all expected)' : `  (${known} expected)`;
}

/** One line that explains why many requirements were not verified. */
export function sideEffectsLine(count: number): string {
  return `--allow-side-effects calls every tool: up to ${count} more would be verified`;
}

function broken({ id, level, text, url, message, evidence, times, reproduce, expected }: Outcome, mark: string, paint: Paint): string[] {
  const lines = [
    `  ${mark} ${paint('bold', id)}  ${level}${expected === true ? '  (expected)' : ''}`,
    `      ${text}`,
    paint('dim', `      ${url}`),
    `      ${visible(message)}${times > 1 ? `  (${times} times)` : ''}`,
  ];
  for (const line of withArrows(evidence.slice(0, 6))) lines.push(indent(line, '      ', '        '));
  if (reproduce !== undefined) lines.push(paint('dim', `      again: ${reproduce}`));
  return lines;
}

/** One line for each reason, with the ids it holds for. */
function unverifiedLines(outcomes: readonly Outcome[], paint: Paint): string[] {
  if (outcomes.length === 0) return [];
  return ['', paint('yellow', `NOT VERIFIED  ${outcomes.length}`) + paint('dim', '  (a skip is not a pass)'), ...reasons(outcomes, '–')];
}

function reasons(outcomes: readonly Outcome[], mark: string): string[] {
  const byReason = new Map<string, string[]>();
  for (const { id, message } of outcomes) byReason.set(message, [...(byReason.get(message) ?? []), id]);
  return [...byReason].flatMap(([reason, ids]) => {
    const shown = ids.length > 6 ? `${ids.slice(0, 6).join(', ')} and ${ids.length - 6} more` : ids.join(', ');
    return [`  ${mark} ${visible(reason)}`, `      ${shown}`];
  });
}

function table({ sections }: RevisionReport): string[] {
  const rows = sections.filter(({ must, should, notVerified }) => must.of + should.of + notVerified > 0);
  if (rows.length === 0) return [];
  const width = Math.max(8, ...rows.map(({ section }) => section.length)) + 2;
  const cell = ({ passed, of }: { passed: number; of: number }) => (of === 0 ? '–' : `${passed}/${of}`).padEnd(10);
  return [
    `${'section'.padEnd(width)}${'MUST'.padEnd(10)}${'SHOULD'.padEnd(10)}not verified`,
    ...rows.map(({ section, must, should, notVerified }) =>
      `${section.padEnd(width)}${cell(must)}${cell(should)}${notVerified === 0 ? '' : notVerified}`.trimEnd(),
    ),
  ];
}

function matrix({ runs }: Report, paint: Paint): string[] {
  return [
    `${'revision'.padEnd(14)}${'MUST broken'.padEnd(14)}${'SHOULD unmet'.padEnd(14)}${'not verified'.padEnd(14)}score`,
    ...runs.map(({ revision, tally, score }) => {
      const row = `${revision.padEnd(14)}${String(tally.failed).padEnd(14)}${String(tally.warned).padEnd(14)}${String(tally.notVerified).padEnd(14)}${score.toFixed(1)}`;
      return tally.failed > 0 ? paint('red', row) : row;
    }),
  ];
}

function indent(text: string, first: string, rest = first): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first : rest) + line)
    .join('\n');
}
