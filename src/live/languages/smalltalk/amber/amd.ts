// Loads modules of the kind that Amber is made of (AMD) without a browser: `define(dependencies, factory)`, one module a file.
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { runInThisContext } from 'node:vm';

type Factory = (...given: unknown[]) => unknown;

interface Require {
  (one: string): unknown;
  (many: readonly string[], loaded?: Factory, failed?: (error: unknown) => void): undefined;
  toUrl(name: string): string;
}

/** Where modules are: the longest prefix of a name decides. */
export type Places = Readonly<Record<string, string>>;

export class Modules {
  readonly #places: readonly (readonly [string, string])[];
  readonly #loaded: Map<string, { exports: unknown }> = new Map();

  constructor(places: Places) {
    this.#places = Object.entries(places).sort(([a], [b]) => b.length - a.length);
  }

  /** Throws where there is no such module. */
  load(name: string): unknown {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known.exports;
    // Noted before it runs: modules may name each other in a circle.
    const module = { exports: {} as unknown };
    this.#loaded.set(name, module);
    const file = this.#fileOf(name);
    const define = Object.assign((...given: unknown[]) => this.#define(name, module, given), { amd: {} });
    const run = runInThisContext(`(function (define) {${readFileSync(file, 'utf8')}\n})`, { filename: file }) as (given: Factory) => void;
    run(define);
    return module.exports;
  }

  /** `define(name?, dependencies?, factory)`. */
  #define(name: string, module: { exports: unknown }, given: readonly unknown[]): void {
    const factory = given.at(-1);
    const wanted = given.find(Array.isArray) as readonly string[] | undefined;
    const special: Readonly<Record<string, () => unknown>> = {
      require: () => this.#requireFrom(name),
      exports: () => module.exports,
      module: () => ({ id: name }),
    };
    const found = (wanted ?? []).map((one) => special[one]?.() ?? this.load(resolved(one, name)));
    const made = typeof factory === 'function' ? (factory as Factory)(...found) : factory;
    if (made !== undefined) module.exports = made;
  }

  #requireFrom(name: string): Require {
    const require = (wanted: string | readonly string[], loaded?: Factory, failed?: (error: unknown) => void): unknown => {
      if (typeof wanted === 'string') return this.load(resolved(wanted, name));
      // Never at once: whoever asks goes on first.
      void Promise.resolve()
        .then(() => wanted.map((one) => this.load(resolved(one, name))))
        .then((found) => loaded?.(...found))
        .catch((error: unknown) => {
          if (failed === undefined) throw error;
          failed(error);
        });
      return undefined;
    };
    return Object.assign(require, { toUrl: (one: string) => this.#fileOf(resolved(one, name)) }) as Require;
  }

  #fileOf(name: string): string {
    for (const [prefix, folder] of this.#places)
      if (name.startsWith(`${prefix}/`)) return join(folder, `${name.slice(prefix.length + 1)}.js`);
    throw new Error(`There is no module ${name}`);
  }
}

/** Amber as it lies in its package. */
export function amberPlaces(manifest: string): Places {
  const folder = dirname(manifest);
  return { amber: join(folder, 'base'), 'amber/core': join(folder, 'src'), amber_core: join(folder, 'src') };
}

/** Two names of one module would load it twice. */
function resolved(wanted: string, from: string): string {
  const name = wanted.startsWith('.') ? posix.join(posix.dirname(from), wanted) : wanted;
  return name.replace(/^amber_core\//, 'amber/core/');
}
