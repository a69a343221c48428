// One page of HTML that needs nothing else: the verdicts, with filters by verdict, level, section and words.
import type { Outcome } from '../outcome.ts';
import type { Report, RevisionReport } from '../report.ts';
import { xml as html } from './junit.ts';

const labels: Readonly<Record<Outcome['verdict'], string>> = {
  failed: 'failed',
  warned: 'recommended, not met',
  'not-verified': 'not verified',
  passed: 'passed',
  'not-applicable': 'not applicable',
  unobservable: 'not observable',
};

export function htmlReport(reports: readonly Report[]): string {
  const verdicts = Object.entries(labels).map(
    ([name, label], index) =>
      `<label><input type="checkbox" name="verdict" value="${name}"${index < 3 ? ' checked' : ''}> ${label}</label>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>vivarium check</title>
<style>${style}</style>
<form id="filter">${verdicts.join(' ')}
<select name="level" aria-label="level"><option value="">every level</option><option>MUST</option><option>MUST NOT</option><option>SHOULD</option><option>SHOULD NOT</option><option>MAY</option></select>
<input name="words" type="search" placeholder="id or words" aria-label="id or words"></form>
<main>${reports.map(one).join('\n')}</main>
<script>${script}</script>
</html>
`;
}

function one(report: Report): string {
  const who = [report.server.name, report.server.version].filter((text) => text !== '').join(' ');
  const { problem } = report;
  const said =
    problem === undefined ? '' : `<p class="failed">${html(problem.kind)}: ${html(problem.message)}</p><pre>${html(problem.stderr)}</pre>`;
  return `<section><h1>${html(report.target)}</h1><p>${html(who)}</p>${said}${report.runs.map(run).join('\n')}</section>`;
}

function run({ revision, verdict, score, sections, outcomes, transport, tally }: RevisionReport): string {
  const rows = sections
    .filter(({ must, should, notVerified }) => must.of + should.of + notVerified > 0)
    .map(
      ({ section, must, should, notVerified }) =>
        `<tr><td>${html(section)}<td>${must.passed}/${must.of}<td>${should.passed}/${should.of}<td>${notVerified}`,
    );
  return `<h2 class="${tally.failed > 0 ? 'failed' : tally.notVerified > 0 ? 'not-verified' : 'passed'}">${html(verdict)}</h2>
<p>${revision}, ${transport}, score ${score.toFixed(1)}</p>
<table><tr><th>section<th>MUST<th>SHOULD<th>not verified${rows.join('')}</table>
<ul>${outcomes.map(item).join('')}</ul>`;
}

function item({ id, level, verdict, text, url, message, evidence, reproduce, times }: Outcome): string {
  const bytes = evidence
    .map((line) => `${line.direction === 'sent' ? '→' : line.direction === 'received' ? '←' : '·'} ${line.text}`)
    .join('\n');
  const shown = verdict === 'passed' ? '' : `<pre>${html(bytes)}</pre>`;
  const again = reproduce === undefined ? '' : `<pre class="again">${html(reproduce)}</pre>`;
  const count = times > 1 ? ` (${times} times)` : '';
  return `<li class="${verdict}" data-verdict="${verdict}" data-level="${level}"><details${verdict === 'failed' ? ' open' : ''}><summary><b>${html(id)}</b> ${level} <i>${labels[verdict]}</i> ${html(text)}</summary><p><a href="${html(url)}">${html(url)}</a></p><p>${html(message)}${count}</p>${bytes === '' ? '' : shown}${again}</details></li>`;
}

const style = `
:root{color-scheme:light dark;font:15px/1.45 system-ui,sans-serif}
body{margin:0 auto;max-width:70rem;padding:1rem}
form{position:sticky;top:0;background:Canvas;padding:.6rem 0;border-bottom:1px solid #8885;display:flex;flex-wrap:wrap;gap:.8rem}
table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem 0;text-align:left}
ul{list-style:none;padding:0}li{border-left:4px solid #8885;margin:.3rem 0;padding-left:.7rem}
li.failed,h2.failed{border-color:#c33;color:#c33}li.warned{border-color:#b80}li.passed,h2.passed{border-color:#2a7}
li.failed details *{color:CanvasText}pre{overflow-x:auto;background:#8881;padding:.5rem;white-space:pre-wrap;word-break:break-all}
[hidden]{display:none}`;

const script = `
const form=document.getElementById('filter');
const apply=()=>{const on=new Set([...form.querySelectorAll('[name=verdict]:checked')].map(b=>b.value));
const level=form.level.value,words=form.words.value.toLowerCase();
for(const li of document.querySelectorAll('li'))li.hidden=!on.has(li.dataset.verdict)||(level&&li.dataset.level!==level)||!li.textContent.toLowerCase().includes(words)};
form.addEventListener('input',apply);form.addEventListener('submit',e=>e.preventDefault());apply();`;
