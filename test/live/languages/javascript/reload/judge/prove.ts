// The proof by published packages: the same for a dozen of them and for all.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { publishedEdits, publishedVersions } from '../../../../../../scripts/published-edits.mjs';
import { judge, lost, type Verdict } from './judge.ts';
import { publishedEdit } from './published.ts';
import { Bench, type Seen } from './run.ts';

export interface Row {
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly kind: string;
  readonly outcome: string;
  readonly verdict: Verdict;
}

/** Packages of one image: beside many others each edit takes longer. */
const perImage = 8;

export async function provePublished(node: string, names: readonly string[]): Promise<Row[]> {
  const folder = publishedEdits();
  if (folder === undefined) throw new Error('The packages are not there: node scripts/published-edits.mjs fetches them');
  const furnish = (project: string): void => symlinkSync(join(folder, 'node_modules'), join(project, 'node_modules'));
  const rows: Row[] = [];
  for (let from = 0; from < names.length; from += perImage) {
    let bench = await Bench.open({ node, observed: {}, furnish });
    for (const name of names.slice(from, from + perImage)) {
      const edit = publishedEdit(name, folder);
      const verdict = await bench.see([edit]).then(
        ([seen]) => judge(seen as Seen),
        (error: unknown) => lost(edit, error),
      );
      const [before, after] = publishedVersions(name);
      rows.push({ name, before, after, kind: edit.required ? 'CommonJS' : 'ES modules', outcome: outcomeOf(verdict), verdict });
      if (verdict.verdict !== 'lost') continue;
      await bench.close();
      bench = await Bench.open({ node, observed: {}, furnish });
    }
    await bench.close();
  }
  return rows;
}

function outcomeOf({ verdict, restart }: Verdict): string {
  return restart && (verdict === 'equal' || verdict === 'told') ? `${verdict}, anew` : verdict;
}

/** What is wrong with it, in full; empty where nothing is. */
export function complaint({ edit, verdict, said, silent, untrue, problem }: Verdict): string {
  if (verdict === 'equal' || verdict === 'told') return '';
  const lines = silent
    .slice(0, 8)
    .map((one) => `  ${one.view} ${one.name} ${one.what}: ${short(one.reloaded)}, a fresh start: ${short(one.fresh)}`);
  return [
    `${verdict}: ${edit.id}`,
    ...said.map((line) => `  ${line}`),
    ...lines,
    ...untrue,
    ...(problem === undefined ? [] : [problem]),
  ].join('\n');
}

function short(fact: string | undefined): string {
  return fact === undefined ? 'nothing' : fact.length > 200 ? `${fact.slice(0, 200)}…` : fact;
}
