// Files of the project in chunk format: brought in, and swapped in again after an edit while every object stays.
import { readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Amber, Method } from './amber.ts';
import { type Browser, type Entry, entryName } from './browser.ts';
import type { Workspace } from './workspace.ts';

interface Filed {
  readonly text: string;
  /** What it defined, by name, and as it was then. */
  readonly methods: ReadonlyMap<string, Entry>;
}

const maxBytes = 16 * 1024 * 1024;

export class Files {
  readonly #amber: Amber;
  readonly #browser: Browser;
  readonly #workspace: Workspace;
  readonly #folder: string;
  readonly #filed: Map<string, Filed> = new Map();

  constructor(amber: Amber, browser: Browser, workspace: Workspace, folder: string) {
    this.#amber = amber;
    this.#browser = browser;
    this.#workspace = workspace;
    this.#folder = folder;
  }

  /** Within the project's folder where they are. */
  names(): string[] {
    return [...this.#filed.keys()].map((file) => relative(this.#folder, file)).sort();
  }

  /** Within a cell: what goes wrong is the cell's error. */
  fileIn(path: string): unknown {
    const file = resolve(this.#folder, String(path));
    this.#read(file, true);
    return this.#amber.nil;
  }

  reload(files: readonly string[] | undefined): { readonly text: string; readonly failed?: true } {
    const wanted = files?.map((file) => resolve(this.#folder, file)) ?? [...this.#filed.keys()].filter((file) => this.#isChanged(file));
    if (wanted.length === 0)
      return {
        text: this.#filed.size === 0 ? "No file was filed in yet: self fileIn: 'src/Counter.st' does that." : 'Nothing has changed.',
      };
    const unknown = wanted.find((file) => !this.#filed.has(file));
    if (unknown !== undefined)
      return {
        text: `${relative(this.#folder, unknown)} is not filed in: evaluate self fileIn: '${relative(this.#folder, unknown)}'`,
        failed: true,
      };
    const lines = wanted.map((file) => this.#renew(file));
    return {
      text: lines.map(({ text }) => text).join('\n'),
      ...(lines.every(({ failed }) => failed === true) && { failed: true as const }),
    };
  }

  #renew(file: string): { readonly text: string; readonly failed?: true } {
    const name = relative(this.#folder, file);
    const before = this.#filed.get(file)?.methods ?? new Map<string, Entry>();
    let after: ReadonlyMap<string, Entry>;
    try {
      after = this.#read(file, false);
    } catch (error) {
      const said = error instanceof Error ? error.message : this.#workspace.messageOf(error);
      return { text: `${name} could not be read to its end: ${said}. What stands before that is in place.`, failed: true };
    }
    const removed = [...before].filter(([key]) => !after.has(key));
    // Redefined elsewhere meanwhile, it is not the file's any more.
    for (const [, { behavior, method }] of removed) {
      const now = behavior.methods[method.selector];
      if (now !== undefined && now.source === method.source) this.#amber.api.removeMethod(now, behavior);
    }
    const changed = [...after].filter(([key, { method }]) => before.get(key)?.method.source !== method.source).map(([key]) => key);
    const said = [...changed, ...removed.map(([key]) => `${key} (removed)`)];
    return { text: `swapped ${name}: ${said.length === 0 ? 'no method differs' : said.join(', ')}` };
  }

  #read(file: string, withinCell: boolean): ReadonlyMap<string, Entry> {
    if (statSync(file).size > maxBytes) throw new Error(`${file} is longer than ${maxBytes} bytes`);
    const text = readFileSync(file, 'utf8');
    const known = new Set<Method>(this.#browser.entries().map(({ method }) => method));
    this.#workspace.import(text, withinCell);
    const methods = new Map(
      this.#browser
        .entries()
        // A class that is defined again has all its methods compiled again, whoever wrote them.
        .filter(({ method }) => !known.has(method) && text.includes(method.source.trim().replaceAll('!', '!!')))
        .map((entry) => [entryName(entry), entry]),
    );
    this.#filed.set(file, { text, methods });
    return methods;
  }

  #isChanged(file: string): boolean {
    try {
      return readFileSync(file, 'utf8') !== this.#filed.get(file)?.text;
    } catch {
      // It is gone: what it defined stays.
      return false;
    }
  }
}
