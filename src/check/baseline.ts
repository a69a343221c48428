// Failures that are known: they do not fail a run, and one that has been mended must leave the list.
import type { Report } from './report.ts';

export interface Expected {
  readonly id: string;
  /** Of one revision only. */
  readonly revision?: string;
}

export interface Comparison {
  /** Broken MUSTs that nobody expected. */
  readonly unexpected: readonly { readonly target: string; readonly revision: string; readonly id: string }[];
  /** Entries that no longer fail. */
  readonly stale: readonly Expected[];
}

/** One id a line, with `@revision` for one revision only; dashes, quotes, keys with a colon and comments may stand around it. */
export function readExpected(text: string): readonly Expected[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const bare = line.replace(/(?:^|\s)#.*$/, '').trim();
    if (bare === '' || bare.endsWith(':')) return [];
    const [id = '', revision] = bare
      .replace(/^-\s*/, '')
      .replace(/^(['"])(.*)\1$/, '$2')
      .split('@');
    return [{ id, ...(revision !== undefined && { revision }) }];
  });
}

export function compareWith(expected: readonly Expected[], reports: readonly Report[]): Comparison {
  const failed = reports.flatMap(({ target, runs }) =>
    runs.flatMap(({ revision, outcomes }) =>
      outcomes.filter(({ verdict }) => verdict === 'failed').map(({ id }) => ({ target, revision, id })),
    ),
  );
  const matches = (one: Expected, { id, revision }: { readonly id: string; readonly revision: string }) =>
    one.id === id && (one.revision === undefined || one.revision === revision);
  return {
    unexpected: failed.filter((each) => !expected.some((one) => matches(one, each))),
    stale: expected.filter((one) => !failed.some((each) => matches(one, each))),
  };
}
