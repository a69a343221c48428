// Where a specifier leads and what kind of module a file is, as the project's own tools see it. Used for imports and for requires.
import { readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { notePackage } from './settings.ts';
import { projectOf } from './tsconfig.ts';

/** A compiler writes these where the source has others. */
const written: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.jsx'],
  '.jsx': ['.tsx', '.ts'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};
const left = ['.ts', '.tsx', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs', '.json'];

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The file meant by a path that may lack its extension, name a folder, or name what a compiler would write. */
export function fileAt(path: string): string | undefined {
  if (isFile(path)) return path;
  const extension = extname(path);
  const bare = path.slice(0, path.length - extension.length);
  for (const other of written[extension] ?? []) if (isFile(bare + other)) return bare + other;
  for (const other of left) if (isFile(path + other)) return path + other;
  for (const other of left) if (isFile(join(path, `index${other}`))) return join(path, `index${other}`);
  return undefined;
}

/** By the project's own rules; undefined where only Node's apply. */
export function findFile(specifier: string, importer: string): string | undefined {
  if (/^\.{0,2}\//.test(specifier)) return fileAt(resolve(dirname(importer), specifier));
  if (!ownFile(importer) || /^(?:#|node:|[a-z]+:\/\/)/.test(specifier)) return undefined;
  for (const path of projectOf(importer).paths(specifier)) {
    const file = fileAt(path);
    if (file !== undefined) return file;
  }
  return undefined;
}

const here = dirname(fileURLToPath(import.meta.url));

/** Of the project, not of its dependencies, and not of the image itself. */
export function ownFile(path: string): boolean {
  return !path.includes(`${sep}node_modules${sep}`) && !path.startsWith(here + sep);
}

const types = new Map<string, string | undefined>();

/** What the nearest package.json says. */
export function packageType(file: string): string | undefined {
  const folder = dirname(file);
  if (types.has(folder)) return types.get(folder);
  let type: string | undefined;
  try {
    const settings = join(folder, 'package.json');
    type = (JSON.parse(readFileSync(settings, 'utf8')) as { type?: string }).type;
    notePackage(settings);
  } catch {
    if (folder !== dirname(folder)) type = packageType(folder);
  }
  types.set(folder, type);
  return type;
}

export const source: RegExp = /\.(?:[cm]?[jt]s|[jt]sx)$/;

export function urlOf(file: string): string {
  return pathToFileURL(file).href;
}
