// Programs we started, each with all that it started in turn: none of them outlives this process.
import { signalGroup } from '../../node/process-group.ts';

const alive = new Set<number>();
/** Elsewhere there are no groups to end. */
export const hasGroups: boolean = process.platform !== 'win32';

/** A child that was started `detached`, so that its id is that of its group. */
export function holdGroup(pid: number | undefined): void {
  if (!hasGroups || pid === undefined) return;
  if (alive.size === 0) process.on('exit', endAll);
  alive.add(pid);
}

/** Kills the remaining processes of the group; afterwards the pid may be reused by another process. */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined || !alive.delete(pid)) return;
  if (alive.size === 0) process.off('exit', endAll);
  signalGroup(pid, 'SIGKILL');
}

function endAll(): void {
  for (const pid of alive) endGroup(pid);
}
