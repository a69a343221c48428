// A process and everything it started, as far as the system tells (Linux).
import { readdirSync, readFileSync } from 'node:fs';

/** Of the process and everything it started. */
export function usage(pid: number, seen: Set<number> = new Set()): { readonly mb: number; readonly processes: number } {
  if (seen.has(pid)) return { mb: 0, processes: 0 };
  seen.add(pid);
  // In pages of 4 KiB; the second number.
  let mb = Number(read(`/proc/${pid}/statm`).split(' ', 2)[1] ?? 0) / 256;
  for (const child of childrenOf(pid)) mb += usage(child, seen).mb;
  return { mb, processes: seen.size };
}

/** At once, those that left its group too; false where there are none. */
export function endDescendants(pid: number): boolean {
  const children = descendantsOf(pid);
  for (const child of children) {
    try {
      process.kill(child, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
  return children.length > 0;
}

/** With their own; whoever waits for one waits for all that hold its output. */
function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Each thread has children of its own. */
function childrenOf(pid: number): number[] {
  let tasks: string[] = [];
  try {
    tasks = readdirSync(`/proc/${pid}/task`);
  } catch {
    // It has just ended, or there is no such place here.
  }
  return tasks.flatMap((task) =>
    read(`/proc/${pid}/task/${task}/children`)
      .split(' ')
      .filter((child) => child !== '')
      .map(Number),
  );
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // It has just ended.
    return '';
  }
}
