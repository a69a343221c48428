// What cells have imported, and how it is imported again: on the main thread, for the monitor.
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import type { Imported } from '../cells/cell.ts';
import { changedRequired, exportsOf, forget, putBack, requirersOf } from '../loader/commonjs.ts';
import { urlOf } from '../loader/resolve.ts';
import { changedSettings } from '../loader/settings.ts';
import { NoWayIn } from './class-patch.ts';
import { setPlaces } from './stack-places.ts';

/** In the scope of its file: does what `run` says, or stops for a debugger. What takes time is taken down. */
type Tail = (run?: Run) => void;

interface Run {
  (key: string): boolean;
  readonly take: (work: Promise<unknown>, then?: (found: unknown) => void) => void;
}

type Namespace = Readonly<Record<string, unknown>>;

export interface Renewed {
  /** Everything that was made stale, by its file. */
  readonly stale: readonly string[];
  /** Names of cells that have new values. */
  readonly bound: readonly string[];
  readonly error?: string;
}

/** Since they were read. */
export interface ChangedFiles {
  /** Such as JSON. */
  readonly data: readonly string[];
  /** By which other files are read. */
  readonly settings: readonly string[];
}

/** How a module that stands in front of another differs from it. */
export interface Exposed {
  /** Names that are gone. */
  readonly lost: readonly string[];
  /** Names with other values. */
  readonly other: readonly string[];
  readonly gained: readonly string[];
  /** A cell has the whole of it, and may have given it to others. */
  readonly isHeld?: boolean;
  readonly error?: string;
}

export class Renewal {
  readonly #load: (specifier: string, options?: object) => Promise<Namespace>;
  readonly #require: NodeJS.Require;
  readonly #imported: Map<string, Namespace> = new Map();
  readonly #required: Map<string, unknown> = new Map();
  readonly #tails: Map<string, Tail> = new Map();
  /** What modules that gained exports pass on, brought up to date. */
  readonly #facades: Map<string, (() => void)[]> = new Map();
  /** The modules behind them. */
  readonly #behind: Map<string, Namespace> = new Map();
  #marked: Map<object, Namespace> = new Map();
  #current: Promise<Renewed> | undefined;

  constructor(load: (specifier: string, options?: object) => Promise<Namespace>, require: NodeJS.Require) {
    this.#load = load;
    this.#require = require;
  }

  /** The tail of a file that has run. */
  readonly keep = (address: unknown, tail: Tail): void => {
    // A CommonJS file may have given `__filename` another value.
    if (typeof address === 'string') this.#tails.set(address.startsWith('file:') ? address : urlOf(address), tail);
  };

  readonly pass = (url: string, refresh: () => void, behind: Namespace): void => {
    this.#facades.set(url, [...(this.#facades.get(url) ?? []), refresh]);
    this.#behind.set(url, behind);
  };

  keeps(url: string): boolean {
    return this.#tails.has(url);
  }

