// The scope of a module, for a cell that is to run in it: by the tail that our loader gave the file, otherwise by what its functions hold.
import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Debugger } from '../../../js-runtime/debugger.ts';
import { type Evaluated, type Inspector, messageOf } from '../../../js-runtime/inspector.ts';
import { makeIn, notLoaded, withScope } from '../cells/scope-reader.ts';
import { type ScopedCell, scopedPlace } from '../cells/scoped-cell.ts';
import { urlOf } from '../loader/resolve.ts';

const busyMs = 15_000;

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
    const file = realPath(resolve(this.#folder, within));
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

  async #onMain<T>(expression: string): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The program is busy: interrupt it, or evaluate when it rests')), busyMs);
    });
    try {
      const asked = this.#inspector.post<Evaluated>('Runtime.evaluate', { expression, returnByValue: true, silent: true });
      const { result, exceptionDetails } = await Promise.race([asked, late]);
      if (exceptionDetails !== undefined) throw new Error(messageOf(exceptionDetails));
      return result.value as T;
    } finally {
      clearTimeout(timer);
    }
  }

  #short(file: string): string {
    const short = relative(this.#folder, file);
    return short.startsWith('..') ? file : short;
  }
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
