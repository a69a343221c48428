// Where this user's state and caches are: one place for all who write there, and for who must keep others away from it.
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Tokens and saved sessions. */
export function stateFolder(usual: string = join(homedir(), '.local', 'state')): string {
  return join(named('XDG_STATE_HOME') ?? usual, 'vivarium');
}

/** What can be made again. */
export function cacheFolder(): string {
  return join(named('XDG_CACHE_HOME') ?? join(homedir(), '.cache'), 'vivarium');
}

/**
 * Sockets. Not by XDG_STATE_HOME or XDG_RUNTIME_DIR, because clients start servers without most of the environment: both sides
 * must come to the same place. Not in the project: that may be read-only, shared, or somebody else's repository.
 */
export function runFolder(home: string = homedir()): string {
  return join(home, '.local', 'state', 'vivarium', 'run');
}

/** By the environment and by the system, which may differ. */
export function homeFolders(): readonly string[] {
  const homes = [homedir()];
  try {
    homes.push(userInfo().homedir);
  } catch {
    // A user the system has no entry for.
  }
  return [...new Set(homes)].filter((home) => isAbsolute(home) && home !== '/');
}

/** The specification of XDG: a relative path counts as none. */
function named(variable: string): string | undefined {
  const folder = process.env[variable];
  return folder !== undefined && isAbsolute(folder) ? folder : undefined;
}
