// Edited files, swapped into the running program: new functions where only functions changed, otherwise the modules are imported anew.
import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { realOf } from '../../../../node/real-path.ts';
import type { Debugger } from '../../../js-runtime/debugger.ts';
import { Busy, type Inspector } from '../../../js-runtime/inspector.ts';
import type { Positions } from '../../../js-runtime/positions.ts';
import type { Imported } from '../cells/cell.ts';
import { instanceIn } from '../loader/guards.ts';
import { insertionsIn, withoutInsertions } from '../loader/insertions.ts';
import { isFolder, source, urlOf } from '../loader/resolve.ts';
import { flawIn, type Runnable, runnable } from '../loader/transform.ts';
import { placesOf } from './alignment.ts';
import { type Change, fileOf, inOrder, isCurrent, isWithin, newestOf, versionOf, wantedFor } from './changes.ts';
import { withoutFilling } from './filling.ts';
import { computedElsewhere, followersOf } from './followers.ts';
import { type Laid, Overlay } from './overlay/overlay.ts';
import type { ChangedFiles, Exposed, Renewed } from './reimport.ts';
import { computedLine, filesTold, fresh, notFollowed, renewedLines, swappedLine } from './report.ts';
import { orBusy, type Script, type Surroundings, type Swapped, setAll, swap, swapAsLinked } from './swap.ts';
import { unreadImports } from './unread-imports.ts';

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
  readonly same?: true;
}

const tellMs = 1_000;

export class Reloader {
  readonly #inspector: Inspector;
  readonly #debugging: Debugger;
  readonly #positions: Positions;
  readonly #overlay: Overlay;
  readonly #folder: string;
  readonly #imports: Map<string, Imported> = new Map();
  readonly #scripts: Map<string, Script> = new Map();
  /** What the loader marked as one: the engine lists its past texts, too, under other ids, for as long as it has them. */
  readonly #instances: Set<string> = new Set();
  /** Where there are no marks, texts that run no more. */
  readonly #past: Map<string, Set<string>> = new Map();
  /** Files that were there when they were loaded, and of which that was said. */
  readonly #gone: Set<string> = new Set();
  #isBusy = false;

  constructor(inspector: Inspector, debugging: Debugger, positions: Positions, folder: string) {
    this.#inspector = inspector;
    this.#debugging = debugging;
    this.#positions = positions;
    this.#folder = folder;
    this.#overlay = new Overlay((expression) => this.#onMain(expression, false), positions, fileOf);
  }

