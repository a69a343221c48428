// Squeak for a file of tests: its image is written once, and gone with the last of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import type { Engine } from 'vivarium/live';
import { squeakOn, writeBridged } from './engine.ts';

let image: string | undefined;

afterAll(() => {
  if (image !== undefined) rmSync(dirname(image), { recursive: true, force: true });
});

export function squeak(): Engine {
  image ??= writeBridged(mkdtempSync(join(tmpdir(), 'live-squeak-')));
  return squeakOn(image);
}
