// Amber in this process: its classes, methods and contexts as the plain JavaScript objects that they are.
import { amberPlaces, Modules } from './amd.ts';

export interface Method {
  readonly selector: string;
  readonly protocol: string;
  readonly source: string;
  readonly messageSends: readonly string[];
  readonly referencedClasses: readonly string[];
  readonly methodClass: Behavior;
  owner?: Behavior;
  fn?: (this: unknown) => unknown;
}

export interface Behavior {
  /** A metaclass has none. */
  readonly name?: string;
  readonly superclass: Behavior | null;
  /** A trait has none. */
  readonly slots: readonly string[];
  readonly localMethods: Readonly<Record<string, Method>>;
  readonly methods: Readonly<Record<string, Method>>;
  readonly subclasses?: readonly Behavior[];
  readonly comment?: string;
  readonly package?: { readonly name: string };
  readonly category?: string;
  readonly trait?: boolean;
  readonly instanceClass?: Behavior;
  readonly a$cls: Behavior;
}

export interface Context {
  readonly selector: string | null;
  readonly receiver: unknown;
  readonly locals: Readonly<Record<string, unknown>>;
  /** Of a block: where it was written. */
  readonly outerContext: Context | null;
  /** Who called. */
  homeContext: Context | null | undefined;
  readonly supercall: boolean;
  setup(context: Context): void;
}

interface Api {
  initialize(options: object): Promise<void>;
  addClass(name: string, superclass: Behavior, category: string): Behavior;
  setSlots(behavior: Behavior, slots: readonly string[]): void;
  addMethod(method: Method, behavior: Behavior): void;
  removeMethod(method: Method, behavior: Behavior): void;
  getThisContext(): Context | null;
  readonly traitsOrClasses: readonly Behavior[];
}

export interface Amber {
  readonly api: Api;
  readonly globals: Readonly<Record<string, unknown>>;
  readonly nil: object;
  asReceiver(value: unknown): object;
  readonly parser: { parse(text: string): unknown };
  readonly version: string;
}

/** `manifest` is the package.json of @ambers/lang. */
export async function bootAmber(manifest: string): Promise<Amber> {
  const modules = new Modules(amberPlaces(manifest));
  const boot = modules.load('amber/boot') as {
    api: Api;
    globals: Record<string, unknown>;
    nilAsReceiver: object;
    asReceiver(value: unknown): object;
  };
  modules.load('amber/lang');
  modules.load('amber/core/Platform-Node');
  modules.load('amber/core/SUnit');
  await withoutListeners(() => boot.api.initialize({}));
  const { api, globals, nilAsReceiver: nil, asReceiver } = boot;
  const version = String(send(globals['Smalltalk'], 'version'));
  const parser = modules.load('amber/parser') as Amber['parser'];
  return { api, globals, nil, asReceiver, parser, version };
}

/** Its platform ends the process at the first error that nobody handles. Here that is told, and the session goes on. */
async function withoutListeners(work: () => Promise<void>): Promise<void> {
  const events = ['uncaughtException', 'unhandledRejection'] as const;
  const before = events.map((event) => process.listeners(event as 'uncaughtException'));
  await work();
  for (const [at, event] of events.entries())
    for (const listener of process.listeners(event as 'uncaughtException'))
      if (!before[at]?.includes(listener)) process.removeListener(event, listener);
}

/** Objects answer messages under names such as `_at_put_`. */
export function send(receiver: unknown, selector: string, ...given: readonly unknown[]): unknown {
  const answers = receiver as Record<string, ((...given: readonly unknown[]) => unknown) | undefined>;
  const name = `_${selector.replaceAll(':', '_')}`;
  const method = answers[name];
  if (method === undefined) throw new Error(`Nothing here understands ${selector}`);
  return method.apply(receiver, [...given]);
}

export function isBehavior(value: unknown): value is Behavior {
  return typeof value === 'object' && value !== null && 'localMethods' in value && 'a$cls' in value;
}

/** `Counter`, or `Counter class` for what classes themselves do. */
export function nameOf(behavior: Behavior): string {
  return behavior.name ?? (behavior.instanceClass === undefined ? 'a Class' : `${nameOf(behavior.instanceClass)} class`);
}

export function packageOf(behavior: Behavior): string {
  return behavior.instanceClass === undefined ? (behavior.package?.name ?? behavior.category ?? '') : packageOf(behavior.instanceClass);
}

/** With those it inherits; the oldest first. */
export function slotsOf(behavior: Behavior): string[] {
  return [...(behavior.superclass === null || behavior.superclass === undefined ? [] : slotsOf(behavior.superclass)), ...behavior.slots];
}

/** The methods a class or trait has itself. */
export function methodsOf(behavior: Behavior): Method[] {
  return Object.keys(behavior.methods)
    .sort()
    .flatMap((selector) => behavior.methods[selector] ?? []);
}
