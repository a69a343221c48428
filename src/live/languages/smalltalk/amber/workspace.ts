// Cells of Smalltalk: their variables stay, each is compiled as a method of one object, and runs in a context of its own.
import { type Amber, type Behavior, type Context, type Method, send } from './amber.ts';
import { Kernel } from './kernel.ts';

interface Node {
  readonly a$cls: Behavior;
  readonly identifier?: string;
  readonly temps?: readonly string[];
  readonly parameters?: readonly string[];
  readonly arguments?: readonly string[];
  readonly left?: Node;
  _dagChildren(): readonly Node[];
}

/** What a parser of Amber's says. */
interface Unread {
  readonly message: string;
  readonly found?: string | null;
  readonly location?: { readonly start: { readonly line: number; readonly column: number; readonly offset: number } };
}

/** A cell that cannot be read, with the place in it. */
export class Unreadable extends Error {
  readonly type: string;
  readonly line: number;
  readonly column: number;

  constructor(type: string, message: string, line: number, column: number) {
    super(message);
    this.type = type;
    this.line = line;
    this.column = column;
  }
}

/** An error with the context it happened in, which Amber itself knows of its own errors only. */
export class Raised {
  readonly error: unknown;
  readonly context: Context | null;

  constructor(error: unknown, context: Context | null) {
    this.error = error;
    this.context = context;
  }
}

export const cellSelector = 'evaluateCell';
/** The variables of the cell that every session has: its last value, and its last error. */
const given = ['it', 'err'] as const;
const pseudo = new Set(['self', 'super', 'nil', 'true', 'false', 'thisContext']);
const head = `${cellSelector} ^ [ `;

export class Workspace {
  readonly #amber: Amber;
  readonly #class: Behavior;
  readonly #kernel: Kernel;
  /** Whose instance variables the variables of the session are. */
  readonly object: Record<string, unknown>;
  readonly #names: Set<string> = new Set(given);
  /** Names with a capital that the last cell used. */
  #capitals: readonly string[] = [];

