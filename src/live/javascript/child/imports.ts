// Imports and requires of cells, as if the cells were a file in the project's folder.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

export interface Imports {
  import(specifier: string, options?: object): Promise<Record<string, unknown>>;
}

/** Under the names the host writes into cells. */
export function provideImports(folder: string, run: (work: (set: object) => Promise<unknown>, set: object) => void): Imports {
  const cell = join(folder, '[cell]');
  const { USE_MAIN_CONTEXT_DEFAULT_LOADER } = vm.constants as unknown as { USE_MAIN_CONTEXT_DEFAULT_LOADER: never };
  const load = vm.compileFunction('return import(specifier, options)', ['specifier', 'options'], {
    filename: cell,
    importModuleDynamically: USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }) as Imports['import'];
  const require = createRequire(`${cell}.cjs`);
  const helpers = {
    __vivarium_import: (specifier: unknown, options?: object) => load(String(specifier), options),
    __vivarium_cell: run,
    __vivarium_meta: Object.freeze({ url: pathToFileURL(cell).href, dirname: folder, filename: cell }),
  };
  for (const [name, value] of Object.entries(helpers)) Object.defineProperty(globalThis, name, { value });
  for (const [name, value] of Object.entries({ require, __dirname: folder, __filename: cell })) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
  return { import: load };
}
