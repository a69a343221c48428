// Types are taken out of TypeScript by Node itself where it can, otherwise by an optional dependency; lines and columns stay.
import module from 'node:module';

interface Options {
  readonly mode: 'strip' | 'transform';
}

type Strip = (code: string, options: Options) => string;

let found: Promise<Strip | undefined> | undefined;

/** Throws a SyntaxError of the compiler's, or says that there is none. */
export async function stripTypes(code: string): Promise<string> {
  found ??= find();
  const strip = await found;
  if (strip === undefined) throw new Error('TypeScript needs Node 22.13 or later, or npm install @swc/wasm-typescript');
  try {
    return strip(code, { mode: 'strip' });
  } catch {
    // Enums, namespaces and parameter properties have a meaning at run time.
    return strip(code, { mode: 'transform' });
  }
}

async function find(): Promise<Strip | undefined> {
  const { stripTypeScriptTypes } = module as unknown as { stripTypeScriptTypes?: Strip };
  if (stripTypeScriptTypes !== undefined) return quietly(stripTypeScriptTypes);
  try {
    const { transformSync } = await import('@swc/wasm-typescript');
    return (code, { mode }) => {
      try {
        return transformSync(code, { mode: mode === 'strip' ? 'strip-only' : 'transform' }).code;
      } catch (error) {
        // It throws plain objects.
        throw new SyntaxError(String((error as { message?: unknown }).message ?? error));
      }
    };
  } catch {
    return undefined;
  }
}

/** Node warns once that it is experimental; whoever runs a cell has not asked for that. */
function quietly(strip: Strip): Strip {
  return (code, options) => {
    const { emitWarning } = process;
    process.emitWarning = () => undefined;
    try {
      return strip(code, options);
    } finally {
      process.emitWarning = emitWarning;
    }
  };
}
