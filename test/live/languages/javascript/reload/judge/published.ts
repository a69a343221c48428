// Two published versions of a package as an edit: its files are the project's own, its dependencies are below node_modules.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Edit, Files } from './run.ts';

type Exports = string | readonly Exports[] | { readonly [condition: string]: Exports } | null;

interface Manifest {
  readonly type?: string;
  readonly main?: string;
  readonly exports?: Exports;
}

const conditions = ['node', 'import', 'module-sync', 'default', 'require'];

/** The package as it is in a folder with two versions of it, `<name>-before` and `<name>-after`. */
export function publishedEdit(name: string, folder: string): Edit {
  const [before, after] = ['before', 'after'].map((side) => join(folder, 'node_modules', `${name}-${side}`)) as [string, string];
  const [from, to] = [entryOf(before), entryOf(after)];
  if (from !== to) throw new Error(`${name} begins in ${from}, then in ${to}: that is another program, no edit`);
  const now = filesOf(after);
  const own = Object.entries(filesOf(before)).filter(([path]) => !path.startsWith('node_modules/'));
  // Dependencies are no part of the edit.
  const dependencies = Object.entries(now).filter(([path]) => path.startsWith('node_modules/'));
  return {
    id: name.replace(/\W/g, '_'),
    entry: to,
    required: isCommon(after, to),
    before: Object.fromEntries([...own, ...dependencies]),
    after: now,
  };
}

function entryOf(folder: string): string {
  const { exports, main } = manifestOf(folder);
  const found = exports === undefined ? undefined : chosen(rootOf(exports));
  const path = posix.normalize(found ?? main ?? 'index.js');
  for (const one of [path, `${path}.js`, posix.join(path, 'index.js')])
    if (existsSync(join(folder, one)) && statSync(join(folder, one)).isFile()) return one;
  throw new Error(`${folder} has no ${path}`);
}

function rootOf(exports: NonNullable<Exports> | null): Exports {
  if (typeof exports !== 'object' || exports === null || Array.isArray(exports)) return exports;
  return '.' in exports ? ((exports as { readonly '.': Exports })['.'] ?? null) : exports;
}

function chosen(exports: Exports): string | undefined {
  if (typeof exports === 'string' || exports === null) return exports ?? undefined;
  const all = Array.isArray(exports)
    ? exports
    : conditions.flatMap((one) => (one in exports ? [(exports as Record<string, Exports>)[one] ?? null] : []));
  for (const one of all) {
    const found = chosen(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isCommon(folder: string, path: string): boolean {
  return path.endsWith('.cjs') || (path.endsWith('.js') && manifestOf(folder).type !== 'module');
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

function filesOf(folder: string): Files {
  const found: Record<string, string> = {};
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (/\.(?:[cm]?js|json)$/.test(path) && statSync(join(folder, path)).isFile())
      found[path.replaceAll('\\', '/')] = readFileSync(join(folder, path), 'utf8');
  }
  return found;
}
