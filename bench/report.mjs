// Tables in Markdown from what a run measured; `node bench/report.mjs out.json [--readme]` prints them again or puts them into the README.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { judge } from './measure/floors.mjs';
import { median, paired, spread } from './measure/rounds.mjs';
import { suites } from './suites/index.mjs';
import { bench } from './targets.mjs';

export function renderHead({ when, node, clientNode, machine, options, cpuResolution }) {
  const client = clientNode === node ? '' : ` (load generator on ${clientNode})`;
  return [
    `${when}, Node ${node}${client}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Linux ${machine.kernel}.`,
    `${options.rounds} rounds, ${options.ms} ms each; CPU read in ${cpuResolution}.`,
  ].join('\n');
}

/** One row per target and case: medians over the rounds, and the paired ratios of the suite's main figure. */
export function renderSuite(name, { cells, skipped, failures, load }) {
  const { metric } = suites[name];
  const bareName = name === 'client' ? 'raw' : 'bare';
  const rows = cells.map((cell) => {
    const ratio = (reference) => {
      const other = cells.find(({ target, case: where }) => target === reference && where === cell.case);
      const [mine, theirs] = [cell.samples[metric], other?.samples[metric]];
      return mine && theirs && other !== cell ? paired(mine, theirs, (a, b) => a / b).median : undefined;
    };
    const medians = Object.fromEntries(Object.entries(cell.samples).map(([key, values]) => [key, median(values)]));
    return {
      case: cell.case,
      target: cell.target,
      ...medians,
      ...cell.once,
      spread: cell.samples[metric] && spread(cell.samples[metric]),
      [`x ${bareName}`]: ratio(bareName),
      'x sdk-v2': ratio('sdk-v2'),
    };
  });
  const notes = [...skipped, ...failures].map(({ target, case: where, reason }) => `- ${target} ${where}: ${reason}`);
  return [
    `### ${name}`,
    `Load average ${load.before.join(' ')} before, ${load.after.join(' ')} after. Ratios and spread are of \`${metric}\`; below 1 is better.`,
    table(rows),
    ...(notes.length > 0 ? [`Not measured, or failed in a round:\n\n${notes.join('\n')}`] : []),
  ].join('\n\n');
}

export function renderFloors(verdicts) {
  const rows = verdicts.map(({ path: what, against, reads, q1, median: middle, q3, floor, rounds, verdict }) => {
    const measured = middle === undefined ? undefined : { q1, median: middle, q3 };
    return { path: what, against, reads, ...(measured ?? { q1: undefined, median: undefined, q3: undefined }), floor, rounds, verdict };
  });
  const legend =
    'Quartiles of paired rounds. gain: how many times less we need than the other; cost: our share of what it needs; ' +
    'over: what we need beyond it; value: our own figure.';
  return `### floors\n\n${legend}\n\n${table(rows)}`;
}

export function renderAll(run) {
  const parts = Object.entries(run.suites).map(([name, suite]) => renderSuite(name, suite));
  return [renderHead(run), ...parts, renderFloors(judge(run))].join('\n\n');
}

function table(rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => rows.some((row) => isShown(row[name])));
  const texts = rows.map((row) => columns.map((name) => format(row[name])));
  const widths = columns.map((name, index) => Math.max(name.length, ...texts.map((cells) => cells[index].length)));
  const isNumeric = columns.map((name) => rows.every((row) => !isShown(row[name]) || typeof row[name] === 'number'));
  const line = (cells) => `| ${cells.map((cell, i) => (isNumeric[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join(' | ')} |`;
  const rule = `|${widths.map((width, index) => `${'-'.repeat(width + 1)}${isNumeric[index] ? ':' : '-'}`).join('|')}|`;
  return [line(columns), rule, ...texts.map(line)].join('\n');
}

const isShown = (value) => value !== undefined && value !== null && !Number.isNaN(value);

function format(value) {
  if (!isShown(value)) return '';
  if (typeof value !== 'number') return String(value);
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en-US');
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

if (process.argv[1] === path.join(bench, 'report.mjs')) {
  const [file, flag] = process.argv.slice(2);
  const text = renderAll(JSON.parse(readFileSync(file, 'utf8')));
  if (flag === '--readme') {
    const readme = path.join(bench, 'README.md');
    const marked = /(<!-- results: begin -->\n)[\s\S]*(\n<!-- results: end -->)/;
    writeFileSync(
      readme,
      readFileSync(readme, 'utf8').replace(marked, (_, begin, end) => `${begin}\n${text}\n${end}`),
    );
  } else console.log(text);
}
