// The methods Amber itself is made of. Its compiler runs on them, so one that is written anew can leave nothing that could be
// evaluated, not even the way back: then what the cell has changed is put back.
import { Script } from 'node:vm';
import { type Amber, type Behavior, isBehavior, type Method, nameOf, send } from './amber.ts';

/** What a cell needs, each of which is tried. */
export interface Abilities {
  evaluate(): boolean;
  show(): boolean;
  /** The compiler writes them as they print. */
  readNumbers(): boolean;
}

type Ability = keyof Abilities;

/** The worst is asked first. */
const questions: readonly (readonly [Ability, Script])[] = (['evaluate', 'show', 'readNumbers'] as const).map((ability) => [
  ability,
  new Script(`__vivarium_can.${ability}()`),
]);
const lost: Readonly<Record<Ability, string>> = {
  evaluate: 'nothing can be evaluated any more',
  show: 'values cannot be shown any more',
  readNumbers: 'no cell with a number in it can be evaluated any more',
};
/** Together they take some 10 ms. */
const maxMs = 2_000;
/** What Amber sends to a behavior whose methods have changed. */
const organise = 'methodOrganizationEnter:andLeave:';
const organiseName = '_methodOrganizationEnter_andLeave_';

interface Change {
  readonly behavior: Behavior;
  readonly selector: string;
  readonly before: Method | undefined;
  readonly after: Method | undefined;
}

/** A method that entered a behavior, and the one that left it. */
type Moved = readonly [behavior: Behavior, entered: Method | undefined, left: Method | undefined];

/** What a cell made of the system could not be left as it was. */
export class KernelBroken extends Error {
  override readonly name = 'KernelBroken';
}

export class Kernel {
  readonly #amber: Amber;
  /** As they were when something could be evaluated last. */
  readonly #methods: Map<Behavior, Map<string, Method>> = new Map();

  constructor(amber: Amber, abilities: Abilities) {
    this.#amber = amber;
    Object.defineProperty(globalThis, '__vivarium_can', { value: abilities });
    for (const behavior of this.#behaviors()) this.#methods.set(behavior, new Map(Object.entries(behavior.localMethods)));
  }

  /** Throws `KernelBroken` where something had to be put back. */
  mind(more = ''): void {
    const changes = this.#changes();
    const gone = this.#gone();
    if (changes.length === 0 && gone.length === 0) return;
    const failed = failing();
    if (failed === undefined) return this.#keep(changes, gone);
    // New methods of the system's classes are put away only where that is what it takes.
    const replaced = changes.filter(({ before }) => before !== undefined);
    const moved: Moved[] = [];
    const back = [replaced, changes].find((some) => {
      if (some.length === 0) return false;
      moved.push(...this.#putBack(some));
      return failing() === undefined;
    });
    if (back === undefined) {
      const names = gone.map(({ name }) => name).join(', ');
      const what = gone.length === 0 ? 'classes that Amber is made of were changed' : `there is no ${names} any more`;
      process.stderr.write(`In Smalltalk ${lost[failed]}: ${what}.\n`);
      process.exit(70);
    }
    for (const one of moved) tell(one);
    this.#keep(
      changes.filter((change) => !back.includes(change)),
      gone,
    );
    const names = back.map(({ behavior, selector }) => `${nameOf(behavior)}>>${selector}`);
    const shown = names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
    throw new KernelBroken(`With this ${shown} ${lost[failed]}: it was put back as it was before.${more}`);
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
  #gone(): Behavior[] {
    const { globals } = this.#amber;
    return [...this.#methods.keys()].filter(({ name }) => name !== undefined && !Object.hasOwn(globals, name));
  }

  /** Classes that it works without are not asked for again. */
  #keep(changes: readonly Change[], gone: readonly Behavior[]): void {
    for (const { behavior, selector, after } of changes) {
      const known = this.#methods.get(behavior);
      if (after === undefined) known?.delete(selector);
      else known?.set(selector, after);
    }
    for (const behavior of gone.flatMap(withMeta)) this.#methods.delete(behavior);
  }

  /** Amber tells the behavior in Smalltalk, which may be what is broken: that is kept for when it works again. */
  #putBack(changes: readonly Change[]): Moved[] {
    const { api } = this.#amber;
    const moved: Moved[] = [];
    function note(this: Behavior, entered: Method | undefined, left: Method | undefined): void {
      moved.push([this, entered, left]);
    }
    // A method of a trait enters its users as well, and those may be anybody's.
    const all = new Set([...this.#methods.keys(), ...this.#behaviors()]);
    for (const behavior of all) Object.defineProperty(behavior, organiseName, { value: note, configurable: true });
    try {
      for (const { behavior, selector, before } of changes) {
        const now = methodIn(behavior.localMethods, selector);
        if (now === before) continue;
        if (now !== undefined) api.removeMethod(now, behavior);
        if (before === undefined) continue;
        delete before.owner;
        api.addMethod(before, behavior);
      }
    } finally {
      for (const behavior of all) Reflect.deleteProperty(behavior, organiseName);
    }
    return moved;
  }

  #behaviors(): Behavior[] {
    return this.#amber.api.traitsOrClasses.filter(isBehavior).flatMap(withMeta);
  }
}

/** What cannot be done. It may also never come to its end; only a script can be given a time. */
function failing(): Ability | undefined {
  return questions.find(([, script]) => {
    try {
      return script.runInThisContext({ timeout: maxMs }) !== true;
    } catch {
      return true;
    }
  })?.[0];
}

/** Only the lists of a browser depend on it. */
function tell([behavior, entered, left]: Moved): void {
  try {
    send(behavior, organise, entered, left);
  } catch {
    // The method itself is where it was.
  }
}

/** A trait has no class side. */
function withMeta(one: Behavior): Behavior[] {
  return one.a$cls === undefined || one.trait === true ? [one] : [one, one.a$cls];
}

function methodIn(methods: Behavior['localMethods'], selector: string): Method | undefined {
  return Object.hasOwn(methods, selector) ? methods[selector] : undefined;
}
