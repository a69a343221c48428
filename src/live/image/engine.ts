// The interface of a language: how its image is started, and how source code becomes what the image runs.

import type { Duplex } from 'node:stream';
import type { TestReport, TestRunner, TestSelection } from './test-runner.ts';

/** How to start an image, which speaks the wire of docs/live-wire.md on fd 3. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Attach to a running program at this socket: nothing is started or killed. */
  readonly socket?: string;
  /** The same, over a stream that the engine has opened. */
  readonly wire?: Duplex;
  /**
   * The image cannot inherit fd 3: it connects to a port on loopback, given in its environment with a token that is valid once.
   * Without a command, a person starts it: port and token are in `file` until it connects, and `hint` says what to do.
   */
  readonly callsBack?: { readonly file?: string; readonly hint?: string };
  /** Sent to the image in the first line, with its secret. */
  readonly terms: Readonly<Record<string, unknown>>;
  /** Reported with the first answer. */
  readonly note?: string;
  /** Files besides the project's and the system's that a sandbox lets it read. */
  readonly reads?: readonly string[];
  /** Written to fd 4 before it starts. */
  readonly handed?: string;
  /** Written to fd 5; only with `handed`. */
  readonly filter?: Uint8Array;
  /** Called when the image ended before it was ready: what it was started with may be at fault. Returns what was done about it. */
  unfit?(reason: EndReason): string | undefined;
}

/** How an image ended: its process exited, or a signal ended it, or we did; it could not be started, or hung up. */
export type EndReason = 'exited' | 'signalled' | 'ended-by-host' | 'not-started' | 'disconnected';

export interface LaunchOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Limit of the language's heap. */
  readonly heapMb: number;
  /** Saved image to start from; only where `features.save` is `image`. */
  readonly image?: string;
}

/** A cell as the image takes it; `fields` go into the frame of `evaluate`. */
export interface Prepared {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names it defines. */
  readonly declares: readonly string[];
}

/** Options of a caller for one cell. */
export interface CellOptions {
  readonly language?: string | undefined;
  readonly package?: string | undefined;
  /** The file in whose scope it runs; only where `features.scopes` is true. */
  readonly within?: string | undefined;
  /** Pause on error. */
  readonly pauses?: boolean;
}

/** Prepares the cells of one image; remembers what they declared and imported. */
export interface Notebook {
  /** Throws a `CellFault` on a syntax error. */
  prepare(code: string, cell: number, wishes?: CellOptions): Prepared | Promise<Prepared>;
}

/** Code that every fresh image runs first; `what` names it in reports. */
export interface Start {
  readonly what: string;
  readonly code: string;
}

export interface Engine {
  /** As in `--language`. */
  readonly language: string;
  /** Such as js. */
  readonly aliases?: readonly string[];
  /** For people. */
  readonly title: string;
  /** It attaches to programs that run without us: they are never reset or killed. */
  readonly foreign?: true;
  /** It starts so slowly that one image is kept warm. */
  readonly slow?: true;
  /** Upper limit of every timeout. */
  readonly maxMs?: number;
  readonly features: Features;
  /** One sentence for the instructions of the server: how to work in this language. */
  readonly hint: string;
  /** Why it is not available here, and what to install. */
  problem?(): string | undefined;
  /** Only the image can parse its language: syntax is checked by the operation `check`. */
  readonly readsInImage?: true;
  /** Run in every fresh image, before the files of the project. */
  readonly starts?: readonly Start[];
  /** Kinds of names with resources of their own, besides classes and functions. */
  readonly kinds?: readonly string[];
  launch(options: LaunchOptions): Launch | Promise<Launch>;
  open(options: LaunchOptions): Notebook;
  /** Code that loads a file of the project; undefined for files of another language. */
  loadCode(file: string): string | undefined;
  /** Code that runs tests in the image; its value has a report. Without it, tests run in a process of their own. */
  testsCode?(selection: TestSelection): string;
  /** Undefined where the project has no tests in this language. */
  testRunner?(cwd: string): TestRunner | undefined;
  /** Code that replaces methods of a class and keeps its instances; undefined where the language has no need for it. */
  methodsCode?(on: string, source: string): string | undefined;
}

/** Everything a fresh image runs first, in order. */
export function startsOf({ starts = [], loadCode }: Engine, load: readonly string[]): readonly Start[] {
  const files = load.map((what) => ({ what, code: loadCode(what) }));
  return [...starts, ...files.filter((one): one is Start => one.code !== undefined)];
}

/** What a session of this language can do. */
export interface Features {
  /** What an interrupt costs; `none` where only the timeout ends an evaluation. */
  readonly interrupt: 'keep' | 'restart' | 'none';
  /** `inspect` takes any expression, and it cannot change anything. */
  readonly readOnly: boolean;
  readonly debug: boolean;
  /** The program offers restarts: ways to continue from an error. */
  readonly restarts: boolean;
  readonly reload: boolean;
  readonly lookup: boolean;
  /** `evaluate` takes a package. */
  readonly packages: boolean;
  /** `evaluate` takes a file, and runs in its scope. */
  readonly scopes: boolean;
  /** The whole image with its values, or a journal of evaluations for replay. */
  readonly save: 'image' | 'journal';
}

export interface View {
  readonly text: string;
  readonly type: string;
  /** Where the value is a test run. */
  readonly tests?: TestReport;
  readonly ref?: number;
  readonly cut?: true;
}

export interface Member {
  readonly key: string;
  readonly text: string;
  readonly ref?: number;
}

export interface Members extends View {
  readonly members: readonly Member[];
  readonly offset: number;
  readonly total: number;
  readonly proto?: string;
}

export interface Frame {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly locals?: readonly { readonly name: string; readonly text: string }[];
  /** Whether it is the user's code, where its file does not tell. */
  readonly own?: boolean;
}

/** A way to continue from an error. */
export interface Restart {
  readonly name: string;
  /** The program's description of it. */
  readonly report: string;
  /** It needs a value. */
  readonly takesValue?: true;
}

/** A message of the compiler about a cell. */
export interface Note {
  readonly severity: 'error' | 'warning' | 'style-warning' | 'note';
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Fault {
  readonly type: string;
  readonly message: string;
  readonly kind: 'error' | 'syntax' | 'stack' | 'thrown';
  readonly frames: readonly Frame[];
  readonly causes?: readonly string[];
  readonly details?: string;
  readonly ref?: number;
  /** For information: a restart can be chosen only while paused. */
  readonly restarts?: readonly Restart[];
}

export interface Pause {
  readonly reason: string;
  readonly frames: readonly Frame[];
  readonly restarts?: readonly Restart[];
}

/** Something the code displays. */
export interface Picture {
  readonly mimeType: string;
  readonly data: string;
}

/** A syntax error; nothing was run. */
export class CellFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** The outcome of a cell. */
export type Outcome =
  | {
      readonly status: 'ok';
      readonly value: View;
      /** Where the language has multiple values. */
      readonly values?: readonly View[];
      readonly notes?: readonly Note[];
    }
  | { readonly status: 'error'; readonly fault: Fault; readonly notes?: readonly Note[] }
  /** Stopped from outside; the session keeps its state, including what the cell had done. */
  | { readonly status: 'stopped'; readonly why: StopReason; readonly goesOn: boolean; readonly note?: string }
  /** Out of memory. */
  | { readonly status: 'memory'; readonly where: string }
  /** The image ended: its state is lost. */
  | { readonly status: 'lost'; readonly reason: string };

export type StopReason = 'timeout' | 'cancelled' | 'interrupted';
