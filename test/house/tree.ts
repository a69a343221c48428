// What the house tests look at: the files of this repository, as text.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

interface PackageJson {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export const root: string = fileURLToPath(new URL('../..', import.meta.url));

export const packageJson: PackageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The subpaths of the package with their source files: `['./server', 'src/server/index.ts']`. */
export const subpaths: readonly (readonly [key: string, source: string])[] = Object.entries(packageJson.exports).flatMap(([key, value]) =>
  typeof value === 'string' ? [] : [[key, (value['@vivarium/source'] ?? 'no condition @vivarium/source').replace('./', '')] as const],
);

const made = new Set(['node_modules', 'dist', '.cache', 'coverage', '.git']);

/** Every path under `folder` that someone wrote; folders end with a slash. */
export function paths(folder = ''): string[] {
  const start = join(root, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { withFileTypes: true }).flatMap((entry) => {
    if (made.has(entry.name) || entry.name.endsWith('.tgz')) return [];
    const path = relative(root, join(start, entry.name)).split(sep).join('/');
    if (entry.isDirectory()) return [`${path}/`, ...paths(path)];
    return entry.isFile() ? [path] : [];
  });
}

const sourceName = /\.(?:ts|mts|cts|tsx|js|mjs|cjs|jsx)$/;

/** Every hand-written source file in `folders`. */
export function sources(...folders: string[]): SourceFile[] {
  return folders
    .flatMap((folder) => paths(folder))
    .filter((path) => sourceName.test(path))
    .map(file);
}

/** Every Markdown page that users and maintainers read. */
export function documents(): SourceFile[] {
  return [...paths().filter((path) => !path.includes('/')), ...paths('docs')].filter((path) => path.endsWith('.md')).map(file);
}

export function file(path: string): SourceFile {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

/** `text` with comments and the insides of strings blanked, line by line the same. */
export function codeOnly(text: string): string {
  const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  return text.replace(token, (found) => {
    const quote = found.startsWith('/') ? '' : found.charAt(0);
    return quote + found.replace(/[^\n]/g, ' ').slice(quote.length * 2) + quote;
  });
}

/** The files that `npm run build` makes; a test that needs them says so where they are missing. */
export function built(path: string): string {
  const full = join(root, 'dist', path);
  if (!existsSync(full)) throw new Error(`dist/${path} is missing: run npm run build first`);
  return full;
}
