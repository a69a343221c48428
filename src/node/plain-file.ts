// Files that somebody else may have put there: a link to a device or a pipe would never end.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Its text; undefined when there is none, or it is no plain file of at most so many bytes. */
export function readPlainFile(path: string, maxBytes: number): string | undefined {
  let file: number | undefined;
  try {
    // A pipe that nobody writes to would hold up even the opening.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(file);
    return found.isFile() && found.size <= maxBytes ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
