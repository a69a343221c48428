// What a run found, as data: the ground of every reporter.
import type { Revision } from '../../protocol/revision.ts';
import type { Quality } from '../advice/advise.ts';
import { type Outcome, scoreOf, type Tally, tallyOf } from '../model/outcome.ts';
import { isAtLeast, type Transport } from '../model/requirement.ts';

export interface Report {
  readonly tool: 'vivarium check';
  readonly target: string;
  /** Who is judged. */
  readonly party: 'server' | 'client';
  /** What it calls itself. */
  readonly server: { readonly name: string; readonly version: string };
  readonly offered: readonly Revision[];
  readonly refused: readonly { readonly revision: Revision; readonly transport: Transport; readonly reason: string }[];
  /** Why there is no run at all. */
  readonly problem?: { readonly kind: 'unreachable' | 'unauthorized'; readonly message: string; readonly stderr: string };
  readonly runs: readonly RevisionReport[];
  /** Advice on what it offers in the newest of the revisions; no part of any verdict. */
  readonly quality?: Quality;
  /** Since the runs that were kept before. */
  readonly trends?: readonly Trend[];
  readonly durationMs: number;
}

/** One revision of a target over its runs, the present one last. */
export interface Trend {
  readonly revision: string;
  readonly transport: string;
  /** When the run was with which this one is compared; absent for the first. */
  readonly since?: string;
  readonly better: readonly Change[];
  readonly worse: readonly Change[];
  readonly points: readonly { readonly at: string; readonly score: number; readonly failed: number; readonly warned: number }[];
}

export interface Change {
  readonly id: string;
  readonly was: State;
  readonly is: State;
}

/** `fine`: passed, or does not apply. */
export type State = 'failed' | 'warned' | 'open' | 'fine';

export interface RevisionReport {
  readonly revision: Revision;
  readonly transport: Transport;
  readonly tally: Tally;
  /** In percent: verified MUSTs over applicable ones. */
  readonly score: number;
  readonly conformant: boolean;
  readonly verdict: string;
  readonly sections: readonly SectionRow[];
  readonly outcomes: readonly Outcome[];
  /** Of what was not verified, how much is so only because tools may not be called without leave. */
  readonly withSideEffects?: number;
  readonly requests: number;
  readonly durationMs: number;
}

export interface SectionRow {
  readonly section: string;
  readonly must: Fraction;
  readonly should: Fraction;
  readonly notVerified: number;
}

export interface Fraction {
  readonly passed: number;
  readonly of: number;
}

export function revisionReport(
  base: Pick<RevisionReport, 'revision' | 'transport' | 'requests' | 'durationMs'>,
  outcomes: readonly Outcome[],
  { uncalled = false }: { readonly uncalled?: boolean } = {},
): RevisionReport {
  const must = outcomes.filter(({ level }) => isAtLeast(level, 'must'));
  const failed = must.filter(({ verdict }) => verdict === 'failed').length;
  const unverified = must.filter(({ verdict }) => verdict === 'not-verified').length;
  const applicable = must.filter(isApplicable).length;
  const waiting = uncalled
    ? outcomes.filter(({ verdict, reason }) => verdict === 'not-verified' && reason === 'no-callable-tool').length
    : 0;
  return {
    ...base,
    tally: tallyOf(outcomes),
    score: scoreOf(outcomes),
    // Where nothing was judged nothing is kept.
    conformant: failed === 0 && unverified === 0 && applicable > 0,
    verdict: verdictOf(base.revision, { failed, unverified, applicable }),
    sections: sectionsOf(outcomes),
    outcomes,
    ...(waiting > 0 && { withSideEffects: waiting }),
  };
}

function verdictOf(
  revision: Revision,
  { failed, unverified, applicable }: { failed: number; unverified: number; applicable: number },
): string {
  if (failed > 0) return `NOT CONFORMANT to ${revision}: ${failed} of ${applicable} MUST broken, ${unverified} not verified.`;
  if (unverified > 0) return `NOTHING BROKEN in ${revision}: ${applicable - unverified} of ${applicable} MUST verified, ${unverified} not.`;
  if (applicable === 0) return `NOTHING JUDGED of ${revision}: no MUST that was chosen applies and can be observed.`;
  return `CONFORMANT to ${revision}: all ${applicable} MUST that apply and can be observed.`;
}

function sectionsOf(outcomes: readonly Outcome[]): SectionRow[] {
  const names = [...new Set(outcomes.map(({ section }) => section))];
  return names.map((section) => {
    const own = outcomes.filter((one) => one.section === section);
    const fraction = (level: 'must' | 'should'): Fraction => {
      const rows = own
        .filter((one) => isAtLeast(one.level, level) && (level === 'must' || !isAtLeast(one.level, 'must')))
        .filter(isApplicable);
      return { passed: rows.filter(({ verdict }) => verdict === 'passed').length, of: rows.length };
    };
    return {
      section,
      must: fraction('must'),
      should: fraction('should'),
      notVerified: own.filter(({ verdict }) => verdict === 'not-verified').length,
    };
  });
}

function isApplicable({ verdict }: Outcome): boolean {
  return verdict !== 'not-applicable' && verdict !== 'unobservable';
}
