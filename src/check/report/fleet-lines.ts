// The table of many targets for a person at a terminal, and all of their reports as data.
import { visible } from '../model/evidence.ts';
import { fleetCells, fleetHeads, fleetOf, standingClass } from './fleet.ts';
import { jsonText } from './json-text.ts';
import { type PrettyOptions, paintWith, prettyReport } from './pretty.ts';
import type { Report } from './report.ts';

const widest = 48;
const colors = { passed: 'green', failed: 'red', 'not-verified': 'yellow' } as const;

/** The table comes last, where a terminal has it before the eyes. */
export function prettyReports(reports: readonly Report[], options: PrettyOptions = {}): string {
  const each = reports.map((report) => prettyReport(report, options));
  return [...each, ...(reports.length > 1 ? [`${fleetLines(reports, options).join('\n')}\n`] : [])].join('\n');
}

/** One report as it is; several with the table of them. */
export function jsonReports(reports: readonly Report[]): string {
  const value = reports.length === 1 ? reports[0] : { tool: 'vivarium check', fleet: fleetOf(reports), reports };
  return jsonText(value);
}

function fleetLines(reports: readonly Report[], options: PrettyOptions): string[] {
  const paint = paintWith(options);
  const rows = fleetOf(reports);
  const cells = rows.map((row) => fleetCells(row).map((text) => cut(visible(text).replace(/\s+/g, ' '))));
  const widths = fleetHeads.map((head, column) => Math.max(head.length, ...cells.map((row) => [...(row[column] ?? '')].length)) + 2);
  const line = (row: readonly string[]): string =>
    row
      .map((text, column) => text + ' '.repeat(pad(text, widths[column])))
      .join('')
      .trimEnd();
  return [
    paint('bold', line(fleetHeads)),
    ...cells.map((row, index) => paint(colors[standingClass[rows[index]?.standing ?? 'nothing judged']], line(row))),
  ];
}

function pad(text: string, width = 0): number {
  return Math.max(0, width - [...text].length);
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= widest ? text : `${characters.slice(0, widest - 1).join('')}…`;
}
