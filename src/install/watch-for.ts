// Whether a file was touched before a rename of ours: rename replaces whatever is there, and cannot be told what it should find.
import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const longestMs = 2_000;

/** Begins to look. `draft` is about to be renamed to `target`, both in `folder`. */
export function watchFor(folder: string, draft: string, target: string): { wasTouched(): Promise<boolean>; close(): void } {
  let touched = false;
  let renamed = false;
  let watcher: FSWatcher | undefined;
  // Elsewhere events come late, joined or in another order.
  if (process.platform === 'linux') {
    try {
      watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === draft) renamed = true;
        else if (name === target && !renamed) touched = true;
      });
      watcher.on('error', () => undefined);
    } catch {
      // The system has no more watches to give.
    }
  }
  return {
    /** After the rename: the system reports events in the order in which they happened. */
    async wasTouched() {
      const end = performance.now() + longestMs;
      while (watcher !== undefined && !renamed && performance.now() < end) await pause(1);
      return touched;
    },
    close: () => watcher?.close(),
  };
}
