// JUnit XML: a suite for each revision of each target, a test case for each requirement.
import type { Outcome } from '../outcome.ts';
import type { Report, RevisionReport } from '../report.ts';
import { isAtLeast } from '../requirement.ts';

export function junitReport(reports: readonly Report[]): string {
  const suites = reports.flatMap((report) => [...report.runs.map((run) => suite(report, run)), ...problem(report)]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="vivarium check">\n${suites.join('\n')}\n</testsuites>\n`;
}

function suite({ target }: Report, { revision, outcomes, durationMs, transport }: RevisionReport): string {
  // What cannot be observed is no test.
  const cases = outcomes.filter(({ verdict }) => verdict !== 'unobservable');
  const failures = cases.filter(({ verdict }) => verdict === 'failed').length;
  const skipped = cases.filter(({ verdict }) => verdict === 'not-verified' || verdict === 'not-applicable').length;
  const head = `  <testsuite name="${xml(`${target} ${revision} ${transport}`)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${(durationMs / 1000).toFixed(3)}">`;
  return [head, ...cases.map((outcome) => testCase(outcome, revision)), '  </testsuite>'].join('\n');
}

function testCase({ id, section, level, text, verdict, message, url, evidence, reproduce }: Outcome, revision: string): string {
  const open = `    <testcase classname="${xml(`${revision}.${section}`)}" name="${xml(`${id} (${level}) ${text}`)}"`;
  const bytes = evidence.map((line) => `${line.direction === 'sent' ? '→' : line.direction === 'received' ? '←' : '·'} ${line.text}`);
  const body = xml([message, url, ...bytes, ...(reproduce === undefined ? [] : [`again: ${reproduce}`])].join('\n'));
  if (verdict === 'failed') return `${open}>\n      <failure message="${xml(message)}" type="${level}">${body}</failure>\n    </testcase>`;
  if (verdict === 'not-verified') return `${open}>\n      <skipped message="${xml(`not verified: ${message}`)}"/>\n    </testcase>`;
  if (verdict === 'not-applicable') return `${open}>\n      <skipped message="${xml(`not applicable: ${message}`)}"/>\n    </testcase>`;
  if (verdict === 'warned' && isAtLeast(level, 'should')) return `${open}>\n      <system-out>${body}</system-out>\n    </testcase>`;
  return `${open}/>`;
}

function problem({ target, problem: found }: Report): string[] {
  if (found === undefined) return [];
  return [
    `  <testsuite name="${xml(target)}" tests="1" failures="0" errors="1" skipped="0">`,
    `    <testcase classname="vivarium.check" name="${xml(found.kind)}">\n      <error message="${xml(found.message)}">${xml(found.stderr)}</error>\n    </testcase>\n  </testsuite>`,
  ];
}

/** Also what XML cannot hold at all. */
export function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
