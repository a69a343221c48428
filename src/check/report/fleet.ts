// Many targets, a line each: what to look at first.
import type { Report } from './report.ts';

export interface FleetRow {
  readonly target: string;
  /** What it calls itself. */
  readonly server: string;
  readonly standing: 'conformant' | 'not conformant' | 'nothing broken' | 'nothing judged' | 'not reached' | 'authorization needed';
  /** The lowest of its revisions; absent where there was no run. */
  readonly score?: number;
  /** Requirements, each counted once however many revisions it concerns. */
  readonly must: number;
  readonly should: number;
  readonly notVerified: number;
  readonly revisions: readonly string[];
  readonly durationMs: number;
}

export function fleetOf(reports: readonly Report[]): readonly FleetRow[] {
  return reports.map((report) => {
    const { target, server, runs, durationMs } = report;
    const ids = (verdict: string) =>
      new Set(runs.flatMap(({ outcomes }) => outcomes.filter((one) => one.verdict === verdict).map(({ id }) => id))).size;
    const scores = runs.map(({ score }) => score);
    return {
      target,
      server: [server.name, server.version].filter((text) => text !== '').join(' '),
      standing: standingOf(report),
      ...(scores.length > 0 && { score: Math.min(...scores) }),
      must: ids('failed'),
      should: ids('warned'),
      notVerified: ids('not-verified'),
      revisions: [...new Set(runs.map(({ revision }) => revision))],
      durationMs,
    };
  });
}

/** The class of its line in a report, and so its color. */
export const standingClass: Readonly<Record<FleetRow['standing'], 'passed' | 'failed' | 'not-verified'>> = {
  conformant: 'passed',
  'not conformant': 'failed',
  'not reached': 'failed',
  'nothing broken': 'not-verified',
  'nothing judged': 'not-verified',
  'authorization needed': 'not-verified',
};

export const fleetHeads: readonly string[] = ['target', 'verdict', 'score', 'MUST broken', 'SHOULD unmet', 'not verified', 'revisions'];

/** The same order as the heads. */
export function fleetCells({ target, standing, score, must, should, notVerified, revisions }: FleetRow): readonly string[] {
  return [
    target,
    standing,
    score === undefined ? '–' : score.toFixed(1),
    String(must),
    String(should),
    String(notVerified),
    revisions.length === 0 ? '–' : revisions.join(' '),
  ];
}

function standingOf({ problem, runs }: Report): FleetRow['standing'] {
  if (problem?.kind === 'unreachable') return 'not reached';
  if (runs.some(({ tally }) => tally.failed > 0)) return 'not conformant';
  if (problem?.kind === 'unauthorized') return 'authorization needed';
  if (runs.length > 0 && runs.every(({ conformant }) => conformant)) return 'conformant';
  return runs.some(({ tally }) => tally.passed > 0) ? 'nothing broken' : 'nothing judged';
}
