// What a language brings to the live image: how its child is started, and how what was written becomes what is run.

/** How to start a child that speaks the wire of docs/live-wire.md on fd 3. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A program that is there already, at this socket: nothing is started, and nothing is ended. */
  readonly socket?: string;
  /** What the child is told in its first line, beside its secret. */
  readonly terms: Readonly<Record<string, unknown>>;
  /** Said with the first answer. */
  readonly note?: string;
}

export interface LaunchOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Of the language's own heap. */
  readonly heapMb: number;
}

/** A cell as the child takes it; `fields` go into the frame as they are. */
export interface Prepared {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names it defines, for the list of definitions. */
  readonly declares: readonly string[];
}

/** What a caller may ask of a cell beside running it. */
export interface Wishes {
  readonly language?: string | undefined;
  readonly package?: string | undefined;
  /** It is to stop where it fails. */
  readonly pauses?: boolean;
}

/** The notes of one generation of an image: what was declared, what was imported. */
export interface Notebook {
  /** Throws a `CellFault` when the code cannot be read. */
  prepare(code: string, cell: number, wishes?: Wishes): Prepared | Promise<Prepared>;
}

export interface Engine {
  /** As in `--language`. */
  readonly language: string;
  /** What it is called in lists. */
  readonly title: string;
  readonly features: Features;
  launch(options: LaunchOptions): Launch | Promise<Launch>;
  open(options: LaunchOptions): Notebook;
  /** Code that brings a file of the project into a fresh image. */
  loadCode(file: string): string;
}

export interface Features {
  readonly interrupt: 'keep' | 'restart';
  readonly readOnly: boolean;
  readonly debug: boolean;
  readonly reload: boolean;
  readonly lookup: boolean;
}

export interface View {
  readonly text: string;
  readonly type: string;
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
}

export interface Fault {
  readonly type: string;
  readonly message: string;
  readonly kind: 'error' | 'syntax' | 'stack' | 'thrown';
  readonly frames: readonly Frame[];
  readonly causes?: readonly string[];
  readonly details?: string;
  readonly ref?: number;
}

export interface Pause {
  readonly reason: string;
  readonly frames: readonly Frame[];
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
  | { readonly status: 'ok'; readonly value: View }
  | { readonly status: 'error'; readonly fault: Fault }
  /** Stopped from outside; the session is as it was, but for what the cell had done. */
  | { readonly status: 'stopped'; readonly why: StopReason; readonly goesOn: boolean }
  /** Stopped because memory ran out. */
  | { readonly status: 'memory'; readonly where: string }
  /** The image ended under it: everything in it is gone. */
  | { readonly status: 'lost'; readonly reason: string };

export type StopReason = 'timeout' | 'cancelled' | 'interrupted';
