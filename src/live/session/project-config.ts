// vivarium.config.json in the project's folder: what every image of this project begins with, for whoever works in it.
import { lstatSync, statSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { isTrustedOwner } from '../../node/own-folder.ts';
import { readPlainFile } from '../../node/plain-file.ts';

const name = 'vivarium.config.json';
const maxBytes = 100_000;

/** Files of the project alone: a file in a repository must not reach further than the repository. */
export function configuredLoad(folder: string): readonly string[] {
  const file = join(folder, name);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return [];
  // In a folder where everybody may write, such as that for temporary files, anybody could have put it there.
  const stranger = [lstatSync(file), found].find((one) => !isTrustedOwner(one));
  if (stranger !== undefined)
    throw new Error(`${file} belongs to another user (uid ${stranger.uid}), so the code it names is not run: name the files with --load`);
  const wrong = (why: string): Error => new Error(`${name} ${why}; write { "live": { "load": ["src/app.ts"] } }`);
  const text = readPlainFile(file, maxBytes);
  if (text === undefined) throw wrong(`cannot be read, or is no plain file of at most ${maxBytes} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(`is no JSON: ${(error as Error).message}`);
  }
  const { live = {}, $schema: _, ...beside } = objectOf(value, wrong('is no object'));
  const { load = [], ...within } = objectOf(live, wrong('has a "live" that is no object'));
  const unknown = [...Object.keys(beside).map((key) => [key, 'live']), ...Object.keys(within).map((key) => [`live.${key}`, 'live.load'])];
  const [first] = unknown;
  if (first !== undefined) throw wrong(`has ${JSON.stringify(first[0])}, which nobody knows: there is only ${JSON.stringify(first[1])}`);
  if (!Array.isArray(load) || !load.every((one) => typeof one === 'string')) throw wrong('has a "load" that is no list of files');
  const outside = load.find((one) => isAbsolute(one) || normalize(one).startsWith('..'));
  if (outside !== undefined) throw wrong(`loads ${outside}, which is not in the project`);
  return load;
}

function objectOf(value: unknown, otherwise: Error): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw otherwise;
  return value as Readonly<Record<string, unknown>>;
}
