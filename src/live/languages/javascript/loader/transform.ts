// A file of the project as Node can run it. The same text is made when it is loaded and when it is loaded again.
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type * as Acorn from 'acorn';
import { hasDecorators, mayHaveDecorators } from './decorators.ts';
import { ownFile, packageType } from './resolve.ts';
import { mapComment, SourceError, withoutTypes } from './strip-types.ts';
import { type Project, projectOf } from './tsconfig.ts';

/** Loaded when the first file needs it: a session without files begins without it. */
export function parser(): typeof Acorn {
  return createRequire(import.meta.url)('acorn') as typeof Acorn;
}

export interface Runnable {
  readonly code: string;
  readonly format: 'module' | 'commonjs';
}

/**
 * That it could look at every variable keeps them all in reach of functions that are swapped in later.
 * It never does: Node 24 ends when a swapped function evaluates text.
 */
export const tailBody = '"use strict"; if (false) eval("");';

/**
 * Kept, not called, until the file gains something while it runs. Called for nothing, it stops where a debugger can set constants.
 * Its ends stand in lines of their own: so the engine finds them again. It waits for nothing itself: what waits cannot be swapped,
 * and the engine takes an asynchronous function for one that waits long after it has ended.
 */
const tail: Readonly<Record<Runnable['format'], string>> = {
  module: `;globalThis.__vivarium_scope?.(import.meta.url, (__vivarium_due) => {\n${tailBody}\nif (__vivarium_due === undefined) debugger;\n});`,
  commonjs: `;globalThis.__vivarium_scope?.(__filename, (__vivarium_due) => {\n${tailBody}\nif (__vivarium_due === undefined) debugger;\n});`,
};

let keepsScopes = true;

/** Outside of an image nothing is swapped in, and variables that are kept in reach are slower. */
export function leaveScopes(): void {
  keepsScopes = false;
}

/** Throws a SourceError. */
export function runnable(file: string, text: string): Runnable {
  const typed = /\.(?:[cm]?ts|tsx)$/.test(file);
  const code = compiled(file, text);
  const format = formatOf(file, code, typed);
  const ready = typed && format === 'module' && packageType(file) !== 'module' ? withCommonNames(file, code) : code;
  return { code: keepsScopes && ownFile(file) ? withTail(ready, tail[format]) : ready, format };
}

function compiled(file: string, text: string): string {
  if (/x$/.test(file)) return byOwnCompiler(file, text, projectOf(file));
  const isTyped = /ts$/.test(file);
  const code = isTyped ? withoutTypes(text, file) : text;
  const isDecorated = isTyped ? hasDecorators(code) : mayHaveDecorators(text) && projectOf(file).options.experimentalDecorators === true;
  return isDecorated ? byOwnCompiler(file, text, projectOf(file)) : code;
}

function withTail(code: string, end: string): string {
  // The last line of a map must stay the last.
  const at = code.lastIndexOf('\n//# sourceMappingURL=');
  const isMap = at >= 0 && /^[^\s'"`]*\s*$/.test(code.slice(at + '\n//# '.length));
  return isMap ? `${code.slice(0, at)}\n${end}${code.slice(at)}` : `${code}\n${end}`;
}

/** As it is where something else loaded the file before we could. */
export function withoutTail({ code, format }: Runnable): string {
  return code.replace(`\n${tail[format]}`, '');
}

function formatOf(file: string, code: string, typed: boolean): Runnable['format'] {
  const extension = extname(file);
  if (/^\.m/.test(extension)) return 'module';
  if (/^\.c/.test(extension)) return 'commonjs';
  const type = packageType(file);
  if (type === 'module') return 'module';
  // Compilers make CommonJS of modules in such a package, so their authors write modules in it.
  if (type === 'commonjs' && !typed) return 'commonjs';
  return hasModuleSyntax(code) ? 'module' : 'commonjs';
}

function hasModuleSyntax(code: string): boolean {
  if (!/^[^\n]*\b(?:import|export|await)\b/m.test(code)) return false;
  const { parse } = parser();
  const terms = { ecmaVersion: 'latest', allowHashBang: true } as const;
  try {
    const { body } = parse(code, { ...terms, sourceType: 'module' });
    if (body.some(({ type }) => /^(?:Import|Export)/.test(type))) return true;
  } catch {
    return false;
  }
  try {
    parse(code, { ...terms, sourceType: 'script', allowReturnOutsideFunction: true });
    return false;
  } catch {
    return true;
  }
}

/** Modules that a compiler would make CommonJS of may use its names. */
function withCommonNames(file: string, code: string): string {
  const free = (name: string): boolean =>
    new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`\\b(?:const|let|var|function|import)\\s+\\{?\\s*${name}\\b`).test(code);
  const name = JSON.stringify(file);
  const given = [
    free('__filename') ? `const __filename = ${name};` : '',
    free('__dirname') ? `const __dirname = process.getBuiltinModule("path").dirname(${name});` : '',
    free('require') ? `const require = process.getBuiltinModule("module").createRequire(${name});` : '',
  ].join('');
  // In the first line, so that all others stay where they are.
  return given === '' ? code : `${given} ${code}`;
}

