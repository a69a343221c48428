// Programs that run without us and can be worked in: those of the project that were started with --import vivarium/here or have
// loaded run-server.lisp, and those the user named.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { mustBeOwn, ownProblem } from '../../node/own-folder.ts';
import type { AttachableProgram } from '../session/sessions.ts';
import { attached } from './javascript/attached/engine.ts';
import { checkProcess } from './javascript/attached/process.ts';
import { targetOf } from './javascript/attached/target.ts';
import { visited } from './javascript/engine.ts';
import { visitedLisp } from './lisp/engine.ts';

/** Looked for each time: they come and go. Throws where other users control the folder: they could answer in their place. */
export function findPrograms(cwd: string): AttachableProgram[] {
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
export function namedPrograms(names: readonly string[]): AttachableProgram[] {
  return names.map((name) => {
    const target = targetOf(name);
    if (target.kind === 'pid') checkProcess(target.pid);
    const handle = target.kind === 'pid' ? `pid-${target.pid}` : `inspector-${target.host.slice(target.host.lastIndexOf(':') + 1)}`;
    return { handle, engine: attached(target) };
  });
}
