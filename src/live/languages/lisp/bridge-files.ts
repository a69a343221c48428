// The Lisp part of the engine, which is shipped as text and read by the user's own compiler.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** By the package's name: the build joins this file with others. */
export function bridgeFile(name: string): string {
  return join(bridgeFolder(), name);
}

export function bridgeFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve('vivarium/package.json')), 'dist/live/languages/lisp/bridge');
}
