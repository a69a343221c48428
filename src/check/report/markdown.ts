// Markdown, for a pull request or a job summary.

import type { Quality } from '../advice/advise.ts';
import { visible } from '../model/evidence.ts';
import type { Outcome } from '../model/outcome.ts';
import { withArrows } from './arrows.ts';
import { fleetCells, fleetHeads, fleetOf } from './fleet.ts';
import { sideEffectsLine } from './pretty.ts';
import type { Report, RevisionReport, Trend } from './report.ts';
import { changeInWords, scoresInWords } from './trend.ts';

export function markdownReport(reports: readonly Report[]): string {
  const parts = reports.length > 1 ? [table(fleetHeads, fleetOf(reports).map(fleetCells))] : [];
  return `${[...parts, ...reports.map(one)].join('\n\n')}\n`;
}

function one(report: Report): string {
  const who = [report.server.name, report.server.version].filter((text) => text !== '').join(' ');
  const parts = [`## ${cell(report.target)}`];
  if (who !== '') parts.push(`${cell(who)}, judged in ${report.offered.join(', ')}`);
  if (report.problem !== undefined) parts.push(`**${report.problem.kind}**: ${cell(report.problem.message)}`);
  parts.push(...report.runs.flatMap(run), ...(report.trends ?? []).flatMap(trend));
  if (report.quality !== undefined) parts.push(...quality(report.quality));
  return parts.join('\n\n');
}

function run({ verdict, outcomes, sections, score, transport, withSideEffects }: RevisionReport): string[] {
  const of = (wanted: Outcome['verdict']) => outcomes.filter((outcome) => outcome.verdict === wanted);
  const rows = sections
    .filter(({ must, should, notVerified }) => must.of + should.of + notVerified > 0)
    .map(({ section, must, should, notVerified }) => [
      section,
      `${must.passed}/${must.of}`,
      `${should.passed}/${should.of}`,
      String(notVerified),
    ]);
  return [
    `### ${verdict}`,
    `${transport}, score ${score.toFixed(1)}`,
    ...list('Failed', of('failed')),
    ...list('Recommended, not met', of('warned')),
    ...unverified(of('not-verified')),
    ...(withSideEffects === undefined ? [] : [cell(sideEffectsLine(withSideEffects))]),
    ...(rows.length === 0 ? [] : [table(['section', 'MUST', 'SHOULD', 'not verified'], rows)]),
  ];
}

function list(title: string, outcomes: readonly Outcome[]): string[] {
  return outcomes.length === 0 ? [] : [`#### ${title} (${outcomes.length})`, ...outcomes.flatMap(item)];
}

function item({ id, level, text, url, message, evidence, reproduce, expected }: Outcome): string[] {
  const block = [...withArrows(evidence.slice(0, 6)), ...(reproduce === undefined ? [] : [`again: ${reproduce}`])].join('\n');
  // Longer than any row of backticks within.
  const fence = '`'.repeat(Math.max(3, ...[...block.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return [
    `- **${id}** (${level}${expected === true ? ', expected' : ''}) [${cell(text)}](${url})<br>${cell(message)}`,
    ...(block === '' ? [] : [[`${fence}text`, block, fence].join('\n')]),
  ];
}

function unverified(outcomes: readonly Outcome[]): string[] {
  if (outcomes.length === 0) return [];
  const rows = outcomes.map(({ id, message }) => `- ${id}: ${cell(message)}`);
  return folded(`Not verified (${outcomes.length}): a skip is not a pass`, rows);
}

function trend(given: Trend): string[] {
  const { revision, transport, since, better, worse } = given;
  if (since === undefined) return [];
  const rows = [...worse.map((change) => ['worse', change] as const), ...better.map((change) => ['better', change] as const)];
  return [
    `#### ${revision} on ${transport} since ${cell(since)}`,
    ...(rows.length === 0
      ? ['As it was.']
      : [rows.map(([how, change]) => `- ${how}: **${cell(change.id)}** ${changeInWords(change)}`).join('\n')]),
    scoresInWords(given),
  ];
}

function quality({ bill, advice, changes }: Quality): string[] {
  const parts: string[] = [];
  if (changes !== undefined) {
    const rows = changes.map(({ kind, about, path, message, breaking }) => [
      breaking ? 'breaking' : '',
      kind,
      cell(about),
      cell(path),
      cell(message),
    ]);
    parts.push(`#### What it offers has changed (${changes.length})`);
    parts.push(rows.length === 0 ? 'As it was locked.' : table(['', 'change', 'of', 'at', 'what'], rows, true));
  }
  if (bill.tools.length > 0) parts.push(`Tools: ${bill.tools.length}, for a model about ${bill.tokens} tokens.`);
  if (advice.length === 0) return parts;
  const rows = advice.map(({ id, about, message, vendors, path }) => {
    const where = path === undefined ? '' : `, at ${cell(path)}`;
    return `- **${id}** ${cell(about)} ${cell(message)}${vendors === undefined ? '' : ` (${vendors.join(', ')})`}${where}`;
  });
  return [...parts, ...folded(`Advice (${advice.length}): no part of the verdict`, rows)];
}

function folded(title: string, rows: readonly string[]): string[] {
  return [`<details><summary>${title}</summary>`, rows.join('\n'), '</details>'];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[], isEscaped = false): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map((row) => line(isEscaped ? row : row.map(cell)))].join('\n');
}

/** What strangers wrote is text, not markup. */
function cell(text: string): string {
  return visible(text)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>|#&~]/g, (character) => `\\${character}`);
}
