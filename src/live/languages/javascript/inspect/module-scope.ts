// The scope of a module, for a cell that is to run in it: by the tail that our loader gave the file, otherwise by what its functions hold.
import { relative, resolve } from 'node:path';
import { realOf } from '../../../../node/real-path.ts';
import type { Debugger } from '../../../js-runtime/debugger.ts';
import { type Inspector, messageOf } from '../../../js-runtime/inspector.ts';
import type { Column } from '../../../js-runtime/positions.ts';
import { behind, type PlacedCell, placedCell } from '../cells/placed-cell.ts';
import { makeIn, notLoaded, withScope } from '../cells/scope-reader.ts';
import { type ScopedCell, scopedPlace } from '../cells/scoped-cell.ts';
import { fileAt, isFolder, urlOf } from '../loader/resolve.ts';
import { fileOf } from '../reload/changes.ts';
import type { Reloader } from '../reload/reload.ts';
import { scopeNames } from '../reload/scope-names.ts';

export class ModuleScopes {
  readonly #inspector: Inspector;
  readonly #debugging: Debugger;
  readonly #folder: string;
  readonly #reloading: Pick<Reloader, 'scriptAt'>;

  constructor(inspector: Inspector, debugging: Debugger, folder: string, reloading: Pick<Reloader, 'scriptAt'>) {
    this.#inspector = inspector;
    this.#debugging = debugging;
    this.#folder = folder;
    this.#reloading = reloading;
  }

  /** Makes the cell's function in the scope of the file, where the main thread finds it. The columns of what was made. */
  async prepare(within: string, cell: ScopedCell, name: string): Promise<readonly Column[]> {
    const path = resolve(this.#folder, within);
    const file = realOf((isFolder(path) ? undefined : fileAt(path)) ?? path);
    const label = `\n//# sourceURL=${name}`;
    return this.#debugging.withScripts(async (scripts) => {
      const url = await this.#scopeOf(file);
      const short = this.#short(file);
      if (url !== undefined) {
        const stop = (): Promise<unknown> => this.#onMain(`__vivarium_renewal.stop(${JSON.stringify(url)})`);
        const { text, columns } = await this.#placed(cell, scripts, url, short);
        const head = `void (${scopedPlace} = `;
        const made = await this.#debugging.evaluateIn(`${head}${text});${label}`, stop);
        if (made?.exceptionDetails !== undefined) throw new Error(messageOf(made.exceptionDetails));
        if (made !== undefined) return behind(columns, head.length);
      }
      const post = <T>(method: string, params: object): Promise<T> => this.#inspector.post<T>(method, params);
      const ids = [...scripts].filter(([, one]) => one.replace(/\?v=\d+$/, '') === urlOf(file) || one === file).map(([id]) => id);
      if (ids.length === 0) throw new Error(notLoaded(short, file, this.#filesOf(scripts)));
      const head = await withScope(post, ids, short, cell, (scope) => makeIn(post, scope, scopedPlace, cell.text, label));
      return behind(cell.columns, head);
    });
  }

  /** With the names that the file has by now. */
  async #placed(cell: ScopedCell, scripts: ReadonlyMap<string, string>, url: string, short: string): Promise<PlacedCell> {
    const script = await this.#reloading.scriptAt(scripts, url);
    if (script === undefined) return cell;
    const names = scopeNames(script, short);
    const outside = JSON.stringify(cell.reads.filter((one) => !names.own.has(one)));
    const nowhere = await this.#onMain<string[]>(`${outside}.filter((one) => !(one in globalThis))`);
    const { names: ofCells } = await this.#inspector.post<{ names: string[] }>('Runtime.globalLexicalScopeNames');
    return placedCell(cell, names, new Set(nowhere.filter((one) => !ofCells.includes(one))));
  }

  /** The address of the newest version of the file that our loader loaded. */
  #scopeOf(file: string): Promise<string | undefined> {
    return this.#onMain<string | undefined>(`__vivarium_renewal.scopeOf(${JSON.stringify(urlOf(file))})`);
  }

  #filesOf(scripts: ReadonlyMap<string, string>): string[] {
    return [...new Set(scripts.values())].flatMap((url) => {
      const file = fileOf(url);
      return file === undefined ? [] : [this.#short(file)];
    });
  }

  #onMain<T>(expression: string): Promise<T> {
    return this.#inspector.onMain<T>(expression, 'evaluate', false);
  }

  #short(file: string): string {
    const short = relative(this.#folder, file);
    return short.startsWith('..') ? file : short;
  }
}
