// Edited files, swapped into the running program: new functions where only functions changed, otherwise the modules are imported anew.
import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { realOf } from '../../../../node/real-path.ts';
import type { Debugger } from '../../../js-runtime/debugger.ts';
import { Busy, type Inspector } from '../../../js-runtime/inspector.ts';
import type { Positions } from '../../../js-runtime/positions.ts';
import type { Imported } from '../cells/cell.ts';
import { source, urlOf } from '../loader/resolve.ts';
import { flawIn, type Runnable, runnable } from '../loader/transform.ts';
import { placesOf } from './alignment.ts';
import { type Change, fileOf, inOrder, isCurrent, newestOf, versionOf, wantedFor } from './changes.ts';
import { computedElsewhere, followersOf } from './followers.ts';
import type { ChangedFiles, Exposed, Renewed } from './reimport.ts';
import { type Script, type Surroundings, swap } from './swap.ts';

interface Done {
  readonly line?: string;
  readonly isBlocked?: true;
  readonly isFailed?: true;
  /** Why it is to be imported anew. */
  readonly reason?: string;
  readonly shown?: Exposed;
  readonly changed?: ReadonlySet<string>;
}

export interface Reloaded {
  readonly text: string;
  /** Files that were taken. */
  readonly changed?: readonly string[];
  readonly failed?: true;
}

const fresh = 'sessions(action: reset) gives a fresh image';

const tellMs = 1_000;

export class Reloader {
  readonly #inspector: Inspector;
  readonly #debugging: Debugger;
  readonly #positions: Positions;
  readonly #folder: string;
  readonly #imports: Map<string, Imported> = new Map();
  readonly #scripts: Map<string, Script> = new Map();
  /** Texts that run no more: the engine may still list them, under other ids. */
  readonly #past: Map<string, Set<string>> = new Map();
  /** Files that were there when they were loaded, and of which that was said. */
  readonly #gone: Set<string> = new Set();
  #isBusy = false;

  constructor(inspector: Inspector, debugging: Debugger, positions: Positions, folder: string) {
    this.#inspector = inspector;
    this.#debugging = debugging;
    this.#positions = positions;
    this.#folder = folder;
  }

  /** What a cell imports, so that its names can be given what is imported anew. */
  remember(imports: unknown): void {
    if (Array.isArray(imports)) for (const one of imports as Imported[]) this.#imports.set(one.local, one);
  }

