// Failures that are known: they do not fail a run, and one that has been mended must leave the list.
import { requirement } from '../catalogue/catalogue.ts';
import type { Report, RevisionReport } from './report.ts';

export interface Expected {
  readonly id: string;
  /** Of one revision only. */
  readonly revision?: string;
}

export interface Comparison {
  /** Broken MUSTs that are not in the list. */
  readonly unexpected: readonly { readonly target: string; readonly revision: string; readonly id: string }[];
  /** Entries that were judged and do not fail, or that name nothing that could be. */
  readonly stale: readonly Expected[];
}

/** Whether there is such a requirement at all, in that revision. */
export function namesSomething({ id, revision }: Expected): boolean {
  return requirement(id)?.revisions.some((each) => revision === undefined || each === revision) ?? false;
}

/** The reports, saying of each failure that was expected that it was. */
export function withExpected(expected: readonly Expected[], reports: readonly Report[]): readonly Report[] {
  const mark = (run: RevisionReport): RevisionReport => {
    const outcomes = run.outcomes.map((one) =>
      one.verdict === 'failed' && expected.some((each) => matches(each, { ...one, revision: run.revision }))
        ? { ...one, expected: true as const }
        : one,
    );
    const known = outcomes.filter((one) => one.expected === true).length;
    if (known === 0) return run;
    const words = known === run.tally.failed ? 'All that is broken was expected.' : `${known} of the ${run.tally.failed} were expected.`;
    return { ...run, outcomes, verdict: `${run.verdict} ${words}` };
  };
  return reports.map((report) => ({ ...report, runs: report.runs.map(mark) }));
}

function matches(one: Expected, { id, revision }: { readonly id: string; readonly revision: string }): boolean {
  return one.id === id && (one.revision === undefined || one.revision === revision);
}

/** One id a line, with `@revision` for one revision only; dashes, quotes, keys with a colon and comments may stand around it. */
export function readExpected(text: string): readonly Expected[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const comment = line.search(/(?:^|\s)#/);
    const bare = line.slice(0, comment < 0 ? undefined : comment).trim();
    if (bare === '' || bare.endsWith(':')) return [];
    const [id = '', revision] = bare
      .replace(/^-\s*/, '')
      .replace(/^(['"])(.*)\1$/, '$2')
      .split('@');
    return [{ id, ...(revision !== undefined && { revision }) }];
  });
}

export function compareWith(expected: readonly Expected[], reports: readonly Report[]): Comparison {
  const judged = reports.flatMap(({ target, runs }) =>
    runs.flatMap(({ revision, outcomes }) => outcomes.map(({ id, verdict }) => ({ target, revision, id, verdict }))),
  );
  const failed = judged.filter(({ verdict }) => verdict === 'failed').map(({ target, revision, id }) => ({ target, revision, id }));
  const isStale = (one: Expected): boolean => {
    const own = judged.filter((each) => matches(one, each));
    // What this run did not choose, reach or verify may fail as it did before; what does not exist never will.
    if (own.length === 0) return !namesSomething(one);
    return own.every(({ verdict }) => verdict !== 'failed' && verdict !== 'not-verified');
  };
  return {
    unexpected: failed.filter((each) => !expected.some((one) => matches(one, each))),
    stale: expected.filter(isStale),
  };
}
