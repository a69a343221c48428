// An image behind bubblewrap: it sees the project and the system's programs, no network, no other processes, and nothing else.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isTrustedOwner, wayProblem } from '../../node/own-folder.ts';
import type { Launch } from '../image/engine.ts';
import { holdsHome, isSystem, mountsOf, systemFolders } from './mounts.ts';
import { ownFiles, programOf } from './program.ts';
import { callFilter } from './seccomp.ts';

export interface SandboxOptions {
  /** The project may be written to. Default: false. */
  readonly write?: boolean;
  /** Size of /tmp, and that of /dev/shm, in MiB. Default: 256. */
  readonly tmpMb?: number;
}

export interface SandboxTerms extends SandboxOptions {
  /** Folders that must not be seen, wherever they are, beside the usual ones of ours. */
  readonly hidden: readonly string[];
}

/** Not by the PATH: a project may bring programs of its own, such as in node_modules/.bin. */
const trustedPlaces = ['/usr/bin', '/bin', '/usr/local/bin', '/run/wrappers/bin', '/run/current-system/sw/bin'];
/** What programs read to run at all; no accounts, no keys. */
const settings = [
  '/etc/ld.so.cache',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/ca-certificates',
  '/etc/localtime',
  '/etc/alternatives',
];

/** Why there can be none; undefined when there can. */
export function sandboxProblem(places: readonly string[] = trustedPlaces): string | undefined {
  if (process.platform !== 'linux') return 'a sandbox needs Linux and bubblewrap';
  const bwrap = findBubblewrap(places);
  if (bwrap === undefined)
    return `bubblewrap is not installed, or not by root: run apt-get install bubblewrap. Looked for in ${places.join(', ')}`;
  const tried = spawnSync(bwrap, [...shell(16), ...sealed, 'true'], { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
  const said = tried.error?.message ?? tried.stderr.trim();
  return tried.status === 0 ? undefined : `bubblewrap cannot be used here: ${said}`;
}

/** `writes`: folders beside the project that it may write to. Throws where it would show what must not be seen. */
export function sandboxed(
  { command, args, env, cwd, terms, reads = [], callsBack, note }: Launch,
  { write = false, tmpMb = 256, hidden }: SandboxTerms,
  writes: readonly string[] = [],
): Launch {
  if (callsBack !== undefined) throw new Error('an image in a sandbox has no network and could not connect back: leave --sandbox out');
  const bwrap = findBubblewrap(trustedPlaces);
  if (bwrap === undefined) throw new Error(sandboxProblem());
  const program = programOf(command, { cwd, env });
  const seen = { project: cwd, write, own: ownFiles(), reads: [...program.reads, ...reads], writes, links: program.links, hidden };
  const options = [
    ...['--seccomp', String(filterAt)],
    ...shell(tmpMb),
    ...settings.flatMap((path) => (existsSync(path) ? ['--ro-bind', path, path] : [])),
    ...mountsOf(seen),
    ...sealed,
    '--chdir',
    cwd,
    '--clearenv',
    ...Object.entries(variables(env, program.command)).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  const warning = holdsHome(cwd) ? `${cwd} holds your home folder: code in the sandbox can read what is in it.` : undefined;
  const notes = [note, warning].filter((one) => one !== undefined);
  return {
    command: bwrap,
    // Not among the arguments, which every user of the machine can see.
    args: ['--args', String(handedAt), '--', program.command, ...args],
    handed: options.map((option) => `${option}\0`).join(''),
    filter: callFilter(),
    env: {},
    cwd,
    terms,
    ...(notes.length > 0 && { note: notes.join(' ') }),
  };
}

/** The file descriptor of `handed`. */
const handedAt = 4;
/** That of `filter`. */
const filterAt = 5;
/** What bubblewrap makes itself is not for writing: nothing limits how much goes into it. */
const sealed = ['--remount-ro', '/dev', '--remount-ro', '/'];

function findBubblewrap(places: readonly string[]): string | undefined {
  return places
    .map((place) => join(place, 'bwrap'))
    .find((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isFile() !== true || !isTrustedOwner(found) || (found.mode & 0o022) !== 0) return false;
      const isRoots = process.geteuid?.() === 0 || found.uid !== process.geteuid?.();
      return isRoots && wayProblem(dirname(path), path) === undefined && wayProblem(dirname(realpathSync(path)), path) === undefined;
    });
}

/** Folders of the host for this user's own files are not there. */
function variables(env: Readonly<Record<string, string>>, command: string): Record<string, string> {
  const { PATH = '/usr/bin:/bin', TMPDIR, TEMP, TMP, ...others } = env;
  const own = dirname(command);
  // Version managers have folders of links on the path, which are not shown; programs that start `node` mean this one.
  const path = isSystem(own) || PATH.split(delimiter).includes(own) ? PATH : `${own}${delimiter}${PATH}`;
  return { ...others, PATH: path, HOME: '/tmp' };
}

/** Its own users, processes, network and terminal; it ends with us. */
function shell(tmpMb: number): string[] {
  const folders = systemFolders.flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
  const size = String(tmpMb * 1024 * 1024);
  return [
    ...['--unshare-all', '--unshare-user', '--uid', '65534', '--gid', '65534', '--cap-drop', 'ALL'],
    ...['--die-with-parent', '--new-session', '--hostname', 'vivarium'],
    ...folders,
    ...['--proc', '/proc', '--dev', '/dev', '--perms', '1777', '--size', size, '--tmpfs', '/dev/shm'],
    ...['--perms', '1777', '--size', size, '--tmpfs', '/tmp'],
  ];
}
