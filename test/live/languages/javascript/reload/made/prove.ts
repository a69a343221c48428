// The proof by edits that are made up: the same in the gate, for longer, and by `npm run edits`.
import { inWords, judgeMade, type MadeVerdict, madeEdit, smallest } from './made.ts';

export interface Outcome {
  readonly counts: Readonly<Record<string, number>>;
  /** The first lies, made small; none where there are no more of them than are known. */
  readonly lies: readonly string[];
}

/** To make one small takes as long as to judge hundreds. */
const maxShown = 3;

export async function proveMade(node: string, from: number, count: number): Promise<Outcome> {
  const all = await judgeMade(
    node,
    Array.from({ length: count }, (_, at) => madeEdit(from + at)),
  );
  const counts: Record<string, number> = { equal: 0, told: 0, silent: 0, false: 0, unfit: 0, lost: 0, anew: 0 };
  for (const { verdict, restart } of all) {
    counts[verdict] = (counts[verdict] ?? 0) + 1;
    if (restart) counts['anew'] = (counts['anew'] ?? 0) + 1;
  }
  const found = all.filter(isLie);
  const lies: string[] = [];
  for (const one of found.slice(0, maxShown)) lies.push(inWords(await smallest(node, one)));
  return { counts, lies };
}

function isLie({ verdict }: MadeVerdict): boolean {
  return verdict === 'silent' || verdict === 'false' || verdict === 'lost';
}
