// What a sandbox shows of the disk, and what it hides within that: each path after those above it, so that the deeper one counts.
import { type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ownFolder } from '../../node/own-folder.ts';
import { realOf } from '../../node/real-path.ts';
import { cacheFolder, homeFolders, runFolder, stateFolder } from '../../node/user-folders.ts';
import { contains, socketFolder } from './paths.ts';
import { keptFrom } from './write.ts';

export interface Shown {
  readonly project: string;
  /** The project may be written to. */
  readonly write: boolean;
  /** What this package runs outside of the sandbox, and images load: it is seen, and never written to. */
  readonly own?: readonly string[];
  /** Files and folders beside it that are seen. */
  readonly reads: readonly string[];
  /** Folders beside it that may be written to. */
  readonly writes: readonly string[];
  /** Links that are not on the disk as they are seen. */
  readonly links: readonly (readonly [at: string, to: string])[];
  /** Folders that must not be seen, beside the usual ones of ours. */
  readonly hidden: readonly string[];
}

export const systemFolders: readonly string[] = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64'];
/** An empty folder needs none. */
const hiddenBytes = '4096';
/** So many folders of the project are looked through for sockets of ours. */
const maxFolders = 5_000;

/** Arguments for bubblewrap. Throws where something of the user's would be seen that must not be. */
export function mountsOf({ project, write, own = [], reads: others, writes, links, hidden }: Shown): string[] {
  const folder = realpathSync(project);
  const kept = checkProject(project, write, { own, hidden });
  const homes = homeFolders().map(realOf);
  const secret = [...privateFolders(), ...hidden].map(realOf);
  // What code can write to is no place to mount from: by then it may be a link to somewhere else. It is seen with the project.
  const isWritable = (path: string): boolean =>
    [path, realpathSync(path)].some((one) => contains(folder, one)) && ![...secret, ...hidden].some((one) => contains(one, path));
  const reads = [...own, ...others].filter((path) => !write || !isWritable(resolve(path)));
  for (const path of reads) checkRead(path, [...homes, ...secret]);
  if (secret.includes(folder))
    throw new Error(`${project} is where Vivarium keeps its own files: choose another folder with --state or --cwd`);
  // By their real names, each once, so that what is read-only or hidden is that under every name.
  const shown = new Map([
    ...reads.map((path) => [realpathSync(path), '--ro-bind'] as const).filter(([path]) => !isSystem(path)),
    [folder, write ? '--bind' : '--ro-bind'] as const,
    ...kept.map((path) => [path, '--ro-bind'] as const),
    ...writes.map((path) => [realpathSync(path), '--bind'] as const),
  ]);
  const isShown = (path: string): boolean => isSystem(path) || [...shown.keys()].some((one) => contains(one, path));
  const sockets = write ? [join(folder, socketFolder)].filter(isThere) : socketFolders(folder);
  const hides = new Set([...secret.filter((path) => isShown(path) && isThere(path)), ...sockets, ...homes.filter(isSystem)]);
  const names = [project, ...reads, ...writes].map((path) => [resolve(path), realpathSync(path)] as const);
  const aliases = new Map([...names.filter(([at, to]) => at !== to), ...links].filter(([at]) => !isShown(at)));
  // Below one of them the others are found already.
  const isLinked = (path: string): boolean => [...aliases.keys()].some((at) => at !== path && contains(at, path));
  return [
    ...[...new Set([...shown.keys(), ...hides])]
      .sort((a, b) => a.split('/').length - b.split('/').length)
      .flatMap((path) => (hides.has(path) ? ['--size', hiddenBytes, '--tmpfs', path] : [shown.get(path) as string, path, path])),
    ...[...aliases].flatMap(([at, to]) => (isLinked(at) ? [] : ['--symlink', to, at])),
    ...[...hides].flatMap((path) => ['--remount-ro', path]),
  ];
}

export function isSystem(path: string): boolean {
  return systemFolders.some((folder) => contains(folder, path));
}

/** Then it is more than a project. */
export function holdsHome(project: string): boolean {
  return homeFolders().some((home) => contains(realpathSync(project), realOf(home)));
}

/** Sockets through which code is evaluated, tokens, saved sessions, and cores that are run. */
function privateFolders(): string[] {
  return [stateFolder(), cacheFolder(), ...homeFolders().map((home) => dirname(runFolder(home)))];
}

/** Throws where a sandbox for this folder would show or change more than a project. Returns what stays read-only in it. */
export function checkProject(project: string, write: boolean, { own, hidden }: Pick<Required<Shown>, 'own' | 'hidden'>): string[] {
  const folder = realpathSync(project);
  const cure = "start in the project's folder, or pass --cwd";
  const within = ['/proc', '/sys', '/dev', '/run', '/etc', '/usr', '/tmp'].find((path) => contains(folder, path));
  if (within !== undefined || folder === realOf(tmpdir()))
    throw new Error(`${project} cannot be shown in a sandbox, because files of the system and of other programs are in it: ${cure}`);
  if (write && holdsHome(project))
    throw new Error(
      `${project} holds your home folder: code that can write there can have itself run outside of the sandbox. Leave out --sandbox-write, ${cure}`,
    );
  return write ? keptFrom({ project, own, secret: [...privateFolders(), ...hidden] }) : [];
}

function checkRead(path: string, guarded: readonly string[]): void {
  const real = realpathSync(path);
  const inside = guarded.find((one) => contains(real, one));
  if (inside !== undefined)
    throw new Error(
      `The sandbox would show ${path}, which holds ${inside}: move what is needed into a folder of its own, or leave out --sandbox`,
    );
}

/** Made where it is missing: only what is there can be hidden, and it may be made later. */
function isThere(path: string): boolean {
  try {
    ownFolder(path);
  } catch {
    // Another user's, or in a place where nobody can write.
  }
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Those of programs that were started with vivarium/here in the project and in folders of it. */
function socketFolders(project: string): string[] {
  // A program may be started later.
  isThere(join(project, socketFolder));
  const found: string[] = [];
  const folders = [project];
  for (let seen = 0; folders.length > 0 && seen < maxFolders; seen++) {
    const folder = folders.shift() as string;
    for (const entry of entriesOf(folder)) {
      if (!entry.isDirectory()) continue;
      if (entry.name === socketFolder) found.push(join(folder, entry.name));
      else if (entry.name !== 'node_modules' && entry.name !== '.git') folders.push(join(folder, entry.name));
    }
  }
  return found;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not for us to read, so not for code in the sandbox either.
    return [];
  }
}
