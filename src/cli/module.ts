// Imports a module the user names, JavaScript or TypeScript.
import { statSync } from 'node:fs';
import { register } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandError, exitCodes } from './command.ts';

export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const file = resolve(path);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new CommandError(exitCodes.usage, `There is no file ${path}`, { hint: 'Give the path of a module' });
  }
  if (/\.[cm]?ts$/.test(file)) await stripTypes();
  else if (/\.[jt]sx$/.test(file)) throw new CommandError(exitCodes.usage, `${path} holds JSX: compile it first`);
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new CommandError(exitCodes.unreachable, `${path} could not be loaded: ${reason}`, { cause: error });
  }
}

/** Node strips types by itself from 22.18 on; before that a loader hook does, with an optional dependency. */
async function stripTypes(): Promise<void> {
  if ((process.features as { typescript?: unknown }).typescript) return;
  try {
    await import('@swc/wasm-typescript');
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `Node ${process.version} cannot run TypeScript by itself`, {
      hint: 'npm install @swc/wasm-typescript, use Node 22.18 or later, or compile the module first',
      cause,
    });
  }
  // By name: the build may put this code into another folder than its source.
  register('./dist/cli/type-hooks.js', import.meta.resolve('vivarium/package.json'));
}
