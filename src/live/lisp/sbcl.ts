// Where SBCL is.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Looked for and not run: a server that never needs it must not wait for it. */
export function findSbcl(named = 'sbcl', path: string = process.env['PATH'] ?? ''): string | undefined {
  if (isAbsolute(named)) return isProgram(named) ? named : undefined;
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, named))
    .find(isProgram);
}

export function noSbcl(named?: string): string {
  if (named !== undefined) return `there is no program ${named}`;
  return 'SBCL is not installed: apt-get install sbcl, brew install sbcl, or https://www.sbcl.org';
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
