// Newer texts of functions, on the main thread: made in the scope of their file, found by its guards.
import { runInThisContext } from 'node:vm';
import { cellName, instanceOf } from '../../loader/guards.ts';
import { hasMarks, withoutInsertions } from '../../loader/insertions.ts';
import { urlOf } from '../../loader/resolve.ts';

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
}

export interface NewerText {
  readonly url: string;
  /** Of the file. */
  readonly instance: string;
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
/** Before the program had a chance to change them. */
const ownEval: unknown = runInThisContext('eval');
const { call } = Function.prototype;
const { prepareStackTrace: ownStacks } = Error;

/** What a function or a class says of itself. */
export interface ShownText {
  readonly instance: string;
  /** As the engine has it. */
  readonly was: string;
  readonly now: string;
}

export class NewerTexts {
  #begun = false;
  readonly #files: LoadedFile[] = [];
  readonly #scopes: Map<string, Evaluate> = new Map();
  /** What a function says of itself, by the text the engine has of it. */
  readonly #shown: Map<string, Pick<ShownText, 'instance' | 'now'>> = new Map();

  /** For the tails of files. */
  readonly keep = (address: unknown, evaluate: Evaluate, facts: Omit<LoadedFile, 'url'>): void => {
    // The program may have given the variable another value: then it is never said to have ended.
    if (typeof address !== 'string') return;
    this.#files.push({ ...facts, url: address.startsWith('file:') ? address : urlOf(address) });
    this.#scopes.set(instanceOf(facts), evaluate);
  };

  readonly inside = (key: string, evaluate: Evaluate): void => {
    this.#scopes.set(key, evaluate);
  };

  /** Those that were loaded after the first `known`. Null where files have no guards. */
  loaded(known: number): LoadedFile[] | null {
    return this.#begun ? this.#files.slice(known) : null;
  }

  /** All or none: false where one of them runs just now, or what evaluates texts or reads stacks is the program's own. */
  take(all: readonly NewerText[], shown: readonly ShownText[]): boolean {
    if (runInThisContext('eval') !== ownEval || Error.prepareStackTrace !== ownStacks) return false;
    const made = all.map(({ code, inside, instance }) => (code === undefined ? undefined : this.#scopes.get(inside ?? instance)?.(code)));
    if (made.some((one, at) => all[at]?.code !== undefined && typeof one !== 'function')) return false;
    const frames = running();
    if (frames.some(({ url, line }) => all.some((one) => one.url === url && line >= one.from && line <= one.to))) return false;
    // A guard asks for it, and a program may have changed what all functions have.
    for (const one of made) if (one !== undefined) Object.defineProperty(one, 'call', { value: call });
    const before = all.map(({ cell }) => [cell, cells[cell]] as const);
    if (!areSet(all.map(({ cell }, at) => [cell, made[at]] as const))) {
      areSet(before);
      return false;
    }
    for (const { instance, was, now } of shown) this.#shown.set(was, { instance, now });
    return true;
  }

  /** The engine has the newest text itself. */
  clear(instance: string): void {
    for (const [was, its] of this.#shown) if (its.instance === instance) this.#shown.delete(was);
    const own = this.#files.filter((one) => instanceOf(one) === instance);
    const names = own.flatMap(({ kind, first, count }) => Array.from({ length: count }, (_, at) => cellName(kind, first + at)));
    areSet(names.map((cell) => [cell, undefined] as const));
  }

  /** From here on functions show the text that is in the file now. False where the program does not let us. */
  begin(): boolean {
    const { toString: textIn } = Function.prototype;
    const { apply } = Reflect;
    const textOf = (text: string): string => (hasMarks(text) ? (this.#shown.get(text)?.now ?? withoutInsertions(text)) : text);
    const own = {
      toString(): string {
        // Of itself it says what the engine's own would.
        return textOf(apply(textIn, this === own.toString ? textIn : this, []) as string);
      },
    };
    this.#begun = Reflect.defineProperty(Function.prototype, 'toString', { value: own.toString, writable: true, configurable: true });
    return this.#begun;
  }
}

/** False where one keeps its value: the global object may be frozen. */
function areSet(values: readonly (readonly [cell: string, value: unknown])[]): boolean {
  return values.every(([cell, value]) => cells[cell] === value || Reflect.set(globalThis, cell, value));
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
