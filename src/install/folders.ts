// Where this user's clients keep their files, and which clients are there.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { systemProgram } from '../node/system-program.ts';
import type { ClientRow, Folders, Scope } from './client.ts';

export function foldersOf(
  project: string,
  env: Folders['env'] = process.env,
  home: string = homedir(),
  platform: NodeJS.Platform = process.platform,
): Folders {
  const xdg = env['XDG_CONFIG_HOME'];
  const config = xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, '.config');
  const support =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? (env['APPDATA'] ?? join(home, 'AppData', 'Roaming'))
        : config;
  return { platform, home, project, config, support, env };
}

/** The file that this client reads for this scope; undefined where it has none. */
export function fileOf(client: ClientRow, scope: Scope, folders: Folders): string | undefined {
  const files = client.files[scope]?.(folders) ?? [];
  return files.find((file) => existsSync(file)) ?? files[0];
}

/** What shows that it is installed: its program, or a folder it has made. */
export function installedBy(client: ClientRow, folders: Folders): string | undefined {
  const program = client.program === undefined ? undefined : systemProgram(client.program, folders.project, folders.env['PATH'] ?? '');
  return program ?? client.marks(folders).find((path) => existsSync(path));
}
