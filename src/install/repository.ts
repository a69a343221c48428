// The folder that a client keeps a user's own servers for: that of the repository, which all of its worktrees share.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readSettings } from './read-settings.ts';

/** The folder itself where it is in no repository. */
export function repositoryOf(folder: string): string {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const git = join(at, '.git');
    if (existsSync(git)) return mainWorktree(git) ?? at;
    if (dirname(at) === at) return folder;
  }
}

/** A worktree has a file in the place of the folder, which says where the repository is. */
function mainWorktree(git: string): string | undefined {
  try {
    if (!statSync(git).isFile()) return undefined;
    const [, named] = /^gitdir: (.+)/.exec(readSettings(git)?.slice(0, 5_000) ?? '') ?? [];
    const [, main] = /^(.+)[\\/]\.git[\\/]worktrees[\\/][^\\/]+$/.exec(resolve(dirname(git), named?.trim() ?? '')) ?? [];
    return main;
  } catch {
    return undefined;
  }
}
