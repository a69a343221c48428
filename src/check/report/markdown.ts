// Markdown, for a pull request or a job summary.
import type { Outcome } from '../outcome.ts';
import type { Report, RevisionReport } from '../report.ts';

export function markdownReport(reports: readonly Report[]): string {
  const parts = reports.length > 1 ? [fleet(reports)] : [];
  return `${[...parts, ...reports.map(one)].join('\n\n')}\n`;
}

function fleet(reports: readonly Report[]): string {
  const rows = reports.flatMap((report) =>
    report.runs.map(
      ({ revision, tally, score }) =>
        `| ${cell(report.target)} | ${revision} | ${tally.failed} | ${tally.warned} | ${tally.notVerified} | ${score.toFixed(1)} |`,
    ),
  );
  return ['| server | revision | MUST broken | SHOULD unmet | not verified | score |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

function one(report: Report): string {
  const who = [report.server.name, report.server.version].filter((text) => text !== '').join(' ');
  const lines = [`## ${cell(report.target)}`, '', who === '' ? '' : `${cell(who)}, offers ${report.offered.join(', ')}`];
  if (report.problem !== undefined) lines.push('', `**${report.problem.kind}**: ${cell(report.problem.message)}`);
  return [...lines, ...report.runs.map(run)].join('\n');
}

function run({ verdict, outcomes, sections, score, transport }: RevisionReport): string {
  const of = (wanted: Outcome['verdict']) => outcomes.filter((outcome) => outcome.verdict === wanted);
  const rows = sections
    .filter(({ must, should, notVerified }) => must.of + should.of + notVerified > 0)
    .map(
      ({ section, must, should, notVerified }) =>
        `| ${section} | ${must.passed}/${must.of} | ${should.passed}/${should.of} | ${notVerified} |`,
    );
  return [
    '',
    `### ${verdict}`,
    '',
    `${transport}, score ${score.toFixed(1)}`,
    ...list('Failed', of('failed')),
    ...list('Recommended, not met', of('warned')),
    ...unverified(of('not-verified')),
    '',
    '| section | MUST | SHOULD | not verified |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function list(title: string, outcomes: readonly Outcome[]): string[] {
  if (outcomes.length === 0) return [];
  return ['', `#### ${title} (${outcomes.length})`, ...outcomes.flatMap(item)];
}

function item({ id, level, text, url, message, evidence, reproduce }: Outcome): string[] {
  const bytes = evidence
    .slice(0, 6)
    .map((line) => `${line.direction === 'sent' ? '→' : line.direction === 'received' ? '←' : '·'} ${line.text}`);
  const block = [...bytes, ...(reproduce === undefined ? [] : [`again: ${reproduce}`])].join('\n');
  // Longer than any row of backticks within.
  const fence = '`'.repeat(Math.max(3, ...[...block.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return [
    '',
    `- **${id}** (${level}) [${cell(text)}](${url})<br>${cell(message)}`,
    ...(block === '' ? [] : ['', `${fence}text`, block, fence]),
  ];
}

function unverified(outcomes: readonly Outcome[]): string[] {
  if (outcomes.length === 0) return [];
  const rows = outcomes.map(({ id, message }) => `- ${id}: ${cell(message)}`);
  return ['', `<details><summary>Not verified (${outcomes.length}): a skip is not a pass</summary>`, '', ...rows, '', '</details>'];
}

/** What strangers wrote is text, not markup. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|#]/g, (character) => `\\${character}`);
}