  /** The address of the newest version of a file, by the one without a version. */
  scopeOf(url: string): string | undefined {
    return [...this.#tails.keys()].findLast((one) => one.replace(/\?v=\d+$/, '') === url);
  }

  /** Does in the scope of the file what it gained. Why it cannot be done there. */
  async fill(url: string, keys: readonly string[]): Promise<string | null> {
    try {
      for (const key of keys) {
        const taken: Promise<void>[] = [];
        const take: Run['take'] = (work, then) => void taken.push(work.then(then ?? (() => undefined)));
        this.#tails.get(url)?.(Object.assign((one: string) => one === key, { take }));
        await Promise.all(taken);
      }
    } catch (error) {
      if (error instanceof NoWayIn) return error.message;
      throw error;
    }
    for (const refresh of this.#facades.get(url) ?? []) refresh();
    return null;
  }

  /** What modules export now, so that names in cells can follow when it changes. */
  mark(): void {
    this.#marked = new Map();
    for (const all of [...this.#imported.values(), ...this.#required.values()]) {
      try {
        if (isObject(all)) this.#marked.set(all, { ...all });
      } catch {
        // A module that failed half-way has names without values.
      }
    }
  }

  /** A name that holds what a module exported has what it exports now. */
  follow(given: string, names: readonly string[]): void {
    const follows = (all: Namespace, key: string) => (current: unknown) =>
      Object.is(current, this.#marked.get(all)?.[key]) ? all[key] : current;
    for (const { local, imported, from } of JSON.parse(given) as Imported[]) {
      const all = this.#imported.get(from);
      if (all !== undefined && imported !== '*') rebind(local, follows(all, imported));
    }
    for (const all of this.#required.values()) {
      const old = isObject(all) ? this.#marked.get(all) : undefined;
      const changed = Object.keys(old ?? {}).filter((key) => isObject(all) && !Object.is((all as Namespace)[key], old?.[key]));
      for (const key of changed) {
        // A number or a word may be anybody's: only a name that was taken with it follows.
        for (const name of names) if (name === key || isObject(old?.[key])) rebind(name, follows(all as Namespace, key));
      }
    }
    this.#marked = new Map();
  }

  /** For the frames of errors. */
  readonly place: typeof setPlaces = setPlaces;

  /** Stops in the scope of the file. */
  stop(url: string): void {
    this.#tails.get(url)?.();
  }

  /** From now on those who import the module get what it has gained, too, by way of a module in front of it. */
  async expose(given: string): Promise<Exposed> {
    const { url, text, imports } = JSON.parse(given) as { url: string; text: string; imports: Imported[] };
    await this.#ask('facade', { url, text });
    try {
      const front = await this.#load(url.replace(/\?v=\d+$/, ''));
      const old = new Map(this.#imported);
      await this.#importAgain(imports);
      const other = [...old]
        .filter(([specifier, namespace]) => this.#imported.get(specifier) !== namespace)
        .map(([specifier]) => specifier);
      const isHeld = other.some(
        (one) => imports.every(({ from }) => from !== one) || imports.some((i) => i.from === one && i.imported === '*'),
      );
      return { ...difference(this.#behind.get(url) ?? {}, front), isHeld };
    } catch (error) {
      await this.#ask('unpass', { url });
      const told = await this.placed(error);
      return { lost: [], other: [], gained: [], error: told instanceof Error ? `${told.name}: ${told.message}` : String(told) };
    }
  }

  /** Who imports it, and by which names. */
  links(url: string): Promise<[string, string[]][]> {
    return this.#ask('links', { url });
  }

  /** Of a CommonJS file, as it is now. */
  exports(url: string): unknown {
    return exportsOf(fileURLToPath(url));
  }

  exportedNames(url: string): string[] {
    const all = this.exports(url);
    return isObject(all) ? Object.keys(all).filter((name) => name !== 'default') : [];
  }

  /** Files that are no programs and have changed since they were read. */
  async changed(): Promise<ChangedFiles> {
    const { data, settings } = await this.#ask<ChangedFiles>('data', {});
    const all = (...lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())];
    return { data: all(changedRequired(), data), settings: all(changedSettings(), settings) };
  }

  imported(specifier: string, namespace: Namespace): void {
    this.#imported.set(specifier, namespace);
  }

  required(specifier: string, exports: unknown): void {
    this.#required.set(specifier, exports);
  }

  /** With the file and the line, where Node keeps them to itself. */
  async placed(error: unknown): Promise<unknown> {
    if (!(error instanceof SyntaxError) || /:\d+:\d+\)/.test(error.message)) return error;
    const [, file, line] = /^(\S[^\n]*):(\d+)\n/.exec(error.stack ?? '') ?? [];
    if (file !== undefined) {
      const path = file.startsWith('file:') ? fileURLToPath(file) : file;
      error.message += ` (${path}:${line})`;
      error.stack = `SyntaxError: ${error.message}\n    at ${path}:${line}:1`;
      return error;
    }
    const flaw = await this.#ask<string | null>('flaw', {}).catch(() => null);
    const [, place] = /\((.*:\d+:\d+)\)$/.exec(flaw ?? '') ?? [];
    if (place === undefined) return error;
    error.message += ` (${place})`;
    error.stack = `SyntaxError: ${error.message}\n    at ${place}`;
    return error;
  }

  /** The files run again, and all that import them, as far as cells have imported those. */
  renew(given: string): Promise<Renewed> {
    // Held here: the inspector, which waits for it, does not keep it from being collected.
    this.#current = this.#renew(given);
    return this.#current;
  }

  async #renew(given: string): Promise<Renewed> {
    const { files, imports, names } = JSON.parse(given) as { files: string[]; imports: Imported[]; names: string[] };
    const common = requirersOf(files);
    const forgotten = forget(common);
    const urls = JSON.stringify([...new Set([...files, ...common])].map(urlOf));
    const { version, stale } = await this.#ask<{ version: number; stale: string[] }>('renew', { urls });
    try {
      const bound = [...(await this.#importAgain(imports)), ...this.#requireAgain(names)];
      return { stale: stale.map((url) => fileURLToPath(url)), bound };
    } catch (error) {
      putBack(forgotten);
      await this.#ask('revert', { version: String(version) });
      const told = await this.placed(error);
      return { stale: [], bound: [], error: told instanceof Error ? `${told.name}: ${told.message}` : String(told) };
    }
  }

  async #importAgain(imports: readonly Imported[]): Promise<string[]> {
    const fresh = new Map<string, Namespace>();
    for (const [specifier, old] of this.#imported) {
      const found = await this.#load(specifier);
      if (found !== old) fresh.set(specifier, found);
    }
    const bound: string[] = [];
    for (const { local, imported, from } of imports) {
      const found = fresh.get(from);
      const old = this.#imported.get(from);
      if (found === undefined || old === undefined) continue;
      // A name that is not exported any more stays what it is.
      if (imported !== '*' && !(imported in found)) continue;
      const value = (of: Namespace): unknown => (imported === '*' ? of : of[imported]);
      // Given another value since, it is no import any more.
      if (rebind(local, (current) => (Object.is(current, value(old)) ? value(found) : current))) bound.push(local);
    }
    for (const [specifier, found] of fresh) this.#imported.set(specifier, found);
    return bound;
  }

  /** Names that hold what a module exported, or a part of it. */
  #requireAgain(names: readonly string[]): string[] {
    const bound: string[] = [];
    for (const [specifier, old] of this.#required) {
      const found: unknown = this.#require(specifier);
      if (found === old) continue;
      const renewed = (current: unknown): unknown => {
        if (current === old) return found;
        if (!isObject(current) || !isObject(old) || !isObject(found)) return current;
        const key = Object.keys(old).find((one) => (old as Namespace)[one] === current);
        return key !== undefined && key in found ? (found as Namespace)[key] : current;
      };
      for (const name of names) if (rebind(name, renewed)) bound.push(name);
      this.#required.set(specifier, found);
    }
    return bound;
  }

  async #ask<T>(what: string, given: Record<string, string>): Promise<T> {
    const { default: answer } = await this.#load(`vivarium:${what}?${new URLSearchParams(given)}`);
    return answer as T;
  }
}

/** The names of cells are in no object; only code in the same scope has them. False where it stays as it is. */
function rebind(name: string, renewed: (current: unknown) => unknown): boolean {
  try {
    const current: unknown = runInThisContext(name);
    const value = renewed(current);
    if (Object.is(current, value)) return false;
    (runInThisContext(`(value) => { ${name} = value; }`) as (value: unknown) => void)(value);
    return true;
  } catch {
    return false;
  }
}

function difference(behind: Namespace, front: Namespace): Exposed {
  const lost = Object.keys(behind).filter((name) => !(name in front));
  const other = Object.keys(behind).filter((name) => name in front && !Object.is(behind[name], front[name]));
  return { lost, other, gained: Object.keys(front).filter((name) => !(name in behind)) };
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null;
}
