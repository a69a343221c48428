// Node 24 ends when a function that has never run is called after its file was swapped. Where all are compiled at once, there is none.
import { setFlagsFromString } from 'node:v8';

const isConcerned = Number.parseInt(process.versions.v8, 10) >= 13;

/** From now on functions are compiled with their file, and stay compiled. */
export function compileEagerly(): void {
  if (!isConcerned) return;
  setFlagsFromString('--no-lazy');
  setFlagsFromString('--no-flush-bytecode');
}

/** For dependencies: they are never swapped, and may be large. */
export function lazily(work: () => void): void {
  if (!isConcerned) return work();
  setFlagsFromString('--lazy');
  try {
    work();
  } finally {
    setFlagsFromString('--no-lazy');
  }
}
