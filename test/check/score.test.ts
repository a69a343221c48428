// What a run amounts to: a score, a report for people and for programs, grouped by section, for one revision or more.
import { describe, expect, it } from 'vitest';
import { prettyReport, runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { type Outcome, scoreOf } from '../../src/check/outcome.ts';
import { pipeTarget } from './pipe-target.ts';

const outcome = (level: Outcome['level'], verdict: Outcome['verdict']) => ({ level, verdict }) as Outcome;

describe('the score', () => {
  it('goes from 0, when no MUST was seen to be kept, to 100, when all that apply were', () => {
    expect(scoreOf([outcome('MUST', 'failed'), outcome('MUST NOT', 'not-verified')])).toBe(0);
    expect(scoreOf([outcome('MUST', 'passed'), outcome('MUST NOT', 'passed')])).toBe(100);
    expect(scoreOf([outcome('MUST', 'passed'), outcome('MUST', 'failed'), outcome('MUST NOT', 'passed')])).toBe(66.7);
  });

  it('counts what was not verified as nothing, and what does not apply, cannot be observed or is no MUST not at all', () => {
    const passed = outcome('MUST', 'passed');
    expect(scoreOf([passed, outcome('MUST', 'not-verified')])).toBe(50);
    expect(scoreOf([passed, outcome('MUST', 'not-applicable'), outcome('MUST', 'unobservable'), outcome('SHOULD', 'warned')])).toBe(100);
  });
});

describe('the report of a run', () => {
  it('judges by the one revision that was asked for, as data and as text with a table of sections', async () => {
    const report = await runCheck(
      pipeTarget(() => new Server({ name: 'quiet', version: '1.0.0' })),
      { revision: '2025-03-26' },
    );
    const [run, ...others] = report.runs;
    expect(others).toEqual([]);
    expect(run).toMatchObject({ revision: '2025-03-26', score: expect.any(Number) });
    expect(JSON.parse(JSON.stringify(report))).toMatchObject({ offered: ['2025-03-26'] });
    const text = prettyReport(report);
    expect(text).toContain('2025-03-26');
    for (const section of ['jsonrpc', 'errors', 'lifecycle', 'stdio']) expect(text).toMatch(new RegExp(`^${section} +\\S`, 'm'));
    const requirements = run?.outcomes.map(({ id, level, section, text: says }) => ({ id, level, section, says })) ?? [];
    expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length);
    expect(requirements).toContainEqual(expect.objectContaining({ id: 'lifecycle/version/echoed', level: 'MUST', section: 'lifecycle' }));
  });
});
