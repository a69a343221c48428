// The methods Amber itself is made of. Its compiler runs on them, so one that is written anew can leave nothing that could be
// evaluated, not even the way back: then what the cell has changed is put back.
import { Script } from 'node:vm';
import { type Amber, type Behavior, isBehavior, type Method, nameOf } from './amber.ts';

const ask = new Script('__vivarium_works()');
/** It takes some 10 ms. */
const mostMs = 2_000;

interface Change {
  readonly behavior: Behavior;
  readonly selector: string;
  readonly before: Method | undefined;
  readonly after: Method | undefined;
}

/** What a cell made of the system could not be left as it was. */
export class KernelBroken extends Error {
  override readonly name = 'KernelBroken';
}

export class Kernel {
  readonly #amber: Amber;
  /** As they were when something could be evaluated last. */
  readonly #methods: Map<Behavior, Map<string, Method>> = new Map();
  /** `works`: whether anything can be evaluated. */
  constructor(amber: Amber, works: () => boolean) {
    this.#amber = amber;
    Object.defineProperty(globalThis, '__vivarium_works', { value: works });
    for (const one of amber.api.traitsOrClasses.filter(isBehavior))
      for (const behavior of one.a$cls === undefined || one.trait === true ? [one] : [one, one.a$cls])
        this.#methods.set(behavior, new Map(Object.entries(behavior.localMethods)));
  }

  /** Throws `KernelBroken` where something had to be put back. */
  mind(more = ''): void {
    const changes = this.#changes();
    const gone = this.#gone();
    if (changes.length === 0 && gone.length === 0) return;
    if (canWork()) return this.#keep(changes);
    // New methods of the system's classes are put away only where that is what it takes.
    const replaced = changes.filter(({ before }) => before !== undefined);
    const back = [replaced, changes].find((some) => {
      if (some.length === 0) return false;
      for (const change of some) this.#putBack(change);
      return canWork();
    });
    if (back === undefined) {
      const what = gone.length === 0 ? 'classes that Amber is made of were changed' : `there is no ${gone.join(', ')} any more`;
      process.stderr.write(`Nothing can be evaluated: ${what}.\n`);
      process.exit(70);
    }
    this.#keep(changes.filter((change) => !back.includes(change)));
    const names = back.map(({ behavior, selector }) => `${nameOf(behavior)}>>${selector}`);
    const shown = names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
    throw new KernelBroken(`With this ${shown} nothing can be evaluated any more: it was put back as it was before.${more}`);
  }

  #changes(): Change[] {
    const changes: Change[] = [];
    for (const [behavior, known] of this.#methods) {
      const now = behavior.localMethods;
      for (const [selector, before] of known) {
        const after = methodIn(now, selector);
        if (before !== after) changes.push({ behavior, selector, before, after });
      }
      for (const selector in now)
        if (!known.has(selector) && Object.hasOwn(now, selector))
          changes.push({ behavior, selector, before: undefined, after: methodIn(now, selector) });
    }
    return changes;
  }

  /** Classes that were taken away. */
  #gone(): string[] {
    const { globals } = this.#amber;
    return [...this.#methods.keys()].flatMap(({ name }) => (name === undefined || Object.hasOwn(globals, name) ? [] : name));
  }

  #keep(changes: readonly Change[]): void {
    for (const { behavior, selector, after } of changes) {
      const known = this.#methods.get(behavior);
      if (after === undefined) known?.delete(selector);
      else known?.set(selector, after);
    }
  }

  #putBack({ behavior, selector, before }: Change): void {
    const { api } = this.#amber;
    const now = methodIn(behavior.localMethods, selector);
    if (now === before) return;
    if (now !== undefined) api.removeMethod(now, behavior);
    if (before === undefined) return;
    delete before.owner;
    api.addMethod(before, behavior);
  }
}

/** It may also never come to its end; only a script can be given a time. */
function canWork(): boolean {
  try {
    return ask.runInThisContext({ timeout: mostMs }) === true;
  } catch {
    return false;
  }
}

function methodIn(methods: Behavior['localMethods'], selector: string): Method | undefined {
  return Object.hasOwn(methods, selector) ? methods[selector] : undefined;
}