interface Esbuild {
  transformSync(text: string, options: object): { readonly code: string };
}
interface TypeScript {
  transpileModule?(text: string, options: object): { readonly outputText: string; readonly sourceMapText?: string };
}
interface Sucrase {
  transform(text: string, options: object): { readonly code: string; readonly sourceMap?: object };
}

function byOwnCompiler(file: string, text: string, { options }: Project): string {
  const require = createRequire(file);
  const metadata = options.emitDecoratorMetadata === true;
  const typescript = optional<TypeScript>(require, 'typescript');
  // Of these only TypeScript writes the types down that decorators ask for.
  if (metadata && typescript?.transpileModule !== undefined) return byTypeScript(typescript, file, text, options);
  const esbuild =
    optional<Esbuild>(require, 'esbuild') ?? optional<Esbuild>(require, 'esbuild', 'tsx') ?? optional<Esbuild>(require, 'esbuild', 'vite');
  if (esbuild !== undefined) return byEsbuild(esbuild, file, text, options);
  if (typescript?.transpileModule !== undefined) return byTypeScript(typescript, file, text, options);
  const sucrase = optional<Sucrase>(require, 'sucrase');
  if (sucrase !== undefined) return bySucrase(sucrase, file, text, options);
  throw new Error(
    `${file} needs a compiler for ${/x$/.test(file) ? 'JSX' : 'decorators'}: npm install --save-dev esbuild (or tsx, typescript before 7, sucrase)`,
  );
}

function byEsbuild({ transformSync }: Esbuild, file: string, text: string, options: Project['options']): string {
  try {
    return transformSync(text, {
      loader: /^\.[cm]?ts$/.test(extname(file)) ? 'ts' : extname(file).slice(1),
      sourcefile: file,
      sourcemap: 'inline',
      target: 'node20',
      logLevel: 'silent',
      tsconfigRaw: { compilerOptions: options },
    }).code.trimEnd();
  } catch (error) {
    const [first] = (error as { errors?: { text: string; location: { line: number; column: number } | null }[] }).errors ?? [];
    if (first === undefined) throw error;
    throw new SourceError(first.text, file, first.location?.line ?? 1, (first.location?.column ?? 0) + 1);
  }
}

function byTypeScript({ transpileModule }: TypeScript, file: string, text: string, options: Project['options']): string {
  // 99 is the newest of both.
  const compilerOptions = { ...options, module: 99, target: 99, sourceMap: true, inlineSources: false, outDir: undefined };
  const { outputText, sourceMapText } = (transpileModule as NonNullable<typeof transpileModule>)(text, { compilerOptions, fileName: file });
  const code = outputText.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '');
  return sourceMapText === undefined ? code : `${code}\n${mapComment(sourceMapText)}`;
}

function bySucrase({ transform }: Sucrase, file: string, text: string, { jsx, jsxImportSource }: Project['options']): string {
  const automatic = jsx?.startsWith('react-jsx') === true;
  return transform(text, {
    transforms: ['jsx', 'typescript'],
    disableESTransforms: true,
    production: true,
    filePath: file,
    jsxRuntime: automatic ? 'automatic' : 'classic',
    ...(jsxImportSource !== undefined && { jsxImportSource }),
  }).code;
}

/** `by` is a package that brings it. */
function optional<T>(require: NodeJS.Require, name: string, by?: string): T | undefined {
  try {
    return (by === undefined ? require(name) : createRequire(require.resolve(by))(name)) as T;
  } catch {
    return undefined;
  }
}

/** Where a text that Node refused goes wrong. */
export function flawIn(file: string, { code, format }: Runnable): SourceError | undefined {
  try {
    const { parse } = parser();
    const sourceType = format === 'module' ? 'module' : 'script';
    parse(code, { ecmaVersion: 'latest', allowHashBang: true, sourceType, allowReturnOutsideFunction: format === 'commonjs' });
    return undefined;
  } catch (error) {
    const { message, loc } = error as SyntaxError & { readonly loc?: { readonly line: number; readonly column: number } };
    return new SourceError(message.replace(/ \(\d+:\d+\)$/, ''), file, loc?.line ?? 1, (loc?.column ?? 0) + 1);
  }
}
