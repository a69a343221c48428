// How the generator runs: a fixed number of inputs from a fixed starting number in the gate, more of them with `npm run hostile`.
import fc from 'fast-check';
import { bounded, isOverdue } from '../../../src/schema/time-limit.ts';

const start = Number(process.env['VIVARIUM_HOSTILE_FROM'] ?? 20_261_117);
const seconds = Number(process.env['VIVARIUM_HOSTILE_SECONDS'] ?? 0);
/** Of each property, so that the whole run takes as long as was asked for. */
const shareMs = (seconds * 1_000) / Number(process.env['VIVARIUM_HOSTILE_SHARES'] ?? 45);
const limitMs = 20_000;
const suspiciousMs = 200;

/** So long a test may take, however the machine is loaded. */
export const testMs: number = 120_000 + 3 * shareMs;

/** The property holds for `runs` inputs, and for as many times that as the time allows. */
export async function hold<T>(inputs: fc.Arbitrary<T>, runs: number, property: (input: T) => void | Promise<void>): Promise<void> {
  const end = performance.now() + shareMs;
  for (let from = start; from === start || performance.now() < end; from++) {
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => property(input)),
      {
        seed: from,
        numRuns: runs,
        // Shrinking runs what is slow again and again.
        endOnFailure: true,
        reporter: ({ failed, counterexample, errorInstance }) => {
          if (!failed) return;
          const input = fc.stringify(counterexample?.[0]).slice(0, 2_000);
          throw new Error(`Repeat with: npm run hostile -- --from ${from}\nInput: ${input}`, { cause: errorInstance });
        },
      },
    );
  }
}

/** Runs it, and fails where it does not end. */
export function inTime<T>(work: () => T, what: string): T {
  try {
    return bounded()!(work, limitMs);
  } catch (error) {
    throw isOverdue(error) ? new Error(`${what} takes more than ${limitMs} ms`) : error;
  }
}

/** Fails where four times as much takes far more than four times as long. */
export function isLinear(work: (times: number) => void, times: number, what: string): void {
  const timeOf = (many: number): number => {
    const begun = performance.now();
    inTime(() => work(many), what);
    return performance.now() - begun;
  };
  // Nearly always the first look is enough. Then much more, which what is quadratic takes seconds for and a busy machine does not.
  if (timeOf(times) < suspiciousMs) return;
  const best = (many: number): number => Math.min(timeOf(many), timeOf(many), timeOf(many));
  const [some, more] = [best(times), best(4 * times)];
  if (more > 11 * some && more > 10 * suspiciousMs) throw new Error(`${what} takes ${some} ms, and ${more} ms for four times as much`);
}
