// Edited files, swapped into the running program: new functions where only functions changed, otherwise the modules are imported anew.
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Imported } from '../cell.ts';
import { declaredIn, type Folded, folded } from './additions.ts';
import type { Debugging } from './debugging.ts';
import { type Evaluated, type Inspector, messageOf } from './inspector.ts';
import { ownFile, source, urlOf } from './modules.ts';
import { changedNames, changesGiven, evaluates, loosened, type Outline, outlineOf, swapped } from './outline.ts';
import type { Renewed } from './renewal.ts';
import { flawIn, type Runnable, runnable, tailBody, withoutTail } from './transform.ts';

interface Script {
  readonly id: string;
  readonly url: string;
  /** As the engine has it; parts of it may stand there only for the engine. */
  running: string;
  /** As the file was when it was last taken. */
  known: string;
  readonly originals: (string | undefined)[];
}

interface Change {
  readonly file: string;
  readonly wanted: Runnable;
  /** The newest last. */
  readonly scripts: readonly Script[];
}

export interface Reloaded {
  readonly text: string;
  readonly failed?: true;
}

const busyMs = 15_000;
const fresh = 'sessions(action: reset) gives a fresh image';

export class Reloading {
  readonly #inspector: Inspector;
  readonly #debugging: Debugging;
  readonly #folder: string;
  readonly #imports: Map<string, Imported> = new Map();
  readonly #scripts: Map<string, Script> = new Map();
  /** Texts that run no more: the engine may still list them, under other ids. */
  readonly #past: Map<string, Set<string>> = new Map();

  constructor(inspector: Inspector, debugging: Debugging, folder: string) {
    this.#inspector = inspector;
    this.#debugging = debugging;
    this.#folder = folder;
  }

  /** What a cell imports, so that its names can be given what is imported anew. */
  remember(imports: unknown): void {
    if (Array.isArray(imports)) for (const one of imports as Imported[]) this.#imports.set(one.local, one);
  }

  async reload(files: readonly string[] | undefined): Promise<Reloaded> {
    const given = files?.map((file) => realPath(resolve(this.#folder, file)));
    const lines: string[] = [];
    const anew: string[] = [];
    const failed = await this.#debugging.withScripts(async (scripts) => {
      const loaded = await this.#loaded(scripts, given);
      const { changes, problems, others } = this.#compare(loaded, given);
      lines.push(...others);
      // All or nothing: half of an edit is no program.
      if (problems.length > 0) {
        lines.unshift(...problems, 'Nothing was changed.');
        return true;
      }
      // What is no script, such as JSON, can only be read again.
      anew.push(...(given ?? []).filter((file) => !loaded.has(file) && !source.test(file)));
      let blocked = false;
      for (const change of changes) {
        const { line, status } = await this.#swap(change);
        if (line !== undefined) lines.push(line);
        if (status === 'anew') anew.push(change.file);
        blocked ||= status === 'blocked';
      }
      return blocked;
    });
    if (anew.length > 0) {
      const renewed = await this.#renew(anew);
      lines.push(...renewed.lines);
      if (renewed.failed) return { text: lines.join('\n'), failed: true };
    }
    const text = lines.length === 0 ? 'Nothing changed on disk.' : lines.join('\n');
    return failed ? { text, failed } : { text };
  }

  /** Scripts of the project, by file. */
  async #loaded(scripts: ReadonlyMap<string, string>, only: readonly string[] | undefined): Promise<Map<string, Script[]>> {
    const loaded = new Map<string, Script[]>();
    for (const [id, url] of scripts) {
      const file = fileOf(url);
      if (file === undefined || (only !== undefined && !only.includes(file))) continue;
      const script = this.#scripts.get(id) ?? (await this.#meet(id, url));
      if (script !== undefined) loaded.set(file, [...(loaded.get(file) ?? []), script]);
    }
    for (const all of loaded.values()) all.sort((a, b) => versionOf(a.url) - versionOf(b.url) || Number(a.id) - Number(b.id));
    return loaded;
  }

