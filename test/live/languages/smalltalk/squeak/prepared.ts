// Squeak for tests: its image is written once for all files of a process, and gone with it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Engine } from 'vivarium/live';
import { squeakOn, writeBridged } from './engine.ts';

let image: string | undefined;

process.once('exit', () => {
  if (image !== undefined) rmSync(dirname(image), { recursive: true, force: true });
});

export function squeak(): Engine {
  image ??= writeBridged(mkdtempSync(join(tmpdir(), 'live-squeak-')));
  return squeakOn(image);
}
