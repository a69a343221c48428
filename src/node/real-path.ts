// The path of a file with every symbolic link followed.
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Also of what is not there yet: then its folder's. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path));
  }
}
