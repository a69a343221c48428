// Programs of the project that can be worked in: started with --import vivarium/here, or a Lisp with run-server.lisp in it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { visited } from './javascript/engine.ts';
import { visitedLisp } from './lisp/engine.ts';

export interface Visit {
  /** Its session's. */
  readonly handle: string;
  readonly engine: Engine;
}

/** Looked for each time: they come and go. */
export function findVisits(cwd: string): Visit[] {
  const folder = join(cwd, '.vivarium');
  try {
    return readdirSync(folder).flatMap((file) => {
      const [, handle, language] = /^(here-(?:(lisp)-)?\d+)\.sock$/.exec(file) ?? [];
      if (handle === undefined) return [];
      const socket = join(folder, file);
      return [{ handle, engine: language === 'lisp' ? visitedLisp(socket) : visited(socket) }];
    });
  } catch {
    return [];
  }
}
