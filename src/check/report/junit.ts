// JUnit XML: a suite for each revision of each target with a test case for each requirement, and one for what its lists show.

import type { Quality } from '../advice/advise.ts';
import type { Outcome } from '../model/outcome.ts';
import { withArrows } from './arrows.ts';
import type { Report, RevisionReport } from './report.ts';

interface Suite {
  readonly name: string;
  readonly seconds: number;
  readonly cases: readonly Case[];
}

interface Case {
  readonly group: string;
  readonly name: string;
  readonly state: 'failure' | 'error' | 'skipped' | 'noted' | 'passed';
  readonly message: string;
  readonly type?: string;
  readonly body: string;
}

export function junitReport(reports: readonly Report[]): string {
  const suites = reports.flatMap((report) => [
    ...report.runs.map((run) => revisionSuite(report, run)),
    ...surfaceSuite(report),
    ...problemSuite(report),
  ]);
  return junitText(suites);
}

export function junitText(suites: readonly Suite[]): string {
  const seconds = suites.reduce((sum, suite) => sum + suite.seconds, 0);
  const cases = suites.flatMap((suite) => suite.cases);
  const head = `<testsuites name="vivarium check" tests="${cases.length}" failures="${count(cases, 'failure')}" errors="${count(cases, 'error')}" time="${seconds.toFixed(3)}">`;
  return `${['<?xml version="1.0" encoding="UTF-8"?>', head, ...suites.map(suiteText), '</testsuites>'].join('\n')}\n`;
}

function revisionSuite({ target }: Report, { revision, outcomes, durationMs, transport }: RevisionReport): Suite {
  // What cannot be observed is no test.
  const cases = outcomes.filter(({ verdict }) => verdict !== 'unobservable');
  return { name: `${target} ${revision} ${transport}`, seconds: durationMs / 1000, cases: cases.map((one) => outcomeCase(one, revision)) };
}

const states: Readonly<Record<Outcome['verdict'], Case['state']>> = {
  failed: 'failure',
  warned: 'noted',
  'not-verified': 'skipped',
  'not-applicable': 'skipped',
  unobservable: 'skipped',
  passed: 'passed',
};

function outcomeCase(outcome: Outcome, revision: string): Case {
  const { id, section, level, text, verdict, message, url, evidence, reproduce, expected } = outcome;
  const state = expected === true ? 'skipped' : states[verdict];
  const again = reproduce === undefined ? [] : [`again: ${reproduce}`];
  return {
    group: `${revision}.${section}`,
    name: `${id} (${level}) ${text}`,
    state,
    message: state === 'skipped' ? `${expected === true ? 'expected to fail' : verdict.replace('-', ' ')}: ${message}` : message,
    type: level,
    body: [message, url, ...withArrows(evidence), ...again].join('\n'),
  };
}

/** Advice fails nothing; a breaking change since the lock does, as it does for the command. */
function surfaceSuite({ target, quality }: Report): Suite[] {
  if (quality === undefined) return [];
  const cases = [...changeCases(quality), ...adviceCases(quality)];
  return cases.length === 0 ? [] : [{ name: `${target} surface`, seconds: 0, cases }];
}

function changeCases({ changes }: Quality): Case[] {
  if (changes === undefined) return [];
  if (changes.length === 0) return [{ group: 'surface', name: 'as it was locked', state: 'passed', message: '', body: '' }];
  return changes.map(({ kind, about, path, message, breaking }) => ({
    group: 'surface',
    name: `${kind} ${about}${path === '' ? '' : ` ${path}`}`,
    state: breaking ? 'failure' : 'noted',
    message,
    type: 'breaking change',
    body: message,
  }));
}

function adviceCases({ advice }: Quality): Case[] {
  return advice.map(({ id, about, path, message, vendors }) => ({
    group: 'quality',
    name: `${id} ${about}${path === undefined ? '' : ` ${path}`}`,
    state: 'noted',
    message,
    body: `advice: ${about} ${message}${vendors === undefined ? '' : ` (${vendors.join(', ')})`}`,
  }));
}

function problemSuite({ target, problem }: Report): Suite[] {
  if (problem === undefined) return [];
  const { kind, message, stderr } = problem;
  return [
    { name: target, seconds: 0, cases: [{ group: 'vivarium.check', name: kind, state: 'error', message, type: kind, body: stderr }] },
  ];
}

function suiteText({ name, seconds, cases }: Suite): string {
  const counts = `tests="${cases.length}" failures="${count(cases, 'failure')}" errors="${count(cases, 'error')}" skipped="${count(cases, 'skipped')}"`;
  return [`  <testsuite name="${xml(name)}" ${counts} time="${seconds.toFixed(3)}">`, ...cases.map(caseText), '  </testsuite>'].join('\n');
}

function caseText({ group, name, state, message, type, body }: Case): string {
  const open = `    <testcase classname="${xml(group)}" name="${xml(name)}"`;
  if (state === 'passed') return `${open}/>`;
  const kind = type === undefined ? '' : ` type="${xml(type)}"`;
  const inner =
    state === 'skipped'
      ? `<skipped message="${xml(message)}"/>`
      : state === 'noted'
        ? `<system-out>${xml(body)}</system-out>`
        : `<${state} message="${xml(message)}"${kind}>${xml(body)}</${state}>`;
  return `${open}>\n      ${inner}\n    </testcase>`;
}

function count(cases: readonly Case[], state: Case['state']): number {
  return cases.filter((one) => one.state === state).length;
}

/** Also what XML cannot hold at all, and what a terminal obeys. */
export function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
