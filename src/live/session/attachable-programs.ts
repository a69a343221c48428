// Programs that run without us and can be worked in: of the project, started with --import vivarium/here, a Lisp with
// run-server.lisp in it, or those the user named.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { mustBeOwn, ownProblem } from '../../node/own-folder.ts';
import type { Engine } from '../image/engine.ts';
import { attached } from '../languages/javascript/attached/engine.ts';
import { checkProcess } from '../languages/javascript/attached/process.ts';
import { targetOf } from '../languages/javascript/attached/target.ts';
import { visited } from '../languages/javascript/engine.ts';
import { visitedLisp } from '../languages/lisp/engine.ts';

export interface Visit {
  /** Its session's. */
  readonly handle: string;
  readonly engine: Engine;
}

/** Looked for each time: they come and go. Throws where other users control the folder: they could answer in their place. */
export function findVisits(cwd: string): Visit[] {
  const folder = join(cwd, '.vivarium');
  mustBeOwn(folder, 'folder');
  try {
    return readdirSync(folder).flatMap((file) => {
      const [, handle, language] = /^(here-(?:(lisp)-)?\d+)\.sock$/.exec(file) ?? [];
      // One that was killed leaves its socket behind.
      if (handle === undefined || isGone(Number(handle.slice(handle.lastIndexOf('-') + 1)))) return [];
      const socket = join(folder, file);
      if (ownProblem(socket, 'socket') !== undefined) return [];
      return [{ handle, engine: language === 'lisp' ? visitedLisp(socket) : visited(socket) }];
    });
  } catch {
    return [];
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Those the user named. Throws in words where one must not be attached to; nothing is done to any of them before it is used. */
export function namedVisits(names: readonly string[]): Visit[] {
  return names.map((name) => {
    const target = targetOf(name);
    if (target.kind === 'pid') checkProcess(target.pid);
    const handle = target.kind === 'pid' ? `pid-${target.pid}` : `inspector-${target.host.slice(target.host.lastIndexOf(':') + 1)}`;
    return { handle, engine: attached(target) };
  });
}
