// Where code in a sandbox may write to the project, it can rename whatever is no mount point, also the folder above one. So what it
// must not change or see lies directly in the project's folder, which cannot be renamed, or is refused.
import { type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { realOf } from '../../node/real-path.ts';
import { contains, socketFolder } from './paths.ts';

export interface Writable {
  readonly project: string;
  /** What this package runs outside of the sandbox. */
  readonly own: readonly string[];
  /** Folders that must not be seen. */
  readonly secret: readonly string[];
}

/** Sockets are looked for in so many folders. */
const maxFolders = 100_000;
const orLeaveOut = 'or leave out --sandbox-write';

/** The folders of the project that stay read-only. Throws where code that can write to it could get out of the sandbox. */
export function keptFrom({ project, own, secret }: Writable, most: number = maxFolders): string[] {
  const folder = realpathSync(project);
  for (const path of secret) checkSecret(folder, path);
  checkSockets(folder, most);
  const packages = join(folder, 'node_modules');
  const inside = own.map((path) => realpathSync(path)).filter((path) => contains(folder, path));
  // Elsewhere a folder of packages could be made nearer to what loads them.
  const loose = inside.find((path) => !contains(packages, path));
  if (loose !== undefined)
    throw new Error(
      `Vivarium itself runs ${loose}, which code that can write to ${project} could replace, to be run outside of the sandbox. ` +
        `Install Vivarium outside of the project, or in ${packages}, ${orLeaveOut}`,
    );
  return inside.length > 0 ? [packages] : [];
}

function checkSecret(folder: string, path: string): void {
  const way = resolve(path);
  const real = realOf(way);
  if (!contains(folder, real) && !contains(folder, way)) return;
  const isLink = lstatSync(way, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (real === folder || (dirname(real) === folder && realOf(dirname(way)) === folder && !isLink)) return;
  throw new Error(
    `${path} holds files of Vivarium's own, and code that can write to ${folder} could rename a folder above it and then read them. ` +
      `Choose a folder outside of the project with --state (or XDG_STATE_HOME, XDG_CACHE_HOME), ${orLeaveOut}`,
  );
}

/** The one directly in the project is hidden. */
function checkSockets(project: string, most: number): void {
  const folders = [project];
  for (let at = 0; at < folders.length; at++) {
    if (at >= most)
      throw new Error(
        `${project} has more than ${most} folders, too many to look for sockets of programs in all of them, through which code could get out of the sandbox. Start in a smaller folder with --cwd, ${orLeaveOut}`,
      );
    const folder = folders[at] as string;
    for (const entry of entriesOf(folder)) {
      if (!entry.isDirectory()) continue;
      const path = join(folder, entry.name);
      if (entry.name !== socketFolder) folders.push(path);
      else if (folder !== project)
        throw new Error(
          `${path} holds sockets of programs outside of the sandbox, and code that can write to ${project} could get at them. End the programs that were started with vivarium/here in ${folder} and remove ${path}, ${orLeaveOut}`,
        );
    }
  }
}

/** Code could have closed a folder of ours, and open it again later. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || !isOurs(folder)) return [];
    throw new Error(
      `${folder} cannot be read, and may hold sockets of programs outside of the sandbox. Make it readable (chmod u+rx) or remove it, ${orLeaveOut}`,
    );
  }
}

function isOurs(folder: string): boolean {
  try {
    return lstatSync(folder).uid === process.geteuid?.();
  } catch {
    return true;
  }
}
