// Loader hooks for the project's own files, in a thread of their own. They know who imports whom, and which modules are to be read anew.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { changedData, noteData } from './loader/data-files.ts';
import { fileAt, findFile, isFile, ownFile, source, urlOf } from './loader/resolve.ts';
import { changedSettings } from './loader/settings.ts';
import { flawIn, leaveScopes, runnable } from './loader/transform.ts';
import { projectOf } from './loader/tsconfig.ts';
import { wasmModule } from './loader/wasm.ts';

interface Context {
  readonly parentURL?: string;
  readonly conditions: readonly string[];
  readonly importAttributes?: Readonly<Record<string, string>>;
  readonly format?: string | null;
}

interface Resolved {
  readonly url: string;
  readonly format?: string | null;
  readonly importAttributes?: Readonly<Record<string, string>>;
  readonly shortCircuit?: boolean;
}

interface Loaded {
  readonly format: string;
  readonly source: string | Uint8Array | null;
  readonly shortCircuit?: boolean;
}

/** Modules by their bare address, each with those that import it, and by which names. */
const importers = new Map<string, Map<string, Set<string>>>();
/** What is asked for instead of the bare address. */
const versions = new Map<string, string>();
/** Texts that stand in front of a module which gained exports while it ran. */
const facades = new Map<string, string>();
/** What was asked for before. */
const passed = new Map<string, string>();
let latest = 0;

/** Given by `register`. */
export function initialize(data?: { readonly leavesScopes?: boolean }): void {
  if (data?.leavesScopes === true) leaveScopes();
}

export async function resolve(
  specifier: string,
  context: Context,
  next: (specifier: string, context: Context) => Promise<Resolved>,
): Promise<Resolved> {
  if (specifier.startsWith('vivarium:')) return { url: `${specifier}#${Math.random()}`, shortCircuit: true };
  const { parentURL = '' } = context;
  if (!parentURL.startsWith('file:')) return next(specifier, context);
  const found = await find(specifier, fileURLToPath(parentURL), context, next);
  const address = bare(found.url);
  // What stands in front of a module means the module.
  if (!address.startsWith('file:') || found.url !== address || (parentURL !== address && bare(parentURL) === address)) return found;
  const known = importers.get(address) ?? new Map<string, Set<string>>();
  importers.set(address, known.set(bare(parentURL), (known.get(bare(parentURL)) ?? new Set()).add(specifier)));
  const version = versions.get(address);
  return version === undefined ? found : { ...found, url: `${address}?${version}` };
}

async function find(specifier: string, importer: string, context: Context, next: Parameters<typeof resolve>[2]): Promise<Resolved> {
  const [path = '', query = ''] = specifier.split(/(?=\?)/);
  const file = findFile(path, importer);
  // Node follows links and knows the format.
  if (file !== undefined) return next(`${urlOf(file)}${query}`, context);
  const { customConditions = [] } = ownFile(importer) ? projectOf(importer).options : {};
  try {
    return await next(specifier, { ...context, conditions: [...context.conditions, ...customConditions] });
  } catch (error) {
    // A package may name a file as a compiler would write it, too.
    const { url } = error as { url?: string };
    const meant = url?.startsWith('file:') === true ? fileAt(fileURLToPath(url)) : undefined;
    if (meant === undefined || !isFile(meant)) throw error;
    return next(urlOf(meant), context);
  }
}

export async function load(url: string, context: Context, next: (url: string, context: Context) => Promise<Loaded>): Promise<Loaded> {
  if (url.startsWith('vivarium:')) return { format: 'json', source: JSON.stringify(asked(url)), shortCircuit: true };
  if (!url.startsWith('file:')) return next(url, context);
  const facade = facades.get(url);
  if (facade !== undefined) return { format: 'module', source: facade, shortCircuit: true };
  const file = fileURLToPath(url);
  if (/\.json$/.test(file)) return { format: 'json', source: await data(file), shortCircuit: true };
  if (/\.wasm$/.test(file)) return { format: 'module', source: wasmModule(file, await data(file)), shortCircuit: true };
  if (/\.node$/.test(file)) return { format: 'commonjs', source: null, shortCircuit: true };
  // Dependencies come as Node can run them, all but a few.
  if (!source.test(file) || (!ownFile(file) && !/tsx?$/.test(file))) return next(url, context);
  const { code, format } = runnable(file, await readFile(file, 'utf8'));
  // Without a source it is CommonJS as always, by `require` and all that belongs to it.
  return { format, source: format === 'commonjs' ? null : code, shortCircuit: true };
}

async function data(file: string): Promise<Buffer> {
  const bytes = await readFile(file);
  if (ownFile(file)) noteData(file, bytes);
  return bytes;
}

/** What the main thread wants to know comes the way of an import: so it is in order with all others. */
function asked(url: string): unknown {
  const { pathname, searchParams } = new URL(url);
  const urls = JSON.parse(searchParams.get('urls') ?? '[]') as string[];
  if (pathname === 'renew') return renew(urls);
  if (pathname === 'revert') return revert(Number(searchParams.get('version')));
  if (pathname === 'facade') return pass(String(searchParams.get('url')), String(searchParams.get('text')));
  if (pathname === 'links') return [...(importers.get(bare(String(searchParams.get('url')))) ?? [])].map(([one, by]) => [one, [...by]]);
  if (pathname === 'unpass') return unpass(String(searchParams.get('url')));
  if (pathname === 'flaw') return flaw();
  if (pathname === 'data') return { data: changedData(), settings: changedSettings() };
  return null;
}

function pass(url: string, text: string): null {
  const version = `facade=${++latest}`;
  const old = versions.get(bare(url));
  if (old === undefined) passed.delete(bare(url));
  else passed.set(bare(url), old);
  versions.set(bare(url), version);
  facades.set(`${bare(url)}?${version}`, text);
  return null;
}

/** What stood in front of it before stands there again. */
function unpass(url: string): null {
  const address = bare(url);
  const old = passed.get(address);
  if (old === undefined) versions.delete(address);
  else versions.set(address, old);
  return null;
}

let before: readonly (readonly [string, string | undefined])[] = [];

/** The modules and all that import them are read anew when they are next asked for. */
function renew(urls: readonly string[]): { readonly version: number; readonly stale: readonly string[] } {
  const stale = new Set(urls);
  for (const one of stale) for (const importer of importers.get(one)?.keys() ?? []) if (!isCell(importer)) stale.add(importer);
  latest++;
  before = [...stale].map((one) => [one, versions.get(one)] as const);
  for (const one of stale) versions.set(one, `v=${latest}`);
  return { version: latest, stale: [...stale] };
}

function revert(version: number): null {
  for (const [url, old] of before) {
    if (versions.get(url) !== `v=${version}`) continue;
    if (old === undefined) versions.delete(url);
    else versions.set(url, old);
  }
  return null;
}

/** Node tells that a module cannot be read, but not which. */
function flaw(): string | null {
  for (const url of [...importers.keys()].reverse()) {
    const file = fileURLToPath(url);
    if (!source.test(file) || !ownFile(file)) continue;
    try {
      const found = flawIn(file, runnable(file, readFileSync(file, 'utf8')));
      if (found !== undefined) return found.message;
    } catch {
      // It was told of already, or is gone.
    }
  }
  return null;
}

function bare(url: string): string {
  return url.replace(/\?(?:v|facade)=\d+$/, '');
}

function isCell(url: string): boolean {
  return /\/(?:\[|%5B)cell(?:\]|%5D)$/.test(url);
}
