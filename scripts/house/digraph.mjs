// Directed graphs as maps from a node to the set of nodes it points at: their cycles, and what is left without detours.

/** Groups of nodes that reach each other (Tarjan), each sorted. */
export function cycles(graph) {
  const [index, low, open, stack, found] = [new Map(), new Map(), new Set(), [], []];
  const connect = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    open.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) connect(next);
      if (open.has(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    for (const one of group) open.delete(one);
    if (group.length > 1) found.push(group.sort());
  };
  for (const node of graph.keys()) if (!index.has(node)) connect(node);
  return found;
}

/** Without each edge `a → c` where another path leads from `a` to `c`. Edges inside a cycle stay, so that it is seen. */
export function reduced(graph) {
  const groupOf = new Map(cycles(graph).flatMap((group) => group.map((node) => [node, group])));
  const reachable = new Map([...graph.keys()].map((node) => [node, reach(graph, node)]));
  const inOneCycle = (a, b) => groupOf.has(a) && groupOf.get(a) === groupOf.get(b);
  const isDetour = (from, to) =>
    [...graph.get(from)].some((by) => by !== to && !inOneCycle(by, from) && !inOneCycle(by, to) && reachable.get(by)?.has(to));
  return new Map([...graph].map(([from, all]) => [from, new Set([...all].filter((to) => inOneCycle(from, to) || !isDetour(from, to)))]));
}

function reach(graph, start) {
  const found = new Set();
  const queue = [start];
  for (const node of queue) {
    for (const next of graph.get(node) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      queue.push(next);
    }
  }
  return found;
}
