// What may be said about a connection and about a request, and what holds when it is not.
import { VivariumError } from '../jsonrpc/error.ts';
import { type Era, isRevision, type Revision, revisions } from '../protocol/revision.ts';
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
  readonly features?: readonly ('elicitation.url' | 'sampling.tools' | 'roots.listChanged')[];
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
  readonly code:
    | 'junk'
    | 'late-answer'
    | 'unknown-answer'
    | 'bad-message'
    | 'schema'
    | 'tool-dropped'
    | 'subscription'
    | 'recovery'
    | 'listener';
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
  /** When the server was asked for its era. */
  readonly at?: number;
}

const clientNames: Readonly<Record<keyof ClientOptions, true>> = {
  cache: true,
  client: true,
  extensions: true,
  features: true,
  handlers: true,
  limits: true,
  prior: true,
  recover: true,
  restart: true,
  revision: true,
  tap: true,
  timeouts: true,
};
const requestNames: Readonly<Record<keyof RequestOptions, true>> = {
  logLevel: true,
  meta: true,
  onProgress: true,
  signal: true,
  timeouts: true,
};
/** Those of a call have one more, which its caller has looked after. */
const callNames: readonly string[] = [...Object.keys(requestNames), 'output'].sort();
const limitNames = ['idleMs', 'totalMs'];

/** What is misspelt would otherwise be left out in silence. `more` are options of whoever calls. */
export function checkOptions(options: ClientOptions, more: readonly string[] = []): void {
  checkNames('option', options, [...Object.keys(clientNames), ...more].sort());
  const { handlers, limits, restart, revision, timeouts } = options;
  if (revision !== undefined && revision !== 'auto' && !isRevision(revision))
    throw mistake(`revision must be 'auto' or one of ${revisions.join(', ')}, got ${String(revision)}`);
  if (timeouts !== undefined) checkLimits('timeouts', timeouts, ['connectMs', ...limitNames, 'probeMs']);
  if (limits !== undefined) checkLimits('limits', limits, ['pages', 'rounds']);
  if (handlers !== undefined) {
    checkNames('handler', handlers, ['elicit', 'roots', 'sample']);
    const odd = Object.entries(handlers).find(([, handler]) => handler !== undefined && typeof handler !== 'function');
    if (odd !== undefined) throw mistake(`handlers.${odd[0]} must be a function`);
  }
  if (restart !== undefined && restart !== false && !Number.isSafeInteger(restart?.max))
    throw mistake('restart must be false or { max }, with the number of times in all');
}

/** Looked at for every request, so most of them must cost nothing. */
export function checkRequest(options: RequestOptions): void {
  for (const name in options) if (!callNames.includes(name)) checkNames('option', options, callNames);
  if (options.timeouts !== undefined) checkLimits('timeouts', options.timeouts, limitNames);
}

function checkLimits(what: string, given: object, known: readonly string[]): void {
  checkNames(`${what}.`, given, known);
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (value === undefined || (typeof value === 'number' && value > 0)) continue;
    throw mistake(`${what}.${name} must be a number above 0, got ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`);
  }
}

function checkNames(what: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) throw mistake(`Options must be an object, got ${String(given)}`);
  const odd = Object.keys(given).find((name) => !known.includes(name));
  if (odd === undefined) return;
  const name = what.endsWith('.') ? `option "${what}${odd}"` : `${what} "${odd}"`;
  throw mistake(`There is no ${name}: ${known.join(', ')} are those there are`);
}

function mistake(message: string): VivariumError {
  return new VivariumError('ERR_CONFIG', message);
}
