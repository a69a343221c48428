// Imports a module the user names, JavaScript or TypeScript.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { register } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CommandError, exitCodes } from '../args/command.ts';

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
    const place = placeIn(reason) ?? (error instanceof SyntaxError ? syntaxPlace(file) : undefined);
    const where = place === undefined ? '' : ` (${relative('.', place.startsWith('file:') ? fileURLToPath(place) : place)})`;
    // A client that started this shows one line of it: the first says everything, and the others are seen to belong to it.
    const told = reason.replaceAll(/\n(?![^\S\n]+at )/g, '\n    ');
    throw new CommandError(exitCodes.unreachable, `${path} could not be loaded${where}: ${told}`, { cause: error });
  }
}

/** Of the user's code, with line and column: neither Node's nor ours. */
function placeIn(stack: string): string | undefined {
  const ours = fileURLToPath(new URL('.', import.meta.url));
  const places = stack.matchAll(/(?<![\w:/])(?:file:\/\/\/|\/|[A-Z]:\\)[^\s()]*:\d+:\d+/g);
  return [...places].map(([place]) => place).find((place) => !place.includes(ours));
}

/** Node keeps to itself where a module cannot be parsed, unless it is asked for nothing else. */
function syntaxPlace(file: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 5_000 });
  return /^(?!node:)(?:file:\/\/)?[^\n]*:\d+$/m.exec(stderr)?.[0];
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
  register('./dist/cli/module/type-hooks.js', import.meta.resolve('vivarium/package.json'));
}
