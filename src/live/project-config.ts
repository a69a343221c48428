// vivarium.config.json in the project's folder: what every image of this project begins with, for whoever works in it.
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';

const name = 'vivarium.config.json';
const mostBytes = 100_000;

/** Files of the project alone: a file in a repository must not reach further than the repository. */
export function configuredLoad(folder: string): readonly string[] {
  const file = join(folder, name);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return [];
  const wrong = (why: string): Error => new Error(`${name} ${why}; write { "live": { "load": ["src/app.ts"] } }`);
  if (size > mostBytes) throw wrong('is too large');
  let value: { readonly live?: { readonly load?: unknown } } | null;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw wrong(`is no JSON: ${(error as Error).message}`);
  }
  const load = value?.live?.load ?? [];
  if (!Array.isArray(load) || !load.every((one) => typeof one === 'string')) throw wrong('has a "load" that is no list of files');
  const outside = load.find((one) => isAbsolute(one) || normalize(one).startsWith('..'));
  if (outside !== undefined) throw wrong(`loads ${outside}, which is not in the project`);
  return load;
}
