// Files of this package that are started or read by path.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Found by the package's name: the build joins this file with others. */
export function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('vivarium/package.json'));
}

/** In `dist`. */
export function packageFile(path: string): string {
  return join(packageFolder(), 'dist', path);
}
