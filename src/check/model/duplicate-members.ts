// Names of members that occur twice in one object: a reader of JSON keeps the last and says nothing.

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)|[{}[\]:,]|[^\s{}[\]:,"]+/gs;

interface Frame {
  /** Undefined in an array. */
  readonly names: Set<string> | undefined;
  readonly isWanted: boolean;
  readonly depth: number;
  name: string;
}

/** The first that the object at `path` has twice; the text is known to be JSON. */
export function repeatedMember(text: string, path: readonly string[]): string | undefined {
  const frames: Frame[] = [];
  let isName = false;
  for (const [token] of text.matchAll(tokens)) {
    const top = frames.at(-1);
    if (token === '{' || token === '[') {
      frames.push(frameIn(top, token === '{', path));
      isName = token === '{';
    } else if (token === '}' || token === ']') {
      frames.pop();
      isName = false;
    } else if (token === ',') isName = top?.names !== undefined;
    else if (isName && top?.names !== undefined) {
      const name = JSON.parse(token) as string;
      if (top.isWanted && top.depth === path.length && top.names.has(name)) return name;
      top.names.add(name);
      top.name = name;
      isName = false;
    }
  }
  return undefined;
}

/** Wanted is what lies on the way to the object that is asked for. */
function frameIn(outer: Frame | undefined, isObject: boolean, path: readonly string[]): Frame {
  const depth = outer === undefined ? 0 : outer.depth + 1;
  const isWanted = outer === undefined || (outer.isWanted && outer.names !== undefined && path[outer.depth] === outer.name);
  return { names: isObject ? new Set() : undefined, isWanted, depth, name: '' };
}
