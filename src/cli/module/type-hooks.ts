// Loader hooks that strip types, for a Node that does not.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/wasm-typescript';
import { hasDecorators } from '../../live/languages/javascript/loader/decorators.ts';

interface Loaded {
  readonly format: string | undefined;
  readonly source: string | Uint8Array;
  readonly shortCircuit?: boolean;
}

/** What the compiler throws. */
interface CompilerError {
  readonly message?: unknown;
  readonly startLine?: number;
  readonly startColumn?: number;
  readonly snippet?: string;
}

type Next = (url: string, context: { readonly format?: string }) => Promise<Loaded>;

export async function load(url: string, context: { readonly format?: string }, next: Next): Promise<Loaded> {
  if (!/^file:.*\.[cm]?ts$/.test(url)) return next(url, context);
  const source = await readFile(fileURLToPath(url), 'utf8');
  const code = await strip(source, url);
  // Node would complain of a token, in lines that nobody wrote.
  if (hasDecorators(code))
    throw withoutStack(`${fileURLToPath(url)} has decorators, which need a compiler: build it, and serve the JavaScript`);
  return { format: url.endsWith('.cts') ? 'commonjs' : 'module', source: code, shortCircuit: true };
}

/** Stripping keeps every line and column; only syntax with a meaning at run time (enums, parameter properties) needs more. */
async function strip(source: string, url: string): Promise<string> {
  try {
    return (await transform(source, { mode: 'strip-only', filename: url })).code;
  } catch {
    try {
      return (await transform(source, { mode: 'transform', filename: url, sourceMap: false })).code;
    } catch (error) {
      // It throws plain objects, which would be printed as such.
      const { message = error, startLine = 1, startColumn = 0, snippet } = error as CompilerError;
      const place = `${fileURLToPath(url)}:${startLine}:${startColumn + 1}`;
      throw withoutStack(`${String(message)} (${place})`, snippet);
    }
  }
}

/** Ours would only say that types were being stripped. */
function withoutStack(message: string, snippet?: string): SyntaxError {
  const failed = new SyntaxError(message);
  failed.stack = `SyntaxError: ${message}${snippet === undefined ? '' : `\n${snippet.trimEnd()}`}`;
  return failed;
}
