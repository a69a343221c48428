// Where SBCL is.
import { isAbsolute } from 'node:path';
import { isProgram, systemProgram } from '../../../node/system-program.ts';

/** Looked for and not run: a server that never needs it must not wait for it. */
export function findSbcl(named = 'sbcl'): string | undefined {
  if (isAbsolute(named)) return isProgram(named) ? named : undefined;
  return systemProgram(named, process.cwd());
}

export function noSbcl(named?: string): string {
  if (named !== undefined) return `there is no program ${named}`;
  return 'SBCL is not installed: apt-get install sbcl, brew install sbcl, or https://www.sbcl.org; or say where it is: --sbcl <path>';
}
