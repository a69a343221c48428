// Files in which only bodies of guarded functions changed: their newer texts are laid over those that run, without the engine's help.
import { readFileSync } from 'node:fs';
import { BroadcastChannel } from 'node:worker_threads';
import type { Positions } from '../../../../js-runtime/positions.ts';
import { sources } from '../../loader/cells.ts';
import { hashOf, instanceIn, instanceOf } from '../../loader/guards.ts';
import { insertionsIn, withoutInsertions } from '../../loader/insertions.ts';
import { type Runnable, runnable } from '../../loader/transform.ts';
import { computedBy, rootsIn } from '../computed.ts';
import { changedNames, changesGiven, type Outline, outlineOf } from '../outline.ts';
import { unitsOf } from '../units.ts';
import type { LoadedFile, ShownText } from './newer-texts.ts';
import { type Base, baseOf, type Edit, editOf } from './overlay-edit.ts';

export interface Swapped {
  readonly file: string;
  readonly url: string;
  /** Functions that changed, and those that call them. */
  readonly changed: ReadonlySet<string>;
  readonly names: readonly string[];
  readonly remarks: readonly string[];
}

export interface Laid {
  readonly swapped: readonly Swapped[];
  readonly unchanged: readonly string[];
  /** All files that run, as they are now. */
  readonly scripts: readonly { readonly url: string; readonly known: string }[];
}

interface Taken {
  readonly hash: string;
  readonly outline: Outline;
}

interface Planned extends Edit, Swapped {
  readonly instance: string;
  readonly taken: Taken;
}

/** What lies over one instance of a file. */
interface Over {
  readonly instance: string;
  readonly shown: readonly ShownText[];
}

/** One that runs, of which the engine knows. */
interface Instance {
  readonly url: string;
  /** Undefined where it has no guards. */
  readonly instance: string | undefined;
}

const maxTexts = 64 * 1_024 * 1_024;

export class Overlay {
  readonly #onMain: <T>(expression: string) => Promise<T>;
  readonly #positions: Positions;
  readonly #fileOf: (url: string) => string | undefined;
  /** As files were loaded, by their hashes. */
  readonly #texts: Map<string, string> = new Map();
  #size = 0;
  /** Files that were read, and have not run to their end since. */
  readonly #begun: Set<string> = new Set();
  /** Of all files of the project that run we were told. */
  #complete = true;
  #told = 0;
  readonly #loaded: Map<string, LoadedFile[]> = new Map();
  readonly #bases: Map<string, Base | undefined> = new Map();
  /** What was taken of a file last. */
  readonly #taken: Map<string, Taken> = new Map();
  readonly #laid: Map<string, Over> = new Map();
  /** Files in which the engine swapped something. */
  readonly #patched: Set<string> = new Set();

  constructor(onMain: <T>(expression: string) => Promise<T>, positions: Positions, fileOf: (url: string) => string | undefined) {
    this.#onMain = onMain;
    this.#positions = positions;
    this.#fileOf = fileOf;
    const channel = new BroadcastChannel(sources);
    channel.onmessage = (event: unknown) => this.#hear((event as { readonly data: unknown }).data);
    (channel as unknown as { unref(): void }).unref();
  }

