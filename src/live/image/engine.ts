// What a language brings to the live image: how its child is started, and how what was written becomes what is run.

import type { Duplex } from 'node:stream';
import type { TestReport, TestRunner, TestSelection } from './test-runner.ts';

/** How to start a child that speaks the wire of docs/live-wire.md on fd 3. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A program that is there already, at this socket: nothing is started, and nothing is ended. */
  readonly socket?: string;
  /** The same, where the engine has the way there already. */
  readonly wire?: Duplex;
  /**
   * It cannot be given fd 3: it connects back to a port on loopback, which it finds in its environment with a token that is good
   * once. Without a command it is a person's own: both are in `file` while it is waited for, and `hint` says what to do.
   */
  readonly callsBack?: { readonly file?: string; readonly hint?: string };
  /** What the child is told in its first line, beside its secret. */
  readonly terms: Readonly<Record<string, unknown>>;
  /** Said with the first answer. */
  readonly note?: string;
  /** Files it needs beside the project's and the system's: a sandbox lets it read them. */
  readonly reads?: readonly string[];
  /** What it reads from fd 4 before it begins. */
  readonly handed?: string;
  /** What it reads from fd 5, only with `handed`. */
  readonly filter?: Uint8Array;
  /** Called when the image ended before it was ready: what it was started with may be at fault. Returns what was done about it. */
  unfit?(reason: EndReason): string | undefined;
}

/** How an image ended: its process exited, or a signal ended it, or we did; it could not be started, or hung up. */
export type EndReason = 'exited' | 'signalled' | 'ended-by-host' | 'not-started' | 'disconnected';

export interface LaunchOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Of the language's own heap. */
  readonly heapMb: number;
  /** A whole image that was saved, to begin with; only where `features.save` is `image`. */
  readonly image?: string;
}

/** A cell as the child takes it; `fields` go into the frame as they are. */
export interface Prepared {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names it defines, for the list of definitions. */
  readonly declares: readonly string[];
}

/** What a caller may ask of a cell beside running it. */
export interface CellOptions {
  readonly language?: string | undefined;
  readonly package?: string | undefined;
  /** It is to stop where it fails. */
  readonly pauses?: boolean;
}

/** The notes of one generation of an image: what was declared, what was imported. */
export interface Notebook {
  /** Throws a `CellFault` when the code cannot be read. */
  prepare(code: string, cell: number, wishes?: CellOptions): Prepared | Promise<Prepared>;
}

/** Said of what every fresh image does first, and how it is written. */
export interface Start {
  readonly what: string;
  readonly code: string;
}

export interface Engine {
  /** As in `--language`. */
  readonly language: string;
  /** Other names people use for it, such as js. */
  readonly aliases?: readonly string[];
  /** What it is called in lists. */
  readonly title: string;
  /** Its programs run without us: they are left, and never emptied or ended. */
  readonly foreign?: true;
  /** It takes so long to begin that one image is kept waiting. */
  readonly slow?: true;
  /** No evaluation may take longer, whatever was asked for. */
  readonly maxMs?: number;
  readonly features: Features;
  /** How a program is worked with in it, for the guide: one sentence. */
  readonly hint: string;
  /** Why it cannot be had here, and what to install; undefined where it can. */
  problem?(): string | undefined;
  /** Only the image can say whether code can be read: it is asked `check`. */
  readonly readsInImage?: true;
  /** Run in every fresh image, before the files of the project. */
  readonly starts?: readonly Start[];
  /** Kinds of names that have an address of their own, beside classes and functions. */
  readonly kinds?: readonly string[];
  launch(options: LaunchOptions): Launch | Promise<Launch>;
  open(options: LaunchOptions): Notebook;
  /** Code that brings a file of the project into a fresh image; undefined for files of another language. */
  loadCode(file: string): string | undefined;
  /** Code that runs tests in the image, whose value has a report; undefined where they run in a process of their own. */
  testsCode?(selection: TestSelection): string;
  /** How the project's tests are run, where it has any in this language. */
  testRunner?(cwd: string): TestRunner | undefined;
  /** Code that gives methods to a class whose instances stay; undefined where that is done otherwise. */
  methodsCode?(on: string, source: string): string | undefined;
}

/** Everything a fresh image begins with, in order. */
export function startsOf({ starts = [], loadCode }: Engine, load: readonly string[]): readonly Start[] {
  const files = load.map((what) => ({ what, code: loadCode(what) }));
  return [...starts, ...files.filter((one): one is Start => one.code !== undefined)];
}

/** What a session of this language can do, said when it is opened. */
export interface Features {
  /** What an interrupt costs; `none` where only the time limit ends anything. */
  readonly interrupt: 'keep' | 'restart' | 'none';
  /** Expressions are inspected without a way to change anything. */
  readonly readOnly: boolean;
  readonly debug: boolean;
  /** An error can be gone on from in the ways the program offers. */
  readonly restarts: boolean;
  readonly reload: boolean;
  readonly lookup: boolean;
  /** `package` of evaluate means something. */
  readonly packages: boolean;
  /** The whole image with its values, or what was evaluated, to be run again. */
  readonly save: 'image' | 'journal';
}

export interface View {
  readonly text: string;
  readonly type: string;
  /** Of a run of tests. */
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
  /** Whether it is the user's own, where its file does not tell. */
  readonly own?: boolean;
}

/** A way to go on from an error. */
export interface Restart {
  readonly name: string;
  /** What it does, in the program's words. */
  readonly report: string;
  /** It asks for a value. */
  readonly takesValue?: true;
}

/** What the compiler has to say about a cell. */
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
  /** Those there were; only a pause lets one choose. */
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

/** The code cannot be read; nothing of it was run. */
export class CellFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** What became of a cell. */
export type Outcome =
  | {
      readonly status: 'ok';
      readonly value: View;
      /** All of them, where a language gives none or several at a time. */
      readonly values?: readonly View[];
      readonly notes?: readonly Note[];
    }
  | { readonly status: 'error'; readonly fault: Fault; readonly notes?: readonly Note[] }
  /** Stopped from outside; the session is as it was, but for what the cell had done. */
  | { readonly status: 'stopped'; readonly why: StopReason; readonly goesOn: boolean; readonly note?: string }
  /** Stopped because memory ran out. */
  | { readonly status: 'memory'; readonly where: string }
  /** The image ended under it: everything in it is gone. */
  | { readonly status: 'lost'; readonly reason: string };

export type StopReason = 'timeout' | 'cancelled' | 'interrupted';
