// An image behind bubblewrap: it sees the project and the system's programs, no network, no other processes, and nothing else.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute } from 'node:path';
import { systemProgram } from '../node/system-program.ts';
import type { Launch } from './engine.ts';

export interface SandboxOptions {
  /** The project may be written to. Default: false. */
  readonly write?: boolean;
  /** Size of /tmp, in MiB. Default: 256. */
  readonly tmpMb?: number;
}

const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64'];
/** What programs read to run at all; no accounts, no keys. */
const settings = ['/etc/ld.so.cache', '/etc/ssl', '/etc/ca-certificates', '/etc/localtime', '/etc/alternatives'];

/** Why there can be none; undefined when there can. */
export function sandboxProblem(): string | undefined {
  if (process.platform !== 'linux') return 'a sandbox needs Linux and bubblewrap';
  const bubblewrap = systemProgram('bwrap', process.cwd());
  const tried = bubblewrap === undefined ? undefined : spawnSync(bubblewrap, [...shell(), 'true'], { encoding: 'utf8' });
  if (tried === undefined || tried.error !== undefined) return 'bubblewrap is not installed: apt-get install bubblewrap';
  return tried.status === 0 ? undefined : `bubblewrap cannot be used here: ${tried.stderr.trim()}`;
}

/** `writes`: folders beside the project that it may write to. */
export function sandboxed(
  { command, args, env, cwd, terms, reads = [], callsBack }: Launch,
  { write = false, tmpMb = 256 }: SandboxOptions,
  writes: readonly string[] = [],
): Launch {
  if (callsBack !== undefined) throw new Error('an image in a sandbox has no network and could not connect back: leave --sandbox out');
  const own = dirname(createRequire(import.meta.url).resolve('vivarium/package.json'));
  const program = isAbsolute(command) ? dirname(dirname(command)) : undefined;
  // The program may be anywhere, such as in a version manager's folder.
  const seen = [...new Set([program, own, foreign(own), ...reads])].filter(
    (path) => path !== undefined && !path.startsWith('/usr') && path !== '/',
  );
  const bound = seen.flatMap((path) => ['--ro-bind', path as string, path as string]);
  const variables = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]);
  return {
    command: systemProgram('bwrap', cwd) ?? '/usr/bin/bwrap',
    args: [
      ...shell(tmpMb),
      ...settings.flatMap((path) => (existsSync(path) ? ['--ro-bind', path, path] : [])),
      ...bound,
      write ? '--bind' : '--ro-bind',
      cwd,
      cwd,
      ...writes.flatMap((path) => ['--bind', path, path]),
      '--chdir',
      cwd,
      '--clearenv',
      ...variables,
      '--setenv',
      'HOME',
      '/tmp',
      command,
      ...args,
    ],
    env: { PATH: env['PATH'] ?? '/usr/bin' },
    cwd,
    terms,
  };
}

/** Its own users, processes, network and terminal; it ends with us. */
function shell(tmpMb = 16): string[] {
  const folders = system.flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
  return [
    ...['--unshare-all', '--unshare-user', '--uid', '65534', '--gid', '65534'],
    ...['--die-with-parent', '--new-session', '--hostname', 'vivarium'],
    ...folders,
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(tmpMb * 1024 * 1024), '--tmpfs', '/tmp'],
  ];
}

/** Packages of ours that are installed beside us, not in us. */
function foreign(own: string): string | undefined {
  return /^(.*\/node_modules)\/vivarium$/.exec(own)?.[1];
}
