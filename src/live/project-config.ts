// vivarium.config.json in the project's folder: what every image of this project begins with, for whoever works in it.
import { existsSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { readPlainFile } from '../node/plain-file.ts';

const name = 'vivarium.config.json';
const mostBytes = 100_000;

/** Files of the project alone: a file in a repository must not reach further than the repository. */
export function configuredLoad(folder: string): readonly string[] {
  const file = join(folder, name);
  if (!existsSync(file)) return [];
  const wrong = (why: string): Error => new Error(`${name} ${why}; write { "live": { "load": ["src/app.ts"] } }`);
  const text = readPlainFile(file, mostBytes);
  if (text === undefined) throw wrong(`cannot be read, or is no plain file of at most ${mostBytes} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(`is no JSON: ${(error as Error).message}`);
  }
  const { live = {}, $schema: _, ...beside } = objectOf(value, wrong('is no object'));
  const { load = [], ...within } = objectOf(live, wrong('has a "live" that is no object'));
  const unknown = [...Object.keys(beside), ...Object.keys(within).map((key) => `live.${key}`)];
  if (unknown.length > 0) throw wrong(`has ${unknown.map((key) => JSON.stringify(key)).join(', ')}, which nobody knows`);
  if (!Array.isArray(load) || !load.every((one) => typeof one === 'string')) throw wrong('has a "load" that is no list of files');
  const outside = load.find((one) => isAbsolute(one) || normalize(one).startsWith('..'));
  if (outside !== undefined) throw wrong(`loads ${outside}, which is not in the project`);
  return load;
}

function objectOf(value: unknown, otherwise: Error): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw otherwise;
  return value as Readonly<Record<string, unknown>>;
}
