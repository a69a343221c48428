// A table of places in one text and in another.
/** A place in the one and in the other, lines and columns from 0; in the order of the first. */
export type Places = readonly (readonly [line: number, column: number, toLine: number, toColumn: number])[];

/** The last one before it in its line. */
export function placeIn(places: Places, line: number, column: number): { readonly line: number; readonly column: number } | undefined {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const [itsLine, itsColumn] = places[middle] as Places[number];
    if (itsLine < line || (itsLine === line && itsColumn <= column)) low = middle + 1;
    else high = middle;
  }
  const found = places[low - 1];
  return found === undefined || found[0] !== line ? undefined : { line: found[2], column: found[3] + column - found[1] };
}
