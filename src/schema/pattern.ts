// What a regular expression costs before it is run: how much there is to compile, and how many ways a backtracking engine can try.

export interface PatternCost {
  /** What V8 compiles, in plain characters. Compiling cannot be interrupted, so this must be bounded everywhere. */
  readonly size: number;
  /** The most steps a search in a text of that length can take; Infinity where that cannot be proven. */
  steps(length: number): number;
}

/** A property of Unicode is a class of hundreds of ranges: 57 µs to compile, as much as some twenty characters. */
const propertySize = 20;
/** V8 writes out so many rounds of a counted repetition. */
const maxUnrolled = 3;
const deepest = 100;
/** Longer patterns are not read: they would be refused for their size anyway. */
export const maxPatternSize = 20_000;

const unproven: PatternCost = { size: Number.POSITIVE_INFINITY, steps: () => Number.POSITIVE_INFINITY };

/** A pattern that this parser does not understand costs infinitely much. */
export function patternCost(pattern: string): PatternCost {
  if (pattern.length > maxPatternSize) return unproven;
  const reader = new Reader(pattern);
  const node = reader.choice(0);
  if (node === undefined || !reader.isDone) return unproven;
  const starts = /^\^[^|]*$/s.test(pattern) ? () => 1 : (length: number) => length + 1;
  return { size: node.size, steps: (length) => starts(length) * node.length(length + 1) * node.ways(length + 1) };
}

/** In a text with that many positions: `length` of one path through it, and the number of paths. */
interface Node {
  readonly size: number;
  readonly length: Count;
  readonly ways: Count;
}

type Count = (positions: number) => number;

const sum =
  (counts: readonly Count[]): Count =>
  (positions) =>
    counts.reduce((total, count) => total + count(positions), 1);

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isDone(): boolean {
    return this.#at >= this.#text.length;
  }

  choice(depth: number): Node | undefined {
    if (depth > deepest) return undefined;
    const branches: Node[] = [];
    do {
      const branch = this.#sequence(depth);
      if (branch === undefined) return undefined;
      branches.push(branch);
    } while (this.#take(/\|/y) !== undefined);
    const [only] = branches;
    return branches.length === 1 ? only : { ...joined(branches), ways: sum(branches.map(({ ways }) => ways)) };
  }

  #sequence(depth: number): Node | undefined {
    const parts: Node[] = [];
    while (!this.isDone && this.#take(/(?=[|)])/y) === undefined) {
      const atom = this.#atom(depth);
      if (atom === undefined) return undefined;
      parts.push(this.#repeated(atom));
    }
    return { ...joined(parts), ways: (positions) => parts.reduce((product, { ways }) => product * ways(positions), 1) };
  }

  #atom(depth: number): Node | undefined {
    if (this.#take(/\((?:\?(?::|<?[=!]|<[^>=!]+>))?/y) !== undefined) {
      const inner = this.choice(depth + 1);
      return this.#take(/\)/y) === undefined ? undefined : inner;
    }
    // What a group matched may be as long as the text, and how often it is compared is not known.
    if (this.#take(/\\(?:[1-9]\d*|k<[^>]*>)/y) !== undefined) return { size: 1, length: () => 1, ways: () => Number.POSITIVE_INFINITY };
    const found = this.#take(/\[(?:[^\]\\]|\\.)*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|[^1-9k])|[^()[\\*+?{]/suy);
    // What is left are mistakes.
    if (found === undefined) return undefined;
    const size = found.length + propertySize * (found.match(/\\[pP]\{/g)?.length ?? 0);
    return { size, length: () => 1, ways: () => 1 };
  }

  #repeated(atom: Node): Node {
    const mark = this.#take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    if (mark === undefined) return atom;
    const [least, most] = boundsOf(mark);
    // Rounds that match nothing count only as far as they must be there.
    const rounds: Count = (positions) => Math.max(least, Math.min(most, positions));
    return {
      size: atom.size * Math.min(Math.max(least, Number.isFinite(most) ? most : 1, 1), maxUnrolled) + 1,
      // Rounds that may be left out are counted as ways.
      length: (positions) => atom.length(positions) * Math.max(least, 1) + 1,
      ways: (positions) => {
        const inner = atom.ways(positions);
        const all = rounds(positions);
        return inner === 1 ? all - least + 1 : inner ** all * (all - least + 1);
      },
    };
  }

  #take(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

function joined(parts: readonly Node[]): Pick<Node, 'size' | 'length'> {
  return { size: parts.reduce((total, { size }) => total + size, 1), length: sum(parts.map(({ length }) => length)) };
}

function boundsOf(mark: string): readonly [least: number, most: number] {
  if (mark.startsWith('*')) return [0, Number.POSITIVE_INFINITY];
  if (mark.startsWith('+')) return [1, Number.POSITIVE_INFINITY];
  if (mark.startsWith('?')) return [0, 1];
  const [, least = '', comma, most = ''] = /^\{(\d+)(?:(,)(\d*))?\}/.exec(mark) ?? [];
  return [Number(least), comma === undefined ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most)];
}
