// The scope of a module, for a cell that is to run in it: by the tail that our loader gave the file, otherwise by what its functions hold.
import { relative, resolve } from 'node:path';
import { realOf } from '../../../../node/real-path.ts';
import type { Debugger } from '../../../js-runtime/debugger.ts';
import { type Inspector, messageOf } from '../../../js-runtime/inspector.ts';
import { makeIn, notLoaded, withScope } from '../cells/scope-reader.ts';
import { type ScopedCell, scopedPlace } from '../cells/scoped-cell.ts';
import { urlOf } from '../loader/resolve.ts';

export class ModuleScopes {
  readonly #inspector: Inspector;
  readonly #debugging: Debugger;
  readonly #folder: string;

  constructor(inspector: Inspector, debugging: Debugger, folder: string) {
    this.#inspector = inspector;
    this.#debugging = debugging;
    this.#folder = folder;
  }

  /** Makes the cell's function in the scope of the file, where the main thread finds it. */
  async prepare(within: string, cell: ScopedCell, name: string): Promise<void> {
    const { text } = cell;
    const file = realOf(resolve(this.#folder, within));
    const label = `\n//# sourceURL=${name}`;
    await this.#debugging.withScripts(async (scripts) => {
      const url = await this.#scopeOf(file);
      if (url !== undefined) {
        const stop = (): Promise<unknown> => this.#onMain(`__vivarium_renewal.stop(${JSON.stringify(url)})`);
        const made = await this.#debugging.evaluateIn(`void (${scopedPlace} = ${text});${label}`, stop);
        if (made?.exceptionDetails !== undefined) throw new Error(messageOf(made.exceptionDetails));
        if (made !== undefined) return;
      }
      const post = <T>(method: string, params: object): Promise<T> => this.#inspector.post<T>(method, params);
      const short = this.#short(file);
      const ids = [...scripts].filter(([, one]) => one.replace(/\?v=\d+$/, '') === urlOf(file) || one === file).map(([id]) => id);
      if (ids.length === 0) throw new Error(notLoaded(short, file));
      await withScope(post, ids, short, cell, (scope) => makeIn(post, scope, scopedPlace, text, label));
    });
  }

  /** The address of the newest version of the file that our loader loaded. */
  #scopeOf(file: string): Promise<string | undefined> {
    return this.#onMain<string | undefined>(`__vivarium_renewal.scopeOf(${JSON.stringify(urlOf(file))})`);
  }

  #onMain<T>(expression: string): Promise<T> {
    return this.#inspector.onMain<T>(expression, 'evaluate', false);
  }

  #short(file: string): string {
    const short = relative(this.#folder, file);
    return short.startsWith('..') ? file : short;
  }
}