  async #meet(id: string, url: string): Promise<Script | undefined> {
    const { scriptSource } = await this.#inspector.post<{ scriptSource: string }>('Debugger.getScriptSource', { scriptId: id });
    if (this.#past.get(url)?.has(scriptSource) === true) return undefined;
    const script: Script = { id, url, running: scriptSource, known: scriptSource, originals: [] };
    this.#scripts.set(id, script);
    return script;
  }

  #compare(loaded: ReadonlyMap<string, readonly Script[]>, given: readonly string[] | undefined) {
    const changes: Change[] = [];
    const problems: string[] = [];
    const others: string[] = [];
    for (const file of given ?? []) {
      if (!loaded.has(file) && source.test(file)) others.push(`not loaded ${this.#short(file)}: it is read when something imports it`);
    }
    for (const [file, scripts] of loaded) {
      let text: string;
      try {
        text = readFileSync(file, 'utf8');
      } catch {
        if (given !== undefined) problems.push(`${this.#short(file)} cannot be read`);
        continue;
      }
      try {
        const wanted = runnable(file, text);
        // What older versions of it do is up to those who kept them.
        if (isCurrent(scripts.at(-1) as Script, file, wanted)) {
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
  async #swap({ file, wanted: made, scripts }: Change): Promise<{ readonly line?: string; readonly status: 'done' | 'anew' | 'blocked' }> {
    let result: { readonly line?: string; readonly status: 'done' | 'anew' | 'blocked' } = { status: 'done' };
    for (const script of scripts) {
      const wanted = wantedFor(script, made);
      if (script.known === wanted.code) continue;
      const [before, after] = await this.#fold(script, wanted);
      const to = outlineOf({ ...wanted, code: after.code });
      const known = outlineOf({ ...wanted, code: before.code });
      if (outlineOf({ ...wanted, code: script.running }).shape !== to.shape || known.shape !== to.shape || evaluates(to)) {
        result = { status: 'anew' };
        continue;
      }
      const added = [...after.added].filter(([name, text]) => before.added.get(name) !== text).map(([name]) => name);
      const names = [...changedNames(known, to).filter((name) => !name.includes('__vivarium')), ...added];
      if (names.length === 0) {
        script.known = wanted.code;
        result = { line: `unchanged ${this.#short(file)}: only comments and layout`, status: 'done' };
        continue;
      }
      const status = await this.#set(script, known, to, wanted);
      if (status === 'Ok' && added.length > 0) await this.#onMain(`__vivarium_renewal.fill(${JSON.stringify(script.url)})`);
      const old = changesGiven(known, to) ? ' (what was computed with it when the file was loaded keeps its value)' : '';
      if (status === 'Ok') result = { line: `swapped ${this.#short(file)}: ${names.join(', ')}${old}`, status: 'done' };
      else if (/Active/.test(status)) {
        const line = `not swapped ${this.#short(file)}: ${names.join(', ')} runs or waits just now; reload again when it has ended, or ${fresh}`;
        result = { line, status: 'blocked' };
      } else result = { status: 'anew' };
    }
    return result;
  }

  /** The text that is known and the one that is wanted, without functions that were added since it was loaded. */
  async #fold(script: Script, wanted: Runnable): Promise<readonly [Folded, Folded]> {
    const plain = [script.known, wanted.code].map((code) => ({ code, added: new Map<string, string>() })) as unknown as [Folded, Folded];
    const present = declaredIn({ ...wanted, code: script.running });
    if ([...declaredIn(wanted)].every((name) => present.has(name)) && script.known === script.running) return plain;
    if (!(await this.#onMain<boolean>(`__vivarium_renewal.keeps(${JSON.stringify(script.url)})`))) return plain;
    const keyOf = (name: string): string => `f${script.id}_${name}`;
    const before = folded({ ...wanted, code: script.known }, present, keyOf);
    const after = folded(wanted, present, keyOf);
    return before === undefined || after === undefined ? plain : [before, after];
  }

  async #set(script: Script, known: Outline, to: Outline, wanted: Runnable): Promise<string> {
    const outline = (): Outline => outlineOf({ ...wanted, code: script.running });
    if (script.originals.length === 0) script.originals.push(...outline().parts.map(({ expression }) => expression));
    // For CommonJS the engine does not tell what it left out.
    let status = wanted.format === 'module' ? await this.#put(script, swapped(outline(), known, to, script.originals)) : '';
    if (status !== 'Ok' && !/Active/.test(status)) {
      const originals = [...script.originals];
      status = await this.#put(script, loosened(outline(), known, to, originals));
      if (status !== 'Ok') return status;
      script.originals.splice(0, originals.length, ...originals);
      status = await this.#put(script, swapped(outline(), known, to, originals));
    }
    if (status === 'Ok') script.known = wanted.code;
    return status;
  }

  async #put(script: Script, scriptSource: string): Promise<string> {
    if (scriptSource === script.running) return 'Ok';
    const { status } = await this.#inspector.post<{ status: string }>('Debugger.setScriptSource', { scriptId: script.id, scriptSource });
    // The engine keeps for a while what it has no use for: the text before, or the one it refused.
    const past = this.#past.get(script.url) ?? new Set();
    this.#past.set(script.url, past.add(status === 'Ok' ? script.running : scriptSource));
    if (status === 'Ok') script.running = scriptSource;
    return status;
  }

  async #renew(files: readonly string[]): Promise<{ readonly lines: string[]; readonly failed: boolean }> {
    const { names } = await this.#inspector.post<{ names: string[] }>('Runtime.globalLexicalScopeNames');
    const given = JSON.stringify({ files, imports: [...this.#imports.values()], names });
    // Run again, a file may have a text that it had before.
    for (const file of files) this.#past.delete(urlOf(file));
    const renewed = await this.#onMain<Renewed>(`__vivarium_renewal.renew(${JSON.stringify(given)})`);
    const changed = files.map((file) => this.#short(file)).join(', ');
    if (renewed.error !== undefined) {
      return { lines: [`not imported anew ${changed}: ${renewed.error}`, 'The old code runs on.'], failed: true };
    }
    const importers = renewed.stale.filter((file) => !files.includes(file)).map((file) => this.#short(file));
    const bound =
      renewed.bound.length === 0 ? '' : `; ${renewed.bound.join(', ')} in cells ${renewed.bound.length === 1 ? 'is' : 'are'} new`;
    const with_ = importers.length === 0 ? '' : ` with ${importers.join(', ')}`;
    const lines = [`imported anew ${changed}${with_}: its top-level code changed, so its variables begin again${bound}`];
    if (renewed.bound.length === 0) lines[0] = `changed ${changed}: what imports it from now on gets the new code; nothing in cells did`;
    const who = importers.length === 0 ? 'What was made before' : `What runs already of ${importers.join(', ')}`;
    lines.push(`${who} still uses the old ${changed}: ${fresh}`);
    return { lines, failed: false };
  }

  async #onMain<T>(expression: string): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const busy = 'The program is busy: interrupt it, or reload when it rests';
      timer = setTimeout(() => reject(new Error(busy)), busyMs);
    });
    try {
      const asked = this.#inspector.post<Evaluated>('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
        silent: true,
      });
      const { result, exceptionDetails } = await Promise.race([asked, late]);
      if (exceptionDetails !== undefined) throw new Error(messageOf(exceptionDetails));
      return result.value as T;
    } finally {
      clearTimeout(timer);
    }
  }

  #short(file: string): string {
    const short = relative(this.#folder, file);
    return short.startsWith('..') ? file : short;
  }
}

/** Whatever loaded it, we want the same text of it as far as we can make it. */
function wantedFor({ running }: Script, wanted: Runnable): Runnable {
  return running.includes(tailBody) ? wanted : { ...wanted, code: withoutTail(wanted) };
}

function isCurrent(script: Script, file: string, made: Runnable): boolean {
  if (script.known === wantedFor(script, made).code) return true;
  // Compiled by another tool before we came: its text says nothing, but the time does.
  return !script.running.includes(tailBody) && statSync(file).mtimeMs < Date.now() - process.uptime() * 1_000;
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function fileOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = fileURLToPath(url.replace(/\?v=\d+$/, ''));
  return source.test(file) && ownFile(file) ? file : undefined;
}

function versionOf(url: string): number {
  return Number(/\?v=(\d+)$/.exec(url)?.[1] ?? 0);
}
