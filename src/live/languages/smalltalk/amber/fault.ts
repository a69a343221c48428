// What went wrong in Smalltalk: the error, the contexts it came through, and what the receiver held.
import type { Fault, Frame } from '../../../image/engine.ts';
import { faultOf } from '../../../js-runtime/fault.ts';
import { type Behavior, type Context, isBehavior, nameOf, send, slotsOf } from './amber.ts';
import { KernelBroken } from './kernel.ts';
import type { Objects } from './objects.ts';
import { cellSelector, Raised, Unreadable, type Workspace } from './workspace.ts';

const cannotReturn: Fault = {
  type: 'BlockCannotReturn',
  message: 'The cell or method that the block returns from has ended',
  kind: 'error',
  frames: [],
};
const maxFrames = 50;
const maxVariables = 20;
const maxMessage = 4_000;
/** How an error is raised, which is not where it happened. */
const machinery = new Set(['signal', 'signal:', 'doesNotUnderstand:', 'selector:arguments:notUnderstoodBy:', 'error:']);

/** The contexts of the user's own code, innermost first; how the error was raised is left out. */
export function contextsOf({ error, context }: Raised): Context[] {
  const found: Context[] = [];
  let raising = true;
  for (let at = context; at !== null && at !== undefined && found.length < maxFrames; at = at.homeContext ?? null) {
    at.setup(at);
    raising &&= at.receiver === error || (at.selector !== null && machinery.has(at.selector));
    if (!raising) found.push(at);
    if (at.selector === cellSelector && at.outerContext === null) return withoutShell(found);
  }
  return found;
}

/** A cell is a block within a method of ours, and its own frame is enough. */
function withoutShell(contexts: readonly Context[]): Context[] {
  const [block, called, cell] = contexts.slice(-3);
  const isShell = called?.selector === 'value' && block !== undefined && block.outerContext === cell;
  return isShell ? contexts.slice(0, -2) : [...contexts];
}

export class Faults {
  readonly #objects: Objects;
  readonly #workspace: Workspace;

  constructor(objects: Objects, workspace: Workspace) {
    this.#objects = objects;
    this.#workspace = workspace;
  }

  of(thrown: unknown): Fault {
    if (thrown instanceof Unreadable) {
      const { type, message, line, column } = thrown;
      return { type, message, kind: 'syntax', frames: [{ name: '', file: 'cell', line, column }] };
    }
    if (thrown instanceof KernelBroken) return { type: thrown.name, message: thrown.message, kind: 'error', frames: [] };
    const raised = thrown instanceof Raised ? thrown : new Raised(thrown, null);
    const { error } = raised;
    const own = this.#objects.classOf(error);
    const isOwn = own !== undefined && typeof error === 'object' && error !== null && 'amberHandled' in error;
    // An error of JavaScript's answers messages too, but is better told in its own words.
    const base = isOwn ? this.#asRaised(error, nameOf(own)) : isReturn(error) ? cannotReturn : faultOf(error);
    const contexts = contextsOf(raised);
    const details = this.#details(contexts[0]);
    const hint = isOwn && base.type === 'MessageNotUnderstood' && this.#objects.isNil((error as { receiver?: unknown }).receiver);
    const missing = hint ? this.#workspace.missing() : [];
    return {
      ...base,
      message: missing.length === 0 ? base.message : `${base.message} (there is no ${missing.join(', ')})`,
      frames: contexts.length === 0 ? base.frames : contexts.map((context) => this.frame(context)),
      ...(details !== undefined && { details }),
    };
  }

  frame(context: Context): Frame {
    const locals = Object.entries(context.locals).map(([name, value]) => ({ name, text: this.#objects.brief(value) }));
    const home = homeOf(context);
    const isCell = home.receiver === this.#workspace.object && home.selector === cellSelector;
    const name = isCell ? 'cell' : this.#methodName(home);
    // The outermost block of a cell is the cell.
    const inBlock = context.outerContext !== null && !(isCell && context.outerContext === home);
    const place = { name: inBlock ? `[] in ${name}` : name, file: '', line: 0, column: 0, own: true };
    const receiver = isCell ? [] : [{ name: 'self', text: this.#objects.brief(home.receiver) }];
    return { ...place, locals: [...receiver, ...locals] };
  }

  #asRaised(error: object, type: string): Fault {
    let message: string;
    try {
      message = String(send(error, 'messageText'));
    } catch {
      message = '(it cannot say what it is)';
    }
    const kind = /Parse|CompilerError|SemanticError|VariableError|AssignmentError/.test(type) ? 'syntax' : 'error';
    return { type, message: message.slice(0, maxMessage), kind, frames: [] };
  }

  /** `Counter>>increment`, with the class that has the method where it is inherited. */
  #methodName({ receiver, selector }: Context): string {
    const behavior = this.#objects.classOf(receiver);
    if (behavior === undefined) return `JavaScript>>${selector}`;
    const owner = selector === null ? undefined : ownerOf(behavior, selector);
    const name = nameOf(behavior);
    return owner === undefined || owner === behavior ? `${name}>>${selector}` : `${name}(${nameOf(owner)})>>${selector}`;
  }

  /** What the receiver held, which is most often the reason. */
  #details(top: Context | undefined): string | undefined {
    if (top === undefined) return undefined;
    const { receiver, selector } = homeOf(top);
    if (receiver === this.#workspace.object && selector === cellSelector) return undefined;
    const behavior = this.#objects.classOf(receiver);
    if (behavior === undefined || isBehavior(receiver) || typeof receiver !== 'object' || slotsOf(behavior).length === 0)
      return `receiver: ${this.#objects.brief(receiver)}`;
    const { parts } = this.#objects.parts(receiver, 0, maxVariables);
    return `receiver: ${this.#objects.brief(receiver, 0)} { ${parts.map(({ key, value }) => `${key}: ${this.#objects.brief(value)}`).join(', ')} }`;
  }
}

/** How Amber's blocks return from their method, which nobody caught: it has ended. */
function isReturn(error: unknown): boolean {
  return Array.isArray(error) && error.length === 1;
}

/** Of the method a block stands in. */
export function homeOf(context: Context): Context {
  let at = context;
  for (let steps = 0; at.outerContext !== null && steps < 1_000; steps++) {
    at = at.outerContext;
    at.setup(at);
  }
  return at;
}

function ownerOf(behavior: Behavior, selector: string): Behavior | undefined {
  for (let at: Behavior | null | undefined = behavior; at !== null && at !== undefined; at = at.superclass)
    if (Object.hasOwn(at.methods, selector)) return at;
  return undefined;
}
