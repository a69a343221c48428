// What a run amounts to: a score, a report for people and for programs, grouped by section, for one revision or more.
import { describe, expect, it } from 'vitest';
import { prettyReport, runCheck } from 'vivarium/check';
import { Server } from 'vivarium/server';
import { type Outcome, scoreOf } from '../../../src/check/model/outcome.ts';
import { pipeTarget } from '../pipe-target.ts';

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

describe('a server that asks nothing', { timeout: 60_000 }, () => {
  const plain = (asks: boolean) =>
    pipeTarget(() => {
      const server = new Server({ name: 'plain', version: '1.0.0' });
      const input = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const;
      server.tool('double', { description: 'Doubles', input }, () => 'done');
      const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
      const annotations = { readOnlyHint: true };
      if (asks)
        server.tool('greet', { description: 'Greets', annotations }, async (_, ctx) =>
          JSON.stringify(await ctx.elicit('who', { message: 'Who?', schema })),
        );
      return server;
    });
  const run = async (asks: boolean, allowSideEffects: boolean, revision: '2025-11-25' | '2026-07-28') => {
    const { runs } = await runCheck(plain(asks), { allowSideEffects, revision });
    const verdicts = (pattern: RegExp) =>
      new Set(runs[0]?.outcomes.filter(({ id, level }) => pattern.test(id) && level !== 'MAY').map(({ verdict }) => verdict));
    return { run: runs[0], verdicts };
  };
  const ofAnswers = /^(?:input\/(?:state\/(?:untrusted|verified)|responses)|elicitation\/declined)/;

  it.each(['2025-11-25', '2026-07-28'] as const)('can conform to %s, once all of its tools were called', async (revision) => {
    const { run: seen } = await run(false, true, revision);
    expect(seen).toMatchObject({ conformant: true, score: 100, tally: { failed: 0 } });
  });

  it('need not do anything with answers, and keeps nothing by that', async () => {
    const { run: seen, verdicts } = await run(false, true, '2026-07-28');
    expect([...verdicts(ofAnswers)]).toEqual(['not-applicable']);
    expect(seen?.outcomes.find(({ id }) => id === 'input/state/verified')?.message).toBe('the server asks nothing, with every tool called');
  });

  it('is not known to be one while a tool may not be called, and is none when it asks', async () => {
    expect([...(await run(false, false, '2026-07-28')).verdicts(ofAnswers)]).toEqual(['not-verified']);
    expect((await run(true, true, '2026-07-28')).verdicts(ofAnswers)).toContain('passed');
  });

  it('has no parameters in headers, as its list shows, whatever may be called', async () => {
    const { verdicts } = await run(false, false, '2026-07-28');
    expect([...verdicts(/^http\/param-headers\//)]).toEqual(['not-applicable']);
  });
});
