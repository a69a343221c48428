// Files a command line names, read whole.
import { readFileSync, statSync } from 'node:fs';
import { CommandError, exitCodes } from './command.ts';

/** Whatever is wrong with it is wrong with the command line. */
export function readText(path: string, { mostMiB, hint }: { readonly mostMiB: number; readonly hint?: string }): string {
  const refuse = (why: string, cause?: unknown): CommandError =>
    new CommandError(exitCodes.usage, why, { ...(hint !== undefined && { hint }), cause });
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw refuse(`There is no file ${path}`);
    if (found.isDirectory()) throw refuse(`${path} is a folder`);
    if (found.size > mostMiB * 1024 * 1024) throw refuse(`${path} is larger than ${mostMiB} MiB`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw error instanceof CommandError ? error : refuse(`${path} cannot be read: ${(error as Error).message}`, error);
  }
}
