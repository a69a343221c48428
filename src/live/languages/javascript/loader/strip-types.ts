// Types are taken out of TypeScript by Node itself where it can, otherwise by an optional dependency; lines and columns stay.
import module, { createRequire } from 'node:module';
import type * as Compiler from '@swc/wasm-typescript';

type Strip = (code: string, mode: 'strip' | 'transform', file: string) => string;

/** What the compilers tell, each in its own way. */
interface LiveResult {
  readonly message?: unknown;
  readonly stack?: unknown;
  readonly startLine?: number;
  readonly startColumn?: number;
}

/** A file that cannot be read, with the place. */
export class SourceError extends SyntaxError {
  override readonly name = 'SyntaxError';
  readonly line!: number;
  readonly column!: number;

  constructor(message: string, file: string, line: number, column: number) {
    super(file === '' ? message : `${message} (${file}:${line}:${column})`);
    for (const [name, value] of Object.entries({ line, column })) Object.defineProperty(this, name, { value, enumerable: false });
    if (file !== '') this.stack = `SyntaxError: ${this.message}\n    at ${file}:${line}:${column}`;
    Object.defineProperty(this, 'name', { value: 'SyntaxError', enumerable: false });
  }
}

let found: { readonly strip: Strip | undefined } | undefined;

/** For cells. Throws a SyntaxError of the compiler's, or says that there is none. */
export async function stripTypes(code: string): Promise<string> {
  const bare = withoutTypes(code, '');
  const map = bare.lastIndexOf('\n//# sourceMappingURL=');
  return map < 0 ||
    bare
      .slice(map + 1)
      .trimEnd()
      .includes('\n')
    ? bare
    : bare.slice(0, map + 1);
}

/** For a file; with a source map in it where its lines could not stay where they are. */
export function withoutTypes(code: string, file: string): string {
  found ??= { strip: ofNode() ?? ofDependency() };
  const { strip } = found;
  if (strip === undefined) throw new Error('TypeScript needs Node 22.13 or later, or npm install @swc/wasm-typescript');
  try {
    return strip(code, 'strip', file);
  } catch {
    // Enums, namespaces and parameter properties have a meaning at run time.
    return strip(code, 'transform', file);
  }
}

function ofNode(): Strip | undefined {
  const { stripTypeScriptTypes: strip } = module as unknown as { stripTypeScriptTypes?: (code: string, options: object) => string };
  if (strip === undefined) return undefined;
  return (code, mode, file) => {
    // Node warns once that it is experimental; whoever runs a cell has not asked for that.
    const { emitWarning } = process;
    process.emitWarning = () => undefined;
    try {
      return strip(code, mode === 'strip' ? { mode } : { mode, sourceMap: file !== '', sourceUrl: file });
    } catch (error) {
      throw placed(error as LiveResult, file);
    } finally {
      process.emitWarning = emitWarning;
    }
  };
}

function ofDependency(): Strip | undefined {
  let compiler: typeof Compiler;
  try {
    compiler = createRequire(import.meta.url)('@swc/wasm-typescript') as typeof Compiler;
  } catch {
    return undefined;
  }
  return (text, mode, filename) => {
    try {
      const strip = mode === 'strip';
      const { code, map } = compiler.transformSync(text, { mode: strip ? 'strip-only' : mode, filename, sourceMap: !strip });
      return strip || map === undefined || filename === '' ? code : `${code}\n${mapComment(map)}`;
    } catch (error) {
      throw placed(error as LiveResult, filename);
    }
  };
}

export function mapComment(map: string): string {
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
}

/** One throws plain objects, the other writes line and mark above its stack. */
function placed({ message, stack, startLine, startColumn }: LiveResult, file: string): SourceError {
  const text = String(message);
  if (startLine !== undefined) return new SourceError(text, file, startLine, (startColumn ?? 0) + 1);
  const [, line = '1', mark = ''] = /^[^\n]*:(\d+)\n(?:.*\n)*?( *)\^/.exec(String(stack)) ?? [];
  return new SourceError(text, file, Number(line), mark.length + 1);
}
