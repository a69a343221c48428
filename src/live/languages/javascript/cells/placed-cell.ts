// A cell in the scope of a module that was edited since it was loaded: its names as they are to be found there by now.
import { parse } from 'acorn';
import { near } from '../../../../text/did-you-mean.ts';
import type { Column } from '../../../js-runtime/positions.ts';
import { type Edit, References } from './references.ts';
import type { ScopedCell } from './scoped-cell.ts';

/** The names of a module. */
export interface ScopeNames {
  /** All of them, as the file is now. */
  readonly own: ReadonlySet<string>;
  /** Those that the scope does not have by their names, or has as something else: what stands for each. */
  readonly moved: ReadonlyMap<string, string>;
  /** Those that cannot be assigned, and why. */
  readonly fixed: ReadonlyMap<string, string>;
}

export type PlacedCell = Pick<ScopedCell, 'text' | 'columns'>;

/** `absent`: names that are nowhere outside of the module. */
export function placedCell(
  { text, columns, reads }: ScopedCell,
  { own, moved, fixed }: ScopeNames,
  absent: ReadonlySet<string>,
): PlacedCell {
  const places = new Map([...moved].filter(([name]) => own.has(name)));
  for (const name of reads) {
    if (name === 'arguments' || own.has(name) || (!moved.has(name) && !absent.has(name))) continue;
    const meant = near(name, [...own]);
    const hint = meant === undefined || !absent.has(name) ? '' : `: did you mean ${meant}?`;
    places.set(name, `__vivarium_global(${JSON.stringify(name)}, false, ${JSON.stringify(hint)}).value`);
  }
  const targets = new Map(places);
  for (const [name, why] of fixed) targets.set(name, `__vivarium_fixed(${JSON.stringify(why)}).value`);
  const program = parse(text, { ecmaVersion: 'latest', sourceType: 'module', allowAwaitOutsideFunction: true });
  const { edits } = new References(text, program, places, targets);
  let [made, from] = ['', 0];
  for (const { start, end, text: place } of edits) {
    made += text.slice(from, start) + place;
    from = end;
  }
  return { text: made + text.slice(from), columns: moveColumns(columns, text, edits) };
}

/** Columns of the first line, where `length` characters stand before it. */
export function behind(columns: readonly Column[], length: number): Column[] {
  return columns.map(([line, there, written]) => [line, line === 0 ? there + length : there, written]);
}

/** What is put in the place of a name has no line ends: so lines stay, and what stands behind it in its line moves. */
function moveColumns(columns: readonly Column[], text: string, edits: readonly Edit[]): Column[] {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return starts.flatMap((first, line) => {
    const old = columns.filter((one) => one[0] === line);
    const written = (column: number): number => {
      const [, there = 0, own = 0] = old.findLast((one) => one[1] <= column) ?? [];
      return column - there + own;
    };
    const moved: Column[] = [];
    let [at, more] = [0, 0];
    const keep = (until: number): void => {
      for (let one = old[at]; one !== undefined && one[1] <= until; one = old[++at]) moved.push([line, one[1] + more, one[2]]);
    };
    for (const { start, end, text: place } of edits.filter(
      (one) => one.start >= first && one.end < (starts[line + 1] ?? Number.POSITIVE_INFINITY),
    )) {
      keep(start - first);
      // What is nowhere throws at the last word of what stands for it.
      moved.push([line, start - first + more + Math.max(0, place.indexOf('.value')), written(start - first)]);
      more += place.length - (end - start);
      moved.push([line, end - first + more, written(end - first)]);
    }
    keep(Number.POSITIVE_INFINITY);
    return moved;
  });
}
