// `require` for the project's own files: the same rules as for imports, in the loader that has no hooks.
import { readFileSync } from 'node:fs';
import Module from 'node:module';
import { guardedScript, notGuarded } from './cells.ts';
import { changedData, noteData } from './data-files.ts';
import { compileEagerly, lazily } from './eager.ts';
import { fileAt, findFile, isFile, ownFile } from './resolve.ts';
import { runnable } from './transform.ts';

interface Compiled extends NodeJS.Module {
  _compile(code: string, file: string, format?: string): void;
}

type Extension = (module: Compiled, file: string) => void;
type ResolveFilename = (request: string, parent: { readonly filename?: string | null } | undefined, ...rest: unknown[]) => string;

/** What Node keeps for such use, but does not type. */
interface Loader {
  readonly _extensions: Record<string, Extension>;
  readonly _cache: Record<string, NodeJS.Module>;
  _resolveFilename: ResolveFilename;
}

const loader = Module as unknown as Loader;

let isEager = false;

/** `eager`: files of the project may be swapped while they run. */
export function provideRequire({ eager = false }: { readonly eager?: boolean } = {}): void {
  isEager = eager;
  const { _extensions: extensions, _resolveFilename: resolve } = loader;
  const plain = extensions['.js'] as Extension;
  for (const extension of ['.js', '.ts', '.cts', '.mts', '.tsx', '.jsx', '.cjs']) {
    const original = extensions[extension] ?? plain;
    // They are found without their extension, too; those with a letter before it never are.
    Object.defineProperty(extensions, extension, {
      value: (module: Compiled, file: string) => compile(module, file, original),
      writable: true,
      configurable: true,
      enumerable: /^\.[jt]sx?$/.test(extension),
    });
  }
  const readData = extensions['.json'] as Extension;
  extensions['.json'] = (module, file) => {
    readData(module, file);
    if (ownFile(file)) noteData(file, readFileSync(file));
  };
  loader._resolveFilename = function (request, parent, ...rest) {
    const importer = parent?.filename;
    const own = (): string | undefined => (typeof importer === 'string' ? findFile(request, importer) : undefined);
    // Aliases go before packages of the same name; for paths Node's own rules go first.
    const alias = /^\.{0,2}\//.test(request) ? undefined : own();
    if (alias !== undefined) return resolve.call(this, alias, parent, ...rest);
    try {
      return resolve.call(this, request, parent, ...rest);
    } catch (error) {
      const { path } = error as { path?: string };
      const meant = own() ?? (path === undefined ? undefined : fileAt(path));
      if (meant === undefined || !isFile(meant)) throw error;
      return resolve.call(this, meant, parent, ...rest);
    }
  };
}

function compile(module: Compiled, file: string, original: Extension): void {
  const typed = /tsx?$/.test(file);
  if (!ownFile(file) && !typed) return isEager ? lazily(() => original(module, file)) : original(module, file);
  if (isEager) compileEagerly();
  const text = readFileSync(file, 'utf8');
  const made = runnable(file, text);
  if (made.format === 'commonjs') return module._compile(guardedScript(file, text, made), file, 'commonjs');
  if (!typed) {
    notGuarded();
    return original(module, file);
  }
  try {
    module._compile(guardedScript(file, text, made), file, 'module');
  } catch (error) {
    // Node 20 resolves the imports of a module that is required without any hooks.
    const { code: kind } = error as { code?: string };
    if (kind !== 'ERR_MODULE_NOT_FOUND' && kind !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error;
    const advice = `${file} is an ES module, and this Node cannot require it with what it imports: use await import() instead`;
    throw new Error(advice, { cause: error });
  }
}

/** Those that were required and have changed since. */
export function changedRequired(): string[] {
  return changedData((file) => file in loader._cache);
}

/** The files that require one of these, by way of others too, and these. */
export function requirersOf(files: readonly string[]): string[] {
  const stale = new Set(files.filter((file) => file in loader._cache));
  for (const one of stale) {
    for (const [file, { children }] of Object.entries(loader._cache)) {
      if (children?.some(({ filename }) => filename === one)) stale.add(file);
    }
  }
  return [...stale];
}

/** What a file that was required exports now. */
export function exportsOf(file: string): unknown {
  return loader._cache[file]?.exports;
}

/** What they exported; the next `require` runs them again. */
export function forget(files: readonly string[]): Map<string, NodeJS.Module> {
  const forgotten = new Map<string, NodeJS.Module>();
  for (const file of files) {
    const module = loader._cache[file];
    if (module === undefined) continue;
    forgotten.set(file, module);
    delete loader._cache[file];
  }
  return forgotten;
}

export function putBack(forgotten: ReadonlyMap<string, NodeJS.Module>): void {
  for (const [file, module] of forgotten) loader._cache[file] = module;
}
