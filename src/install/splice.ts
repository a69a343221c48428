// The one stretch of a text that an edit has changed.

export interface Splice {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
  /** What stands around it. */
  readonly lead: string;
  readonly trail: string;
}

/** So much of the text on both sides says where a deletion was. */
const longestContext = 400;

export function spliceOf(before: string, after: string): Splice {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at++;
  let tail = 0;
  while (tail < most - at && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return {
    at,
    removed: before.slice(at, before.length - tail),
    inserted: after.slice(at, after.length - tail),
    lead: after.slice(Math.max(0, at - longestContext), at),
    trail: after.slice(after.length - tail).slice(0, longestContext),
  };
}

/** Taken back where it was made, in the very text it has left. */
export function takenBack(after: string, { at, removed, inserted }: Splice): string {
  return after.slice(0, at) + removed + after.slice(at + inserted.length);
}

/** Taken back in a text that others have changed since; undefined where its place is gone or cannot be told from another. */
export function takenBackElsewhere({ removed, inserted, lead, trail }: Splice, now: string): string | undefined {
  for (const context of inserted === '' ? [longestContext, 40] : [0, 40, longestContext]) {
    const [before, after] = [context === 0 ? '' : lead.slice(-context), trail.slice(0, context)];
    const sought = before + inserted + after;
    const found = sought === '' ? -1 : now.indexOf(sought);
    if (found < 0 || now.indexOf(sought, found + 1) >= 0) continue;
    return now.slice(0, found) + before + removed + after + now.slice(found + sought.length);
  }
  return undefined;
}
