// Files that were swapped, in the stacks of errors: Node looks positions up in source maps, and takes those of a file from here instead.
import { findSourceMap, type SourceMap } from 'node:module';
import { type Places, placeIn } from '../../../js-runtime/place-table.ts';

/** Lines and columns from 0. */
export function setPlaces(url: string, places: Places): void {
  const map = mapOf(url);
  if (map === undefined) return;
  map.findEntry = ((line: number, column: number) => {
    // What has no place of its own stays where it is: Node takes it for granted that there is one.
    const found = placeIn(places, line, column) ?? { line, column };
    return {
      generatedLine: line,
      generatedColumn: column,
      originalSource: url,
      originalLine: found.line,
      originalColumn: found.column,
      name: undefined,
    };
  }) as unknown as SourceMap['findEntry'];
}

/** Node's own object: it asks the same one again and again. A file that has none gets one. */
function mapOf(url: string): SourceMap | undefined {
  const found = findSourceMap(url);
  if (found !== undefined) return found;
  const empty = Buffer.from(JSON.stringify({ version: 3, sources: [url], names: [], mappings: '' })).toString('base64');
  // Of code that is made from text Node keeps the map under the name the code gives itself. It is never called.
  new Function(`//# sourceMappingURL=data:application/json;base64,${empty}\n//# sourceURL=${url}`);
  return findSourceMap(url);
}
