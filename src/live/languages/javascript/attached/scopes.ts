// The variables of a module in an attached program: they can be read, because nothing of ours was there when the module was loaded.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { realOf } from '../../../../node/real-path.ts';
import { makeIn, notLoaded, withScope } from '../cells/scope-reader.ts';
import type { ScopedCell } from '../cells/scoped-cell.ts';
import type { Protocol } from './protocol.ts';
import type { Evaluated } from './remote.ts';

const place = 'globalThis.__vivarium_within';

/** Runs what was prepared; nothing of it stays in the program. */
export const runTaken: string = `(() => { const run = ${place}; delete ${place}; return run(); })()`;

export class AttachedScopes {
  readonly #protocol: Protocol;
  readonly #scripts: Map<string, string> = new Map();

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  heard(method: string, { scriptId, url }: Readonly<Record<string, unknown>>): void {
    if (method === 'Debugger.scriptParsed') this.#scripts.set(String(scriptId), String(url));
  }

  /** Makes the cell's function, for `runTaken`. */
  async prepare(within: string, cell: ScopedCell, name: string): Promise<void> {
    const post = <T>(method: string, params: object): Promise<T> => this.#protocol.ask<T>(method, params as Record<string, unknown>);
    const { result: cwd } = await post<Evaluated>('Runtime.evaluate', { expression: 'process.cwd()', silent: true });
    const file = realOf(resolve(String(cwd.value), within));
    this.#scripts.clear();
    // All scripts are told of before it is answered. Left on, it would slow the program down.
    await post('Debugger.enable', {});
    try {
      const ids = [...this.#scripts].filter(([, url]) => url === pathToFileURL(file).href || url === file).map(([id]) => id);
      if (ids.length === 0) throw new Error(notLoaded(within, file));
      await withScope(post, ids, within, cell, (scope) => makeIn(post, scope, place, cell.text, `\n//# sourceURL=${name}`));
    } finally {
      await post('Debugger.disable', {});
    }
  }
}
