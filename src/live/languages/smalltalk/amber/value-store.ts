// What the session holds on to, and what the monitor asks of the main thread: values, errors, names, files and tests.

import type { Fault, Frame, Members, View } from '../../../image/engine.ts';
import type { CellValueStore } from '../../../js-runtime/main-thread.ts';
import { Refs } from '../../../js-runtime/refs.ts';
import { type Amber, type Context, isBehavior, send } from './amber.ts';
import { type Browser, entryName } from './browser.ts';
import { namedText, searchText } from './browser-text.ts';
import { contextsOf, type Faults, homeOf } from './fault.ts';
import type { Files } from './files.ts';
import type { Objects } from './objects.ts';
import { TestRun } from './tests.ts';
import { Raised, type Workspace } from './workspace.ts';

export interface Parts {
  readonly amber: Amber;
  readonly objects: Objects;
  readonly workspace: Workspace;
  readonly browser: Browser;
  readonly faults: Faults;
  readonly files: Files;
}

const maxText = 10_000;
const maxPrinted = 1_000;
const firstPrinted = 100;
const pageLength = 50;
const maxNames = 300;

export class SmalltalkValueStore implements CellValueStore {
  readonly #parts: Parts;
  readonly #refs: Refs = new Refs();
  #contexts: readonly Context[] = [];
  /** Somebody looks around in them. */
  #held = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  version(): string {
    return `Amber ${this.#parts.amber.version}, Node ${process.version.slice(1)}`;
  }

  keep(value: unknown): View {
    const { objects, workspace, amber } = this.#parts;
    if (value instanceof TestRun) {
      const { passed, failed } = value.report;
      return { text: `${passed} passed, ${failed} failed`, type: 'TestRun', tests: value.report };
    }
    workspace.object['it'] = objects.isNil(value) ? amber.nil : value;
    const ref = this.#refs.number(objects.isNil(value) ? undefined : value);
    const { text, cut } = this.#print(value);
    return { text, type: objects.typeName(value), ...(ref !== undefined && { ref }), ...(cut && { cut: true as const }) };
  }

  fault(thrown: unknown): Fault {
    const { workspace, faults } = this.#parts;
    const error = thrown instanceof Raised ? thrown.error : thrown;
    if (thrown instanceof Raised) {
      workspace.object['err'] = error ?? this.#parts.amber.nil;
      this.#contexts = contextsOf(thrown);
    } else this.#contexts = [];
    const ref = thrown instanceof Raised ? this.#refs.number(error) : undefined;
    return { ...faults.of(thrown), ...(ref !== undefined && { ref }) };
  }

  letGo(): void {
    this.#refs.letGo();
    if (!this.#held) this.#contexts = [];
  }

  hold(held: boolean): void {
    this.#held = held;
  }

  get(ref: number): unknown {
    return this.#refs.get(ref);
  }

  isMissing(ref: number): boolean {
    return this.#refs.isMissing(ref);
  }

  /** Those of the last error, with what their variables hold by now; none where only JavaScript has any. */
  frames(): { readonly frames?: readonly Frame[] } {
    return this.#contexts.length === 0 ? {} : { frames: this.#contexts.map((context) => this.#parts.faults.frame(context)) };
  }

  /** In a frame of the last error. */
  evaluateIn(frame: number, code: string): { readonly value?: View; readonly thrown?: string } {
    const context = this.#contexts[frame];
    if (context === undefined) return { thrown: `There is no frame ${frame}, only 0 to ${this.#contexts.length - 1}` };
    try {
      const locals: Record<string, unknown> = {};
      for (let at: Context | null = context; at !== null; at = at.outerContext)
        for (const [name, value] of Object.entries(at.locals)) if (!Object.hasOwn(locals, name)) locals[name] = value;
      const value = this.#parts.workspace.evaluateIn(code, homeOf(context).receiver, locals);
      const ref = this.#refs.number(value);
      const { text, cut } = this.#print(value);
      const type = this.#parts.objects.typeName(value);
      return { value: { text, type, ...(ref !== undefined && { ref }), ...(cut && { cut: true as const }) } };
    } catch (error) {
      const { type, message } = this.#parts.faults.of(error);
      return { thrown: `${type}: ${message}` };
    }
  }

  /** A variable, a class or a number; nothing is run, so no other expression can be looked at. */
  inspect(target: number | string, path: readonly string[], offset: number): Members {
    const { objects } = this.#parts;
    let value = typeof target === 'number' ? this.#refs.get(target) : this.#named(target.trim());
    for (const key of path) {
      const part = objects.part(value, key);
      if (part === undefined) throw new RangeError(`There is no ${key} in ${objects.brief(value, 0)}`);
      value = part.value;
    }
    const { parts, total } = objects.parts(value, offset, pageLength);
    const ref = this.#refs.number(objects.isNil(value) ? undefined : value);
    return {
      text: objects.brief(value, 2).slice(0, maxText),
      type: objects.typeName(value),
      ...(ref !== undefined && { ref }),
      offset,
      total,
      members: parts.map(({ key, value: inner }) => {
        const own = this.#refs.number(objects.isNil(inner) ? undefined : inner);
        return { key, text: objects.brief(inner), ...(own !== undefined && { ref: own }) };
      }),
    };
  }

  lookup(name: string, want: string): { readonly kind: string; readonly text: string } {
    const { browser, workspace, objects } = this.#parts;
    if (want === 'search') return { kind: 'search', text: searchText(browser, name, workspace.names) };
    const found = browser.find(name);
    if (found !== undefined && !workspace.has(name)) return { kind: found.kind, text: namedText(browser, found, want) };
    if (workspace.has(name) || /^#\d+$/.test(name)) {
      const value = this.#named(name);
      const own = objects.classOf(value);
      if (want === 'summary' || want === 'source' || own === undefined)
        return { kind: 'value', text: `${name} = ${objects.brief(value, 2)}` };
      return { kind: 'value', text: namedText(browser, { kind: 'class', behavior: own }, want) };
    }
    if (want === 'callers' && browser.senders(name.replace(/^#/, '')).length > 0)
      return { kind: 'none', text: namedText(browser, { kind: 'selector', selector: name.replace(/^#/, ''), implementors: [] }, want) };
    return { kind: 'none', text: `There is no ${name.slice(0, 200)} in this session: lookup(want: search) finds names by a part of them.` };
  }

  /** `kind`: class, method, package, or anything. */
  complete(prefix: string, kind?: string): string[] {
    const { browser, workspace } = this.#parts;
    const own = browser.names();
    const all: Readonly<Record<string, () => readonly string[]>> = {
      class: () => own,
      method: () => browser.entries().map(entryName),
      package: () => browser.packages(),
    };
    const names =
      kind === undefined
        ? prefix.includes('>>')
          ? browser.entries().map(entryName)
          : [...workspace.names, ...own, ...browser.packages(), ...new Set(browser.entries().map(({ method }) => method.selector))]
        : (all[kind]?.() ?? []);
    return [...new Set(names)].filter((name) => name.startsWith(prefix)).slice(0, maxNames);
  }

  /** Whether code can be read; nothing of it is run. */
  check(code: string): object {
    const problem = this.#parts.workspace.problemIn(code);
    return problem === undefined ? {} : { fault: this.#parts.faults.of(problem) };
  }

  files(): string[] {
    return this.#parts.files.names();
  }

  reload(files: readonly string[] | undefined): object {
    return this.#parts.files.reload(files);
  }

  #named(name: string): unknown {
    const { workspace, amber } = this.#parts;
    const ref = /^#(\d+)$/.exec(name)?.[1];
    if (ref !== undefined) return this.#refs.get(Number(ref));
    if (workspace.has(name)) return workspace.object[name];
    const [, bare = name, meta] = /^(\w+)( class)?$/.exec(name) ?? [];
    const found = Object.hasOwn(amber.globals, bare) ? amber.globals[bare] : undefined;
    if (found === undefined)
      throw new RangeError(
        `inspect takes a variable, a class or #12, and runs nothing: there is no ${name.slice(0, 100)}, or it is an expression. Use evaluate`,
      );
    return meta !== undefined && isBehavior(found) ? found.a$cls : found;
  }

  /** As the object itself prints, bounded; where it cannot, as it is made. */
  #print(value: unknown): { readonly text: string; readonly cut: boolean } {
    const { objects, amber } = this.#parts;
    if (objects.isNil(value)) return { text: 'nil', cut: false };
    const many = Array.isArray(value) && value.length > maxPrinted;
    let text: string;
    try {
      const shown: unknown = many ? value.slice(0, firstPrinted) : value;
      text = String(send(amber.asReceiver(shown), 'printString'));
      if (many) text = `${text} … ${value.length - firstPrinted} more`;
    } catch (error) {
      text = `${objects.brief(value)} (it cannot print itself: ${this.#parts.faults.of(error).type})`;
    }
    return text.length > maxText ? { text: `${text.slice(0, maxText)}…`, cut: true } : { text, cut: many };
  }
}
