// What there is in the image, as a browser shows it: packages, classes, protocols, methods, who sends and who implements. All of
// it is read, nothing is run.
import { type Amber, type Behavior, isBehavior, type Method, methodsOf, nameOf, packageOf } from './amber.ts';

export interface Entry {
  readonly behavior: Behavior;
  readonly method: Method;
}

/** What a name stands for. */
export type Named =
  | { readonly kind: 'class'; readonly behavior: Behavior }
  | ({ readonly kind: 'method' } & Entry)
  | { readonly kind: 'package'; readonly name: string; readonly classes: readonly Behavior[] }
  | { readonly kind: 'selector'; readonly selector: string; readonly implementors: readonly Entry[] };

export class Browser {
  readonly #amber: Amber;
  readonly #system: ReadonlySet<Behavior>;
  readonly #systemMethods: ReadonlySet<Method>;

  /** What is there when it is made is the system's; what comes later is the user's. */
  constructor(amber: Amber) {
    this.#amber = amber;
    this.#system = new Set(this.classes());
    this.#systemMethods = new Set(this.entries().map(({ method }) => method));
  }

  /** Traits among them. */
  classes(): Behavior[] {
    return this.#amber.api.traitsOrClasses.filter(isBehavior).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  /** With other names of the same; the user's own first. */
  names(): string[] {
    const { globals } = this.#amber;
    const all = Object.keys(globals)
      .filter((name) => isBehavior(globals[name]))
      .sort();
    const own = new Set(all.filter((name) => this.isOwnClass(globals[name] as Behavior)));
    return [...own, ...all.filter((name) => !own.has(name))];
  }

  /** Of the user's own making. */
  ownClasses(): Behavior[] {
    return this.classes().filter((one) => !this.#system.has(one));
  }

  isOwn({ method }: Entry): boolean {
    return !this.#systemMethods.has(method);
  }

  isOwnClass(behavior: Behavior): boolean {
    return !this.#system.has(behavior.instanceClass ?? behavior);
  }

  /** Methods of both sides of all classes; the user's own first. */
  entries(): Entry[] {
    const all = this.classes().flatMap((one) => [
      ...entriesOf(one),
      ...(one.a$cls === undefined || one.trait === true ? [] : entriesOf(one.a$cls)),
    ]);
    return [
      ...all.filter((one) => this.#systemMethods?.has(one.method) === false),
      ...all.filter((one) => this.#systemMethods?.has(one.method) !== false),
    ];
  }

  packages(): string[] {
    return [...new Set(this.classes().map(packageOf))].filter((name) => name !== '').sort();
  }

  classNamed(name: string): Behavior | undefined {
    const [, bare = name, meta] = /^(.*?)( class)?$/.exec(name) ?? [];
    const { globals } = this.#amber;
    const found = Object.hasOwn(globals, bare) ? globals[bare] : undefined;
    if (!isBehavior(found)) return undefined;
    return meta === undefined ? found : found.a$cls;
  }

  /** `Counter`, `Counter class`, `Counter>>increment`, `#increment`, `add:to:`, or the name of a package. */
  find(name: string): Named | undefined {
    const [, owner, selector] = /^(\w+(?: class)?)\s*>>\s*#?(\S+)$/.exec(name) ?? [];
    if (owner !== undefined && selector !== undefined) {
      const behavior = this.classNamed(owner);
      const entry = behavior === undefined ? undefined : lookedUp(behavior, selector);
      return entry === undefined ? undefined : { kind: 'method', ...entry };
    }
    const behavior = this.classNamed(name);
    if (behavior !== undefined) return { kind: 'class', behavior };
    const classes = this.classes().filter((one) => packageOf(one) === name);
    if (classes.length > 0) return { kind: 'package', name, classes };
    const bare = name.replace(/^#/, '');
    const implementors = this.implementors(bare);
    return implementors.length > 0 ? { kind: 'selector', selector: bare, implementors } : undefined;
  }

  implementors(selector: string): Entry[] {
    return this.entries().filter(({ method }) => method.selector === selector);
  }

  senders(selector: string): Entry[] {
    return this.entries().filter(({ method }) => method.messageSends.includes(selector));
  }

  references({ name }: Behavior): Entry[] {
    return this.entries().filter(({ method }) => name !== undefined && method.referencedClasses.includes(name));
  }
}

export function entryName({ behavior, method }: Entry): string {
  return `${nameOf(behavior)}>>${method.selector}`;
}

function entriesOf(behavior: Behavior): Entry[] {
  return methodsOf(behavior).map((method) => ({ behavior, method }));
}

/** Its own, or the one it inherits. */
function lookedUp(from: Behavior, selector: string): Entry | undefined {
  for (let at: Behavior | null | undefined = from; at !== null && at !== undefined; at = at.superclass)
    if (Object.hasOwn(at.methods, selector)) return { behavior: at, method: at.methods[selector] as Method };
  return undefined;
}