  async reload(files: readonly string[] | undefined): Promise<Reloaded> {
    this.#isBusy = false;
    const given = files?.map((file) => realOf(resolve(this.#folder, file)));
    const lines: string[] = [];
    const anew = new Map<string, string>();
    const changed = new Set<string>();
    const failed = await this.#debugging.withScripts(async (scripts) => {
      const all = await this.#loaded(scripts);
      const loaded = given === undefined ? all : new Map([...all].filter(([file]) => given.includes(file)));
      const { changes, problems, others } = this.#compare(loaded, given);
      lines.push(...others);
      // All or nothing: half of an edit is no program.
      if (problems.length > 0) {
        lines.unshift(...problems, 'Nothing was changed.');
        return true;
      }
      // What is no script, such as JSON, can only be read again.
      for (const file of given ?? []) if (!loaded.has(file) && !source.test(file)) anew.set(file, 'it is read again');
      let blocked = false;
      const exposed = new Map<string, Exposed>();
      const names = new Map<string, ReadonlySet<string>>();
      const queue = inOrder(changes).map((change) => ({ change, isLast: false }));
      for (const { change, isLast } of queue) {
        const { url } = newestOf(change.scripts);
        const done = await this.#swap(change, anew.size > 0);
        // Those that import each other need what the other gains.
        if (done.isFailed && !isLast && changes.length > 1) {
          queue.push({ change, isLast: true });
          continue;
        }
        if (done.line !== undefined) lines.push(done.line);
        changed.add(change.file);
        if (done.reason !== undefined) anew.set(change.file, done.reason);
        if (done.shown !== undefined) exposed.set(url, done.shown);
        if (done.changed !== undefined) names.set(url, done.changed);
        blocked ||= done.isBlocked === true;
      }
      const running = [...all.values()].flat();
      lines.push(...(await this.#follow(exposed, running)));
      lines.push(...(await this.#computed(names, running)));
      return blocked;
    });
    if (anew.size > 0) {
      const renewed = await this.#renew(anew);
      lines.push(...renewed.lines);
      if (renewed.failed) return { text: lines.join('\n'), failed: true };
    }
    // To read them anew takes the variables of all that import them: that is for the user to say.
    const { data, settings } = await this.#changedFiles();
    for (const file of given === undefined ? data : [])
      lines.push(`changed ${this.#short(file)}, which is no program: reload(files: [${JSON.stringify(this.#short(file))}]) reads it anew`);
    for (const file of settings)
      lines.push(`changed ${this.#short(file)}: what it says of loaded files does not hold for them yet; ${fresh}`);
    const text = lines.length === 0 ? 'Nothing changed on disk.' : lines.join('\n');
    return failed ? { text, failed } : { text, changed: [...changed, ...anew.keys()] };
  }

  async #computed(changed: ReadonlyMap<string, ReadonlySet<string>>, scripts: readonly Script[]): Promise<string[]> {
    const found = await computedElsewhere(changed, scripts, this.#around('')).catch(orBusy);
    if ('error' in found) return [`what other files computed with it could not be looked up: ${found.error}`];
    return [...found].map(([script, names]) => {
      const file = this.#short(fileOf(script.url) ?? script.url);
      return `${file}: ${names.join(', ')} ${names.length === 1 ? 'keeps its value' : 'keep their values'}, computed when the file was loaded`;
    });
  }

  /** Scripts of the project, by file. */
  async #loaded(scripts: ReadonlyMap<string, string>): Promise<Map<string, Script[]>> {
    const loaded = new Map<string, Script[]>();
    for (const [id, url] of scripts) {
      const file = fileOf(url);
      if (file === undefined) continue;
      const script = this.#scripts.get(id) ?? (await this.#meet(id, url));
      if (script !== undefined) loaded.set(file, [...(loaded.get(file) ?? []), script]);
    }
    for (const all of loaded.values()) all.sort((a, b) => versionOf(a.url) - versionOf(b.url) || Number(a.id) - Number(b.id));
    return loaded;
  }

  async #meet(id: string, url: string): Promise<Script | undefined> {
    const { scriptSource } = await this.#inspector.post<{ scriptSource: string }>('Debugger.getScriptSource', { scriptId: id });
    if (this.#past.get(url)?.has(scriptSource) === true) return undefined;
    const script: Script = {
      id,
      url,
      base: scriptSource,
      running: scriptSource,
      known: scriptSource,
      originals: [],
      blanks: new Map(),
      longest: scriptSource.length,
      done: new Set(),
      detached: new Map(),
      taken: new Map(),
    };
    this.#scripts.set(id, script);
    return script;
  }

  #compare(loaded: ReadonlyMap<string, readonly Script[]>, given: readonly string[] | undefined) {
    const changes: Change[] = [];
    const problems: string[] = [];
    const others: string[] = [];
    for (const file of given ?? []) {
      if (loaded.has(file)) continue;
      if (!existsSync(file)) problems.push(`there is no file ${this.#short(file)}`);
      else if (source.test(file)) others.push(`not loaded ${this.#short(file)}: it is read when something imports it`);
    }
    for (const [file, scripts] of loaded) {
      let text: string;
      try {
        text = readFileSync(file, 'utf8');
      } catch {
        if (given !== undefined) problems.push(`${this.#short(file)} cannot be read`);
        else if (!this.#gone.has(file)) others.push(`gone ${this.#short(file)}: what was loaded from it runs on; ${fresh}`);
        this.#gone.add(file);
        continue;
      }
      this.#gone.delete(file);
      try {
        const wanted = runnable(file, text);
        // What older versions of it do is up to those who kept them.
        if (isCurrent(newestOf(scripts), file, wanted)) {
          if (given !== undefined) others.push(`unchanged ${this.#short(file)}`);
          continue;
        }
        const flaw = flawIn(file, wanted);
        if (flaw !== undefined) throw flaw;
        changes.push({ file, wanted, scripts });
      } catch (error) {
        problems.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
      }
    }
    return { changes, problems, others };
  }

  /** In every version of the file that is loaded, as far as it fits; the newest decides. */
  async #swap({ file, wanted: made, scripts }: Change, others: boolean): Promise<Done> {
    let result: Done = {};
    const newest = newestOf(scripts);
    const notes: string[] = [];
    for (const script of [...scripts.filter((one) => one !== newest), newest]) {
      const wanted = wantedFor(script, made);
      if (script.known === wanted.code) continue;
      const swapped = await swap(script, wanted, this.#around(file), script === newest).catch(orBusy);
      if (swapped.status === 'done' && script === newest) notes.push(...swapped.remarks);
      if (swapped.status === 'done' && swapped.query !== undefined)
        notes.push(`imported with ${swapped.query} it exports what it did before`);
      const short = this.#short(file);
      if (swapped.status === 'done') await this.#place(script, wanted);
      if (swapped.status === 'anew') result = { reason: swapped.reason };
      else if (swapped.status === 'waits') {
        const names = swapped.names.join(', ');
        result = {
          line: `not swapped ${short}: ${names} runs or waits just now; reload again when it has ended, or ${fresh}`,
          isBlocked: true,
        };
        // It may be for what others gain only when they are imported anew.
      } else if (swapped.status === 'failed') {
        const line = `not swapped ${short}: ${swapped.error}\nThe old code runs on.`;
        result = others && !this.#isBusy ? { reason: swapped.error } : { line, isBlocked: true, isFailed: true };
      } else {
        const remarks = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
        const nothing = remarks === '' ? `unchanged ${short}: only comments and layout` : `unchanged ${short}${remarks}`;
        const line = swapped.names.length === 0 ? nothing : `swapped ${short}: ${[...new Set(swapped.names)].join(', ')}${remarks}`;
        const { exposed: shown, changed } = swapped;
        result = { line, ...(shown !== undefined && { shown }), ...(changed !== undefined && { changed }) };
      }
    }
    return result;
  }

  /** Those who import what is shown otherwise now get it; who does not is named. */
  async #follow(exposed: ReadonlyMap<string, Exposed>, scripts: readonly Script[]): Promise<string[]> {
    if (exposed.size === 0) return [];
    const lines: string[] = [];
    const { scripts: followers, broken, held } = await followersOf(exposed, scripts, this.#around(''));
    for (const [script, names] of followers) {
      const file = fileOf(script.url) ?? script.url;
      const wanted = { code: script.known, format: 'module' } as const;
      const swapped = await swap(script, wanted, this.#around(file), true).catch(orBusy);
      if (swapped.status === 'done') await this.#place(script, wanted);
      if (swapped.status !== 'done') {
        script.detached.clear();
        for (const [key, turn] of script.taken) script.detached.set(key, turn);
        lines.push(`${this.#short(file)} still uses the old ${[...new Set(names)].join(', ')}: ${fresh}`);
      } else if (swapped.names.length > 0 || swapped.remarks.length > 0) {
        const remarks = swapped.remarks.length === 0 ? '' : ` (${swapped.remarks.join('; ')})`;
        lines.push(`swapped ${this.#short(file)}: ${[...new Set(swapped.names)].join(', ') || names.join(', ')}${remarks}`);
      }
    }
    for (const [url, { gained, lost }] of held) {
      const what = [gained.length > 0 ? `lack ${gained.join(', ')}` : '', lost.length > 0 ? `still have ${lost.join(', ')}` : ''];
      const said = what.filter((one) => one !== '').join(' and ');
      if (said !== '') lines.push(`namespace objects of ${this.#short(fileOf(url) ?? url)} that were taken before ${said}`);
    }
    for (const { script, name, line, of } of broken) {
      const place = `${this.#short(fileOf(script.url) ?? script.url)}${line > 0 ? `:${line}` : ''}`;
      lines.push(`${place} imports ${name}, which ${this.#short(fileOf(of) ?? of)} does not export any more: a fresh start fails there`);
    }
    return lines;
  }

  #around(file: string): Surroundings {
    return {
      inspector: this.#inspector,
      debugging: this.#debugging,
      past: this.#past,
      onMain: <T>(expression: string): Promise<T> => this.#onMain<T>(expression),
      imports: () => [...this.#imports.values()],
      others: () => [...this.#scripts.values()].filter(({ url }) => fileOf(url) !== undefined && fileOf(url) !== file),
    };
  }

  /** Frames of what runs now are told in the lines of the file as it is now. */
  async #place(script: Script, wanted: Runnable): Promise<void> {
    const places = this.#positions.swapped(script.id, placesOf({ ...wanted, code: script.running }, wanted), wanted.code);
    await this.#onMain(`__vivarium_renewal.place(${JSON.stringify(script.url)}, ${JSON.stringify(places)})`, false);
  }

  async #renew(reasons: ReadonlyMap<string, string>): Promise<{ readonly lines: string[]; readonly failed: boolean }> {
    const files = [...reasons.keys()];
    const { names } = await this.#inspector.post<{ names: string[] }>('Runtime.globalLexicalScopeNames');
    const given = JSON.stringify({ files, imports: [...this.#imports.values()], names });
    // Run again, a file may have a text that it had before.
    for (const file of files) this.#past.delete(urlOf(file));
    const asked = this.#onMain<Renewed>(`__vivarium_renewal.renew(${JSON.stringify(given)})`);
    const renewed = await asked.catch((error: unknown): Renewed => ({ stale: [], bound: [], error: orBusy(error).error }));
    const changed = files.map((file) => this.#short(file)).join(', ');
    if (renewed.error !== undefined) {
      return { lines: [`not imported anew ${changed}: ${renewed.error}`, 'The old code runs on.'], failed: true };
    }
    const importers = renewed.stale.filter((file) => !files.includes(file)).map((file) => this.#short(file));
    const bound =
      renewed.bound.length === 0 ? '' : `; ${renewed.bound.join(', ')} in cells ${renewed.bound.length === 1 ? 'is' : 'are'} new`;
    const with_ = importers.length === 0 ? '' : ` with ${importers.join(', ')}`;
    const lines = [`imported anew ${changed}${with_}: ${[...new Set(reasons.values())].join('; ')}, so its variables begin again${bound}`];
    if (renewed.bound.length === 0) lines[0] = `changed ${changed}: what imports it from now on gets the new code; nothing in cells did`;
    const who = importers.length === 0 ? 'What was made before' : `What runs already of ${importers.join(', ')}`;
    lines.push(`${who} still uses the old ${changed}: ${fresh}`);
    return { lines, failed: false };
  }

  /** None where the main thread has no time to tell. */
  async #changedFiles(): Promise<ChangedFiles> {
    const none: ChangedFiles = { data: [], settings: [] };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<ChangedFiles>((resolve) => {
      timer = setTimeout(() => resolve(none), tellMs);
    });
    const told = this.#onMain<ChangedFiles>('__vivarium_renewal.changed()');
    return Promise.race([told.catch(() => none), late]).finally(() => clearTimeout(timer));
  }

  /** What awaits nothing is done in the midst of what runs, too; a program that had no time for the rest is not waited for again. */
  async #onMain<T>(expression: string, awaitPromise = true): Promise<T> {
    if (awaitPromise && this.#debugging.paused) throw new Busy('The program is paused: debug(action: resume) or abort, then reload');
    if (awaitPromise && this.#isBusy) throw new Busy('The program is busy');
    try {
      return await this.#inspector.onMain<T>(expression, 'reload', awaitPromise);
    } catch (error) {
      this.#isBusy ||= error instanceof Busy;
      throw error;
    }
  }

  #short(file: string): string {
    const short = relative(this.#folder, file);
    return short.startsWith('..') ? file : short;
  }
}

/** The program has no time for it; anything else is a fault of ours. */
function orBusy(error: unknown): { readonly status: 'failed'; readonly error: string } {
  if (error instanceof Busy) return { status: 'failed', error: error.message };
  throw error;
}
