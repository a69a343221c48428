// Newer texts of functions, on the main thread: made in the scope of their file, found by its guards.
import { cellName } from '../loader/guards.ts';
import { hasInsertions, withoutInsertions } from '../loader/insertions.ts';
import type { Moved } from '../loader/moved.ts';
import { urlOf } from '../loader/resolve.ts';
import { loadedPlaces } from './moved-places.ts';
import { setPlaces } from './stack-places.ts';

/** Evaluates in the scope of a file or a class. Never once the engine has swapped something in the file: Node 24 ends then. */
type Evaluate = (code: string) => unknown;

export interface LoadedFile {
  readonly url: string;
  readonly kind: string;
  /** Of its cells. */
  readonly first: number;
  readonly count: number;
  /** Of the text on disk. */
  readonly hash: string;
  readonly moved: readonly Moved[];
}

export interface NewerText {
  readonly url: string;
  readonly cell: string;
  /** Undefined: the text it was loaded with is the one again. */
  readonly code?: string;
  /** The class whose private names it uses. */
  readonly inside?: string;
  /** Its lines as it was loaded, from 1. */
  readonly from: number;
  readonly to: number;
}

const cells = globalThis as unknown as Record<string, unknown>;

/** What a function or a class says of itself. */
export interface ShownText {
  readonly url: string;
  /** As the engine has it. */
  readonly was: string;
  readonly now: string;
}

export class NewerTexts {
  #begun = false;
  readonly #files: LoadedFile[] = [];
  readonly #scopes: Map<string, Evaluate> = new Map();
  readonly #lifted: Map<string, ReadonlyMap<string, unknown>> = new Map();
  /** What a function says of itself, by the text the engine has of it. */
  readonly #shown: Map<string, { readonly url: string; readonly now: string }> = new Map();

  /** For the tails of files. */
  readonly keep = (address: string, evaluate: Evaluate, facts: Omit<LoadedFile, 'url'>): void => {
    const url = address.startsWith('file:') ? address : urlOf(address);
    this.#files.push({ ...facts, url });
    this.#scopes.set(url, evaluate);
    if (facts.moved.length > 0) setPlaces(url, loadedPlaces(facts.moved));
  };

  readonly inside = (key: string, evaluate: Evaluate): void => {
    this.#scopes.set(key, evaluate);
  };

  /** Those that were loaded after the first `known`. Null where files have no guards. */
  loaded(known: number): LoadedFile[] | null {
    return this.#begun ? this.#files.slice(known) : null;
  }

  /** All or none: false where one of them runs just now. */
  take(all: readonly NewerText[], shown: readonly ShownText[]): boolean {
    const made = all.map(({ code, inside, url }) => (code === undefined ? undefined : this.#scopes.get(inside ?? url)?.(code)));
    if (made.some((one, at) => all[at]?.code !== undefined && typeof one !== 'function')) throw new Error('A scope is gone');
    const frames = running();
    if (frames.some(({ url, line }) => all.some((one) => one.url === url && line >= one.from && line <= one.to))) return false;
    for (const [at, { cell }] of all.entries()) cells[cell] = made[at];
    for (const { url, was, now } of shown) this.#shown.set(was, { url, now });
    return true;
  }

  /** What the engine swaps must not lie below a newer text. */
  lift(url: string): void {
    const lifted = new Map<string, unknown>();
    for (const { url: its, kind, first, count } of this.#files) {
      if (its !== url) continue;
      for (let at = 0; at < count; at++) {
        const cell = cellName(kind, first + at);
        lifted.set(cell, cells[cell]);
        cells[cell] = undefined;
      }
    }
    this.#lifted.set(url, lifted);
  }

  /** The engine did not swap it. */
  layAgain(url: string): void {
    for (const [cell, value] of this.#lifted.get(url) ?? []) cells[cell] = value;
    this.#lifted.delete(url);
  }

  /** The engine has the newest text itself. */
  clear(url: string): void {
    for (const [was, its] of this.#shown) if (its.url === url) this.#shown.delete(was);
    this.lift(url);
    this.#lifted.delete(url);
  }

  /** From here on files have guards, and functions show the text that is in the file now. */
  begin(): void {
    this.#begun = true;
    const { toString: textIn } = Function.prototype;
    const { apply } = Reflect;
    const textOf = (text: string): string => (hasInsertions(text) ? (this.#shown.get(text)?.now ?? withoutInsertions(text)) : text);
    const own = {
      toString(): string {
        // Of itself it says what the engine's own would.
        return textOf(apply(textIn, this === own.toString ? textIn : this, []) as string);
      },
    };
    Object.defineProperty(Function.prototype, 'toString', { value: own.toString, writable: true, configurable: true });
  }
}

/** A busy program is asked in the midst of what it does. */
function running(): { readonly url: string; readonly line: number }[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = Number.POSITIVE_INFINITY;
    Error.prepareStackTrace = (_, sites) => sites;
    const sites = new Error().stack as unknown as NodeJS.CallSite[];
    return sites.map((site) => {
      const file = site.getFileName() ?? '';
      return { url: file.startsWith('/') ? urlOf(file) : file, line: site.getLineNumber() ?? 0 };
    });
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  }
}
