// What became of the cases of a file: for a person, as JSON, and as JUnit XML.

import { visible } from '../model/evidence.ts';
import { jsonText } from '../report/json-text.ts';
import { junitText } from '../report/junit.ts';
import type { CaseResult } from './run-cases.ts';

export type CasesForm = (results: readonly CaseResult[], target: string) => string;

export const casesForms: ReadonlyMap<string, CasesForm> = new Map([
  ['pretty', prettyCases],
  ['json', jsonCases],
  ['junit', junitCases],
]);

function prettyCases(results: readonly CaseResult[]): string {
  const of = (verdict: CaseResult['verdict']) => results.filter((one) => one.verdict === verdict);
  const failed = of('failed').flatMap(({ case: { tool, name, arguments: given }, message }) => [
    `✗ ${visible(tool)}  ${visible(name)}`,
    `    ${visible(message)}`,
    `    with ${visible(JSON.stringify(given)).slice(0, 200)}`,
  ]);
  const reasons = new Map<string, number>();
  for (const { message } of of('not-run')) reasons.set(message, (reasons.get(message) ?? 0) + 1);
  const notRun = [...reasons].map(([reason, count]) => `– ${count} not run: ${visible(reason)}`);
  return `${[...failed, ...notRun, casesInWords(results)].join('\n')}\n`;
}

/** One line for all of them. */
export function casesInWords(results: readonly CaseResult[]): string {
  const count = (verdict: CaseResult['verdict']) => results.filter((one) => one.verdict === verdict).length;
  return `${results.length} cases: ${count('passed')} passed, ${count('failed')} failed, ${count('not-run')} not run`;
}

function jsonCases(results: readonly CaseResult[], target: string): string {
  const rows = results.map(({ case: { name, tool, kind, arguments: given, expect }, verdict, message }) => ({
    tool,
    name,
    ...(kind !== undefined && { kind }),
    verdict,
    message,
    arguments: given,
    expect,
  }));
  return jsonText({ tool: 'vivarium check', target, cases: rows });
}

function junitCases(results: readonly CaseResult[], target: string): string {
  const states = { passed: 'passed', failed: 'failure', 'not-run': 'skipped' } as const;
  const cases = results.map(({ case: { tool, name, kind = 'own', arguments: given }, verdict, message }) => ({
    group: `cases.${tool}`,
    name: `${tool} ${name}`,
    state: states[verdict],
    message,
    type: kind,
    body: `${message}\nwith ${JSON.stringify(given).slice(0, 2_000)}`,
  }));
  return junitText([{ name: `${target} cases`, seconds: 0, cases }]);
}
