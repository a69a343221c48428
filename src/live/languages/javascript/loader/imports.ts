// Imports and requires of cells, as if the cells were a file in the project's folder.
import { createRequire, isBuiltin, register } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { enter, graft, renew } from '../reload/class-patch.ts';
import { fixed, outside } from '../reload/outside.ts';
import { NewerTexts } from '../reload/overlay/newer-texts.ts';
import { Renewal } from '../reload/reimport.ts';
import { supplyCells, takeSupply } from './cells.ts';
import { provideRequire } from './commonjs.ts';
import { compileEagerly } from './eager.ts';

export type Namespace = Readonly<Record<string, unknown>>;

export interface Imports {
  import(specifier: string, options?: object): Promise<Namespace>;
  /** From now on files are loaded as the project's own. Otherwise that begins with the first cell that imports one. */
  begin(): void;
}

/** Under the names the host writes into cells. */
export function provideImports(folder: string, run: (work: () => Promise<unknown>) => void): Imports {
  const cell = join(folder, '[cell]');
  const { USE_MAIN_CONTEXT_DEFAULT_LOADER } = vm.constants as unknown as { USE_MAIN_CONTEXT_DEFAULT_LOADER: never };
  const plain = quietly(() =>
    vm.compileFunction('return import(specifier, options)', ['specifier', 'options'], {
      filename: cell,
      importModuleDynamically: USE_MAIN_CONTEXT_DEFAULT_LOADER,
    }),
  ) as Imports['import'];
  const load: Imports['import'] = (specifier, options) => quietly(() => plain(specifier, options));
  const own = createRequire(`${cell}.cjs`);
  const renewal = new Renewal(load, own);
  const newer = new NewerTexts();
  let ready = false;
  // Only who loads files of the project waits for what that needs.
  const begin = (): void => {
    if (ready) return;
    ready = true;
    compileEagerly();
    provideRequire({ eager: true });
    const cells = loadsAll() && newer.begin() ? supplyCells() : undefined;
    takeSupply(cells);
    // Beside the bundle that this file is built into.
    register(new URL('./hooks.js', import.meta.url), cells === undefined ? {} : { data: { cells }, transferList: [cells.port] });
  };
  const prepare = (specifier: string): void => {
    if (!isBuiltin(specifier)) begin();
  };
  const helpers = {
    __vivarium_import: async (given: unknown, options?: object, wanted: readonly string[] = []): Promise<Namespace> => {
      const specifier = String(given);
      prepare(specifier);
      try {
        const found = await load(specifier, options);
        renewal.imported(specifier, found);
        return provided(specifier, found, wanted);
      } catch (error) {
        throw await renewal.placed(error);
      }
    },
    // For cells in the scope of a module.
    __vivarium_import_from: (file: string, given: unknown, options?: object): Promise<Namespace> => {
      const specifier = String(given);
      const isPath = /^\.{1,2}\//.test(specifier);
      return helpers.__vivarium_import(isPath ? pathToFileURL(resolve(folder, dirname(file), specifier)).href : specifier, options);
    },
    __vivarium_cell: run,
    __vivarium_meta: metaOf(cell),
    __vivarium_meta_of: (file: string) => metaOf(resolve(folder, file)),
    __vivarium_renewal: renewal,
    __vivarium_guards: newer,
    __vivarium_scope: renewal.keep,
    __vivarium_pass: renewal.pass,
    __vivarium_graft: graft,
    __vivarium_enter: enter,
    __vivarium_renew: renew,
    __vivarium_global: outside,
    __vivarium_fixed: fixed,
    __vivarium_added: {},
  };
  const require = Object.assign((specifier: string): unknown => {
    prepare(specifier);
    const found: unknown = own(specifier);
    renewal.required(specifier, found);
    return found;
  }, own);
  for (const [name, value] of Object.entries(helpers)) Object.defineProperty(globalThis, name, { value });
  for (const [name, value] of Object.entries({ require, __dirname: folder, __filename: cell })) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
  return { import: load, begin };
}

function metaOf(file: string): object {
  const own = createRequire(file);
  const resolved = (specifier: string): string => urlOf(own.resolve(specifier));
  return Object.freeze({ url: pathToFileURL(file).href, dirname: dirname(file), filename: file, resolve: resolved });
}

/** In a program that loads files before us, or in another way, not all of its files are known. */
function loadsAll(): boolean {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  return !/(?:^|\s)(?:-r|--(?:require|import|loader|experimental-loader))\b/.test(flags);
}

/** As an import would: what is not there is an error. Of CommonJS everything is there that its exports hold. */
function provided(specifier: string, found: Namespace, wanted: readonly string[]): Namespace {
  const missing = wanted.filter((name) => !(name in found));
  if (missing.length === 0) return found;
  const whole = found['default'];
  const more = typeof whole === 'object' || typeof whole === 'function' ? (whole as Namespace | null) : null;
  const [absent] = missing.filter((name) => more === null || !(name in more));
  if (absent === undefined) return { ...found, ...Object.fromEntries(missing.map((name) => [name, more?.[name]])) };
  throw new SyntaxError(
    `${specifier} does not provide an export named ${absent}; it has ${Object.keys(found).slice(0, 20).join(', ') || 'none'}`,
  );
}

function urlOf(path: string): string {
  return isBuiltin(path) ? `node:${path.replace(/^node:/, '')}` : pathToFileURL(path).href;
}

/** Node warns that this way to import is experimental; whoever writes a cell has not chosen it. */
function quietly<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
