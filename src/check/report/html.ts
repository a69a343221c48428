// One page of HTML that needs nothing else: the verdicts and the advice, with filters by verdict, level, section and words.

import type { Quality } from '../advice/advise.ts';
import type { Outcome } from '../model/outcome.ts';
import { withArrows } from './arrows.ts';
import { fleetCells, fleetHeads, fleetOf, standingClass } from './fleet.ts';
import { script, style } from './html-parts.ts';
import { xml as html } from './junit.ts';
import { sideEffectsLine } from './pretty.ts';
import type { Report, RevisionReport, Trend } from './report.ts';
import { changeInWords, scoresInWords } from './trend.ts';

const labels: Readonly<Record<Outcome['verdict'] | 'advice', string>> = {
  failed: 'failed',
  warned: 'recommended, not met',
  'not-verified': 'not verified',
  advice: 'advice',
  passed: 'passed',
  'not-applicable': 'not applicable',
  unobservable: 'not observable',
};
const atFirst: readonly string[] = ['failed', 'warned', 'not-verified'];

export function htmlReport(reports: readonly Report[]): string {
  const verdicts = Object.entries(labels).map(
    ([name, label]) =>
      `<label><input type="checkbox" name="verdict" value="${name}"${atFirst.includes(name) ? ' checked' : ''}> ${label}</label>`,
  );
  const sections = [...new Set(reports.flatMap(({ runs }) => runs.flatMap((run) => run.sections.map(({ section }) => section))))];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>vivarium check</title>
<style>${style}</style>
<form id="filter">${verdicts.join(' ')}
${select('level', 'every level', ['MUST', 'MUST NOT', 'SHOULD', 'SHOULD NOT', 'MAY'])}
${select('section', 'every section', sections)}
<input name="words" type="search" placeholder="id or words" aria-label="id or words"> <output name="count"></output></form>
<main>${reports.length > 1 ? fleet(reports) : ''}${reports.map(one).join('\n')}</main>
<script>${script}</script>
</html>
`;
}

function select(name: string, every: string, options: readonly string[]): string {
  const rest = options.map((option) => `<option>${html(option)}</option>`).join('');
  return `<select name="${name}" aria-label="${name}"><option value="">${every}</option>${rest}</select>`;
}

function fleet(reports: readonly Report[]): string {
  const rows = fleetOf(reports).map((row, index) => {
    const [target = '', ...cells] = fleetCells(row);
    return `<tr class="${standingClass[row.standing]}"><td><a href="#target-${index}">${html(target)}</a>${cells.map((text) => `<td>${html(text)}`).join('')}`;
  });
  return `<table id="fleet"><tr>${fleetHeads.map((head) => `<th>${head}`).join('')}${rows.join('')}</table>`;
}

function one(report: Report, index: number): string {
  const who = [report.server.name, report.server.version].filter((text) => text !== '').join(' ');
  const { problem, quality, trends = [] } = report;
  const said =
    problem === undefined ? '' : `<p class="failed">${html(problem.kind)}: ${html(problem.message)}</p><pre>${html(problem.stderr)}</pre>`;
  const rest = `${trends.map(trend).join('')}${quality === undefined ? '' : advice(quality)}`;
  return `<section id="target-${index}"><h1>${html(report.target)}</h1><p>${html(who)}</p>${said}${report.runs.map(run).join('\n')}${rest}</section>`;
}

function run({ revision, verdict, score, sections, outcomes, transport, tally, withSideEffects }: RevisionReport): string {
  const rows = sections
    .filter(({ must, should, notVerified }) => must.of + should.of + notVerified > 0)
    .map(
      ({ section, must, should, notVerified }) =>
        `<tr><td>${html(section)}<td>${must.passed}/${must.of}<td>${should.passed}/${should.of}<td>${notVerified}`,
    );
  return `<h2 class="${tally.failed > 0 ? 'failed' : tally.notVerified > 0 ? 'not-verified' : 'passed'}">${html(verdict)}</h2>
<p>${revision}, ${transport}, score ${score.toFixed(1)}</p>
<table><tr><th>section<th>MUST<th>SHOULD<th>not verified${rows.join('')}</table>
<ul>${outcomes.map(item).join('')}</ul>${withSideEffects === undefined ? '' : `<p>${sideEffectsLine(withSideEffects)}</p>`}`;
}

function item({ id, level, section, verdict, text, url, message, evidence, reproduce, times, expected }: Outcome): string {
  const bytes = withArrows(evidence).join('\n');
  const shown = verdict === 'passed' || bytes === '' ? '' : `<pre>${html(bytes)}</pre>`;
  const again = reproduce === undefined ? '' : `<pre class="again">${html(reproduce)}</pre>`;
  const count = times > 1 ? ` (${times} times)` : '';
  const summary = `<summary><b>${html(id)}</b> ${level} <i>${labels[verdict]}${expected === true ? ', as expected' : ''}</i> ${html(text)}</summary>`;
  return `<li class="${verdict}" data-verdict="${verdict}" data-level="${level}" data-section="${html(section)}"><details${verdict === 'failed' ? ' open' : ''}>${summary}<p><a href="${html(url)}">${html(url)}</a></p><p>${html(message)}${count}</p>${shown}${again}</details></li>`;
}

function trend(given: Trend): string {
  const { revision, transport, since, better, worse } = given;
  if (since === undefined) return '';
  const line = (style: string, how: string) => (change: Trend['better'][number]) =>
    `<tr class="${style}"><td>${how}<td>${html(change.id)}<td>${changeInWords(change)}`;
  const rows = [...worse.map(line('failed', 'worse')), ...better.map(line('passed', 'better'))];
  return `<h3>${revision} on ${transport} since ${html(since)}</h3><p>${scoresInWords(given)}</p><table class="trend">${rows.join('')}</table>`;
}

function advice({ bill, advice: given, changes }: Quality): string {
  const rows = (changes ?? []).map(
    ({ kind, about, path, message, breaking }) =>
      `<tr${breaking ? ' class="failed"' : ''}><td>${breaking ? 'breaking' : ''}<td>${kind}<td>${html(about)}<td>${html(path)}<td>${html(message)}`,
  );
  const changed =
    changes === undefined ? '' : `<h3>What it offers has changed (${changes.length})</h3><table class="changes">${rows.join('')}</table>`;
  const cost = bill.tools.length === 0 ? '' : `<p>Tools: ${bill.tools.length}, for a model about ${bill.tokens} tokens.</p>`;
  const items = given.map(({ id, about, message, vendors, path }) => {
    const where = path === undefined ? '' : ` <code>${html(path)}</code>`;
    const who = vendors === undefined ? '' : ` (${html(vendors.join(', '))})`;
    return `<li class="advice" data-verdict="advice" data-level="" data-section="quality"><b>${html(id)}</b> <i>advice</i> ${html(about)} ${html(message)}${who}${where}</li>`;
  });
  const list = items.length === 0 ? '' : `<h3>Advice (${items.length}), no part of the verdict</h3><ul>${items.join('')}</ul>`;
  return `${changed}${cost}${list}`;
}
