// Types of digraph.mjs, for its tests.
type Digraph = ReadonlyMap<string, ReadonlySet<string>>;

export function cycles(graph: Digraph): string[][];
export function reduced(graph: Digraph): Map<string, Set<string>>;
