// Programs of the project that were started with --import vivarium/here and can be worked in.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { visited } from './javascript/engine.ts';

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
      const handle = /^(here-\d+)\.sock$/.exec(file)?.[1];
      return handle === undefined ? [] : [{ handle, engine: visited(join(folder, file)) }];
    });
  } catch {
    return [];
  }
}
