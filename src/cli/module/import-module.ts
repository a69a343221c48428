// Imports a module the user names, JavaScript or TypeScript.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandError, exitCodes } from '../args/command.ts';
import { reportFailure } from '../terminal/failure-report.ts';
import { loadFailure } from './load-failure.ts';

const needsLoader = /\.(?:[cm]?ts|[jt]sx)$/;
/** Of Node, for a top-level await that nothing can settle any more. */
const unsettledAwait = 13;

export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const file = resolve(path);
  const size = statSync(file, { throwIfNoEntry: false });
  if (size?.isFile() !== true) {
    throw new CommandError(exitCodes.usage, `There is no file ${path}`, { hint: 'Give the path of a module' });
  }
  if (needsLoader.test(file)) await loadAsProject();
  else if (hasSourceMap(file, size.size)) process.setSourceMapsEnabled(true);
  // Only where nothing is left to do: a module may end the process with the same number.
  let idle = false;
  const drained = (): void => {
    idle = true;
    // Another listener may have found something to do.
    setImmediate(() => {
      idle = false;
    }).unref();
  };
  const ended = (): void => {
    if (idle && process.exitCode === unsettledAwait) process.exitCode = reportFailure(neverLoaded(path), process.argv.slice(2));
  };
  process.on('beforeExit', drained);
  process.once('exit', ended);
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    throw loadFailure(path, file, error);
  } finally {
    process.off('beforeExit', drained);
    process.off('exit', ended);
  }
}

function neverLoaded(path: string): CommandError {
  return new CommandError(
    exitCodes.unreachable,
    `${path} never finishes loading: its top-level await waits for something that cannot come`,
  );
}

/** As `vivarium live` does: types, JSX, `./lib.js` written for `lib.ts`, and the paths of tsconfig.json. */
async function loadAsProject(): Promise<void> {
  if (!('stripTypeScriptTypes' in nodeModule) && !canResolve('@swc/wasm-typescript')) {
    throw new CommandError(exitCodes.usage, `Node ${process.version} cannot run TypeScript by itself`, {
      hint: 'npm install @swc/wasm-typescript, use Node 22.18 or later, or compile the module first',
    });
  }
  // By name: the build may put this code into another folder than its source.
  await import(new URL('./dist/live/languages/javascript/project-loader.js', import.meta.resolve('vivarium/package.json')).href);
}

function canResolve(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Then stacks are to name what the author wrote. Its last line says so; a map in it may be long. */
function hasSourceMap(file: string, size: number): boolean {
  const tail = Buffer.alloc(Math.min(size, 1_024));
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, tail, 0, tail.length, size - tail.length);
  } finally {
    closeSync(descriptor);
  }
  return /^\/\/# sourceMappingURL=\S+\s*$/m.test(tail.toString('latin1'));
}