  constructor(amber: Amber) {
    this.#amber = amber;
    this.#class = amber.globals['LiveWorkspace'] as Behavior;
    this.object = send(this.#class, 'new') as Record<string, unknown>;
    for (const name of given) this.object[name] = amber.nil;
    this.#kernel = new Kernel(amber, {
      // The messages that every cell needs.
      evaluate: () => this.#gives("{ #($a). [ :some | some , '!' ] value: 'yes' }", '[["a"],"yes!"]'),
      show: () => this.#canShow(),
      readNumbers: () => this.#gives('{ 3. #(4) }', '[3,[4]]'),
    });
  }

  /** The session's variables, in the order in which they came. */
  get names(): readonly string[] {
    return [...this.#names];
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Throws what the code raises as `Raised`, and what cannot be read as `Unreadable`. */
  evaluate(source: string): unknown {
    this.#forgetContexts();
    // Something may have gone on after its cell, or was interrupted while it was looked at.
    this.#kernel.mind(' This cell was not run: evaluate it again.');
    try {
      return this.#evaluate(source);
    } finally {
      this.#kernel.mind();
    }
  }

  #evaluate(source: string): unknown {
    if (isChunks(source)) return this.#inContext(() => this.#import(source));
    const code = this.#declare(source);
    const method = this.#compile(code, this.#class);
    return this.#inContext(() => this.#run(method, this.#class, this.object));
  }

  /** `code`, evaluated as a cell is. */
  #gives(code: string, json: string): boolean {
    this.#forgetContexts();
    return JSON.stringify(this.#run(this.#compile(code, this.#class), this.#class, this.object)) === json;
  }

  /** As the value of a cell is. */
  #canShow(): boolean {
    this.#forgetContexts();
    const { asReceiver, globals } = this.#amber;
    const printed = [send(globals['Object'], 'new'), asReceiver(7), globals['Object']].map((one) => send(one, 'printString'));
    return printed.every((one) => typeof one === 'string');
  }

  problemIn(source: string): Unreadable | undefined {
    if (isChunks(source)) return undefined;
    try {
      this.#parse(source);
      return undefined;
    } catch (error) {
      if (error instanceof Unreadable) return error;
      throw error;
    }
  }

  /** In a frame: `receiver` is self there, and `locals` can be read. */
  evaluateIn(source: string, receiver: unknown, locals: Readonly<Record<string, unknown>>): unknown {
    const target = this.#amber.asReceiver(receiver) as unknown as { readonly a$cls: Behavior };
    const names = Object.keys(locals).filter((name) => /^[a-zA-Z]\w*$/.test(name));
    const parameters = names.map((name) => `:${name}`).join(' ');
    const block = this.#compile(names.length === 0 ? `[ ${source} ]` : `[ ${parameters} | ${source} ]`, target.a$cls);
    const made = this.#run(block, target.a$cls, target);
    return this.#inContext(() =>
      send(
        made,
        'valueWithPossibleArguments:',
        names.map((name) => locals[name]),
      ),
    );
  }

  /** A file in chunks, as Smalltalk systems write them. Within a cell its errors are the cell's. */
  import(source: string, withinCell: boolean): unknown {
    if (withinCell) return this.#import(source);
    this.#forgetContexts();
    return this.#inContext(() => this.#import(source));
  }

  /** Classes that the last cell names and that are not there: they are nil. */
  missing(): string[] {
    return this.#capitals.filter((name) => this.#amber.globals[name] === undefined);
  }

  /** Of what was raised in it. */
  messageOf(thrown: unknown): string {
    const error = thrown instanceof Raised ? thrown.error : thrown;
    return String(send(this.#amber.asReceiver(error), 'messageText'));
  }

  #import(source: string): unknown {
    const { globals, nil } = this.#amber;
    send(send(globals['Importer'], 'new'), 'import:', send(source, 'readStream'));
    return nil;
  }

  #compile(code: string, behavior: Behavior): Method {
    const compiler = send(this.#amber.globals['Compiler'], 'new');
    const source = `${head}${code} ] value`;
    try {
      return send(compiler, 'compile:forClass:protocol:', source, behavior, 'live cells') as Method;
    } catch (error) {
      throw this.#asUnreadable(error, code);
    }
  }

  /** Installed, because only then messages that nobody has implemented are raised as errors. */
  #run(method: Method, behavior: Behavior, receiver: object): unknown {
    const { api } = this.#amber;
    api.addMethod(method, behavior);
    const run = method.fn as (this: unknown) => unknown;
    api.removeMethod(method, behavior);
    return run.call(receiver);
  }

  /** An outer context of ours: then the innermost one is still known when something is thrown through it. */
  #inContext(work: () => unknown): unknown {
    const { api } = this.#amber as unknown as {
      api: Amber['api'] & { withContext(work: () => unknown, setup: (context: { fill(...given: unknown[]): void }) => void): unknown };
    };
    return api.withContext(
      () => {
        try {
          return work();
        } catch (error) {
          if (error instanceof Unreadable) throw error;
          throw new Raised(error, (error as { context?: Context } | null)?.context ?? api.getThisContext());
        }
      },
      (context) => context.fill(this.object, cellSelector, {}),
    );
  }

  /** What was interrupted leaves its contexts behind; nobody returns to them. */
  #forgetContexts(): void {
    const left = this.#amber.api.getThisContext();
    if (left !== null) left.homeContext = null;
  }

  /** Names that are assigned to or declared at the top are the session's; the text keeps its length. */
  #declare(source: string): string {
    const declared = /^(?:\s|"[^"]*")*\|([^|]*)\|/.exec(source);
    const temps = declared?.[1]?.split(/\s+/).filter((name) => name !== '') ?? [];
    const code = declared === null ? source : blank(declared[0]) + source.slice(declared[0].length);
    const free = freeNames(this.#parse(code));
    this.#capitals = free.read.filter((name) => /^[A-Z]/.test(name) && !this.#names.has(name));
    for (const name of temps) this.object[name] = this.#amber.nil;
    for (const name of free.assigned) if (!this.#names.has(name)) this.object[name] ??= this.#amber.nil;
    for (const name of [...temps, ...free.assigned]) this.#names.add(name);
    // Only those the cell uses: a block may have a parameter of the same name as another one.
    const used = new Set([...temps, ...free.assigned, ...free.read].filter((name) => this.#names.has(name)));
    this.#amber.api.setSlots(this.#class, [...used]);
    return code;
  }

  #parse(code: string): Node {
    try {
      return this.#amber.parser.parse(`${head}${code} ] value`) as Node;
    } catch (error) {
      throw this.#asUnreadable(error, code);
    }
  }

  #asUnreadable(thrown: unknown, code: string): Unreadable {
    const { location, found, message } = thrown as Unread;
    const own = thrown as { readonly a$cls?: Behavior };
    if (location !== undefined) {
      const { line, column, offset } = location.start;
      if (found === undefined || found === null || offset >= head.length + code.length) {
        // What stands after it is ours.
        const lines = code.split('\n');
        return new Unreadable('ParseError', 'Unexpected end of the code', lines.length, (lines.at(-1) ?? '').length + 1);
      }
      const at = Math.max(1, line === 1 ? column - head.length : column);
      return new Unreadable('ParseError', `Unexpected ${JSON.stringify(found)}`, line, at);
    }
    const said = own.a$cls === undefined ? message : send(thrown, 'messageText');
    return new Unreadable(own.a$cls?.name ?? 'CompilerError', String(said).trim(), 1, 1);
  }
}

/** `!Counter methodsFor: 'counting'!` and the like. */
function isChunks(source: string): boolean {
  return /^!\w[\w ]* (?:methodsFor:|commentStamp)/m.test(source);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

/** Names that no block and no declaration in the code binds; classes and the like begin with a capital. */
function freeNames(root: Node): { readonly assigned: readonly string[]; readonly read: readonly string[] } {
  const assigned = new Set<string>();
  const read = new Set<string>();
  const visit = (node: Node, bound: ReadonlySet<string>): void => {
    const more = [...(node.temps ?? []), ...(node.parameters ?? [])];
    const inner = more.length === 0 ? bound : new Set([...bound, ...more]);
    const name = node.identifier;
    if (name !== undefined && !inner.has(name) && !pseudo.has(name)) read.add(name);
    const target = node.left?.identifier;
    if (target !== undefined && !inner.has(target) && !pseudo.has(target)) assigned.add(target);
    for (const child of node._dagChildren()) visit(child, inner);
  };
  visit(root, new Set());
  return { assigned: [...assigned], read: [...read] };
}
