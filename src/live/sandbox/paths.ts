// Which path lies in which.

/** Of sockets of programs that were started with vivarium/here, in the folder they run in. */
export const socketFolder = '.vivarium';

export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}
