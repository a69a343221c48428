// Changes of the files below a folder, whichever way an editor saves them.
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

export interface FolderWatch {
  /** Folders that are not looked into. */
  skips(path: string): boolean;
  /** With the path below the folder. */
  changed(path: string): void;
  failed(error: Error): void;
}

/** As long as this process lives. */
export function watchFolder(folder: string, { skips, changed, failed }: FolderWatch): void {
  if (process.platform !== 'linux') {
    watch(folder, { recursive: true }, (_, file) => changed(String(file ?? ''))).on('error', failed);
    return;
  }
  // On Linux `recursive` watches each file by its inode: it is blind to a file from the first time an editor puts a new one in its place.
  const watchers = new Map<string, FSWatcher>();
  const drop = (path: string): void => {
    for (const [below, watcher] of watchers) {
      if (below !== path && !below.startsWith(`${path}/`)) continue;
      watcher.close();
      watchers.delete(below);
    }
  };
  let isTold = false;
  const lost = (path: string, error: NodeJS.ErrnoException): void => {
    drop(path);
    // A file, or what has gone again, is told by the folder it is in; what may not be read is not ours.
    if (isTold || (path !== '' && ['ENOTDIR', 'ENOENT', 'EACCES', 'EPERM'].includes(error.code ?? ''))) return;
    isTold = true;
    failed(error);
  };
  const look = (path: string, found?: (file: string) => void): void => {
    try {
      const watcher = watch(join(folder, path), (event, file) => {
        const name = join(path, file ?? '');
        if (event === 'rename' && !skips(name)) {
          drop(name);
          look(name, changed);
        }
        changed(name);
      });
      watchers.set(path, watcher);
      watcher.on('error', (error) => lost(path, error));
      for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
        const name = join(path, entry.name);
        if (!entry.isDirectory()) found?.(name);
        else if (!skips(name)) look(name, found);
      }
    } catch (error) {
      lost(path, error as NodeJS.ErrnoException);
    }
  };
  look('');
}
