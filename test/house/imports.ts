// Reads the imports of a source file, types and dynamic ones included.
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import type { SourceFile } from './tree.ts';

export interface Import {
  readonly from: string;
  /** A path from the root of the repository for a file, else the specifier as written. */
  readonly to: string;
  readonly kind: 'file' | 'node' | 'package';
  /** `import type`, which leaves nothing behind at run time. */
  readonly typeOnly: boolean;
}

const statement = /^[ \t]*(?:import|export)\s+(type\s)?[^;'"`]*?\bfrom\s*(['"])([^'"\n]+)\2/gm;
const bare = /^[ \t]*import\s*(['"])([^'"\n]+)\1/gm;
const call = /\b(?:import|require(?:\.resolve)?)\(\s*(['"])([^'"\n]+)\1/g;
const commentLine = /^[ \t]*(?:\/\/|\/?\*).*$/gm;

export function importsOf({ path, text }: SourceFile): Import[] {
  const code = text.replace(commentLine, '');
  return [
    ...[...code.matchAll(statement)].map(([, type, , specifier = '']) => toImport(path, specifier, type !== undefined)),
    ...[...code.matchAll(bare)].map(([, , specifier = '']) => toImport(path, specifier, false)),
    ...[...code.matchAll(call)].map(([, , specifier = '']) => toImport(path, specifier, false)),
  ];
}

/** `@scope/name` of `@scope/name/sub`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function toImport(from: string, specifier: string, typeOnly: boolean): Import {
  if (specifier.startsWith('.')) return { from, to: posix.join(posix.dirname(from), specifier), kind: 'file', typeOnly };
  const isNode = specifier.startsWith('node:') || builtinModules.includes(specifier);
  return { from, to: specifier, kind: isNode ? 'node' : 'package', typeOnly };
}
