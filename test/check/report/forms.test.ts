// The forms of a report: each is well-formed, and what a server says in it is text.

import { expect, it } from 'vitest';
import { runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { htmlReport } from '../../../src/check/report/html.ts';
import { junitReport } from '../../../src/check/report/junit.ts';
import { markdownReport } from '../../../src/check/report/markdown.ts';
import { sarifReport } from '../../../src/check/report/sarif.ts';
import { pipeTarget } from '../pipe-target.ts';

const noise = '<script>alert("x")</script> & \u001b[2J';
const target = pipeTarget(
  () => new Server({ name: 'loud', version: '1.0.0' }),
  () => ({ greeting: `${noise}\n` }),
);
const reports = [await runCheck(target, { revision: '2025-11-25' })];

it('junit counts what failed and says nothing that is no XML', () => {
  const text = junitReport(reports);
  expect(text).toMatch(/<testsuite [^>]*failures="1"/);
  expect(text).toContain('&lt;script&gt;');
  expect(text).not.toContain('<script>');
  expect(text).not.toContain('\u001b');
});

it('sarif has a rule and a result for what is broken', () => {
  const { version, runs } = JSON.parse(sarifReport(reports));
  expect(version).toBe('2.1.0');
  expect(runs[0].results).toContainEqual(expect.objectContaining({ ruleId: 'stdio/stdout-clean', level: 'error' }));
  expect(runs[0].tool.driver.rules.map(({ id }: { id: string }) => id)).toContain('stdio/stdout-clean');
});

it('html has one script, its own, and loads nothing', () => {
  const text = htmlReport(reports);
  expect(text.match(/<script/g)).toHaveLength(1);
  expect(text).not.toMatch(/<(?:link|img|iframe)\b|src=/);
  expect(text).toContain('stdio/stdout-clean');
});

it('markdown keeps markup of strangers out of its sentences', () => {
  const text = markdownReport(reports);
  expect(text).toContain('**stdio/stdout-clean** (MUST NOT)');
  expect(text.replace(/^(`{3,})text\n[\s\S]*?^\1$/gm, '')).not.toContain('<script>');
});
