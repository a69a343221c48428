// Edits that are made up from a number, judged many at a time, and made smaller where one shows a lie.
import { judge, lost, type Verdict } from '../judge/judge.ts';
import { Bench, type Edit } from '../judge/run.ts';
import { mutated } from './mutate.ts';
import { Maker, Random } from './program.ts';
import { pathOf, render } from './render.ts';
import { type Made, shrunk } from './shrink.ts';

export interface MadeEdit extends Made {
  readonly seed: number;
  readonly edits: readonly string[];
}

export interface MadeVerdict extends Verdict {
  readonly made: MadeEdit;
}

export function madeEdit(seed: number): MadeEdit {
  const maker = new Maker(new Random(seed));
  const before = maker.program();
  return { seed, before, ...mutated(before, maker) };
}

/** Edits of one reload, and reloads of one image: an image costs more than an edit, but what it has loaded makes each of them slower. */
const [perReload, reloads] = [25, 4];

export async function judgeMade(node: string, all: readonly MadeEdit[]): Promise<MadeVerdict[]> {
  const verdicts: MadeVerdict[] = [];
  let bench: Bench | undefined;
  for (let from = 0, round = 0; from < all.length; from += perReload, round++) {
    if (round % reloads === 0) {
      await bench?.close();
      bench = await Bench.open({ node, observed: { few: true } });
    }
    const part = all.slice(from, from + perReload).map((made, at) => ({ made, edit: asEdit(made, from + at) }));
    try {
      verdicts.push(...(await judgedIn(bench as Bench, part)));
    } catch {
      // One of them ended the image: each gets its own, and a later one a new image.
      for (const one of part) verdicts.push(await judgedAlone(node, one));
      round = -1;
    }
  }
  await bench?.close();
  return verdicts;
}

interface Placed {
  readonly made: MadeEdit;
  readonly edit: Edit;
}

async function judgedIn(bench: Bench, part: readonly Placed[]): Promise<MadeVerdict[]> {
  const found = new Map((await bench.see(part.map(({ edit }) => edit))).map((seen) => [seen.edit, judge(seen)]));
  return part.map(({ made, edit }) => ({ ...(found.get(edit) as Verdict), made }));
}

async function judgedAlone(node: string, one: Placed): Promise<MadeVerdict> {
  await using bench = await Bench.open({ node, observed: { few: true } });
  try {
    return (await judgedIn(bench, [one]))[0] as MadeVerdict;
  } catch (error) {
    return { ...lost(one.edit, error), made: one.made };
  }
}

/** Files of TypeScript may have no import or export that says what they are. */
const kind = { 'package.json': '{ "type": "module" }' };

function asEdit({ before, after }: Made, at: number): Edit {
  return {
    id: `c${at}`,
    entry: pathOf(before, 0),
    required: before.format === 'cjs',
    before: { ...render(before), ...kind },
    after: { ...render(after), ...kind },
  };
}

/** The smallest that is still judged so, in the same respect: another lie may be near. */
export async function smallest(node: string, verdict: MadeVerdict): Promise<MadeVerdict> {
  const { seed, edits } = verdict.made;
  const respect = verdict.silent[0];
  const isSuch = (one: Verdict): boolean =>
    one.verdict === verdict.verdict &&
    (respect === undefined ||
      one.silent.some(({ view, name, what }) => view === respect.view && name === respect.name && what === respect.what));
  const small = await shrunk(verdict.made, async (tries) => {
    const judged = await judgeMade(
      node,
      tries.map((one) => ({ ...one, seed, edits })),
    );
    return judged.map(isSuch);
  });
  return (await judgeMade(node, [{ ...small, seed, edits }]))[0] ?? verdict;
}

/** As files before and after, for a report. */
export function inWords({ made, edit, verdict, said, silent, untrue }: MadeVerdict): string {
  const files = (name: string, all: Readonly<Record<string, string>>): string =>
    Object.entries(all)
      .filter(([path]) => path !== 'package.json')
      .map(([path, text]) => `--- ${name} ${path}\n${text}`)
      .join('');
  const lies = silent
    .slice(0, 5)
    .map((one) => `${one.view} ${one.name} ${one.what}\n  after reload: ${one.reloaded}\n  fresh start:  ${one.fresh}`);
  return [
    `${verdict} (seed ${made.seed}: ${made.edits.join(', ')})`,
    files('before', edit.before) + files('after', edit.after),
    'reload said:',
    ...said.map((line) => `  ${line}`),
    ...lies,
    ...untrue.map((line) => `said without cause: ${line}`),
  ].join('\n');
}
