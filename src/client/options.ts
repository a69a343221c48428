// What may be said about a connection and about a request, and what holds when it is not.
import type { Era, Revision } from '../protocol/revision.ts';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  Implementation,
  LoggingLevel,
  Root,
  ServerCapabilities,
} from '../protocol/types.ts';

export interface HandlerContext {
  /** Aborted when the server takes the question back, or the call that led to it is cancelled. */
  readonly signal: AbortSignal;
}

/** What a server may ask. A handler that is there declares the capability; one that is not refuses. */
export interface Handlers {
  elicit?(ask: ElicitRequestParams, context: HandlerContext): ElicitResult | Promise<ElicitResult>;
  sample?(params: CreateMessageRequestParams, context: HandlerContext): CreateMessageResult | Promise<CreateMessageResult>;
  roots?(context: HandlerContext): readonly Root[] | Promise<readonly Root[]>;
}

export interface Timeouts {
  /** Without any sign of life; progress counts as one. Default: 60,000. */
  readonly idleMs?: number;
  /** However lively. Default: 600,000. */
  readonly totalMs?: number;
}

/** What was found out about a server; handed in again, it saves the asking. */
export interface Verdict {
  readonly era: Era;
  readonly revision: Revision;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** An extension as a client knows it. */
export interface ClientExtension {
  readonly id: string;
  /** Declared to the server. Default: an empty object. */
  readonly settings?: object;
  /** Makes a final result of a result type of its own. */
  readonly results?: Readonly<Record<string, (result: object, call: ExtensionCall) => Promise<object>>>;
}

export interface ExtensionCall {
  readonly method: string;
  readonly params: object;
  request(method: string, params?: object): Promise<object>;
  readonly signal: AbortSignal | undefined;
}

export interface ClientOptions {
  /** Who the client says it is. */
  readonly client?: Implementation;
  readonly handlers?: Handlers;
  /** What handlers can do beyond the plain: forms and text are always meant. */
  readonly features?: readonly ('elicitation.url' | 'sampling.tools')[];
  /** Default: `auto`, the newest both sides know. */
  readonly revision?: 'auto' | Revision;
  readonly prior?: Verdict;
  readonly timeouts?: Timeouts & {
    /** For finding out what the server speaks. Default: 30,000. */
    readonly connectMs?: number;
    /** How long a server on a pipe may be silent before the handshake is tried. Default: 5,000. */
    readonly probeMs?: number;
  };
  /** Makes a new session when the server has lost the old one. Default: true. */
  readonly recover?: boolean;
  /** Starts a child process again that has ended, so many times. Default: false. */
  readonly restart?: false | { readonly max: number };
  /** Default: 1,000 pages, 10 rounds of questions. */
  readonly limits?: { readonly pages?: number; readonly rounds?: number };
  readonly extensions?: readonly ClientExtension[];
  /** Keeps results as long as the server says they hold. Default: true. */
  readonly cache?: boolean;
  /** Sees every message, decoded. */
  readonly tap?: (event: { readonly direction: 'in' | 'out'; readonly message: object }) => void;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly timeouts?: Timeouts;
  readonly onProgress?: (progress: Progress) => void;
  /** Asks for log messages of this call, where each call says so itself. */
  readonly logLevel?: LoggingLevel;
  /** More `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface Warning {
  readonly code: 'junk' | 'late-answer' | 'unknown-answer' | 'bad-message' | 'schema' | 'tool-dropped' | 'subscription' | 'recovery';
  readonly message: string;
}

export interface ClientEvents {
  /** The server lost the session or ended; everything was set up again. */
  reconnected: { readonly cause: string; readonly replayed: number; readonly unknown: number };
  listChanged: { readonly of: 'tools' | 'resources' | 'prompts' };
  resourceUpdated: { readonly uri: string };
  log: { readonly level: LoggingLevel; readonly logger?: string; readonly data: unknown };
  warning: Warning;
  closed: { readonly wanted: boolean; readonly message?: string };
  notification: { readonly method: string; readonly params?: Readonly<Record<string, unknown>> };
}

/** What the server said about itself. */
export interface Introduction {
  readonly era: Era;
  readonly revision: Revision;
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}
