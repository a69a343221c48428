// How the time of some work grows with the size of what is worked on: a proof of linear time that a busy machine does not upset.

/** Milliseconds; less is no matter, whatever it grows like. */
const telling = 60;
const factor = 16;

/** More than this is not linear, however busy the machine is. */
export const linear = 6;

/** The time for one long text, as a multiple of that for as much in short ones: about 1 where it is linear, 16 where it is quadratic. */
export function growth(work: (text: string) => void, pump: (count: number) => string, count = 8_000): number {
  const [small, large] = [pump(count), pump(factor * count)];
  const atOnce = (): void => work(large);
  const inPieces = (): void => {
    for (let round = 0; round < factor; round++) work(small);
  };
  if (cost(atOnce) < telling) return 1;
  // The first time pays for the compiler; what takes seconds is not worth a second look.
  const [pieces, whole] = [Math.min(cost(inPieces), cost(inPieces)), cost(atOnce)];
  return Math.max(whole, 1) / Math.max(pieces, telling / factor);
}

/** Of this process, not of the clock: others may be running. */
function cost(work: () => void): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}
