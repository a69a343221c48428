// Files that import what another file shows otherwise now: they are given the new, or named.
import type { Runnable } from '../loader/transform.ts';
import { computedBy } from './computed.ts';
import { fronted } from './exports.ts';
import { detachedKey, type Graft, grafted } from './graft.ts';
import type { Exposed } from './reimport.ts';
import { expose, type Script, type Surroundings } from './swap.ts';
import { type Units, unitsOf } from './units.ts';

export interface Followers {
  /** Those whose imports have to be taken from elsewhere. */
  readonly scripts: ReadonlyMap<Script, readonly string[]>;
  /** Those that import what is gone: where a fresh start would fail. */
  /** Modules of which a namespace object is kept somewhere, which cannot change. */
  readonly held: ReadonlyMap<string, Exposed>;
  readonly broken: readonly { readonly script: Script; readonly name: string; readonly line: number; readonly of: string }[];
}

let turns = 0;

/** `exposed` by address; `scripts` are all that run, the newest of a file last. */
export async function followersOf(
  exposed: ReadonlyMap<string, Exposed>,
  scripts: readonly Script[],
  around: Surroundings,
): Promise<Followers> {
  const found = new Map<Script, string[]>();
  const broken: Followers['broken'][number][] = [];
  const held = new Map<string, Exposed>();
  const seen = new Set<string>();
  const queue = [...exposed];
  for (const [url, change] of queue) {
    if (seen.has(bare(url)) || change.error !== undefined) continue;
    seen.add(bare(url));
    if (change.isHeld === true) held.set(bare(url), change);
    for (const [importer, specifiers] of await linksOf(url, around)) {
      const all = scripts.filter((one) => bare(one.url) === importer);
      for (const script of all) {
        const units = unitsIn({ known: around.codeOf(script) });
        if (units === undefined) continue;
        const isOf = (specifier: string): boolean => specifiers.includes(specifier);
        const names = detach(script, units, isOf, change);
        if (takesWhole(units, isOf)) held.set(bare(url), change);
        if (names.length > 0) found.set(script, [...(found.get(script) ?? []), ...names]);
        if (script !== all.at(-1)) continue;
        broken.push(...brokenIn(script, units, isOf, change).map((one) => ({ ...one, of: bare(url) })));
        if (!passesOn(units, isOf, change, fronted.has(script.url))) continue;
        const graft = graftOf(script);
        if (graft !== undefined) queue.push([script.url, await expose(script, graft, around)]);
      }
    }
  }
  return { scripts: found, broken, held };
}

/** Variables of other files with values that functions computed which have changed since: by script. */
export async function computedElsewhere<T extends Pick<Script, 'url' | 'known'>>(
  changed: ReadonlyMap<string, ReadonlySet<string>>,
  scripts: readonly T[],
  around: Surroundings,
): Promise<Map<T, readonly string[]>> {
  const found = new Map<T, readonly string[]>();
  const queue = [...changed];
  const seen = new Set<T>();
  for (const [url, names] of queue) {
    const source = scripts.findLast((one) => bare(one.url) === bare(url));
    const own = source === undefined ? undefined : unitsIn(source);
    const shown = [...(own?.exports ?? [])].flatMap(([name, one]) => ('local' in one && names.has(one.local) ? [name] : []));
    if (shown.length === 0) continue;
    for (const [importer, specifiers] of await linksOf(url, around)) {
      const script = scripts.findLast((one) => bare(one.url) === importer);
      const units = script === undefined || seen.has(script) ? undefined : unitsIn(script);
      if (script === undefined || units === undefined) continue;
      seen.add(script);
      const roots = units.all.flatMap((unit) => {
        if (unit.kind !== 'import' || !specifiers.includes(unit.from)) return [];
        if (unit.imported === '*') return shown.map((name) => `${unit.name}.${name}`);
        return shown.includes(unit.imported) ? [unit.name] : [];
      });
      const computed = computedBy(units, roots);
      if (computed.kept.length > 0) found.set(script, computed.kept);
      if (roots.length > 0) queue.push([script.url, computed.changed]);
    }
  }
  return found;
}

function linksOf(url: string, around: Surroundings): Promise<[string, string[]][]> {
  return around.onMain(`__vivarium_renewal.links(${JSON.stringify(url)})`);
}

/** The names it has to take anew. */
function detach(script: Script, { all }: Units, isOf: (specifier: string) => boolean, { other, lost, gained }: Exposed): string[] {
  const names: string[] = [];
  for (const unit of all) {
    if (unit.kind !== 'import' || !isOf(unit.from) || lost.includes(unit.imported)) continue;
    const key = detachedKey(unit.from, unit.imported);
    const isWhole = unit.imported === '*' && other.length + lost.length + gained.length > 0;
    if (!isWhole && !other.includes(unit.imported) && !script.detached.has(key)) continue;
    script.detached.set(key, ++turns);
    names.push(unit.name);
  }
  return names;
}

function brokenIn(script: Script, { all, exports, code }: Units, isOf: (specifier: string) => boolean, { lost }: Exposed) {
  const imports = all.flatMap((unit) => (unit.kind === 'import' && isOf(unit.from) && lost.includes(unit.imported) ? [unit] : []));
  const passed = [...exports.values()].filter((one) => 'from' in one && isOf(one.source) && lost.includes(one.imported));
  return [
    ...imports.map(({ imported, start }) => ({ script, name: imported, line: code.slice(0, start).split('\n').length })),
    ...passed.flatMap((one) =>
      'from' in one && !imports.some(({ imported }) => imported === one.imported) ? [{ script, name: one.imported, line: 0 }] : [],
    ),
  ];
}

/** Whether it shows some of it as its own. */
/** `isFronted`: what stands in front of it took what was shown before, whatever that was. */
function passesOn(
  { exports, stars }: Units,
  isOf: (specifier: string) => boolean,
  { other, lost, gained }: Exposed,
  isFronted: boolean,
): boolean {
  if (!isFronted && other.length + lost.length + gained.length === 0) return false;
  if (stars.some(({ source }) => isOf(source))) return true;
  const isOther = (name: string): boolean => isFronted || name === '*' || other.includes(name);
  return [...exports.values()].some((one) => 'from' in one && isOf(one.source) && isOther(one.imported));
}

function takesWhole({ all, exports }: Units, isOf: (specifier: string) => boolean): boolean {
  if (all.some((unit) => unit.kind === 'import' && unit.imported === '*' && isOf(unit.from))) return true;
  return [...exports.values()].some((one) => 'from' in one && one.imported === '*' && isOf(one.source));
}

function graftOf(script: Script): Graft | undefined {
  const made = (code: string): Runnable => ({ code, format: 'module' });
  const graft = grafted(made(script.base), made(script.known), { id: `f${script.id}`, detached: script.detached, done: script.done });
  return typeof graft === 'string' ? undefined : graft;
}

/** CommonJS imports nothing when it is loaded. */
function unitsIn({ known }: Pick<Script, 'known'>): Units | undefined {
  try {
    return unitsOf({ code: known, format: 'module' });
  } catch {
    return undefined;
  }
}

function bare(url: string): string {
  return url.replace(/\?(?:v|facade)=\d+$/, '');
}