  #hear(loaded: unknown): void {
    const { file, text } = (loaded ?? {}) as { readonly file?: unknown; readonly text?: unknown };
    if (typeof file !== 'string' || typeof text !== 'string' || this.#size + text.length > maxTexts) {
      this.#complete = false;
      return;
    }
    const hash = hashOf(text);
    // It may have run before we hear of it.
    if (this.#loaded.get(file)?.some((one) => one.hash === hash) !== true) this.#begun.add(file);
    if (!this.#texts.has(hash)) this.#size += text.length;
    this.#texts.set(hash, text);
  }

  /** Undefined where it takes more than this: then nothing has changed. */
  async take(given: readonly string[] | undefined): Promise<Laid | undefined> {
    if (!this.#complete || !(await this.#update()) || this.#begun.size > 0) return undefined;
    const swapped: Planned[] = [];
    const unchanged: string[] = [];
    for (const file of given ?? this.#loaded.keys()) {
      const [loaded, ...more] = this.#loaded.get(file) ?? [];
      const text = textOf(file);
      if (loaded === undefined || more.length > 0 || text === undefined) return undefined;
      const hash = hashOf(text);
      if (hash === (this.#taken.get(file)?.hash ?? loaded.hash)) {
        unchanged.push(file);
        continue;
      }
      const planned = this.#plan(file, loaded, text, hash);
      if (planned === undefined) return undefined;
      swapped.push(planned);
    }
    return swapped.length === 0 || (await this.#lay(swapped)) ? { swapped, unchanged, scripts: this.#scripts() } : undefined;
  }

  async #update(): Promise<boolean> {
    const fresh = await this.#onMain<LoadedFile[] | null>(`__vivarium_guards.loaded(${this.#told})`);
    if (fresh === null) return false;
    this.#told += fresh.length;
    for (const one of fresh) {
      const file = this.#fileOf(one.url);
      if (file === undefined) continue;
      this.#loaded.set(file, [...(this.#loaded.get(file) ?? []), one]);
      this.#begun.delete(file);
    }
    return true;
  }

  #plan(file: string, loaded: LoadedFile, text: string, hash: string): Planned | undefined {
    if (this.#patched.has(file)) return undefined;
    try {
      const base = this.#base(file, loaded);
      const made = runnable(file, text);
      const outline = outlineOf(made);
      const edit = base === undefined ? undefined : editOf(base, made, outline);
      if (base === undefined || edit === undefined) return undefined;
      const known = this.#taken.get(file)?.outline ?? base.outline;
      const names = changedNames(known, outline);
      // What it means that only the layout changed is for others to say.
      if (names.length === 0 && !this.#laid.has(file)) return undefined;
      const remarks = changesGiven(known, outline) ? ['what was computed with it when the file was loaded keeps its value'] : [];
      const { kept, changed } = computedBy(unitsOf(made), rootsIn(names));
      const still = kept.filter((name) => !names.includes(name));
      if (still.length > 0)
        remarks.push(
          `${still.join(', ')} ${still.length === 1 ? 'keeps its value' : 'keep their values'}, computed when the file was loaded`,
        );
      return { ...edit, file, url: loaded.url, instance: instanceOf(loaded), names, remarks, changed, taken: { hash, outline } };
    } catch {
      // What is wrong with it is told where the engine is asked.
      return undefined;
    }
  }

  #base(file: string, loaded: LoadedFile): Base | undefined {
    const text = this.#texts.get(loaded.hash);
    if (text !== undefined && !this.#bases.has(file)) this.#bases.set(file, baseOf(loaded, runnable(file, text)));
    return this.#bases.get(file);
  }

  #scripts(): Laid['scripts'] {
    const codeOf = (file: string, { hash }: LoadedFile): string =>
      this.#taken.get(file)?.outline.code ?? runnable(file, this.#texts.get(hash) ?? '').code;
    return [...this.#loaded].flatMap(([file, all]) =>
      all.slice(-1).map((one) => ({
        url: one.url,
        get known(): string {
          return codeOf(file, one);
        },
      })),
    );
  }

  async #lay(all: readonly Planned[]): Promise<boolean> {
    const [newer, shown] = [all.flatMap((one) => one.newer), all.flatMap((one) => one.shown)].map((one) => JSON.stringify(one));
    const taken = this.#onMain<boolean>(`__vivarium_guards.take(${newer}, ${shown})`);
    if (!(await taken.catch(() => false))) return false;
    for (const { file, url, instance, taken, places, shown: texts } of all) {
      this.#taken.set(file, taken);
      this.#laid.set(file, { instance, shown: texts });
      this.#positions.overlaid(url, places);
      await this.#onMain(`__vivarium_renewal.place(${JSON.stringify(url)}, ${JSON.stringify(places)})`);
    }
    return true;
  }

  /** Whether newer texts lie over this instance of the file. */
  covers(file: string, { instance }: Instance): boolean {
    return instance !== undefined && this.#laid.get(file)?.instance === instance;
  }

  /** What the engine would have to have; undefined where nothing lies over it. */
  madeOver(file: string, one: Instance): Runnable | undefined {
    const [taken, base] = this.covers(file, one) ? [this.#taken.get(file), this.#bases.get(file)] : [];
    return taken === undefined || base === undefined ? undefined : { code: taken.outline.code, format: base.made.format };
  }

  /** From now on it is for the engine to swap what changes in the file: nothing can be evaluated in its scope any more. */
  leave(file: string): void {
    this.#patched.add(file);
  }

  /** Whether what is on disk runs, though the engine has another text. */
  has(file: string, one: Instance, text: string): boolean {
    return this.covers(file, one) && this.#taken.get(file)?.hash === hashOf(text);
  }

  /** Functions that are others when nothing lies over it any more. */
  changedNames(file: string, wanted: Runnable): string[] {
    const taken = this.#taken.get(file);
    return taken === undefined ? [] : changedNames(taken.outline, outlineOf(wanted));
  }

  /** The engine has the newest text itself: nothing lies over it any more. */
  async settled(file: string, one: Instance, text: string, made: Runnable): Promise<void> {
    this.#taken.set(file, { hash: hashOf(text), outline: outlineOf(made) });
    await this.uncovered(file, one);
  }

  /** The same, for what was laid over it last. */
  async uncovered(file: string, one: Instance): Promise<void> {
    if (!this.covers(file, one)) return;
    this.#laid.delete(file);
    this.#positions.overlaid(one.url, undefined);
    await this.#onMain(`__vivarium_guards.clear(${JSON.stringify(one.instance)})`);
    if (!this.#patched.has(file)) await this.#onMain(`__vivarium_renewal.place(${JSON.stringify(one.url)}, [])`);
  }

  /** The source of a script as its file is now. */
  sourceOf(url: string, source: string): string {
    return this.madeOver(this.#fileOf(url) ?? '', { url, instance: instanceIn(insertionsIn(source)) })?.code ?? withoutInsertions(source);
  }

  /** The text of a function or a class as its file has it now. */
  shownText(text: string): string {
    for (const { shown } of this.#laid.values()) for (const { was, now } of shown) if (was === text) return now;
    return withoutInsertions(text);
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