  /** What is shown of files. */
  get shown(): Pick<Overlay, 'sourceOf' | 'shownText'> {
    return this.#overlay;
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
    const laid = await this.#overlay.take(given);
    for (const { file } of laid?.swapped ?? []) changed.add(file);
    if (laid !== undefined) lines.push(...(await this.#told(laid, given !== undefined)));
    const failed =
      laid === undefined && (await this.#debugging.withScripts((scripts) => this.#bySwapping(scripts, given, lines, { anew, changed })));
    if (anew.size > 0) {
      const renewed = await this.#renew(anew);
      lines.push(...renewed.lines);
      if (renewed.failed) return { text: lines.join('\n'), failed: true };
    }
    // To read them anew takes the variables of all that import them: that is for the user to say.
    const { data, settings, mended } = await this.#changedFiles();
    lines.push(...filesTold({ data: given === undefined ? data : [], settings, mended }, (file) => this.#short(file)));
    if (lines.length === 0) return { text: 'Nothing changed on disk.', same: true };
    const text = lines.join('\n');
    return failed ? { text, failed } : { text, changed: [...changed, ...anew.keys()] };
  }

  /** By the engine. Whether something could not be done; `anew` gets what it takes more for. */
  async #bySwapping(
    scripts: ReadonlyMap<string, string>,
    given: readonly string[] | undefined,
    lines: string[],
    { anew, changed }: { readonly anew: Map<string, string>; readonly changed: Set<string> },
  ): Promise<boolean> {
    const all = await this.#loaded(scripts);
    const loaded = given === undefined ? all : new Map([...all].filter(([file]) => given.some((one) => isWithin(file, one))));
    const { changes, problems, others } = this.#compare(loaded, given);
    problems.push(...unreadImports(changes, all, (file) => this.#short(file)).map((one) => one.replaceAll(`(${this.#folder}/`, '(')));
    lines.push(...others);
    // All or nothing: half of an edit is no program.
    if (problems.length > 0) {
      lines.unshift(...problems, 'Nothing was changed.');
      return true;
    }
    // What is no script, such as JSON, can only be read again.
    for (const file of given ?? []) if (!loaded.has(file) && !source.test(file) && !isFolder(file)) anew.set(file, 'it is read again');
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
    const { codeOf } = this.#around('');
    const asTheyRun = running.map((one) => ({ url: one.url, known: codeOf(one) }));
    lines.push(...(await this.#computed(names, asTheyRun)));
    return blocked;
  }

  async #told({ swapped, unchanged, scripts }: Laid, named: boolean): Promise<string[]> {
    const lines = named ? unchanged.map((file) => `unchanged ${this.#short(file)}`) : [];
    lines.push(...swapped.map(({ file, names, remarks }) => swappedLine(this.#short(file), names, remarks)));
    const changed = new Map(swapped.map((one) => [one.url, one.changed]));
    return swapped.length === 0 ? lines : [...lines, ...(await this.#computed(changed, scripts))];
  }

  async #computed(changed: ReadonlyMap<string, ReadonlySet<string>>, scripts: readonly Pick<Script, 'url' | 'known'>[]): Promise<string[]> {
    const found = await computedElsewhere(changed, scripts, this.#around('')).catch(orBusy);
    if ('error' in found) return [`what other files computed with it could not be looked up: ${found.error}`];
    return [...found].map(([script, names]) => computedLine(this.#short(fileOf(script.url) ?? script.url), names));
  }

  /** The newest script with this address, with what became of it since it was loaded. */
  async scriptAt(scripts: ReadonlyMap<string, string>, url: string): Promise<Script | undefined> {
    const those = new Map([...scripts].filter(([, one]) => one === url));
    return [...(await this.#loaded(those)).values()].flat().at(-1);
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
    const code = withoutFilling(withoutInsertions(scriptSource));
    const insertions = insertionsIn(scriptSource);
    const instance = instanceIn(insertions);
    const isPast = instance === undefined ? this.#past.get(url)?.has(code) : this.#instances.has(instance);
    if (isPast === true) return undefined;
    if (instance !== undefined) this.#instances.add(instance);
    const script: Script = {
      id,
      url,
      instance,
      base: code,
      running: code,
      known: code,
      originals: [],
      insertions: new Map([[code, insertions]]),
      trail: [],
      blanks: new Map(),
      longest: scriptSource.length,
      lines: 0,
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
      else if (isFolder(file)) {
        if (![...loaded.keys()].some((one) => isWithin(one, file)))
          others.push(`nothing in ${this.#short(file) || 'the project'} is loaded`);
      } else if (source.test(file)) others.push(`not loaded ${this.#short(file)}: it is read when something imports it`);
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
        const newest = newestOf(scripts);
        const isLaid = this.#overlay.covers(file, newest);
        if (isLaid ? this.#overlay.has(file, newest, text) : isCurrent(newest, file, wanted)) {
          if (given !== undefined) others.push(`unchanged ${this.#short(file)}`);
          continue;
        }
        const flaw = flawIn(file, wanted);
        if (flaw !== undefined) throw flaw;
        changes.push({ file, text, wanted, scripts });
      } catch (error) {
        problems.push((error instanceof Error ? `${error.name}: ${error.message}` : String(error)).replaceAll(`(${this.#folder}/`, '('));
      }
    }
    return { changes, problems, others };
  }

  /** In every version of the file that is loaded, as far as it fits; the newest decides. */
  async #swap({ file, text, wanted: made, scripts }: Change, others: boolean): Promise<Done> {
    let result: Done = {};
    const newest = newestOf(scripts);
    const notes: string[] = [];
    for (const script of [...scripts.filter((one) => one !== newest), newest]) {
      const wanted = wantedFor(script, made);
      if (script.known === wanted.code) {
        // The text that the engine has is the one again.
        if (this.#overlay.covers(file, script)) {
          const names = this.#overlay.changedNames(file, made);
          result = { line: swappedLine(this.#short(file), names, []), changed: new Set(names) };
          await this.#overlay.settled(file, script, text, made);
        }
        continue;
      }
      const failed = await this.#settle(file, script);
      if (failed === undefined) await this.#overlay.uncovered(file, script);
      const swapped = failed ?? (await swap(script, wanted, this.#around(file), script === newest).catch(orBusy));
      if (swapped.status === 'done' && script === newest) notes.push(...swapped.remarks);
      if (swapped.status === 'done' && swapped.query !== undefined)
        notes.push(`imported with ${swapped.query} it exports what it did before`);
      const short = this.#short(file);
      // The engine has taken a text, even if it was put back.
      if (script.insertions.size > 1 || script.lines > 0) this.#overlay.leave(file);
      if (swapped.status === 'done') {
        await this.#place(script, wanted);
        if (script === newest) await this.#overlay.settled(file, script, text, made);
      }
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
        const line = swappedLine(this.#short(file), swapped.names, notes);
        const { exposed: shown, changed } = swapped;
        result = { line, ...(shown !== undefined && { shown }), ...(changed !== undefined && { changed }) };
      }
    }
    return result;
  }

  /** The engine gets what lies over the file while it still lies there: so nobody sees an older text. Only why not is told. */
  async #settle(file: string, script: Script): Promise<Swapped | undefined> {
    const wanted = this.#overlay.madeOver(file, script);
    if (wanted === undefined) return undefined;
    const swapped = await swapAsLinked(script, wanted, this.#around(file)).catch(orBusy);
    if (swapped.status !== 'done') return swapped;
    this.#overlay.leave(file);
    await this.#place(script, wanted);
    return undefined;
  }

  /** Those who import what is shown otherwise now get it; who does not is named. */
  async #follow(exposed: ReadonlyMap<string, Exposed>, scripts: readonly Script[]): Promise<string[]> {
    if (exposed.size === 0) return [];
    const lines: string[] = [];
    const { scripts: followers, broken, held } = await followersOf(exposed, scripts, this.#around(''));
    for (const [script, names] of followers) {
      const file = fileOf(script.url) ?? script.url;
      const wanted = this.#overlay.madeOver(file, script) ?? ({ code: script.known, format: 'module' } as const);
      const failed = await this.#settle(file, script);
      const swapped = failed ?? (await swap(script, wanted, this.#around(file), true).catch(orBusy));
      // In its scope the names it imports mean what they meant.
      this.#overlay.leave(file);
      // Not before: what it imports anew is there only now.
      if (failed === undefined) await this.#overlay.uncovered(file, script);
      if (swapped.status === 'done') await this.#place(script, wanted);
      if (swapped.status !== 'done') {
        setAll(script.detached, script.taken);
        lines.push(`${this.#short(file)} still uses the old ${[...new Set(names)].join(', ')}: ${fresh}`);
      } else if (swapped.names.length > 0 || swapped.remarks.length > 0) {
        const remarks = swapped.remarks.length === 0 ? '' : ` (${swapped.remarks.join('; ')})`;
        lines.push(`swapped ${this.#short(file)}: ${[...new Set(swapped.names)].join(', ') || names.join(', ')}${remarks}`);
      }
    }
    lines.push(...notFollowed({ held, broken }, (url) => this.#short(fileOf(url) ?? url)));
    return lines;
  }

  #around(file: string): Surroundings {
    return {
      inspector: this.#inspector,
      debugging: this.#debugging,
      past: this.#past,
      onMain: <T>(expression: string): Promise<T> => this.#onMain<T>(expression),
      imports: () => [...this.#imports.values()],
      codeOf: (script) => this.#overlay.madeOver(fileOf(script.url) ?? '', script)?.code ?? script.known,
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
    return { lines: renewedLines(renewed, reasons, (file) => this.#short(file)), failed: false };
  }

  /** None where the main thread has no time to tell. */
  async #changedFiles(): Promise<ChangedFiles> {
    const none: ChangedFiles = { data: [], settings: [], mended: [] };
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
