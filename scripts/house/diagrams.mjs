// The imports between rooms, and between the folders of large rooms, as Mermaid diagrams.
import { reduced } from './digraph.mjs';

/** Rooms whose folders are drawn too. */
const drawnInside = ['live', 'check'];

/** Markdown: one diagram for the rooms, one for each of the large ones. */
export function diagrams(sources) {
  const inside = drawnInside.map((room) => [room, sources.filter(({ path }) => path.startsWith(`${room}/`))]);
  return [
    'Rooms. Dotted: types only.',
    diagram(edges(sources, (path) => path.split('/')[0])),
    ...inside.flatMap(([room, files]) => [
      `Folders of \`${room}\`, without imports of types.`,
      diagram(edges(valuesOf(files), (path) => (path.startsWith(`${room}/`) ? path.split('/')[1] : undefined))),
    ]),
  ].join('\n\n');
}

function valuesOf(files) {
  return files.map(({ path, imports }) => ({ path, imports: imports.filter(({ typeOnly }) => !typeOnly) }));
}

/** From each group to the groups it imports, and whether all of those imports are of types. */
function edges(sources, groupOf) {
  const found = new Map();
  for (const { path, imports } of sources) {
    const targets = found.get(groupOf(path)) ?? new Map();
    found.set(groupOf(path), targets);
    for (const { to, typeOnly } of imports) {
      const group = groupOf(to);
      if (group !== undefined && group !== groupOf(path)) targets.set(group, typeOnly && targets.get(group) !== false);
    }
  }
  return found;
}

function diagram(found) {
  const graphOf = (isIn) =>
    new Map([...found].map(([from, targets]) => [from, new Set([...targets].filter(([, typeOnly]) => isIn(typeOnly)).map(([to]) => to))]));
  // Types may be left out for any path, values only for a path of values.
  const [values, all] = [reduced(graphOf((typeOnly) => !typeOnly)), reduced(graphOf(() => true))];
  const lines = [...found].sort().flatMap(([from, targets]) => {
    // Two that import each other are joined by one line.
    const isMutual = (to) => values.get(to)?.has(from) === true;
    const drawn = [...targets]
      .sort()
      .filter(([to, typeOnly]) => (typeOnly ? all : values).get(from).has(to) && !(isMutual(to) && to < from));
    return drawn.map(([to, typeOnly]) => `  ${from} ${isMutual(to) ? '<-->' : typeOnly ? '-.->' : '-->'} ${to}`);
  });
  return ['```mermaid', 'flowchart TD', ...lines, '```'].join('\n');
}
