// How the engine finds the functions of one text in another: it compares lines, and what differs by characters as long as it is short.

/** Longer pieces are another text as a whole: a function whose first or last character stands in one keeps its old code, and nothing tells. */
const longest = 800;
/** Pairs of lines to compare. */
const most = 16_000_000;

interface Lines {
  /** Where each begins, and where the last one ends. */
  readonly starts: readonly number[];
  readonly texts: readonly string[];
}

/** Whether the engine finds all these places of a text in the other one again. */
export function findsAgain(one: string, other: string, places: () => readonly number[]): boolean {
  const lost = lostIn(one, other);
  if (lost === undefined || lost.length === 0) return lost !== undefined;
  const all = places();
  return !lost.some(([from, to]) => all.some((at) => at >= from && at < to));
}

/** Undefined where it takes too long to tell. */
function lostIn(one: string, other: string): (readonly [from: number, to: number])[] | undefined {
  const [a, b] = [linesOf(one), linesOf(other)];
  const [lengthA, lengthB] = [a.texts.length, b.texts.length];
  let head = 0;
  while (head < Math.min(lengthA, lengthB) && a.texts[head] === b.texts[head]) head++;
  let tail = 0;
  while (tail < Math.min(lengthA, lengthB) - head && a.texts[lengthA - tail - 1] === b.texts[lengthB - tail - 1]) tail++;
  const [rows, columns] = [lengthA - head - tail, lengthB - head - tail];
  if (rows * columns > most) return undefined;
  const steps = stepsOf(a.texts.slice(head, head + rows), b.texts.slice(head, head + columns));
  const lost: (readonly [number, number])[] = [];
  let [fromA, fromB, atA, atB] = [0, 0, 0, 0];
  const end = (): void => {
    const [from, to] = [a.starts[head + fromA] as number, a.starts[head + atA] as number];
    const there = (b.starts[head + atB] as number) - (b.starts[head + fromB] as number);
    if (Math.max(to - from, there) >= longest) lost.push([from, to]);
  };
  while (atA < rows && atB < columns) {
    const step = steps[atA * columns + atB];
    if (step !== same) {
      if (step === skipsA) atA++;
      else atB++;
      continue;
    }
    end();
    [atA, atB] = [atA + 1, atB + 1];
    [fromA, fromB] = [atA, atB];
  }
  [atA, atB] = [rows, columns];
  end();
  return lost;
}

const [same, skipsA, skipsB] = [0, 1, 2] as const;

/** From each pair of lines on: the shortest way, as the engine takes it. */
function stepsOf(a: readonly string[], b: readonly string[]): Uint8Array {
  const steps = new Uint8Array(a.length * b.length);
  let below = Uint32Array.from({ length: b.length + 1 }, (_, column) => b.length - column);
  for (let row = a.length - 1; row >= 0; row--) {
    const costs = new Uint32Array(b.length + 1);
    costs[b.length] = a.length - row;
    for (let column = b.length - 1; column >= 0; column--) {
      const [down, right] = [(below[column] as number) + 1, (costs[column + 1] as number) + 1];
      const isSame = a[row] === b[column];
      steps[row * b.length + column] = isSame ? same : down < right ? skipsA : skipsB;
      costs[column] = isSame ? (below[column + 1] as number) : Math.min(down, right);
    }
    below = costs;
  }
  return steps;
}

function linesOf(text: string): Lines {
  // The end of a line belongs to it.
  const texts = text.split(/(?<=\n)/);
  const starts = [0];
  for (const one of texts) starts.push((starts.at(-1) as number) + one.length);
  return { starts, texts };
}
