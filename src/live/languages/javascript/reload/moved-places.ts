// From where things stand in a text with pieces of the loader's to where the user wrote them.
import { type Places, placeIn } from '../../../js-runtime/place-table.ts';
import { insertionsIn, withoutInsertions } from '../loader/insertions.ts';
import { type Moved, movedIn } from '../loader/moved.ts';

/** `anchors` are places in the text without pieces; the result has them in the text with them. */
export function behindMoved(anchors: Places, moved: readonly Moved[]): Places[number][] {
  const byLine = new Map<number, Moved[]>();
  for (const one of moved) byLine.set(one[0], [...(byLine.get(one[0]) ?? []), one]);
  const shift = (line: number, column: number): number =>
    (byLine.get(line) ?? []).reduce((all, [, at, width]) => (at < column ? all + width : all), 0);
  const places = anchors.map(([line, column, ...to]) => [line, column + shift(line, column), ...to] as const);
  for (const [line, column, width] of moved) {
    const to = placeIn(anchors, line, column);
    if (to !== undefined) places.push([line, column + shift(line, column) + width, to.line, to.column]);
  }
  return places.sort(([a, b], [c, d]) => a - c || b - d);
}

/** For a file as it was loaded. */
export function loadedPlaces(moved: readonly Moved[]): Places {
  return behindMoved(
    [...new Set(moved.map(([line]) => line))].map((line) => [line, 0, line, 0] as const),
    moved,
  );
}

/** For a script as the engine has it; undefined where nothing has moved. */
export function placesIn(source: string): Places | undefined {
  const insertions = insertionsIn(source);
  const moved = insertions.length === 0 ? [] : movedIn(withoutInsertions(source), insertions);
  return moved.length === 0 ? undefined : loadedPlaces(moved);
}
