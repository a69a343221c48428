// Which path lies in which, under its real name.
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Of sockets of programs that were started with vivarium/here, in the folder they run in. */
export const socketFolder = '.vivarium';

export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Also of what is not there yet. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path));
  }
}
