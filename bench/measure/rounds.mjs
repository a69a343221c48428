// Rounds and what is read from them: interleaved measuring, medians and quartiles, paired ratios.

/**
 * Measures every item once per round and returns, per item, `{ metric: [value of round 0, value of round 1, …] }`.
 * The first item of a round moves on each time and the direction alternates, so none always follows the same neighbour.
 * A failed measurement leaves NaN in its round, which keeps the rounds of all items aligned.
 */
export async function interleave(items, rounds, measure, { say, complain }) {
  const samples = items.map(() => ({}));
  for (let round = 0; round < rounds; round++) {
    for (let step = 0; step < items.length; step++) {
      const offset = round % 2 === 0 ? step : items.length - 1 - step;
      const index = (offset + (round >> 1)) % items.length;
      try {
        const values = await measure(items[index], round);
        for (const metric in values) {
          samples[index][metric] ??= new Array(rounds).fill(Number.NaN);
          samples[index][metric][round] = values[metric];
        }
      } catch (error) {
        complain(items[index], error.message);
      }
      say('.');
    }
  }
  say('\n');
  return samples;
}

/** The value below which a share `q` of the sorted values lies, interpolated. */
export function quantile(sorted, q) {
  if (sorted.length === 0) return Number.NaN;
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

const sortedFinite = (values) => values.filter(Number.isFinite).sort((a, b) => a - b);

export const median = (values) => quantile(sortedFinite(values), 0.5);

/** (largest - smallest) / median: how much neighbours disturbed the rounds. */
export function spread(values) {
  const sorted = sortedFinite(values);
  return (sorted[sorted.length - 1] - sorted[0]) / quantile(sorted, 0.5);
}

export function quartiles(values) {
  const sorted = sortedFinite(values);
  return { q1: quantile(sorted, 0.25), median: quantile(sorted, 0.5), q3: quantile(sorted, 0.75), rounds: sorted.length };
}

/** Combines two samples round by round, and only then takes quartiles: a slow moment of the machine cancels out. */
export function paired(mine, theirs, combine) {
  const isWhole = (value, round) => Number.isFinite(value) && Number.isFinite(theirs[round]);
  return quartiles(mine.map((value, round) => (isWhole(value, round) ? combine(value, theirs[round]) : Number.NaN)));
}
