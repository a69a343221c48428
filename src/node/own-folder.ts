// Files, folders and sockets that only this user controls: checked before anything in them is trusted, run or connected to.
import { chmodSync, lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';

export type OwnKind = 'folder' | 'file' | 'socket';

const nouns: Readonly<Record<OwnKind, string>> = { folder: 'a folder', file: 'a regular file', socket: 'a socket' };
/** As the kernel counts them. */
const maxLinks = 40;

/** Makes the folder where it is missing, and closes it to other users. Throws where they control it. */
export function ownFolder(path: string): void {
  // Before anything is made: nothing of ours goes into a folder of theirs.
  refuse(ownProblem(path, 'folder', true));
  mkdirSync(path, { recursive: true, mode: 0o700 });
  refuse(ownProblem(path, 'folder', true));
  if (process.geteuid !== undefined && (lstatSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/** Throws where other users control it; what is not there passes. */
export function mustBeOwn(path: string, kind: OwnKind): void {
  refuse(ownProblem(path, kind));
}

/**
 * Why it cannot be trusted, in words: it is a link, belongs to another user, can be written by others, or they can put another in
 * its place. Undefined where it can be trusted, and where it does not exist. `closing`: its own mode is about to be set.
 */
export function ownProblem(path: string, kind: OwnKind, closing = false): string | undefined {
  // Windows has no owners in this sense; folders of a user are closed to others there.
  if (process.geteuid === undefined) return undefined;
  const above = wayProblem(dirname(resolve(path)), path);
  if (above !== undefined) return above;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return `${path} is a symbolic link, which may lead to files of another user: replace it with ${nouns[kind]}`;
  if (!isOfKind(found, kind)) return `${path} is not ${nouns[kind]}: remove it`;
  if (found.uid !== process.geteuid()) return `${path} ${belongs(found)}: remove it, or choose another place`;
  // Whoever may connect to a socket is known by its folder; its own mode is set after it was made.
  if (!closing && kind !== 'socket' && isOpen(found)) return `${path} ${writable(found)}: run chmod go-w ${path}`;
  return undefined;
}

/** Files of root are as good as our own: root can do everything anyway. */
export function isTrustedOwner({ uid }: Pick<Stats, 'uid'>): boolean {
  return process.geteuid === undefined || uid === process.geteuid() || uid === 0 || (uid === unmapped && hasUnmapped());
}

/** From the root down to `folder`, every link followed: who controls one of them controls what is below it. */
export function wayProblem(folder: string, path: string, links = 0): string | undefined {
  const parent = dirname(folder);
  const above = parent === folder ? undefined : wayProblem(parent, path, links);
  if (above !== undefined) return above;
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!isTrustedOwner(found)) return `${folder} ${belongs(found)}, who could replace ${path}: choose a place of your own`;
  if (found.isSymbolicLink()) {
    if (links >= maxLinks) return `${folder} is a symbolic link that leads to itself: remove it`;
    return wayProblem(resolve(realpathSync(parent), readlinkSync(folder)), path, links + 1);
  }
  // In a sticky folder, such as the one for temporary files, others cannot move or remove what is not theirs.
  if (isOpen(found) && (found.mode & 0o1000) === 0)
    return `${folder} ${writable(found)}, who could replace ${path}: run chmod go-w ${folder}`;
  return undefined;
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new Error(problem);
}

function isOfKind(found: Stats, kind: OwnKind): boolean {
  return kind === 'folder' ? found.isDirectory() : kind === 'file' ? found.isFile() : found.isSocket();
}

function belongs({ uid }: Stats): string {
  return `belongs to another user (uid ${uid}; you are uid ${process.geteuid?.()})`;
}

function writable({ mode }: Stats): string {
  return `can be written by other users (mode ${(mode & 0o7777).toString(8)})`;
}

function isOpen({ mode, gid }: Stats): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isPrivateGroup(gid));
}

/** Many systems give every user a group with nobody else in it, and make folders writable by it. */
function isPrivateGroup(gid: number): boolean {
  if (gid !== process.getegid?.()) return false;
  try {
    const { username } = userInfo();
    const [groups, users] = ['/etc/group', '/etc/passwd'].map((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.split(':')),
    );
    const isAlone = groups?.some(
      ([name, , id, members = '']) => name === username && id === String(gid) && ['', username].includes(members.trim()),
    );
    return isAlone === true && users?.every(([name, , , id]) => id !== String(gid) || name === username) === true;
  } catch {
    return false;
  }
}

/** How a container shows users it does not know, root of the host among them. */
const unmapped = 65534;
let unmappedThere: boolean | undefined;

function hasUnmapped(): boolean {
  try {
    unmappedThere ??= !/^\s*0\s+0\s+4294967295\s*$/.test(readFileSync('/proc/self/uid_map', 'utf8'));
  } catch {
    unmappedThere = false;
  }
  return unmappedThere;
}
